import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aControl } from '../../test/support/control.ts'
import { aRemote, runGit } from '../../test/support/machines.ts'
import { someServices } from '../../test/support/services.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'
import { claudeCode } from '../integrations/agent.ts'
import { saveNote } from '../notes/notes.ts'
import { openBackgroundSync } from './background-sync.ts'
import { ingestWithoutReply } from './intake.ts'
import { openRouter } from './router.ts'

test('the start, resume and end of a session queue one sync', async () => {
  await using at = await someServices()
  const jobs = async () => (await waiting(at.desk.store)).map((job) => job.kind)
  for (const source of ['clear', 'compact']) await hook(at.desk, { hook_event_name: 'SessionStart', source })
  expect(await jobs()).not.toContain('sync')
  await hook(at.desk, { hook_event_name: 'SessionStart', source: 'startup' })
  await hook(at.desk, { hook_event_name: 'SessionStart', source: 'resume' })
  await hook(at.desk, { hook_event_name: 'SessionEnd', reason: 'exit' })
  expect((await jobs()).filter((kind) => kind === 'sync')).toHaveLength(1)
})

test('a home without notes and without a remote gets no repository', async () => {
  await using at = await someServices()
  const sync = openBackgroundSync(at.desk)
  sync.start({ id: 1, kind: 'sync', key: 'notes', payload: {}, attempts: 1 })
  await sync.stop()
  expect(await ask(at.desk, 'GET', '/api/sync')).toMatchObject({ json: { remote: '', last: null } })
})

test('a sync job syncs, announces it, and is removed', async () => {
  using remote = aRemote()
  await using at = await someServices({ RECOLLECT_SYNC_REMOTE: remote.path })
  await saveNote(at.desk.notebook, { body: 'To be shared.', project: asProjectKey('app'), source: 'human' }, 1000)
  await at.store.transaction(() => at.store.jobs.add('sync', 'notes', {}, 1))
  const job = await at.store.transaction(() => at.store.jobs.claim(1000))
  const sync = openBackgroundSync(at.desk)
  if (job?.kind === 'sync') sync.start(job)
  while ((await at.store.jobs.counts()).running > 0) await Bun.sleep(10)
  await sync.stop()
  expect(runGit(remote.path, 'log', '--format=%s', 'main')).toContain('1 note (new)')
  expect((await ask(at.desk, 'GET', '/api/sync')).json).toMatchObject({ ahead: 0, waiting: 0, last: { outcome: 'synced', pushed: true } })
})

test('setting a remote changes only that line of the settings file, and fetches notes at once', async () => {
  using remote = aRemote()
  await using first = await someServices({ RECOLLECT_SYNC_REMOTE: remote.path })
  await saveNote(first.desk.notebook, { body: 'From the first machine.', project: asProjectKey('app'), source: 'human' }, 1000)
  expect((await ask(first.desk, 'POST', '/api/sync', {})).json).toMatchObject({ outcome: 'synced', pushed: true })
  await using at = await someServices()
  mkdirSync(dirname(at.desk.home.config), { recursive: true })
  writeFileSync(at.desk.home.config, '# mine\n[worker]\nport = 4000\n')
  expect((await ask(at.desk, 'POST', '/api/sync/remote', { remote: remote.path })).json).toMatchObject({
    outcome: 'synced',
    received: [expect.any(String)],
  })
  expect(readFileSync(at.desk.home.config, 'utf8')).toBe(`# mine\n[worker]\nport = 4000\n\n[sync]\nremote = "${remote.path}"\n`)
  expect(at.announced).toMatchObject([{ kind: 'note-changed', note: { body: 'From the first machine.' } }])
})

test('with git_notes a project’s notes are mirrored into the repository of its latest session', async () => {
  await using at = await someServices({ RECOLLECT_SYNC_GIT_NOTES: 'true' })
  using project = temporaryFolder()
  runGit(project.path, 'init', '--quiet')
  runGit(project.path, 'commit', '--quiet', '--allow-empty', '-m', 'first')
  const app = asProjectKey('app')
  const session = { agent: 'claude-code', contentSessionId: asContentSessionId('s1'), project: app, folder: project.path } as const
  await at.store.sessions.open({ ...session, branch: null, transcript: null, clientPid: null, at: 1000 })
  await saveNote(at.desk.notebook, { body: 'For the team.', project: app, source: 'human' }, 1000)
  expect((await ask(at.desk, 'POST', '/api/sync', {})).json).toMatchObject({ mirrored: [{ project: 'app', written: 1, problem: null }] })
  expect(runGit(project.path, 'notes', '--ref=mem/context', 'show', 'HEAD')).toContain('For the team.')
})

test('an invalid remote and an unknown choice are rejected with a message', async () => {
  await using at = await someServices()
  expect(await ask(at.desk, 'POST', '/api/sync/remote', { remote: 'ext::sh -c x' })).toMatchObject({ status: 400 })
  expect(await ask(at.desk, 'POST', '/api/sync/resolve', { id: 'N1', choice: 'ours' })).toMatchObject({ status: 400 })
  expect(await ask(at.desk, 'POST', '/api/sync/resolve', { id: 'N1', choice: 'mine' })).toMatchObject({ status: 400 })
})

test('a repository that git cannot read is reported, and nothing else breaks', async () => {
  await using at = await someServices()
  await saveNote(at.desk.notebook, { body: 'Still here.', project: asProjectKey('app'), source: 'human' }, 1000)
  await ask(at.desk, 'POST', '/api/sync', {})
  writeFileSync(join(at.desk.home.folder, 'memory', '.git', 'config'), 'this is no config [')
  expect((await ask(at.desk, 'POST', '/api/sync', {})).json).toMatchObject({
    outcome: 'refused',
    reason: expect.stringContaining('config'),
  })
  expect((await ask(at.desk, 'GET', '/api/sync')).json).toMatchObject({ last: { outcome: 'refused' } })
})

type Desk = Awaited<ReturnType<typeof someServices>>['desk']

async function waiting(store: Desk['store']) {
  const found: { kind: string }[] = []
  await store
    .transaction(async () => {
      for (let job = await store.jobs.claim(Number.MAX_SAFE_INTEGER); job; job = await store.jobs.claim(Number.MAX_SAFE_INTEGER))
        found.push(job)
      throw new Error('only looked')
    })
    .catch(() => {})
  return found
}

function hook(desk: Desk, fields: Record<string, unknown>) {
  const payload = { session_id: 's1', cwd: '/home/dev/app', transcript_path: '/nowhere.jsonl', ...fields }
  const context = { projectFolder: '/home/dev/app', clientPid: null, entrypoint: null }
  const quiet = { ...desk, queue: { ...desk.queue, kick: () => {} } }
  return ingestWithoutReply(quiet, { agent: claudeCode, payload, context, delivery: null, at: Date.now() })
}

async function ask(desk: Desk, method: string, path: string, body?: unknown) {
  const request = new Request(`http://worker${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  try {
    const answer = await openRouter(desk, aControl())(request, new URL(request.url), 'socket', { timeout: () => {} } as never)
    return { status: answer?.status ?? 404, json: (await answer?.json()) as Record<string, unknown> }
  } catch (cause) {
    return { status: 400, json: { error: (cause as Error).message } }
  }
}
