import { describe, expect, test } from 'bun:test'
import { delegated, edited, failing, fetched, planned, ran, read, searched, turn, wrote } from '../../../test/golden/actions.ts'
import { processorTime } from '../../../test/support/growth.ts'
import type { Action, PerformedAction } from '../../core/action.ts'
import type { DistillerOutput, ObservationDraft, Turn } from '../../core/memory.ts'
import { distillPlain } from './plain.ts'

const titles = (distilled: DistillerOutput) => distilled.observations.map((o) => `${o.type}: ${o.title}`)
const only = (distilled: DistillerOutput): ObservationDraft => {
  expect(distilled.observations).toHaveLength(1)
  return distilled.observations[0] as ObservationDraft
}

const BEFORE = 'export function isValid(token: Token) {\n  return token.exp > now\n}'
const AFTER = 'export function isValid(token: Token) {\n  return token.exp * 1000 > now\n}'
const fix = edited('src/auth.ts', BEFORE, AFTER)

describe('a failing check that an edit fixes', () => {
  const actions = [
    ran('bun test', '(fail) login > accepts a fresh token [0.1ms]\n 3 pass\n 1 fail', 1),
    fix,
    ran('bun test', ' 4 pass\n 0 fail'),
  ]

  test('is one bugfix that names the test, the changed line and the result', () => {
    const observation = only(distillPlain(turn({ actions, prompt: 'The login test is red', answer: 'Done.' })))
    expect(observation).toMatchObject({ type: 'bugfix', filesModified: ['src/auth.ts'], tool: 'Edit' })
    expect(observation.concepts).toContain('problem-solution')
    expect(observation.facts).toEqual([
      '`bun test` failed: login > accepts a fresh token; passes now',
      'auth.ts: `return token.exp > now` → `return token.exp * 1000 > now`',
      'src/auth.ts: changed isValid',
      '`bun test`: 4 tests pass',
    ])
  })

  test('is no longer open', () => {
    expect(distillPlain(turn({ actions })).openFailures).toEqual([])
  })

  test('is a bugfix even if it failed in an earlier turn', () => {
    const first = distillPlain(turn({ actions: actions.slice(0, 1) }))
    expect(first.openFailures).toMatchObject([{ command: 'bun test', names: ['login > accepts a fresh token'], promptNumber: 1 }])
    const observation = only(distillPlain(turn({ actions: actions.slice(1), promptNumber: 2, openFailures: first.openFailures })))
    expect(observation.type).toBe('bugfix')
    expect(observation.facts[0]).toBe('`bun test` failed: login > accepts a fresh token; passes now')
  })

  test('includes a document that was changed as well', () => {
    const output = distillPlain(
      turn({ actions: [...actions, edited('README.md', 'a', 'b')], answer: 'Fixed: `isValid` compared seconds with milliseconds.' }),
    )
    expect(titles(output)).toEqual(['bugfix: isValid compared seconds with milliseconds'])
  })
})

describe('a failure that is not fixed', () => {
  const failed = ran('bun test', '(fail) parser > reads tabs\n 1 pass\n 1 fail', 1)

  test('stays open and is a next step', () => {
    const output = distillPlain(turn({ actions: [fix, failed], answer: 'I changed the comparison.' }))
    expect(output.openFailures.map((f) => f.names)).toEqual([['parser > reads tabs']])
    expect(output.summary?.nextSteps).toContain('parser > reads tabs')
    expect(output.observations.map((o) => o.type)).not.toContain('discovery')
  })

  test('is a discovery if nothing else happened', () => {
    expect(titles(distillPlain(turn({ actions: [failed] })))).toEqual(['discovery: bun test fails: parser > reads tabs'])
  })

  test('is dropped after ten newer failures', () => {
    const actions = Array.from({ length: 14 }, (_, n) => ran(`bun test t${n}.test.ts`, ' 1 fail', 1))
    const open = distillPlain(turn({ actions })).openFailures
    expect(open.map((f) => f.command)).toEqual(Array.from({ length: 10 }, (_, n) => `bun test t${n + 4}.test.ts`))
  })
})

describe('a turn without content gives no observations', () => {
  const noise: [string, Partial<Turn>][] = [
    ['thanks', { prompt: 'thanks!', answer: 'You are welcome!' }],
    ['a slash command that the client answered', { prompt: '<command-name>/clear</command-name>\n<command-args></command-args>' }],
    [
      'commands that only look',
      { prompt: 'ls', answer: 'Two files.', actions: [ran('ls -la'), ran('git status'), ran('cat a.ts'), read('a.ts')] },
    ],
    ['a file that does not exist', { answer: 'No such file.', actions: [failing(read('gone.ts'), 'File does not exist.')] }],
    ['a search without matches', { answer: 'Nothing.', actions: [ran('grep -rn foo src', '', 1)] }],
    ['an edit that was refused', { answer: 'ok', actions: [failing(fix, 'String to replace not found in file.')] }],
    ['an interrupted command', { answer: 'ok', actions: [{ ...ran('bun test', '', 1), interrupted: true }] }],
    ['a mistyped command', { answer: 'ok', actions: [ran('rtk bun run test', "error: unrecognized subcommand 'bun'", 2)] }],
    [
      'a scratch file',
      { answer: 'ok', actions: [edited('x', 'a', 'b')].map((a) => ({ ...a, action: { ...a.action, file: '/tmp/x.ts' } as Action })) },
    ],
    ['passing tests', { prompt: 'run tests', answer: 'All 4 tests pass.', actions: [ran('bun test', ' 4 pass\n 0 fail')] }],
  ]
  test.each(noise)('%s', (_, parts) => {
    const output = distillPlain(turn(parts))
    expect(output.observations).toEqual([])
    expect(output.openFailures).toEqual([])
  })

  test('and no summary if there was neither work nor a real answer', () => {
    expect(distillPlain(turn({ prompt: 'ok', answer: 'ok' })).summary).toBeNull()
    expect(distillPlain(turn({ prompt: '/model opus', answer: null })).summary).toBeNull()
  })
})

test('making an install pass is no bugfix', () => {
  const install = ran('npm install', 'npm ERR! notarget No matching version found for zod@9', 1)
  const actions = [install, edited('package.json', '"zod": "9"', '"zod": "4"'), ran('npm install', 'added 1 package')]
  expect(distillPlain(turn({ actions, prompt: 'Update zod' })).observations.map((o) => o.type)).not.toContain('bugfix')
})

describe('the type of a change', () => {
  const added = edited('src/list.ts', 'export const a = 1', 'export const a = 1\nexport function sortByDate() {}')
  const commit = (message: string) => ran(`git add -A && git commit -m "${message}"`, `[main abc1234] ${message}\n 1 file changed`)
  const cases: [string, string, Partial<Turn>][] = [
    ['feature', 'new symbols in code', { prompt: 'Sort the branches by date', actions: [added] }],
    ['bugfix', 'the request says fix', { prompt: 'Fix the order of branches', actions: [added] }],
    ['bugfix', 'the answer says fixed', { prompt: 'Look at the order', answer: 'Fixed. It sorted by name.', actions: [added] }],
    ['refactor', 'the request says refactor', { prompt: 'Refactor the list module a bit', actions: [added] }],
    ['refactor', 'one name was removed and another added', { actions: [edited('a.go', 'func oldName() {\n}', 'func newName() {\n}')] }],
    ['change', 'only documents', { prompt: 'Fix the typo in the guide', actions: [edited('docs/guide.md', 'teh', 'the')] }],
    ['feature', 'the commit says feat', { prompt: 'Fix it', actions: [added, commit('feat(list): sort by date')] }],
    ['bugfix', 'the commit says fix', { prompt: 'Add sorting', actions: [added, commit('fix: wrong order')] }],
    ['change', 'the commit says chore', { prompt: 'Fix it all', actions: [added, commit('chore: bump')] }],
    [
      'feature',
      'the answer describes a fixed window',
      { prompt: 'Limit logins', answer: 'It keeps a fixed window in memory.', actions: [added] },
    ],
    ['feature', 'the new thing handles a failure', { prompt: 'Add a retry for when the upload fails', actions: [added] }],
    [
      'change',
      'an upgrade left the build failing',
      {
        prompt: 'Upgrade zod',
        answer: '`package.json` points to zod 4, but the build fails.',
        actions: [edited('package.json', '"zod": "3.0.0"', '"zod": "4.0.0"')],
      },
    ],
    ['bugfix', 'a request in another language says fix', { prompt: '修复登录测试失败的问题', actions: [added] }],
  ]
  test.each(cases)('is %s when %s', (type, _, parts) => {
    expect(distillPlain(turn(parts)).observations[0]?.type).toBe(type as ObservationDraft['type'])
  })
})

describe('a change', () => {
  test('of several files is one observation', () => {
    const files = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/a.test.ts', 'README.md']
    const observation = only(
      distillPlain(
        turn({ prompt: 'Rename the thing everywhere', actions: files.map((file) => edited(file, 'let x = old', 'let x = fresh')) }),
      ),
    )
    expect(observation.filesModified).toEqual(['src/a.ts', 'src/b.ts', 'src/c.ts', 'README.md', 'src/a.test.ts'])
  })

  test('takes its title from an answer that describes the result', () => {
    const actions = [edited('src/list.go', 'func sort() {\n\ta\n}', 'func sort() {\n\tb\n}')]
    const output = distillPlain(
      turn({
        actions,
        prompt: 'can you sort the branches by date?',
        answer: 'Done. Branches are now sorted by most recent session activity.',
      }),
    )
    expect(titles(output)).toEqual(['change: Branches are now sorted by most recent session activity'])
    expect(output.observations[0]?.subtitle).toBe('src/list.go: changed sort')
  })

  test('takes its title from the request, or from the edit, if the answer says nothing', () => {
    const actions = [edited('src/list.go', 'func sort() {\n\ta\n}', 'func sort() {\n\tb\n}')]
    expect(titles(distillPlain(turn({ actions, prompt: 'can you sort the branches by date?', answer: 'Done.' })))).toEqual([
      'change: Sort the branches by date',
    ])
    expect(titles(distillPlain(turn({ actions, prompt: 'yes please', answer: 'Done.' })))).toEqual(['change: list.go: changed sort'])
  })

  test('that carries out a plan has the title of the plan', () => {
    const prompt = 'Implement the following plan:\n\n# Plan: Cache the parser output\n\n## Context\nIt is slow.'
    expect(titles(distillPlain(turn({ prompt, actions: [fix], answer: 'All done.' })))).toEqual(['change: Cache the parser output'])
  })

  test('that was reverted in the same turn is not stored', () => {
    expect(distillPlain(turn({ actions: [fix, edited('src/auth.ts', AFTER, BEFORE)] })).observations).toEqual([])
  })

  test('of a new file describes its content', () => {
    const observation = only(
      distillPlain(
        turn({
          prompt: 'yes',
          actions: [
            wrote(
              'src/clock.ts',
              '/** Tells the time without asking the system twice. */\nexport function now() {\n  return 1\n}\nexport const TICK = 5',
            ),
          ],
        }),
      ),
    )
    expect(observation.title).toBe('New clock.ts: Tells the time without asking the system twice')
    expect(only(distillPlain(turn({ prompt: 'ok', actions: [wrote('words.txt', 'some words')] }))).title).toBe('New words.txt')
    expect(observation.facts[0]).toBe('src/clock.ts: new, with now, TICK – Tells the time without asking the system twice.')
  })

  test('made with a heredoc or with sed counts too', () => {
    const actions = [ran("cat > config/app.toml <<'EOF'\n[server]\nport = 1\nEOF"), ran("sed -i 's/old_name/new_name/g' src/a.py src/b.py")]
    expect(only(distillPlain(turn({ actions }))).filesModified).toEqual(['src/a.py', 'src/b.py', 'config/app.toml'])
  })

  test('made with a sed pattern does not show the pattern as a line', () => {
    const observation = only(distillPlain(turn({ actions: [ran("sed -i 's/\\btotals\\b/invoices/g' src/a.py")] })))
    expect(observation.filesModified).toEqual(['src/a.py'])
    expect(observation.facts).toEqual([])
  })

  test('with two causes names and explains both, and lists every test that failed on the way', () => {
    const other = edited('src/rates.ts', 'const a = floor(x)', 'const a = ceil(x)')
    const answer =
      'There were two separate bugs:\n\n1. **NaN at checkout**: `isValid` compared seconds, so no token was fresh.\n2. **Weight lost**: `rates.ts` used `floor`, so a begun kilogram was free.\n\nAll tests pass.'
    const actions = [
      ran('bun test', '(fail) zone of 2000\n(fail) begun kilogram\n 2 fail', 1),
      fix,
      ran('bun test', '(fail) begun kilogram\n 1 fail', 1),
      other,
      ran('bun test', ' 4 pass\n 0 fail'),
    ]
    const observation = only(distillPlain(turn({ prompt: 'Customers see NaN. Find out why and fix it.', answer, actions })))
    expect(observation.title).toBe('Two separate bugs: NaN at checkout; Weight lost')
    expect(observation.narrative).toBe(
      'There were two separate bugs. NaN at checkout: `isValid` compared seconds, so no token was fresh. Weight lost: `rates.ts` used `floor`, so a begun kilogram was free.',
    )
    expect(observation.facts[0]).toBe('`bun test` failed: zone of 2000; begun kilogram; passes now')
  })

  test('shows files outside of the folder with their absolute path', () => {
    const outside: PerformedAction = { ...fix, action: { ...(fix.action as Extract<Action, { kind: 'edit' }>), file: '/etc/app/auth.ts' } }
    expect(only(distillPlain(turn({ actions: [outside] }))).filesModified).toEqual(['/etc/app/auth.ts'])
  })
})

describe('commits', () => {
  const commit = (files: string, message: string, hash: string) =>
    ran(`git add ${files} && git commit -m "${message}"`, `[main ${hash}] ${message}`)

  test('give the change its title, hash and branch', () => {
    const observation = only(distillPlain(turn({ actions: [fix, commit('src/auth.ts', 'fix(auth): compare milliseconds', 'abc1234')] })))
    expect(observation.title).toBe('Compare milliseconds (auth)')
    expect(observation.facts).toContain('commit abc1234 on main')
  })

  test('split the edits of a turn by what each commit staged', () => {
    const actions = [
      fix,
      edited('ci.yml', 'a: 1', 'a: 2'),
      commit('src/auth.ts', 'fix: compare milliseconds', 'abc1234'),
      commit('ci.yml', 'ci: run twice', 'def5678'),
    ]
    const output = distillPlain(turn({ actions }))
    expect(titles(output)).toEqual(['bugfix: Compare milliseconds', 'change: Run twice'])
    expect(output.observations.map((o) => o.filesModified)).toEqual([['src/auth.ts'], ['ci.yml']])
  })

  test('without edits are described by their message', () => {
    const command =
      'git commit -m "$(cat <<\'EOF\'\nfix(api): stop leaking passwords\n\nThe pattern put the secret back in.\n\nCo-Authored-By: A <a@b.c>\nEOF\n)"'
    const observation = only(
      distillPlain(
        turn({ prompt: 'commit', answer: 'Committed.', actions: [ran(command, '[fix/leak 1234567] fix(api): stop leaking passwords')] }),
      ),
    )
    expect(observation).toMatchObject({
      type: 'bugfix',
      title: 'Stop leaking passwords (api)',
      narrative: 'The pattern put the secret back in.',
    })
  })

  test('that became a pull request give one observation', () => {
    const actions = [
      commit('.', 'docs: add a guide', 'abc1234'),
      ran('gh pr create --title "docs: add a guide" --body "x"', 'https://github.com/o/r/pull/188'),
    ]
    const observation = only(distillPlain(turn({ actions })))
    expect(observation.title).toBe('Opened pull request #188: docs: add a guide')
    expect(observation.facts).toContain('pull request #188 https://github.com/o/r/pull/188')
  })
})

describe('a finding', () => {
  const answer =
    'A session is active while its state file is younger than a day, because no process removes the file when the client is killed. The check lives in `isActive`.\n\n- `state.ts` writes the file at the first prompt\n- `isActive` compares its time with the clock'

  test('is one discovery, no matter how many files were read', () => {
    const actions = [searched('isActive'), read('src/state.ts'), read('src/active.ts'), read('src/clock.ts'), ran('git log --oneline')]
    const observation = only(distillPlain(turn({ actions, prompt: 'Why is this session still active?', answer })))
    expect(observation).toMatchObject({
      type: 'discovery',
      title: 'A session is active while its state file is younger than a day',
      filesModified: [],
      tool: 'Read',
    })
    expect(observation.filesRead).toEqual(['src/state.ts', 'src/active.ts', 'src/clock.ts'])
    expect(observation.facts).toEqual(['`state.ts` writes the file at the first prompt', '`isActive` compares its time with the clock'])
    expect(observation.concepts).toContain('how-it-works')
  })

  test('made with shell commands lists the files and patterns', () => {
    const actions = [ran('grep -rn "state\\|isActive" src', 'src/state.ts:1: x'), ran("sed -n '1,40p' src/state.ts", 'x')]
    const { observations, summary } = distillPlain(turn({ actions, prompt: 'Why is this session still active?', answer }))
    expect(observations[0]?.filesRead).toEqual(['src/state.ts'])
    expect(summary?.investigated).toBe('Read src/state.ts; searched for `state|isActive`')
  })

  test('takes its title from the sentence above a list, and the summary includes the list', () => {
    const listed =
      'No, deleting a photo does not delete everything:\n\n- `remove` deletes the original, and only that, from the store of the owner.\n- `thumbnail` keeps a copy for every size that was ever asked for.\n- The keys have no owner in them, so nothing can be found by prefix.'
    const { observations, summary } = distillPlain(
      turn({ actions: [read('src/remove.ts')], prompt: 'Is a photo really gone?', answer: listed }),
    )
    expect(observations[0]?.title).toBe('Deleting a photo does not delete everything')
    expect(summary?.learned).toBe(
      'Deleting a photo does not delete everything. `remove` deletes the original, and only that, from the store of the owner. `thumbnail` keeps a copy for every size that was ever asked for. The keys have no owner in them, so nothing can be found by prefix.',
    )
  })

  test('is stored without any tool use if the answer explains something, with or without code', () => {
    for (const explained of [answer, answer.replaceAll('`', '')])
      expect(distillPlain(turn({ prompt: 'Why is this session still active?', answer: explained })).observations).toHaveLength(1)
  })

  test('by a subagent is stored if it is substantial', () => {
    const report = `${answer}\n\n${answer.replaceAll('session', 'worker')}`
    const output = distillPlain(
      turn({ prompt: 'hm', answer: 'Let me write the plan.', actions: [delegated('Explore session state', report)] }),
    )
    expect(titles(output)).toEqual(['discovery: Explore session state: A session is active while its state file is younger than a day'])
  })

  test('by a subagent that helped with a change is part of the change, unless it investigated', () => {
    const report = `${answer}\n\n${answer.replaceAll('session', 'worker')}`
    const tools = (task: string) =>
      distillPlain(turn({ prompt: 'Fix the token', answer: 'Done.', actions: [delegated(task, report), fix] })).observations.map(
        (o) => o.tool,
      )
    expect([tools('Write the tests'), tools('Investigate the token')]).toEqual([['Edit'], ['Edit', 'Agent']])
  })

  test('by many subagents is one observation', () => {
    const report = answer.repeat(3)
    const output = distillPlain(
      turn({ actions: ['one', 'two', 'three', 'four'].map((task) => delegated(`Review part ${task}`, report)), answer: 'Ack.' }),
    )
    expect(titles(output)).toEqual(['discovery: 4 subagents: Review part one, Review part two, Review part three and 1 more'])
  })

  test('from the web lists its sources', () => {
    const output = distillPlain(turn({ prompt: 'How do sessions end?', answer, actions: [fetched('https://example.com/docs', 'x')] }))
    const observation = only(output)
    expect(output.summary?.investigated).toContain('https://example.com/docs')
    expect(observation.facts.at(-1)).toBe('sources: https://example.com/docs')
  })
})

test('the title of a finding neither depends on another sentence nor reports that nothing was done', () => {
  const found = (answer: string) =>
    distillPlain(
      turn({
        prompt: 'Should the checks run with synchronize off as well?',
        answer,
        actions: [read('src/db.ts'), fetched('https://a.example', 'a page')],
      }),
    ).observations.map((o) => o.title)
  const rest =
    'Developers would run each migration by hand. Fresh databases are built from the first one on. No test relies on the tables that are created automatically, so little breaks.'
  expect(found(`It would have caught the missing table at once instead of waiting for staging to fail. ${rest}`)[0]).not.toStartWith(
    'It would',
  )
  expect(found(`No code written; this is where I report and wait for your word. ${rest}`)[0]).not.toStartWith('No code')
})

describe('a decision', () => {
  const plan = '# Plan: Keep one writer\n\n## Context\nTwo writers lock each other out.\n\n1. Start a worker\n2. Send everything to it'

  test('a plan that was agreed to is a decision with its steps', () => {
    const observation = only(distillPlain(turn({ prompt: 'Plan it', actions: [planned(plan)], answer: 'Ready.' })))
    expect(observation).toMatchObject({
      type: 'decision',
      title: 'Keep one writer',
      narrative: 'Two writers lock each other out.',
      facts: ['Start a worker', 'Send everything to it'],
    })
  })

  test('a plan keeps its approach and rejected alternatives', () => {
    const approach =
      '# One writer\n\n## Context\nTwo lock up.\n\n## Approach\nA worker. A lock file was considered, but it goes stale.\n\n1. Start it\n2. Use it'
    expect(only(distillPlain(turn({ actions: [planned(approach)] })))).toMatchObject({
      narrative: 'Two lock up. A worker. A lock file was considered, but it goes stale.',
      facts: ['Start it', 'Use it', 'A lock file was considered, but it goes stale.'],
    })
  })

  test('a plan that was rejected is a proposal', () => {
    const observation = only(distillPlain(turn({ actions: [failing(planned(plan), "The user doesn't want to proceed")] })))
    expect(observation).toMatchObject({ type: 'discovery', title: 'Plan: Keep one writer', subtitle: 'Plan proposed, not yet agreed' })
  })

  test('a decision record is a decision, described by its decision section', () => {
    const page =
      '# 0004 The hook is a pipe\n\nContext: it starts cold.\n\nDecision: it forwards the payload.\n\nConsequences: no parsing there.'
    const output = distillPlain(turn({ actions: [wrote('docs/decisions/0004-pipe.md', page)] }))
    const decided = output.observations.find((o) => o.type === 'decision')
    expect(decided).toMatchObject({
      title: 'The hook is a pipe',
      narrative: 'It forwards the payload.',
      filesModified: ['docs/decisions/0004-pipe.md'],
    })
  })

  test('a decision record keeps alternatives and consequences, even without blank lines', () => {
    const page =
      '# 0003 Cents\n\nContext: sums drifted.\nDecision: amounts are integers. Decimal strings were considered: SQLite cannot sum them.\nConsequences: sums are exact. Currencies are never mixed.'
    const observation = distillPlain(turn({ actions: [wrote('docs/decisions/0003-cents.md', page)] })).observations.find(
      (o) => o.type === 'decision',
    )
    expect(observation?.narrative).toBe('Amounts are integers. Decimal strings were considered: SQLite cannot sum them.')
    expect(observation?.facts).toEqual([
      'Decimal strings were considered: SQLite cannot sum them.',
      'Context: sums drifted.',
      'Consequences: sums are exact.',
      'Currencies are never mixed.',
    ])
  })

  test('a decision stated in an answer keeps its reason', () => {
    const answer = 'I chose SQLite over Postgres. The users run no server, so a file is enough. The rest stays.'
    expect(only(distillPlain(turn({ answer }))).narrative).toBe(
      'I chose SQLite over Postgres. The users run no server, so a file is enough.',
    )
  })

  test('an explicit statement is a decision; "instead of" in a description is not', () => {
    const decided = distillPlain(turn({ prompt: "We decided to keep SQLite because the users run no server. Let's write that down." }))
    expect(titles(decided)).toEqual(['decision: Decided to keep SQLite because the users run no server'])
    expect(titles(distillPlain(turn({ actions: [fix], answer: 'It now uses milliseconds instead of seconds.' })))).not.toContain('decision')
  })
})

describe('a turn without edits', () => {
  test('that installed a package is a change', () => {
    expect(titles(distillPlain(turn({ actions: [ran('npm install zod@4 --save', 'added 1 package')] })))).toEqual([
      'change: Installed zod@4',
    ])
  })

  test('that removed or moved files names them', () => {
    const observation = only(distillPlain(turn({ actions: [ran('rm src/old.ts'), ran('git mv src/a.ts src/b.ts')], answer: 'Done.' })))
    expect(observation.facts).toEqual(['removed src/old.ts', 'moved src/a.ts → src/b.ts'])
  })
})

describe('the summary', () => {
  test('has all six fields', () => {
    const actions = [
      read('src/auth.ts'),
      searched('exp'),
      fix,
      ran('bun test', ' 4 pass\n 0 fail'),
      ran('git commit -am "fix: compare milliseconds"', '[main abc1234] fix: compare milliseconds'),
    ]
    const answer = 'Fixed. The token carries seconds because the issuer follows the RFC.\n\n## Next steps\n- Tell the client team\n'
    expect(distillPlain(turn({ prompt: 'The login fails for every token, fix it', actions, answer })).summary).toEqual({
      request: 'The login fails for every token, fix it',
      investigated: 'Read src/auth.ts; searched for `exp`',
      learned: 'The token carries seconds because the issuer follows the RFC.',
      completed: 'Compare milliseconds; 4 tests pass',
      nextSteps: 'Tell the client team.',
      notes: 'Branch main; commits: abc1234 fix: compare milliseconds',
    })
  })

  test('of a notice contains the text of the notice', () => {
    const notice =
      '<task-notification>\n<status>completed</status>\n<summary>Agent "Check docs" finished</summary>\n<result>isValid is used only in src/auth.ts.</result>\n</task-notification>'
    expect(distillPlain(turn({ origin: 'machine', prompt: notice, actions: [fix] })).summary?.request).toBe(
      'Agent "Check docs" finished: isValid is used only in src/auth.ts.',
    )
  })

  test('lists the answer to a question as learned', () => {
    const { summary } = distillPlain(
      turn({ prompt: 'never mind. which node do we pin?', answer: 'We pin Node 20.11.', actions: [ran('cat .nvmrc', '20.11')] }),
    )
    expect(summary).toMatchObject({ investigated: 'Read .nvmrc', learned: 'We pin Node 20.11.', completed: '' })
  })

  test('of a pasted fragment contains its error', () => {
    const prompt = 'error=\n```\nTypeError: x is undefined\n```'
    const output = distillPlain(turn({ prompt, actions: [fix], answer: 'Done.' }))
    expect(output.summary?.request).toBe('error= TypeError: x is undefined')
    expect(output.title).toBeNull()
  })

  test('lists an open question as a next step', () => {
    const output = distillPlain(
      turn({ actions: [fix], answer: 'The check is in place for tokens. Should refresh tokens get the same treatment?' }),
    )
    expect(output.summary?.nextSteps).toBe('Should refresh tokens get the same treatment?')
  })
})

describe('random turns', () => {
  const rng = (seed: number) => () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 2 ** 32
  }
  const SCRAPS = [
    '(fail) a > b',
    ' 3 fail',
    '[main abc1234] fix: x',
    '```',
    '# H',
    '- `x`: y',
    '| a | b |',
    '**',
    '`',
    '"',
    "'",
    '$(',
    '<<EOF',
    'EOF',
    '\u0000',
    '\ud83d',
    '🎉',
    '修复。',
    '\\',
    '&&',
    ';',
    '|',
    '\t',
    '\r\n',
    '\n',
    '<system-reminder>',
    'Error: boom',
    'git commit -m ',
    'bun test',
    'export function f() {',
    '--- FAIL: T (0s)',
    'https://x/pull/1',
    'a'.repeat(300),
  ]

  function randomTurn(next: () => number): Turn {
    const text = (n = 12) =>
      Array.from({ length: Math.floor(next() * n) }, () => SCRAPS[Math.floor(next() * SCRAPS.length)]).join(next() < 0.5 ? ' ' : '\n')
    const action = (): Action => {
      const kinds: Action[] = [
        { kind: 'read', file: text(2) },
        { kind: 'edit', file: text(2), removed: text(), added: text(), patch: next() < 0.5 ? [] : text().split('\n') },
        { kind: 'write', file: text(2), content: text(), created: next() < 0.5, patch: [] },
        { kind: 'search', pattern: text(3), where: null },
        { kind: 'command', command: text(), purpose: null, output: text(30), exitCode: next() < 0.3 ? null : Math.floor(next() * 3) },
        { kind: 'delegate', task: text(3), agentType: null, answer: next() < 0.3 ? null : text(40) },
        { kind: 'fetch', target: text(1), answer: text() },
        { kind: 'plan', text: text() },
        { kind: 'other', text: text() },
      ]
      return kinds[Math.floor(next() * kinds.length)] as Action
    }
    const actions = Array.from({ length: Math.floor(next() * 12) }, () => ({
      id: '',
      tool: 'T',
      at: 0,
      failed: next() < 0.3,
      error: next() < 0.3 ? text() : null,
      interrupted: next() < 0.1,
      agentId: null,
      action: action(),
    }))
    return turn({
      prompt: text(),
      answer: next() < 0.2 ? null : text(40),
      folder: next() < 0.2 ? '' : '/home/dev/app',
      origin: next() < 0.2 ? 'machine' : 'person',
      actions,
    })
  }

  test('the distiller never throws, respects its limits and is deterministic', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const sample = randomTurn(rng(seed))
      const output = distillPlain(sample)
      expect(output.observations.length).toBeLessThanOrEqual(6)
      expect(output.openFailures.length).toBeLessThanOrEqual(10)
      expect(output.title === null || (output.title.length <= 80 && output.title.length > 0)).toBe(true)
      for (const o of output.observations) {
        expect(o.title.length).toBeGreaterThan(0)
        expect(o.title.length).toBeLessThanOrEqual(100)
        expect(o.subtitle.length).toBeLessThanOrEqual(160)
        expect(o.narrative.length).toBeLessThanOrEqual(800)
        expect(o.facts.length).toBeLessThanOrEqual(8)
        for (const fact of o.facts) expect(fact.length).toBeLessThanOrEqual(240)
        expect(`${o.title}${o.subtitle}`).not.toContain('\n')
      }
      expect(distillPlain(sample)).toEqual(output)
    }
  })

  test('the time grows linearly with the text', () => {
    const hostile = ['(fail) a > b c\n', '`', '**a', '- a: b\n', '[', '|a', '. ', 'public static ', '<<EOF\n', '--- FAIL: ', 'a/', '="']
    const time = (size: number) => {
      const samples = hostile.map((scrap) => {
        const text = scrap.repeat(size / scrap.length)
        return turn({
          prompt: text,
          answer: text,
          actions: [ran(text, text, 1), ran('bun test && tsc', text, 1), edited('a.ts', text, `x${text}`), delegated(text, text)],
        })
      })
      let best = Number.POSITIVE_INFINITY
      for (let i = 0; i < 3; i++) {
        const used = processorTime()
        for (const sample of samples) distillPlain(sample)
        best = Math.min(best, used())
      }
      return best
    }
    expect(time(40_000) / time(10_000)).toBeLessThan(8)
  })
})
