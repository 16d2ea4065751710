import { describe, expect, test } from 'bun:test'
import { captureAll, event, nowhere, temporaryStore, toolUse } from '../../test/support/builders.ts'
import { edit, goTest, links, refOf, turn } from '../../test/support/linked-turns.ts'
import { claudeCode } from '../integrations/agent.ts'
import { causesOf, effectsOf } from '../retrieval/graph.ts'
import { take } from './capture.ts'
import { distillTurn } from './turns.ts'

test('a failure is linked to its fix in a later turn', async () => {
  using t = await temporaryStore()
  await turn(t.store, { at: 1000, does: [goTest('TestLogin')], answers: 'It fails.' })
  await turn(t.store, { at: 2000, does: [edit('auth.go'), goTest(null)], answers: 'Passes now.' })
  expect(await links(t.store, 'failed-then-fixed')).toEqual(['observation:1 failed-then-fixed observation:2 (go test ./...)'])
})

test('a fix in another session is linked only to the same failure', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, does: [goTest('TestLogin')], answers: 'It fails.' })
  await turn(t.store, { session: 'b', at: 2000, does: [goTest('TestLogout'), edit('auth.go'), goTest(null)] })
  expect(await links(t.store, 'failed-then-fixed')).toEqual([])
  await turn(t.store, { session: 'c', at: 3000, does: [goTest('TestLogin'), edit('auth.go'), goTest(null)] })
  expect(await links(t.store, 'failed-then-fixed')).toEqual(['observation:1 failed-then-fixed observation:3 (go test ./...)'])
})

test('a failing test is recognized in another session, even if another command runs it', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, does: [goTest('TestLogin')], answers: 'It fails.' })
  const narrowed = 'go test ./auth -run TestLogin'
  await turn(t.store, { session: 'b', at: 2000, does: [goTest('TestLogin', narrowed), edit('auth.go'), goTest(null, narrowed)] })
  expect(await links(t.store, 'failed-then-fixed')).toEqual([`observation:1 failed-then-fixed observation:2 (${narrowed})`])
})

/** From a real session: a stricter writer broke the newline of a prompt and was then relaxed. */
test('a change that broke a check is linked to its fix in the same turn, and is a cause of it', async () => {
  using t = await temporaryStore()
  const does = [edit('terminal/writer.go'), goTest('TestExtraPromptTransientPWSHNewline'), edit('terminal/runes.go'), goTest(null)]
  await turn(t.store, { says: 'go ahead with the plan', does, answers: 'Fix verified against the advisory’s exact PoC bytes.' })
  const [work, fix] = [...t.store.observations.each(null)]
  expect([work?.filesModified, fix?.filesModified]).toEqual([['terminal/writer.go'], ['terminal/runes.go']])
  expect(await links(t.store, 'failed-then-fixed')).toEqual(['observation:1 failed-then-fixed observation:2 (go test ./...)'])
  const [cause] = await causesOf(t.store, refOf('observation:2'))
  const [effect] = await effectsOf(t.store, refOf('observation:1'))
  expect([cause?.relation, cause?.ref, cause?.origin]).toEqual(['failed-then-fixed', '1', 'go test ./...'])
  expect([effect?.relation, effect?.ref]).toEqual(['failed-then-fixed', '2'])
})

test('of several changes before a check broke, the last one is linked to the fix, whichever was reported first', async () => {
  using t = await temporaryStore()
  const commit = { command: 'git add writer.go && git commit -m "Write lines"' }
  const committed = toolUse('', { input: commit, output: { stdout: '[main 1234567] Write lines\n 1 file changed' } })
  await turn(t.store, { at: 1000, does: [edit('writer.go'), committed, goTest('TestLines'), edit('runes.go'), goTest(null)] })
  const late = event({ ...edit('reader.go'), promptId: 's1-1000', toolUseId: 'late' }, { at: 1005 })
  await take(t.store, late, nowhere, captureAll())
  await distillTurn(t.store, { sessionId: 1, number: 1 }, claudeCode.readAction)
  const byId = [...t.store.observations.each(null)].sort((a, b) => a.id - b.id)
  expect(byId.map(({ filesModified }) => filesModified.join(' '))).toEqual(['writer.go', 'runes.go', 'reader.go'])
  expect(await links(t.store, 'failed-then-fixed')).toEqual(['observation:1 failed-then-fixed observation:2 (go test ./...)'])
})

test('a failure that came back at the end of the turn that fixed it is not fixed', async () => {
  using t = await temporaryStore()
  await turn(t.store, { at: 1000, does: [goTest('TestLogin')], answers: 'It fails.' })
  await turn(t.store, { at: 2000, does: [edit('auth.go'), goTest(null), edit('session.go'), goTest('TestLogin')], answers: 'It fails.' })
  expect(await links(t.store, 'failed-then-fixed')).toEqual([])
})

test('an observation that contains both failure and fix is not linked to itself', async () => {
  using t = await temporaryStore()
  await turn(t.store, { does: [edit('auth_test.go'), goTest('TestLogin'), edit('auth.go'), goTest(null)] })
  expect(await links(t.store, 'failed-then-fixed')).toEqual([])
})

test('a prompt that names the failing test is linked to the fix', async () => {
  using t = await temporaryStore()
  const says = `test are failing at github actions, not if I run the test locally. This is the error:
--- FAIL: TestEnableWhenDisabled (0.00s)
    --- FAIL: TestEnableWhenDisabled/auto-commit (0.03s)`
  const check = 'mise run test:integration'
  const does = [goTest('TestEnableWhenDisabled', check), edit('setup_cmd.go'), goTest(null, check)]
  await turn(t.store, { session: 'a', says, does })
  await turn(t.store, { session: 'b', says: 'Make the integration tests pass', does, at: 9000 })
  expect(await links(t.store, 'failed-then-fixed')).toEqual([`prompt:1 failed-then-fixed observation:1 (${check})`])
})

describe('if one turn leaves a test failing, the next changes code and a third sees it pass', () => {
  const fail = { at: 1000, does: [goTest('TestLogin')], answers: 'It fails.' }
  const change = { at: 2000, does: [edit('auth.go')], answers: 'Changed.' }
  const see = (command: string) => ({ at: 3000, does: [goTest(null, command)], answers: 'Passes.' })

  test('the failure is linked to the change, also after distilling any of the turns again', async () => {
    using t = await temporaryStore()
    for (const given of [fail, change, see('mise run test')]) await turn(t.store, given)
    const expected = ['observation:1 failed-then-fixed observation:2 (go test ./...)']
    expect(await links(t.store, 'failed-then-fixed')).toEqual(expected)
    for (const number of [1, 2, 3]) {
      await distillTurn(t.store, { sessionId: 1, number }, claudeCode.readAction)
      expect(await links(t.store, 'failed-then-fixed')).toEqual(expected)
    }
  })

  test('the failure is linked to the change, also if the third turn found something out', async () => {
    using t = await temporaryStore()
    const answers =
      'It passes because `isValid` compares seconds with seconds now. The clock of the server counts milliseconds, so the two were never equal before. `refresh` does not compare them at all, which is why only the login failed and the other tests of the session never did.'
    for (const given of [fail, change, { ...see('mise run test'), says: 'Why does it pass now?', answers }]) await turn(t.store, given)
    expect(await t.store.observations.ofTurn(1, 3)).toHaveLength(1)
    expect(await links(t.store, 'failed-then-fixed')).toEqual(['observation:1 failed-then-fixed observation:2 (go test ./...)'])
  })

  test('a change of documents is not a fix, and neither is passing tests of another language', async () => {
    using t = await temporaryStore()
    for (const given of [fail, { ...change, does: [edit('docs/auth.md')] }, see('mise run test')]) await turn(t.store, given)
    const npmTest = toolUse('', { input: { command: 'npm test' }, output: { stdout: ' 12 pass\n 0 fail' } })
    for (const given of [fail, change, { at: 3000, does: [npmTest] }]) await turn(t.store, { ...given, session: 's2' })
    expect(await links(t.store, 'failed-then-fixed')).toEqual([])
  })
})
