import { describe, expect, test } from 'bun:test'
import { captureAll, event, nowhere, prompt, temporaryStore, toolUse } from '../../test/support/builders.ts'
import type { SessionEvent } from '../core/event.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'
import { claudeCode } from '../integrations/agent.ts'
import { causesOf, effectsOf } from '../retrieval/graph.ts'
import type { Store } from '../store/store.ts'
import { take } from './capture.ts'
import { catchUpOldTurns, distillTurn } from './turns.ts'

const app = asProjectKey('app')

test('what a turn names is kept with its prompt, its observations and its summary', async () => {
  using t = await temporaryStore()
  await turn(t.store, { says: 'Fix ENT-12 in auth.ts', does: [edit('src/auth.ts')], answers: 'Fixed: `isValid` compared seconds.' })
  expect(await names(t.store, 'prompt:1')).toEqual(['file src/auth.ts', 'issue ENT-12', 'symbol isValid'])
  expect(await names(t.store, 'observation:1')).toContain('file src/auth.ts')
  expect(await names(t.store, 'summary:1')).toContain('symbol isValid')
  expect(await links(t.store)).toEqual(['prompt:1 asked observation:1 (turn 1)', 'prompt:1 asked summary:1 (turn 1)'])
})

test('what the client says in the person’s name is not what a turn is about', async () => {
  using t = await temporaryStore()
  await turn(t.store, { says: 'src/notice.ts', origin: 'machine', answers: 'Looked at src/answer.ts.' })
  expect(await names(t.store, 'prompt:1')).toEqual(['file src/answer.ts'])
})

test('paths are from the project’s folder, and the project’s own issues are numbers', async () => {
  using t = await temporaryStore()
  await turn(t.store, { says: 'See /home/dev/app/src/a.ts, https://github.com/team/app/pull/7 and https://github.com/team/other/pull/8' })
  expect(await names(t.store, 'prompt:1')).toEqual(['file src/a.ts', 'issue #7', 'issue team/other#8'])
})

test('observations that changed the same file are linked from the earlier to the later, and say by which', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, does: [edit('src/auth.ts'), edit('src/other.ts')] })
  await turn(t.store, { session: 'b', at: 2000, does: [edit('src/auth.ts')] })
  expect(await links(t.store, 'co-changed')).toEqual(['observation:1 co-changed observation:2 (src/auth.ts)'])
})

test('a file that one read and the other changed ties them less closely', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, does: [edit('src/auth.ts')] })
  await turn(t.store, { session: 'b', at: 2000, does: [read('src/auth.ts'), edit('src/other.ts')] })
  expect(await links(t.store, 'co-changed')).toEqual([])
  expect(await links(t.store, 'same-file')).toEqual(['observation:1 same-file observation:2 (src/auth.ts)'])
})

test('a file whose name was hidden ties nobody', async () => {
  using t = await temporaryStore()
  for (const session of ['a', 'b']) await turn(t.store, { session, does: [edit('docs/REDACTED.md')] })
  expect([await links(t.store, 'co-changed'), await names(t.store, 'observation:1')]).toEqual([[], []])
})

test('a file that everybody changes ties only those who are near in time', async () => {
  using t = await temporaryStore()
  for (let n = 1; n <= 12; n++) await turn(t.store, { session: `s${n}`, at: 1000 * n, does: [edit('CHANGELOG.md')] })
  expect(await links(t.store, 'co-changed')).toHaveLength(3 * 12 - 6)
})

test('a turn follows what the one before it said and found', async () => {
  using t = await temporaryStore()
  await turn(t.store, { at: 1000, does: [edit('src/a.ts')] })
  await turn(t.store, { at: 2000 })
  expect(await links(t.store, 'follows')).toEqual([
    'observation:1 follows prompt:2 (turn 2 after turn 1)',
    'prompt:1 follows prompt:2 (turn 2 after turn 1)',
  ])
})

test('a check that was left failing is linked to what made it pass', async () => {
  using t = await temporaryStore()
  await turn(t.store, { at: 1000, does: [goTest('TestLogin')], answers: 'It fails.' })
  await turn(t.store, { at: 2000, does: [edit('auth.go'), goTest(null)], answers: 'Passes now.' })
  expect(await links(t.store, 'failed-then-fixed')).toEqual(['observation:1 failed-then-fixed observation:2 (go test ./...)'])
})

test('in another session it must be the same failure', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, does: [goTest('TestLogin')], answers: 'It fails.' })
  await turn(t.store, { session: 'b', at: 2000, does: [goTest('TestLogout'), edit('auth.go'), goTest(null)] })
  expect(await links(t.store, 'failed-then-fixed')).toEqual([])
  await turn(t.store, { session: 'c', at: 3000, does: [goTest('TestLogin'), edit('auth.go'), goTest(null)] })
  expect(await links(t.store, 'failed-then-fixed')).toEqual(['observation:1 failed-then-fixed observation:3 (go test ./...)'])
})

test('the same failing test is known in another session whatever command runs it', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, does: [goTest('TestLogin')], answers: 'It fails.' })
  const narrowed = 'go test ./auth -run TestLogin'
  await turn(t.store, { session: 'b', at: 2000, does: [goTest('TestLogin', narrowed), edit('auth.go'), goTest(null, narrowed)] })
  expect(await links(t.store, 'failed-then-fixed')).toEqual([`observation:1 failed-then-fixed observation:2 (${narrowed})`])
})

/** As it went in a real session: a stricter writer broke the newline of a prompt, and was made to let it through. */
test('the work that a check failed on is linked to what put it right in the same turn, and is among what led to it', async () => {
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

test('what a check failed on and what put it right are not linked where one memory tells of both', async () => {
  using t = await temporaryStore()
  await turn(t.store, { does: [edit('auth_test.go'), goTest('TestLogin'), edit('auth.go'), goTest(null)] })
  expect(await links(t.store, 'failed-then-fixed')).toEqual([])
})

test('a prompt that names the failing test is linked to what put it right', async () => {
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

describe('where one turn leaves a test failing, the next changes code and a third sees it pass', () => {
  const fail = { at: 1000, does: [goTest('TestLogin')], answers: 'It fails.' }
  const change = { at: 2000, does: [edit('auth.go')], answers: 'Changed.' }
  const see = (command: string) => ({ at: 3000, does: [goTest(null, command)], answers: 'Passes.' })

  test('the failure is linked to the change, whichever turn is told again', async () => {
    using t = await temporaryStore()
    for (const told of [fail, change, see('mise run test')]) await turn(t.store, told)
    const made = ['observation:1 failed-then-fixed observation:2 (go test ./...)']
    expect(await links(t.store, 'failed-then-fixed')).toEqual(made)
    for (const number of [1, 2, 3]) {
      await distillTurn(t.store, { sessionId: 1, number }, claudeCode.readAction)
      expect(await links(t.store, 'failed-then-fixed')).toEqual(made)
    }
  })

  test('a change of documents put nothing right, and the tests of another language tell nothing of these', async () => {
    using t = await temporaryStore()
    for (const told of [fail, { ...change, does: [edit('docs/auth.md')] }, see('mise run test')]) await turn(t.store, told)
    for (const told of [fail, change, see('npm test')]) await turn(t.store, { ...told, session: 's2' })
    expect(await links(t.store, 'failed-then-fixed')).toEqual([])
  })
})

test('what an older version did not link within a turn is linked when it catches up', async () => {
  using t = await temporaryStore()
  await turn(t.store, { does: [edit('terminal/writer.go'), goTest('TestNewline'), edit('terminal/runes.go'), goTest(null)] })
  const all = await links(t.store)
  const [stored] = [...t.store.prompts.each(null)]
  if (stored) await t.store.prompts.setActivity(stored, '')
  const kept = all.filter((link) => !link.includes('failed-then-fixed'))
  await t.store.links.clear(refOf('observation:2'))
  await t.store.links.add([{ from: refOf('prompt:1'), to: refOf('observation:2'), relation: 'asked', origin: 'turn 1', at: 1030 }])
  expect(await links(t.store)).toEqual(kept)
  await catchUpOldTurns(t.store, 0, claudeCode.readAction)
  expect(await links(t.store)).toEqual(all)
})

test('whoever names a commit is linked to where it was first named, and an issue to where it was last', async () => {
  using t = await temporaryStore()
  for (const [n, says] of ['Made c0a210c for #77', '#77 again', 'Is c0a210c right, and #77?'].entries())
    await turn(t.store, { session: `s${n}`, at: 1000 * (n + 1), says })
  expect(await links(t.store, 'mentions')).toEqual([
    'prompt:1 mentions prompt:2 (issue #77)',
    'prompt:1 mentions prompt:3 (commit c0a210c)',
    'prompt:2 mentions prompt:3 (issue #77)',
  ])
})

test('telling a turn again changes nothing, and leaves nothing of what it no longer says', async () => {
  using t = await temporaryStore()
  const tellAgain = (number: number) => distillTurn(t.store, { sessionId: 1, number }, claudeCode.readAction)
  await turn(t.store, { at: 1000, does: [goTest('TestLogin'), edit('auth.go')], answers: 'It fails since a1b2c3d.' })
  await turn(t.store, { at: 2000, does: [edit('auth.go'), goTest(null)], answers: 'Put right what a1b2c3d broke.' })
  await turn(t.store, { at: 3000, does: [edit('auth.go')], answers: 'And `tidied` up.' })
  const once = await links(t.store)
  for (const number of [1, 2, 3]) await tellAgain(number)
  expect(await links(t.store)).toEqual(once)

  const second = await t.store.prompts.get(2)
  if (second) await t.store.prompts.setAnswer(second, 'Done.', 2500)
  await tellAgain(2)
  expect(await names(t.store, 'prompt:2')).toEqual([])
  expect((await links(t.store)).filter((link) => link.includes('commit'))).toEqual([])
})

test('a turn that is imported late finds its place between the others', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, says: 'See ENT-9', does: [edit('src/auth.ts')] })
  await turn(t.store, { session: 'c', at: 3000, says: 'See ENT-9', does: [edit('src/auth.ts')] })
  await turn(t.store, { session: 'b', at: 2000, says: 'See ENT-9', does: [edit('src/auth.ts')] })
  expect(await links(t.store, 'co-changed')).toEqual([
    'observation:1 co-changed observation:2 (src/auth.ts)',
    'observation:1 co-changed observation:3 (src/auth.ts)',
    'observation:3 co-changed observation:2 (src/auth.ts)',
  ])
  expect(await links(t.store, 'mentions')).toContain('prompt:3 mentions prompt:2 (issue ENT-9)')
})

test('turns of a database from before there were links and deeds get what they would have had, and once', async () => {
  using t = await temporaryStore()
  for (let n = 0; n < 60; n++)
    await turn(t.store, { session: `s${n % 3}`, at: 1000 * (n + 1), says: `Step ${n}`, does: [edit(`src/${n % 5}.ts`)] })
  const all = await links(t.store)
  const linkAll = async () => {
    let bites = 0
    for (let after: number | null = 0; after !== null; bites++) after = await catchUpOldTurns(t.store, after, claudeCode.readAction)
    return bites
  }
  const forget = async (kind: 'prompt' | 'observation' | 'summary', ids: number[]) => {
    for (const id of ids) {
      await t.store.links.clear({ kind, ref: String(id) })
      await t.store.links.setMentions({ kind, ref: String(id), project: app, at: 0 }, [])
    }
  }
  for (const [kind, rows] of [
    ['prompt', [...t.store.prompts.each(null)]],
    ['observation', [...t.store.observations.each(null)]],
    ['summary', [...t.store.summaries.each(null)]],
  ] as const)
    await forget(
      kind,
      rows.map(({ id }) => id),
    )
  for (const stored of t.store.prompts.each(null)) await t.store.prompts.setActivity(stored, '')
  expect(await doing(t.store, 'const')).toEqual([])
  expect(await links(t.store)).toEqual([])
  expect(await linkAll()).toBeGreaterThan(1)
  expect(await links(t.store)).toEqual(all)
  expect(await doing(t.store, 'const')).toHaveLength(60)
  await linkAll()
  expect(await links(t.store)).toEqual(all)
})

test('what is deleted takes its names and links along', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, says: 'See `onlyHere`', does: [edit('src/auth.ts')] })
  await turn(t.store, { session: 'b', at: 2000, does: [edit('src/auth.ts')] })
  await t.store.sessions.remove(1)
  expect(await names(t.store, 'prompt:1')).toEqual([])
  expect(await links(t.store, 'co-changed')).toEqual([])
  expect(await t.store.links.mentionsOf({ kind: 'symbol', name: 'onlyHere' }, app, 'after', 0, 5)).toEqual([])
  expect(await names(t.store, 'observation:2')).toContain('file src/auth.ts')
})

type Said = { session?: string; at?: number; says?: string; origin?: 'person' | 'machine'; does?: SessionEvent[]; answers?: string }

/** A turn from its prompt to its memories, a moment after the other. */
async function turn(store: Store, { session = 's1', at = 1000, says = 'Go on', origin = 'person', does = [], answers = 'Done.' }: Said) {
  const promptId = `${session}-${at}`
  const asked = { ...prompt(says, promptId), origin } as SessionEvent
  const uses = does.map((use, n) => ({ ...use, promptId, toolUseId: `${promptId}-${n}` }))
  for (const [n, said] of [asked, ...uses, { kind: 'turn-ended', promptId, answer: answers } as SessionEvent].entries())
    await take(store, event(said, { at: at + 10 * n, session: asContentSessionId(session) }), nowhere, captureAll())
  const stored = await store.sessions.find('claude-code', asContentSessionId(session))
  if (stored) await distillTurn(store, { sessionId: stored.id, number: stored.promptCount }, claudeCode.readAction)
}

const inApp = (file: string) => `/home/dev/app/${file}`
const read = (file: string) => toolUse('', { tool: 'Read', input: { file_path: inApp(file) }, output: {} })
const edit = (file: string) =>
  toolUse('', { tool: 'Edit', input: { file_path: inApp(file), old_string: 'const a = 1', new_string: 'const a = 2' }, output: {} })

/** A run of Go's tests with this one failing, or none. */
function goTest(failing: string | null, command = 'go test ./...'): SessionEvent {
  const input = { command }
  if (!failing) return toolUse('', { input, output: { stdout: 'ok  \tapp\t0.1s' } })
  const said = `Exit code 1\n--- FAIL: ${failing} (0.00s)\n    auth_test.go:12: got false\nFAIL\nFAIL\tapp\t0.1s`
  return toolUse('', { input, output: undefined, error: said })
}

async function doing(store: Store, word: string): Promise<string[]> {
  const within = { project: app, kinds: ['prompt' as const], since: 0, before: Number.MAX_SAFE_INTEGER, limit: 100 }
  return (await store.documents.matchActivity([word], within)).map((match) => match.ref)
}

async function names(store: Store, memory: string): Promise<string[]> {
  return (await store.links.entitiesOf(refOf(memory))).map((entity) => `${entity.kind} ${entity.name}`)
}

/** Every link there is, as a sentence. */
async function links(store: Store, relation?: string): Promise<string[]> {
  const memories = [
    ...[...store.prompts.each(null)].map(({ id }) => `prompt:${id}`),
    ...[...store.observations.each(null)].map(({ id }) => `observation:${id}`),
    ...[...store.summaries.each(null)].map(({ id }) => `summary:${id}`),
  ]
  const found = await Promise.all(memories.map((memory) => store.links.of(refOf(memory), 'after', 100)))
  return found
    .flat()
    .filter((link) => !relation || link.relation === relation)
    .map(({ from, to, relation, origin }) => `${from.kind}:${from.ref} ${relation} ${to.kind}:${to.ref} (${origin})`)
    .sort()
}

function refOf(memory: string) {
  const [kind, ref = ''] = memory.split(':')
  return { kind: kind as 'prompt' | 'observation' | 'summary', ref }
}
