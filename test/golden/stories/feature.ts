import { bash, edit, read, type Story, step, write } from './story.ts'

/** A feature in two files with its test, committed. */
export const feature: Story = {
  name: 'feature-due-dates',
  project: 'chores',
  files: {
    'package.json': { name: 'chores', version: '0.3.0', type: 'module', bin: 'src/main.mjs', scripts: { test: 'node --test' } },
    'src/parse.mjs': `/** What the person typed, as a chore. */
export function parseAdd(args) {
  const words = args.filter((arg) => !arg.startsWith('--'))
  return { text: words.join(' '), done: false }
}
`,
    'src/list.mjs': `/** The chores as lines of text, open ones first. */
export function listLines(chores) {
  const sorted = [...chores].sort((a, b) => Number(a.done) - Number(b.done))
  return sorted.map((chore) => \`[\${chore.done ? 'x' : ' '}] \${chore.text}\`)
}
`,
    'src/main.mjs': `import { listLines } from './list.mjs'
import { parseAdd } from './parse.mjs'

const [command, ...args] = process.argv.slice(2)
if (command === 'add') console.log(listLines([parseAdd(args)]).join('\\n'))
`,
    'test/list.test.mjs': `import assert from 'node:assert/strict'
import test from 'node:test'
import { listLines } from '../src/list.mjs'

test('open chores come first', () => {
  const lines = listLines([{ text: 'dishes', done: true }, { text: 'plants', done: false }])
  assert.deepEqual(lines, ['[ ] plants', '[x] dishes'])
})
`,
  },
  prompts: [
    {
      says: 'Add due dates: `chores add water the plants --due 2026-04-01`. The list should show the date and be sorted by it, chores without a date last. With tests, and commit when it works.',
      model: [
        step("I'll look at how adding and listing work today.", read('src/parse.mjs'), read('src/list.mjs'), read('test/list.test.mjs')),
        step(
          'First the parser: `--due` takes the next word, and a date that is none is refused.',
          edit(
            'src/parse.mjs',
            `export function parseAdd(args) {
  const words = args.filter((arg) => !arg.startsWith('--'))
  return { text: words.join(' '), done: false }
}`,
            `export function parseAdd(args) {
  const at = args.indexOf('--due')
  const due = at < 0 ? null : parseDate(args[at + 1])
  const words = args.filter((arg, i) => !arg.startsWith('--') && (at < 0 || i !== at + 1))
  return { text: words.join(' '), done: false, due }
}

function parseDate(text = '') {
  if (!/^\\d{4}-\\d\\d-\\d\\d$/.test(text)) throw new Error(\`"\${text}" is no date; write it as 2026-04-01\`)
  return text
}`,
          ),
        ),
        step(
          '',
          edit(
            'src/list.mjs',
            `  const sorted = [...chores].sort((a, b) => Number(a.done) - Number(b.done))
  return sorted.map((chore) => \`[\${chore.done ? 'x' : ' '}] \${chore.text}\`)
}`,
            `  const sorted = [...chores].sort((a, b) => Number(a.done) - Number(b.done) || byDue(a, b))
  return sorted.map((chore) => \`[\${chore.done ? 'x' : ' '}] \${chore.text}\${chore.due ? \` (due \${chore.due})\` : ''}\`)
}

/** ISO dates sort as text; no date sorts behind every date. */
function byDue(a, b) {
  return (a.due ?? '9999').localeCompare(b.due ?? '9999')
}`,
          ),
          write(
            'test/due.test.mjs',
            `import assert from 'node:assert/strict'
import test from 'node:test'
import { listLines } from '../src/list.mjs'
import { parseAdd } from '../src/parse.mjs'

test('a due date is taken out of the words', () => {
  assert.deepEqual(parseAdd(['water', 'the', 'plants', '--due', '2026-04-01']), {
    text: 'water the plants',
    done: false,
    due: '2026-04-01',
  })
})

test('a date that is none is refused', () => {
  assert.throws(() => parseAdd(['plants', '--due', 'soon']), /is no date/)
})

test('the list is sorted by due date, chores without one last', () => {
  const chore = (text, due) => ({ text, due, done: false })
  const lines = listLines([chore('later', null), chore('may', '2026-05-01'), chore('april', '2026-04-01')])
  assert.deepEqual(lines, ['[ ] april (due 2026-04-01)', '[ ] may (due 2026-05-01)', '[ ] later'])
})
`,
          ),
        ),
        step('', bash('npm test 2>&1 | tail -25', 'Run the tests')),
        step('', bash('node src/main.mjs add water the plants --due 2026-04-01', 'Try it by hand')),
        step(
          'Works. Committing.',
          bash(
            `git add -A && git commit -m "$(cat <<'EOF'
feat: due dates for chores

\`chores add --due YYYY-MM-DD\` stores a date; the list shows it and is sorted by it.
Dates are kept as ISO text because that sorts by itself and has no time zone.
EOF
)"`,
            'Commit the feature',
          ),
        ),
        `\`chores add … --due 2026-04-01\` works now:

- \`src/parse.mjs\`: \`parseAdd\` takes \`--due\` and refuses anything that is not \`YYYY-MM-DD\`.
- \`src/list.mjs\`: the list shows \`(due …)\` and sorts by it; chores without a date come last.
- \`test/due.test.mjs\`: three new tests, all pass.

Dates are kept as ISO text, so they sort as text and need no time zone. It is committed on \`main\`.`,
      ],
    },
  ],
}
