import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nowhere } from '../../test/support/builders.ts'
import { aControl } from '../../test/support/control.ts'
import { runGit } from '../../test/support/machines.ts'
import { someServices } from '../../test/support/services.ts'
import { claudeCode } from '../integrations/agent.ts'
import { anchorTurn } from './anchor-turn.ts'
import { ingestWithoutReply } from './intake.ts'
import { openRouter } from './router.ts'
import { inProcessTransport } from './server.ts'

const LOCAL_TIME = "export function localTime(at: Date) {\n  return at.toLocaleString('en-GB', { timeZone: 'UTC' })\n}\n"
const PARSE_TIME = 'export function parseTime(text: string) {\n  return new Date(Date.parse(text))\n}\n'

test('an edit is anchored to the function around it; its memories say when that function is gone, and a search shows them last', async () => {
  await using at = await aProject()
  await at.edit()
  const [observation] = await at.store.observations.recent(at.project, 1)
  const ref = { kind: 'observation', ref: String(observation?.id) } as const
  const anchors = (await (await at.store.anchors()).of([ref])).get(`observation:${ref.ref}`)
  expect(anchors).toMatchObject([{ path: 'src/time.ts', name: 'localTime', commit: at.head(), branch: 'main' }])
  expect((await at.ask('GET', `/api/memory/${ref.ref}`)).json.code).toBeNull()

  writeFileSync(at.file, PARSE_TIME)
  expect((await at.ask('GET', `/api/memory/${ref.ref}`)).json.code).toMatchObject({ state: 'gone', isHistory: true })
  const { hits } = (await at.ask('POST', '/api/search', { query: 'localTime', project: at.project })).json
  expect(hits.length).toBeGreaterThan(0)
  expect(hits.at(-1).code).toMatchObject({ state: 'gone' })
  const stale = (await at.ask('GET', `/api/stale?project=${encodeURIComponent(at.project)}`)).json
  expect(stale.memories.map(({ id }: { id: string }) => id)).toContain(`#${ref.ref}`)
  expect(stale.memories[0].suggestion).toContain('recollect verify')
})

test('a confirmed memory is compared with the code as it was when it was confirmed', async () => {
  await using at = await aProject()
  await at.edit()
  const [observation] = await at.store.observations.recent(at.project, 1)
  const id = `#${observation?.id}`
  writeFileSync(at.file, LOCAL_TIME.replace('(at: Date)', '(at: Date, zone: string)') + PARSE_TIME)
  expect((await at.ask('GET', `/api/memory/${observation?.id}`)).json.code.text).toContain('localTime(at: Date, zone: string)')
  expect((await at.ask('POST', '/api/verify', { id, verdict: 'ok' })).json).toMatchObject({ outcome: 'ok', commit: at.head() })
  const confirmed = (await at.ask('GET', `/api/memory/${observation?.id}`)).json
  expect(confirmed).toMatchObject({ code: null, verified: { commit: at.head() } })
})

test('a wrong memory is hidden and can be restored with its anchors; a correction takes its place', async () => {
  await using at = await aProject()
  await at.edit()
  const [observation] = await at.store.observations.recent(at.project, 1)
  const id = `#${observation?.id}`
  writeFileSync(at.file, PARSE_TIME)
  expect((await at.ask('POST', '/api/verify', { id, verdict: 'wrong' })).json).toMatchObject({ outcome: 'wrong' })
  expect(await at.store.observations.get([observation?.id ?? 0])).toEqual([])
  await at.ask('POST', '/api/restore', { ids: [id] })
  expect((await at.ask('GET', `/api/memory/${observation?.id}`)).json.code).toMatchObject({ state: 'gone' })

  expect((await at.ask('POST', '/api/verify', { id, verdict: 'correct' })).status).toBe(400)
  const { replacedBy } = (await at.ask('POST', '/api/verify', { id, verdict: 'correct', correction: 'parseTime reads a date.' })).json
  const note = (await at.ask('GET', `/api/notes/${replacedBy}`)).json
  expect(note).toMatchObject({ body: 'parseTime reads a date.', source: 'human' })
  const again = (await at.ask('POST', '/api/verify', { id: replacedBy, verdict: 'correct', correction: 'parseTime reads any date.' })).json
  expect((await at.ask('GET', `/api/notes/${again.replacedBy}`)).json.supersedes).toEqual([note.id])
  expect((await at.ask('POST', '/api/verify', { id: '#99999', verdict: 'ok' })).status).toBe(400)
})

test('hard deletion leaves no byte of an anchor', async () => {
  await using at = await aProject('zebrafinchTime')
  await at.edit()
  const [observation] = await at.store.observations.recent(at.project, 1)
  expect((await (await at.store.anchors()).count()).anchors).toBeGreaterThan(0)
  const session = await at.store.sessions.get(observation?.sessionId ?? 0)
  for await (const _ of await at.lines('POST', '/api/forget', { session: session?.contentSessionId, hard: true }));
  expect(await (await at.store.anchors()).count()).toEqual({ anchors: 0, memories: 0 })
  for (const suffix of ['', '-wal']) expect(readFileSync(`${at.store.path}${suffix}`).includes('zebrafinchTime')).toBe(false)
})

test('a note that names code travels with its anchors; a difference counts only where its commit is', async () => {
  await using at = await aProject()
  await at.edit()
  const added = (await at.ask('POST', '/api/notes', { body: 'localTime in src/time.ts formats in UTC.', project: at.project })).json
  const text = readFileSync(join(at.home, added.note.path), 'utf8')
  expect(text).toContain('anchors:')
  expect(text).toContain('"name":"localTime"')
  writeFileSync(at.file, PARSE_TIME)
  expect((await at.ask('GET', `/api/memory/N${added.note.id}`)).json.code).toMatchObject({ state: 'gone' })

  const { setNoteAnchors } = await import('../notes/notes.ts')
  const [anchor] = (await (await at.store.anchors()).of([{ kind: 'note', ref: added.note.id }])).get(`note:${added.note.id}`) ?? []
  if (!anchor) throw new Error('the note has no anchor')
  await setNoteAnchors(at.desk.notebook, added.note.id, [{ ...anchor, commit: 'f'.repeat(40) }])
  expect((await at.ask('GET', `/api/memory/N${added.note.id}`)).json.code).toBeNull()
})

test('files that the settings exclude are not read, and an old turn claims nothing', async () => {
  await using excluded = await aProject('localTime', { RECOLLECT_HOOKS_POST_TOOL_USE_EXCLUDE_PATTERNS: 'src/**' })
  await excluded.edit()
  expect((await (await excluded.store.anchors()).count()).anchors).toBe(0)
  await using old = await aProject()
  await old.edit({ anchorAt: Date.now() + 3_600_000 })
  expect((await (await old.store.anchors()).count()).anchors).toBe(0)
})

test('a secret in the name of a test is not stored', async () => {
  await using at = await aProject()
  const secret = `sk-ant-api03-${'a1B2'.repeat(20)}`
  writeFileSync(at.file, `test('refuses ${secret}', () => {\n  check('en-GB')\n})\n`)
  await at.edit()
  expect((await (await at.store.anchors()).count()).anchors).toBe(0)
  expect(readFileSync(`${at.store.path}-wal`).includes(secret)).toBe(false)
})

/** A repository in which a session edits `localTime`. */
async function aProject(name = 'localTime', settings: Record<string, string> = {}) {
  const at = await someServices(settings)
  const folder = join(at.folder, 'clock')
  const file = join(folder, 'src', 'time.ts')
  mkdirSync(join(folder, 'src'), { recursive: true })
  writeFileSync(file, LOCAL_TIME.replaceAll('localTime', name) + PARSE_TIME)
  runGit(folder, 'init', '--quiet', '--initial-branch=main')
  runGit(folder, 'add', '.')
  runGit(folder, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '-m', 'first')
  const send = inProcessTransport(openRouter(at.desk, aControl()), at.desk.log)
  const request = async (method: string, path: string, body?: unknown) =>
    send({ method, path, body: body === undefined ? null : JSON.stringify(body), headers: {}, timeoutMs: null, signal: null })
  const tell = (payload: object) =>
    ingestWithoutReply(at.desk, {
      agent: claudeCode,
      payload: { session_id: 's1', cwd: folder, prompt_id: 'p1', ...payload },
      context: nowhere,
      delivery: null,
      at: Date.now(),
    })
  const { project } = at.desk.rules(claudeCode).projectOf(folder)
  return {
    ...at,
    file,
    project,
    home: at.desk.home.folder,
    head: () => runGit(folder, 'rev-parse', 'HEAD').trim(),
    // biome-ignore lint/suspicious/noExplicitAny: responses of many routes
    ask: async (method: string, path: string, body?: unknown): Promise<{ status: number; json: any }> => {
      const response = await request(method, path, body)
      return { status: response.status, json: await response.json() }
    },
    lines: async (method: string, path: string, body: unknown) => (await (await request(method, path, body)).text()).split('\n'),
    edit: async ({ anchorAt = Date.now() } = {}) => {
      await tell({ hook_event_name: 'UserPromptSubmit', prompt: `Use the locale of the reader in ${name}` })
      const change = { file_path: file, old_string: "'en-GB'", new_string: 'undefined' }
      writeFileSync(file, readFileSync(file, 'utf8').replace("'en-GB'", 'undefined'))
      await tell({
        hook_event_name: 'PostToolUse',
        tool_name: 'Edit',
        tool_use_id: 't1',
        tool_input: change,
        tool_response: { filePath: file },
      })
      await tell({
        hook_event_name: 'Stop',
        last_assistant_message: `${name} in src/time.ts formats a date in UTC with the locale of the reader.`,
      })
      await at.desk.queue.drained()
      await anchorTurn(at.desk, { sessionId: 1, number: 1 }, anchorAt)
    },
    [Symbol.asyncDispose]: async () => {
      rmSync(folder, { recursive: true, force: true })
      await at[Symbol.asyncDispose]()
    },
  }
}
