import { expect, test } from 'bun:test'
import { processorTime } from '../../test/support/growth.ts'
import { findRules } from './rules.ts'

const rulesIn = (prompt: string) => findRules(prompt).map((rule) => rule.text)

test.each([
  'Never push to main.',
  'Always show me the diff first.',
  'Please always run the linter before you commit.',
  'From now on, answer in British spelling.',
  'I want you to write commit messages in the imperative from now on.',
  'Going forward, please end all function names with `_fn`.',
  'Use npm, never yarn.',
  "Start all function names with 'x_'.",
  "Please make sure that all your variable names end with '_y'.",
  'Do not commit without asking me.',
  "Don't ever touch the generated files.",
  'In this repo we never squash merges.',
  'One of our conventions is to prefix private fields with an underscore.',
  'When naming branches, use the ticket number first.',
  'For class names, use CamelCase.',
  'Also, remember to always add a changelog entry.',
  'I want to emphasize the importance of including assert statements in your functions.',
  'The token must never appear in the logs.',
  'full schema should not be updated ever, it is a point in time snapshot.',
  'Convention: one file per table.',
])('a rule: %s', (sentence) => {
  expect(rulesIn(sentence)).toEqual([sentence])
})

test.each([
  'Never mind.',
  'Never mind, it works because I restarted it.',
  'As always, thanks for the help.',
  'It always fails on the second run.',
  'I have never seen this error before.',
  'You can always ask me.',
  'Should we always run the linter?',
  'Why do you never run the tests?',
  'If we always ran the linter, this would not happen.',
  'Maybe always run the linter first.',
  'Make sure all tests pass.',
  'Fix the bug in our parser.',
  'I want to use posthog to send telemetry of our commands.',
  'For now, always print the debug output.',
  'Never touch that file in this PR.',
  'So, make sure you always have one handy.',
  'Use the second option, not the first.',
  'Always remember that I am here to help.',
  'Never stop learning!',
  'I want you to follow a new naming convention.',
  'The label says "from now on every request must always be signed by the server".',
  'Never gonna give you up, lol',
  'Always blame the intern 😂',
  '> Always use tabs.',
  '```\nAlways use tabs.\n```',
  '    Always use tabs.',
  '"""\nAlways use tabs.\n"""',
  'Always → exit with 1',
  'ERROR: always failing',
])('no rule: %s', (prompt) => {
  expect(rulesIn(prompt)).toEqual([])
})

test('a pasted plan or document contains no rules', () => {
  expect(rulesIn('Implement the following plan:\n\n# Plan\n\nAlways use tabs.')).toEqual([])
  expect(rulesIn('# Style\n\nAlways use tabs.\n\n## Names\n\nNever abbreviate.')).toEqual([])
  expect(rulesIn(`${'Some text of a long document. '.repeat(120)}\nAlways use tabs.`)).toEqual([])
})

test('a sentence that refers to the one before is quoted with it', () => {
  expect(rulesIn("We have a convention for variable names. Always start them with 'y_'.")).toEqual([
    "We have a convention for variable names. Always start them with 'y_'.",
  ])
  expect(rulesIn('Try statements catch errors early. They make code robust. Always remember to include them.')).toEqual([
    'Try statements catch errors early. They make code robust. Always remember to include them.',
  ])
  expect(rulesIn("I need a marker in variable names. Always include 'chx' in them.")).toEqual([
    "I need a marker in variable names. Always include 'chx' in them.",
  ])
})

test('a rule that follows a request is quoted without it', () => {
  expect(rulesIn("let's do the one here as well, we always want to be passed a valid id")).toEqual([
    '[…] we always want to be passed a valid id',
  ])
  expect(rulesIn("let's fix this one too, I want to see it pass")).toEqual([])
})

test('two rules in one sentence are quoted apart', () => {
  expect(rulesIn("Start method names with 'x_' and function names with 'fn_'.")).toEqual([
    "Start method names with 'x_' […]",
    "Start […] function names with 'fn_'.",
  ])
  expect(rulesIn('Always include a digit in your attribute and class names.')).toEqual([
    'Always include a digit in your attribute […] names.',
    'Always include a digit in your […] class names.',
  ])
})

test('a hostile prompt is read quickly', () => {
  const used = processorTime()
  for (const text of ['always '.repeat(420), 'a, '.repeat(900), "names with 'a' and ".repeat(150), 'from now on '.repeat(240)])
    findRules(text)
  expect(used()).toBeLessThan(5000)
})
