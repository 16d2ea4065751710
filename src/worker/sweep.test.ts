import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nowhere, openSession } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { transcript } from '../../test/support/transcript.ts'
import type { Session } from '../core/memory.ts'
import { claudeCode } from '../integrations/agent.ts'
import type { Store } from '../store/store.ts'
import { keepForLater, spoolSize } from '../wire/spool.ts'
import { ingestTranscript } from './reconcile.ts'
import { isLive, sweep } from './sweep.ts'

const MINUTE = 60_000

test('a session is live while its client runs, even without events', () => {
  const session = { status: 'active', clientPid: 77, lastEventAt: 0 } as Session
  expect(isLive(session, 1e12, () => true)).toBe(true)
  expect(isLive(session, 1, () => false)).toBe(false)
  expect(isLive({ ...session, status: 'completed' }, 1, () => true)).toBe(false)
})

test('a session without a known client is live for half an hour', () => {
  const session = { status: 'active', clientPid: null, lastEventAt: 0 } as Session
  expect([isLive(session, 29 * MINUTE), isLive(session, 31 * MINUTE)]).toEqual([true, false])
})

test('a sweep ingests the spool, and completes sessions whose client is gone', async () => {
  await using at = await someServices()
  await at.desk.queue.stop()
  const now = Date.now()
  await openSession(at.store, 'gone', now - 60 * MINUTE)
  await openSession(at.store, 'here', now)
  keepForLater(at.desk.home, {
    delivery: 'd',
    agent: 'claude-code',
    at: now,
    context: nowhere,
    payload: { session_id: 'new', cwd: '/p', hook_event_name: 'SessionStart' },
  })
  await sweep(at.desk, now)
  expect(spoolSize(at.desk.home)).toBe(0)
  expect(await jobs(at.store)).toEqual([{ kind: 'reconcile', payload: { sessionId: 1, over: true } }])
})

test('a transcript that grew without a hook is read; history from before the first sweep is not', async () => {
  await using at = await someServices()
  await at.desk.queue.stop()
  const folder = join(at.desk.environment.claudeConfig, 'projects', 'app')
  mkdirSync(join(folder, 's1', 'subagents'), { recursive: true })
  const write = (name: string) => writeFileSync(join(folder, name), transcript(name, [{ prompt: 'go' }]))
  write('old.jsonl')
  const now = Date.now()
  await sweep(at.desk, now)
  expect(await jobs(at.store)).toEqual([])
  write('new.jsonl')
  write('s1/subagents/agent-1.jsonl')
  writeFileSync(join(folder, 'notes.md'), '')
  await sweep(at.desk, now + 10)
  const paths = (await jobs(at.store)).map((job) => (job.payload as { path: string }).path)
  expect(paths).toContain(join(folder, 'new.jsonl'))
  expect(paths.filter((path) => path.includes('subagents') || path.endsWith('.md'))).toEqual([])
})

test('after the clock was set back, transcripts that grow are still read', async () => {
  await using at = await someServices()
  await at.desk.queue.stop()
  const folder = join(at.desk.environment.claudeConfig, 'projects', 'app')
  mkdirSync(folder, { recursive: true })
  const now = Date.now()
  await sweep(at.desk, now + 120 * MINUTE)
  writeFileSync(join(folder, 'new.jsonl'), transcript('new', [{ prompt: 'go' }]))
  await sweep(at.desk, now + 4 * MINUTE)
  expect((await jobs(at.store)).map(({ payload }) => payload)).toContainEqual({ path: join(folder, 'new.jsonl'), agent: 'claude-code' })
})

test('an open session whose transcript has unread lines is read again', async () => {
  await using at = await someServices()
  await at.desk.queue.stop()
  const path = join(at.folder, 's1.jsonl')
  writeFileSync(path, transcript('s1', [{ prompt: 'go', promptId: 'p1' }], { from: Date.now() }))
  await ingestTranscript(at.desk, claudeCode, path)
  await sweep(at.desk, Date.now())
  expect(await jobs(at.store)).toEqual([])
  appendFileSync(path, transcript('s1', [{ prompt: 'and then', promptId: 'p2' }], { from: Date.now() }))
  await sweep(at.desk, Date.now())
  expect(await jobs(at.store)).toEqual([{ kind: 'reconcile', payload: { sessionId: 1, over: false } }])
})

async function jobs(store: Store): Promise<{ kind: string; payload: unknown }[]> {
  const found: { kind: string; payload: unknown }[] = []
  for (let job = await store.jobs.claim(Date.now()); job; job = await store.jobs.claim(Date.now())) {
    if (job.kind !== 'distill') found.push({ kind: job.kind, payload: job.payload })
    await store.jobs.complete(job.id)
  }
  return found
}
