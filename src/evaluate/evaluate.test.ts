import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { addObservations, note, observation, openSession, temporaryFolder, temporaryStore } from '../../test/support/builders.ts'
import type { Session } from '../core/memory.ts'
import { claudeCode } from '../integrations/agent.ts'
import { openStore, type Store } from '../store/store.ts'
import { chanceOfHit, type Evaluation, type EvaluationOptions, evaluate } from './evaluate.ts'

test('a session is measured with the memories from before it: its brief has none from later', async () => {
  using at = await temporaryStore()
  await found(at.store, 'first', 1000, 'Lighthouses blink every 4500 milliseconds at dusk')
  await saying(at.store, 'second', 2000, 'Make the lighthouse blink every 4500 milliseconds, and ferries hoot 7200 times')
  await found(at.store, 'third', 3000, 'Ferries hoot 7200 times')
  await at.store.notes.put(note({ title: 'Ferries hoot 7200 times', pinned: true, updatedAt: 3000 }), 'print')
  const { sessions, brief } = await measured(at.store)
  expect([sessions, brief.sessions]).toEqual([3, 1])
  expect([brief.brief.lines, brief.brief.used, brief.baseline.used]).toEqual([1, 1, 1])
  expect(brief.brief.coverage).toBe(0) // no earlier session has said anything itself
})

test('a session that was still running is not part of the past', async () => {
  using at = await temporaryStore()
  const first = await found(at.store, 'first', 1000, 'Lighthouses blink every 4500 milliseconds')
  await at.store.sessions.touch(first.id, { at: 2500, transcript: null, clientPid: null })
  await saying(at.store, 'second', 2000, 'Make the lighthouse blink every 4500 milliseconds')
  expect((await measured(at.store)).brief.sessions).toBe(0)
})

test('a commit is searched in prompts, not in the observation that repeats its subject', async () => {
  using at = await temporaryStore()
  const commit = (title: string) => observation({ title, facts: ['commit 4a390f0 on main'] })
  await saying(at.store, 'said', 1000, 'The ferry is booked twice, stop that')
  await addObservations(at.store, [commit('Book a ferry once')], 'said')
  await saying(at.store, 'unsaid', 2000, 'go on')
  await addObservations(at.store, [commit('Paint lighthouses white')], 'unsaid')
  const { search } = await measured(at.store)
  expect([search.commits, search.words?.['any@1'], search.words?.['any@10'], search.meaning]).toEqual([2, 0.5, 0.5, null])
  expect(search.guess).toEqual({ 'any@1': 0.5, 'any@5': 1, 'any@10': 1 })
})

test('memories are compared with the files that tools changed', async () => {
  using at = await temporaryStore()
  await found(at.store, 'one', 1000, 'Changed one', 'src/named.ts')
  await touches(at.store, 'one', 1000, ['src/named.ts', 'src/unnamed.ts', '/elsewhere/not-ours.ts'], 'Edit')
  const { distillation } = await measured(at.store)
  expect([distillation.filesChanged, distillation.filesNamed, distillation.memoryTokens]).toEqual([2, 1, 10])
  expect(distillation.toolTokens).toBeGreaterThan(20)
})

test('without sessions the result is empty, without a division by zero', async () => {
  using at = await temporaryStore()
  const nothing = await measured(at.store)
  expect([nothing.sessions, nothing.from, nothing.search.words, nothing.brief.brief.used]).toEqual([0, null, null, 0])
})

test.each([
  [1, 10, 1, 0.1],
  [1, 4, 5, 1],
  [2, 4, 1, 0.5],
  [2, 4, 2, 1 - (2 / 4) * (1 / 3)],
])('with %d right answers of %d, a random top %d contains one with probability %d', (right, n, k, likely) => {
  expect(chanceOfHit(right, n, k)).toBeCloseTo(likely)
})

/** Evaluates on a copy, so that the store itself does not change. */
async function measured(store: Store, wish: EvaluationOptions = { project: null, limit: 100 }): Promise<Evaluation> {
  using folder = temporaryFolder()
  store.space.copyTo(join(folder.path, 'copy.db'))
  const copy = await openStore(join(folder.path, 'copy.db'))
  const before = (await store.sessions.recent(null, 100)).length
  const work = evaluate(store, copy, wish, { readAction: claudeCode.readAction, meaning: null })
  let step = await work.next()
  while (!step.done) step = await work.next()
  copy.close()
  expect((await store.sessions.recent(null, 100)).length).toBe(before)
  return step.value
}

/** A session with one memory. */
async function found(store: Store, name: string, at: number, title: string, ...filesModified: string[]): Promise<Session> {
  const session = await openSession(store, name, at)
  await addObservations(store, [observation({ title, filesModified, at })], name)
  return session
}

/** A session that used a tool on these files of its folder. */
async function touches(store: Store, name: string, at: number, files: string[], tool = 'Read'): Promise<void> {
  const session = await openSession(store, name, at)
  for (const [i, file] of files.entries()) {
    const path = file.startsWith('/') ? file : `${session.folder}/${file}`
    await store.toolUses.add({
      sessionId: session.id,
      promptNumber: 1,
      promptId: null,
      toolUseId: `${name}-${i}`,
      tool,
      input: JSON.stringify({ file_path: path, old_string: 'a', new_string: 'b' }),
      output: '{}',
      error: null,
      interrupted: false,
      agentId: null,
      cwd: session.folder,
      at,
    })
  }
}

async function saying(store: Store, name: string, at: number, text: string): Promise<void> {
  const session = await openSession(store, name, at)
  await store.prompts.add(session, { key: name, promptId: null, uuid: null, origin: 'person', text, at })
}
