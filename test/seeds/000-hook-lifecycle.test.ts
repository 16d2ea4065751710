/** Seed 000, the hook lifecycle of claude-mem: each test is one of its clauses, with the bodies and payloads that it prints. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SearchResponse, TimelineResponse } from '../../src/wire/contract/memories.ts'
import { aTestHome, type TestHome } from '../support/test-home.ts'
import { openWorkerDatabase } from '../support/worker-database.ts'

let home: TestHome
beforeAll(async () => {
  home = await aTestHome()
  await home.run('start')
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
})

const post = async (path: string, body: object) => (await (await home.ask('POST', path, body)).json()) as Record<string, unknown>
const get = async <Answer>(path: string): Promise<Answer> => (await (await home.ask('GET', path)).json()) as Answer
const query = <Row>(sql: string, ...values: string[]): Row[] => {
  const db = openWorkerDatabase(join(home.home, 'recollect.db'), { readonly: true })
  try {
    return db.query<Row, string[]>(sql).all(...values)
  } finally {
    db.close()
  }
}

test('VS Code extension: the three requests of the example make a session with a prompt and an edit', async () => {
  const [sessionId, project] = ['vscode-session-1', 'harbour']
  const context = await home.ask('GET', `/api/context/inject?project=${project}`)
  expect([context.status, await context.text()]).toEqual([200, ''])
  expect(await post('/sessions/init', { sessionId, project, userPrompt: 'Add login feature' })).toMatchObject({ promptNumber: 1 })
  expect(
    await post('/api/sessions/observations', {
      claudeSessionId: sessionId,
      tool_name: 'FileSave',
      tool_input: { path: '/src/auth.ts' },
      tool_response: 'File saved successfully',
    }),
  ).toEqual({ status: 'queued' })
  await post('/api/sessions/summarize', {
    claudeSessionId: sessionId,
    last_user_message: 'Add login feature',
    last_assistant_message: 'The login page keeps its session in a cookie that lasts a week.',
  })
  await home.settled()
  const [saved] = query<{ files_modified: string; tool: string }>("SELECT * FROM observations WHERE project = 'harbour'")
  expect(saved).toMatchObject({ files_modified: '["/src/auth.ts"]', tool: 'FileSave' })
  const brief = await (await home.ask('GET', `/api/context/inject?project=${project}`)).text()
  expect(brief).toContain('a cookie that lasts a week')
})

test('Worker HTTP endpoints: each answers without /api in its path and with it', async () => {
  for (const [base, id] of [
    ['/sessions', 'plain-path'],
    ['/api/sessions', 'api-path'],
  ]) {
    expect(await post(`${base}/init`, { claudeSessionId: id, project: 'quay', userPrompt: 'Moor the boat' })).toMatchObject({
      promptNumber: 1,
      skipped: false,
    })
    const use = { claudeSessionId: id, tool_name: 'Read', tool_input: { file_path: '/src/index.ts' }, tool_response: 'file contents...' }
    expect(await post(`${base}/observations`, { ...use, cwd: '/path/to/project' })).toEqual({ status: 'queued' })
    const last = { claudeSessionId: id, last_user_message: 'Moor the boat', last_assistant_message: 'It is moored with two lines.' }
    expect(await post(`${base}/summarize`, last)).toEqual({ status: 'queued' })
    expect(await post(`${base}/complete`, { claudeSessionId: id, reason: 'exit' })).toEqual({ success: true })
  }
  await home.settled()
  expect(query("SELECT status FROM sdk_sessions WHERE project = 'quay'")).toEqual([{ status: 'completed' }, { status: 'completed' }])
})

test('Port: a program that sends the token gets the same answers over TCP', async () => {
  const { port } = JSON.parse(readFileSync(join(home.home, 'run', 'worker.json'), 'utf8')) as { port: number }
  const token = readFileSync(join(home.home, 'run', 'token'), 'utf8').trim()
  const body = JSON.stringify({ claudeSessionId: 'over-tcp', project: 'quay', userPrompt: 'Which lines hold the boat?' })
  const ask = (headers: Record<string, string>) =>
    fetch(`http://localhost:${port}/sessions/init`, { method: 'POST', body, headers: { ...headers } })
  expect((await ask({})).status).toBe(401)
  expect(await (await ask({ authorization: `Bearer ${token}` })).json()).toMatchObject({ promptNumber: 1, skipped: false })
})

test('UserPromptSubmit: the same session id is the same row, and each prompt gets the next number', async () => {
  const init = (userPrompt: string) => post('/api/sessions/init', { claudeSessionId: 'claude-session-123', project: 'pier', userPrompt })
  const first = await init("User's actual prompt text")
  const second = await init('And another one')
  expect(second).toMatchObject({ sessionDbId: first.sessionDbId, promptNumber: 2 })
  expect(
    await post(`/sessions/${first.sessionDbId}/init`, { project: 'pier', userPrompt: 'And another one', promptNumber: 2 }),
  ).toMatchObject({ sessionDbId: first.sessionDbId, promptNumber: 2 })
  expect(
    query('SELECT prompt_number, prompt FROM user_prompts WHERE session_id = ? ORDER BY prompt_number', String(first.sessionDbId)),
  ).toEqual([
    { prompt_number: 1, prompt: "User's actual prompt text" },
    { prompt_number: 2, prompt: 'And another one' },
  ])
})

test('Dual-tag system: private parts and injected context are not stored, and a wholly private prompt is skipped', async () => {
  const prompt = 'Rotate it <private>the hidden key</private> <claude-mem-context>earlier work</claude-mem-context> today'
  await post('/api/sessions/init', { claudeSessionId: 'tags', project: 'pier', userPrompt: prompt })
  expect(
    await post('/api/sessions/init', { claudeSessionId: 'tags', project: 'pier', userPrompt: '<private>all of it</private>' }),
  ).toMatchObject({ skipped: true, reason: 'private' })
  const stored = query<{ prompt: string }>("SELECT prompt FROM user_prompts WHERE content_session_id = 'tags'")
  expect(stored).toHaveLength(1)
  expect(stored[0]?.prompt).toContain('Rotate it')
  expect(stored[0]?.prompt).not.toMatch(/hidden key|earlier work/)
})

test('PostToolUse: the tools of the skip list are not recorded', async () => {
  for (const tool_name of ['ListMcpResourcesTool', 'SlashCommand', 'Skill', 'TodoWrite', 'AskUserQuestion'])
    expect(
      await post('/api/sessions/observations', { claudeSessionId: 'skips', project: 'pier', tool_name, tool_input: {}, tool_response: '' }),
    ).toEqual({ status: 'skipped', reason: 'tool_excluded' })
})

test('Stop and SessionEnd: the requests of the summary and cleanup hooks are accepted as printed', async () => {
  await post('/api/sessions/init', { claudeSessionId: 'ends', project: 'pier', userPrompt: 'Why does the lamp flicker?' })
  const last = { last_user_message: 'Why does the lamp flicker?', last_assistant_message: 'The relay is worn; a new one is ordered.' }
  expect(await post('/api/sessions/summarize', { claudeSessionId: 'ends', ...last })).toEqual({ status: 'queued' })
  expect(await post('/api/processing', { isProcessing: false })).toEqual({ status: 'ok' })
  expect(await post('/api/sessions/complete', { claudeSessionId: 'ends', reason: 'prompt_input_exit' })).toEqual({ success: true })
  await home.settled()
  expect(
    query(`SELECT request, learned, completed FROM session_summaries m JOIN sdk_sessions s ON s.id = m.session_id
      WHERE s.claude_session_id = 'ends'`),
  ).toHaveLength(1)
})

test('Hook payloads: each of the five, without an event name of its own, is understood by the event on the command line', async () => {
  const run = async (event: string, payload: object) => {
    const child = Bun.spawn([join(import.meta.dir, '..', '..', 'bin', 'recollect'), 'hook', 'claude-code', event, '--strict-exit'], {
      cwd: home.project,
      env: home.env,
      stdin: new Blob([JSON.stringify(payload)]),
      stdout: 'pipe',
    })
    return { code: await child.exited, reply: JSON.parse((await child.stdout.text()) || '{}') }
  }
  const common = { session_id: 'claude-session-456', cwd: home.project }
  await home.run('capture', 'Lamps are checked on Mondays.')
  const start = await run('SessionStart', { ...common, source: 'startup' })
  expect(start.reply.hookSpecificOutput).toMatchObject({
    hookEventName: 'SessionStart',
    additionalContext: expect.stringContaining('Lamps are checked on Mondays.'),
  })
  expect(start.reply.systemMessage).toMatch(/viewer: .*http:\/\/127\.0\.0\.1:\d+/)
  for (const [event, payload] of [
    ['UserPromptSubmit', { prompt: "User's actual prompt text" }],
    ['PostToolUse', { tool_name: 'Read', tool_input: { file_path: '/src/index.ts' }, tool_response: 'file contents...' }],
    ['Stop', { transcript_path: '/path/to/transcript.jsonl' }],
    ['SessionEnd', { transcript_path: '/path/to/transcript.jsonl', reason: 'exit' }],
  ] as const)
    expect([event, (await run(event, { ...common, ...payload })).code]).toEqual([event, 0])
  expect(query("SELECT status, prompt_counter FROM sdk_sessions WHERE claude_session_id = 'claude-session-456'")).toEqual([
    { status: 'completed', prompt_counter: 1 },
  ])
})

test('User message hook: the first session of a project says how to begin, and where the viewer is', async () => {
  const cwd = join(home.folder, 'brand-new')
  mkdirSync(cwd)
  const reply = await (
    await home.ask('POST', '/hook/claude-code', {
      session_id: 'first-of-all',
      cwd,
      source: 'startup',
      hook_event_name: 'SessionStart',
    })
  ).json()
  expect((reply as { systemMessage: string }).systemMessage).toMatch(/remembered from now on.*viewer: .*http:\/\/127\.0\.0\.1:\d+/)
})

test('Database schema: the queries of the diagrams run on the views', async () => {
  await home.settled()
  expect(query("SELECT * FROM observations WHERE project = 'harbour' ORDER BY created_at DESC LIMIT 50")).not.toEqual([])
  expect(
    query(`SELECT id, claude_session_id, project, first_user_prompt, prompt_counter, status, created_at, completed_at
      FROM sdk_sessions WHERE claude_session_id = 'claude-session-123'`),
  ).toMatchObject([{ project: 'pier', first_user_prompt: "User's actual prompt text", prompt_counter: 2, status: 'active' }])
  const [summary] = query<Record<string, unknown>>(
    "SELECT id, session_id, request, investigated, learned, completed, next_steps, created_at FROM session_summaries WHERE project = 'quay'",
  )
  expect(summary).toMatchObject({ created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) })
})

test('Host: a program that names itself keeps its name, and its later reports find the session without it', async () => {
  const id = 'from-an-editor'
  await post('/api/sessions/init', { contentSessionId: id, project: 'jetty', prompt: 'Paint the jetty', platformSource: 'VS Code 1.99' })
  expect(await post('/sessions/summarize', { sessionId: id, last_assistant_message: 'It is painted.' })).toEqual({ status: 'queued' })
  expect(await post('/sessions/complete', { sessionId: id })).toEqual({ success: true })
  expect(query('SELECT agent, host FROM sessions WHERE content_session_id = ?', id)).toEqual([{ agent: 'other', host: 'VS Code 1.99' }])
})

test('Search: type, obs_type, dateStart, dateEnd, orderBy and a limit of 40 mean what they say', async () => {
  const dateStart = new Date().toLocaleDateString('sv')
  for (let n = 1; n <= 45; n++) {
    const claudeSessionId = `fog-${n}`
    await post('/api/sessions/init', { claudeSessionId, project: 'reef', userPrompt: `Foghorn number ${n} is silent` })
    await post('/api/sessions/complete', { claudeSessionId })
  }
  const search = (parameters: Record<string, string>) =>
    get<SearchResponse>(`/api/search?${new URLSearchParams({ query: 'foghorn', project: 'reef', ...parameters })}`)
  expect((await search({})).hits).toHaveLength(40)
  expect((await search({ type: 'prompts', limit: '5' })).hits.map(({ kind }) => kind)).toEqual(Array(5).fill('prompt'))
  expect((await search({ type: 'observations' })).hits).toEqual([])
  const times = async (orderBy: string) => (await search({ orderBy, limit: '45' })).hits.map(({ at }) => at)
  expect(await times('date_asc')).toEqual((await times('date_asc')).toSorted((a, b) => a - b))
  expect(await times('date_desc')).toEqual((await times('date_desc')).toSorted((a, b) => b - a))
  const dateEnd = new Date().toLocaleDateString('sv')
  expect((await search({ dateStart, dateEnd })).hits).toHaveLength(40)
  expect((await search({ dateEnd: '2020-01-01' })).hits).toEqual([])
  const all = await get<SearchResponse>('/api/search?query=login&project=harbour&type=observations&obs_type=change,feature')
  expect(all.hits.map(({ kind }) => kind)).toEqual(['observation'])
  const refused = await home.ask('GET', '/api/search?query=x&obs_type=gossip')
  expect([refused.status, await refused.json()]).toEqual([400, { error: expect.stringContaining('unknown type “gossip”') }])
})

test('Timeline: anchor, depth_before, depth_after and type', async () => {
  const around = (parameters: Record<string, string>) =>
    get<TimelineResponse>(`/api/timeline?${new URLSearchParams({ query: 'foghorn number 20', project: 'reef', ...parameters })}`)
  const { items, anchor } = await around({ depth_before: '2', depth_after: '3', type: 'prompts' })
  expect([items.length, items[2]?.anchor, anchor]).toEqual([6, true, `prompt:${items[2]?.id}`])
  const byId = await get<TimelineResponse>(`/api/timeline?anchor=P${items[2]?.id}&depth_before=1&depth_after=1&type=prompts`)
  expect(byId.items.map(({ id }) => id)).toEqual(items.slice(1, 4).map(({ id }) => id))
  const other = await get<TimelineResponse>(`/api/timeline?anchor=P${items[2]?.id}&type=bugfix`)
  expect(other.items.map(({ id }) => id)).toEqual([items[2]?.id ?? ''])
})

test('Batch: several observations in one request', async () => {
  const [{ id } = { id: 0 }] = query<{ id: number }>("SELECT id FROM observations WHERE project = 'harbour'")
  expect(await post('/api/observations/batch', { ids: [id] })).toMatchObject([{ id, filesModified: ['/src/auth.ts'] }])
})

test('Table output: search and timeline are grouped by day and file, with what each memory costs to read', async () => {
  const found = await home.run('search', 'login', '--project', 'harbour', '--kind', 'observation')
  expect(found).toMatch(/^\d{4}-\d\d-\d\d {2}\/src\/auth\.ts\n#\d+ {2}\d\d:\d\d {2}\w+ {2}~\d+t {2}/m)
  const [{ id } = { id: 0 }] = query<{ id: number }>("SELECT id FROM observations WHERE project = 'harbour'")
  const timeline = await home.run('timeline', `#${id}`, '--project', 'harbour')
  expect(timeline).toMatch(/^\d{4}-\d\d-\d\d {2}harbour$/m)
  expect(timeline).toMatch(/^ +\/src\/auth\.ts\n\S +#\d+ /m)
  expect(timeline).toMatch(new RegExp(`#${id} +\\d\\d:\\d\\d .*~\\d+t`))
})

test('Database schema: user_prompts and sdk_sessions have the columns of the diagram', () => {
  expect(
    query("SELECT id, session_id, prompt_number, prompt, created_at FROM user_prompts WHERE prompt = 'Add login feature'"),
  ).toHaveLength(1)
  const joined = query(`SELECT s.claude_session_id, p.prompt FROM sdk_sessions s JOIN user_prompts p ON p.session_id = s.id
    JOIN observations o ON o.session_id = s.id AND o.prompt_number = p.prompt_number WHERE s.project = 'harbour'`)
  expect(joined).toEqual([{ claude_session_id: 'vscode-session-1', prompt: 'Add login feature' }])
})
