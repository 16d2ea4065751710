import { expect, test } from 'bun:test'
import { temporaryStore } from '../../test/support/builders.ts'
import { edit, goTest, links, names, read, refOf, turn } from '../../test/support/linked-turns.ts'
import { asProjectKey } from '../core/ids.ts'
import { claudeCode } from '../integrations/agent.ts'
import type { Store } from '../store/store.ts'
import { catchUpOldTurns, distillTurn } from './turns.ts'

const app = asProjectKey('app')

test('entities are stored as mentions of the prompt, observation and summary that name them', async () => {
  using t = await temporaryStore()
  await turn(t.store, { says: 'Fix ENT-12 in auth.ts', does: [edit('src/auth.ts')], answers: 'Fixed: `isValid` compared seconds.' })
  expect(await names(t.store, 'prompt:1')).toEqual(['file src/auth.ts', 'issue ENT-12', 'symbol isValid'])
  expect(await names(t.store, 'observation:1')).toContain('file src/auth.ts')
  expect(await names(t.store, 'summary:1')).toContain('symbol isValid')
  expect(await links(t.store)).toEqual(['prompt:1 asked observation:1 (turn 1)', 'prompt:1 asked summary:1 (turn 1)'])
})

test('entities in a prompt written by the client are ignored', async () => {
  using t = await temporaryStore()
  await turn(t.store, { says: 'src/notice.ts', origin: 'machine', answers: 'Looked at src/answer.ts.' })
  expect(await names(t.store, 'prompt:1')).toEqual(['file src/answer.ts'])
})

test('paths are relative to the project folder, and issues of the project are numbers', async () => {
  using t = await temporaryStore()
  await turn(t.store, { says: 'See /home/dev/app/src/a.ts, https://github.com/team/app/pull/7 and https://github.com/team/other/pull/8' })
  expect(await names(t.store, 'prompt:1')).toEqual(['file src/a.ts', 'issue #7', 'issue team/other#8'])
})

test('a bare file name means the one changed file with that name, and no other file', async () => {
  using t = await temporaryStore()
  await turn(t.store, { says: 'Compare auth.ts with clock.ts', does: [edit('src/auth.ts')] })
  expect(await names(t.store, 'prompt:1')).toEqual(['file clock.ts', 'file src/auth.ts'])
})

test('observations that changed the same file are linked from earlier to later, and the link names the file', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, does: [edit('src/auth.ts'), edit('src/other.ts')] })
  await turn(t.store, { session: 'b', at: 2000, does: [edit('src/auth.ts')] })
  expect(await links(t.store, 'co-changed')).toEqual(['observation:1 co-changed observation:2 (src/auth.ts)'])
})

test('if one observation read a file that another changed, the link is same-file', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, does: [edit('src/auth.ts')] })
  await turn(t.store, { session: 'b', at: 2000, does: [read('src/auth.ts'), edit('src/other.ts')] })
  expect(await links(t.store, 'co-changed')).toEqual([])
  expect(await links(t.store, 'same-file')).toEqual(['observation:1 same-file observation:2 (src/auth.ts)'])
})

test('a file with a redacted name creates no links', async () => {
  using t = await temporaryStore()
  for (const session of ['a', 'b']) await turn(t.store, { session, does: [edit('docs/REDACTED.md')] })
  expect([await links(t.store, 'co-changed'), await names(t.store, 'observation:1')]).toEqual([[], []])
})

test('a file that changes often links only neighbours in time', async () => {
  using t = await temporaryStore()
  for (let n = 1; n <= 12; n++) await turn(t.store, { session: `s${n}`, at: 1000 * n, does: [edit('CHANGELOG.md')] })
  expect(await links(t.store, 'co-changed')).toHaveLength(3 * 12 - 6)
})

test('the memories of a turn are linked to the next prompt', async () => {
  using t = await temporaryStore()
  await turn(t.store, { at: 1000, does: [edit('src/a.ts')] })
  await turn(t.store, { at: 2000 })
  expect(await links(t.store, 'follows')).toEqual([
    'observation:1 follows prompt:2 (turn 2 after turn 1)',
    'prompt:1 follows prompt:2 (turn 2 after turn 1)',
  ])
})

test('catching up adds links that an older version did not make', async () => {
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

test('a commit is linked to its first mention, and an issue to its last', async () => {
  using t = await temporaryStore()
  for (const [n, says] of ['Made c0a210c for #77', '#77 again', 'Is c0a210c right, and #77?'].entries())
    await turn(t.store, { session: `s${n}`, at: 1000 * (n + 1), says })
  expect(await links(t.store, 'mentions')).toEqual([
    'prompt:1 mentions prompt:2 (issue #77)',
    'prompt:1 mentions prompt:3 (commit c0a210c)',
    'prompt:2 mentions prompt:3 (issue #77)',
  ])
})

test('distilling a turn again changes no links, and removes those to entities it no longer names', async () => {
  using t = await temporaryStore()
  const distillAgain = (number: number) => distillTurn(t.store, { sessionId: 1, number }, claudeCode.readAction)
  await turn(t.store, { at: 1000, does: [goTest('TestLogin'), edit('auth.go')], answers: 'It fails since a1b2c3d.' })
  await turn(t.store, { at: 2000, does: [edit('auth.go'), goTest(null)], answers: 'Put right what a1b2c3d broke.' })
  await turn(t.store, { at: 3000, does: [edit('auth.go')], answers: 'And `tidied` up.' })
  const once = await links(t.store)
  for (const number of [1, 2, 3]) await distillAgain(number)
  expect(await links(t.store)).toEqual(once)

  const second = await t.store.prompts.get(2)
  if (second) await t.store.prompts.setAnswer(second, 'Done.', 2500)
  await distillAgain(2)
  expect(await names(t.store, 'prompt:2')).toEqual([])
  expect((await links(t.store)).filter((link) => link.includes('commit'))).toEqual([])
})

test('a turn that is imported late is linked to earlier and later turns', async () => {
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

test('catching up gives the turns of an older database their links and activity, once', async () => {
  using t = await temporaryStore()
  for (let n = 0; n < 60; n++)
    await turn(t.store, { session: `s${n % 3}`, at: 1000 * (n + 1), says: `Step ${n}`, does: [edit(`src/${n % 5}.ts`)] })
  const all = await links(t.store)
  const catchUp = async () => {
    let rounds = 0
    for (let after: number | null = 0; after !== null; rounds++) after = await catchUpOldTurns(t.store, after, claudeCode.readAction)
    return rounds
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
  expect(await matchingActivity(t.store, 'const')).toEqual([])
  expect(await links(t.store)).toEqual([])
  expect(await catchUp()).toBeGreaterThan(1)
  expect(await links(t.store)).toEqual(all)
  expect(await matchingActivity(t.store, 'const')).toHaveLength(60)
  await catchUp()
  expect(await links(t.store)).toEqual(all)
})

test('deleting a session deletes its mentions and links', async () => {
  using t = await temporaryStore()
  await turn(t.store, { session: 'a', at: 1000, says: 'See `onlyHere`', does: [edit('src/auth.ts')] })
  await turn(t.store, { session: 'b', at: 2000, does: [edit('src/auth.ts')] })
  await t.store.sessions.remove(1)
  expect(await names(t.store, 'prompt:1')).toEqual([])
  expect(await links(t.store, 'co-changed')).toEqual([])
  expect(await t.store.links.mentionsOf({ kind: 'symbol', name: 'onlyHere' }, app, 'after', 0, 5)).toEqual([])
  expect(await names(t.store, 'observation:2')).toContain('file src/auth.ts')
})

async function matchingActivity(store: Store, word: string): Promise<string[]> {
  const within = { project: app, kinds: ['prompt' as const], since: 0, before: Number.MAX_SAFE_INTEGER, limit: 100 }
  return (await store.documents.matchActivity([word], within)).map((match) => match.ref)
}
