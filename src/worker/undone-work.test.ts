import { expect, test } from 'bun:test'
import { captureAll, event, nowhere, prompt, temporaryStore, toolUse } from '../../test/support/builders.ts'
import { take } from '../capture/capture.ts'
import { distillTurn, settleUndoneWork } from '../capture/turns.ts'
import type { SessionEvent } from '../core/event.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'
import { briefFor } from '../inject/brief.ts'
import { claudeCode } from '../integrations/agent.ts'
import { search } from '../retrieval/search.ts'
import type { Store } from '../store/store.ts'

const app = asProjectKey('app')

test('undone work leaves the brief, keeps its mark in search, and comes back with a redo in another session', async () => {
  using t = await temporaryStore()
  await aTurn(t.store, 's1', 1000, [edit('return total', 'return total * 1.19')])
  expect(await brief(t.store)).toContain('Reported (P1)')
  await aTurn(t.store, 's2', 2000, [run('git restore src/cart.ts')], 'Get rid of it.', 'Done.')
  const [work] = await t.store.observations.ofTurn(1, 1)
  expect([work?.undoneBy, (await t.store.prompts.byNumber(1, 1))?.undoneBy]).toEqual(['P2', 'P2'])
  expect(await brief(t.store)).not.toMatch(/P1\b|tax/)
  const hits = (await search(t.store, 'cart tax percent', { project: app })).filter(({ sessionId }) => sessionId === 1)
  expect(hits.length).toBeGreaterThan(0)
  expect(hits.map(({ type, title }) => [type, title.startsWith('[undone by P2] ')])).toEqual(hits.map(() => ['undone', true]))
  await aTurn(t.store, 's3', 3000, [edit('return total', 'return total * 1.19')], 'I want the tax after all.')
  expect((await t.store.observations.ofTurn(1, 1))[0]?.undoneBy).toBeUndefined()
  expect((await t.store.prompts.byNumber(1, 1))?.undoneBy).toBeUndefined()
  expect(await brief(t.store)).toContain('#1 ·')
})

test('a prompt alone can say that work was undone', async () => {
  using t = await temporaryStore()
  await aTurn(t.store, 's1', 1000, [edit('return total', 'return total * 1.19')])
  await aTurn(t.store, 's1', 2000, [], 'I reverted your changes, they broke the build.', 'Understood.', 2)
  expect((await t.store.observations.ofTurn(1, 1))[0]?.undoneBy).toBe('P2')
})

test('a commit that the repository reverts marks the turn that made it, and the revert of the revert takes the mark off', async () => {
  using t = await temporaryStore()
  const made = run('git commit -am "Add tax"', '[main aaaaaaa] Add tax\n 1 file changed')
  await aTurn(t.store, 's1', 1000, [edit('return total', 'return total * 1.19'), made])
  const commit = (hash: string, subject: string, reverts: string | null, at: number) => ({
    hash: hash.repeat(40),
    subject,
    body: '',
    files: ['src/cart.ts'],
    fileCount: 1,
    author: 'A',
    at,
    type: 'change' as const,
    reverts: reverts === null ? null : { hash: reverts.repeat(40) },
  })
  const settle = async () => {
    await t.store.commits.settleReverts(app)
    await settleUndoneWork(t.store, [{ project: app, at: 9000 }])
    return (await t.store.observations.ofTurn(1, 1))[0]?.undoneBy
  }
  await t.store.commits.add(app, [commit('a', 'Add tax', null, 1500), commit('b', 'Revert "Add tax"', 'a', 2000)])
  expect(await settle()).toBe('C2')
  await t.store.commits.add(app, [commit('c', 'Reapply "Add tax"', 'b', 3000)])
  expect(await settle()).toBeUndefined()
})

async function brief(store: Store): Promise<string> {
  return (await briefFor(store, { project: app, now: 10_000 })).text
}

/** Captures a turn and distills it. */
async function aTurn(
  store: Store,
  session: string,
  at: number,
  does: SessionEvent[],
  says = 'Add the tax to the cart.',
  answer = 'The cart adds a tax of 19 percent now.',
  number = 1,
): Promise<void> {
  const promptId = `${session}-${number}`
  const uses = does.map((use, n) => ({ ...use, promptId, toolUseId: `${promptId}-${n}` }))
  const events: SessionEvent[] = [prompt(says, promptId), ...uses, { kind: 'turn-ended', promptId, answer }]
  for (const [n, one] of events.entries())
    await take(store, event(one, { session: asContentSessionId(session), at: at + n }), nowhere, captureAll())
  const found = await store.sessions.find('claude-code', asContentSessionId(session))
  await distillTurn(store, { sessionId: found?.id ?? 0, number }, claudeCode.readAction)
}

const edit = (old_string: string, new_string: string): SessionEvent =>
  toolUse('', { tool: 'Edit', input: { file_path: '/home/dev/app/src/cart.ts', old_string, new_string }, output: {} })

const run = (command: string, stdout = ''): SessionEvent => toolUse('', { tool: 'Bash', input: { command }, output: { stdout } })
