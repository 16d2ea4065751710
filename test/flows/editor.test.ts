/** An editor as a client of the API, as docs/guide/http.md describes it: a real worker, and requests such as another editor would send. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeMemoriesResponse } from '../../src/wire/contract/code.ts'
import type { SessionList } from '../../src/wire/contract/sessions.ts'
import { aTestHome, findInHome, type TestHome } from '../support/test-home.ts'

const TIDES =
  'export function tideAt(hour: number) {\n  return hour * 2\n}\n\nexport function lowTide(day: number) {\n  return day + 6\n}\n'

let home: TestHome
beforeAll(async () => {
  home = await aTestHome()
  mkdirSync(join(home.project, '.git'))
  writeFileSync(join(home.project, 'tides.ts'), TIDES)
  await home.run('config', 'set', 'privacy.exclude_projects', join(home.folder, 'secret-project'))
  await home.run('start')
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
})

const post = async (path: string, body: object) => (await (await home.ask('POST', path, body)).json()) as Record<string, unknown>
const observe = (contentSessionId: string, use: object) =>
  post('/api/sessions/observations', { contentSessionId, host: 'My editor', project: `${home.project}/`, ...use })
const save = (from: string, to: string) => ({
  tool_name: 'FileSave',
  tool_input: { path: join(home.project, 'tides.ts'), old_string: from, new_string: to },
  tool_response: 'saved',
})
const sessionOf = async (id: string) =>
  ((await (await home.ask('GET', `/api/sessions?project=${home.project}/`)).json()) as SessionList).sessions.find(
    (one) => one.contentSessionId === id,
  )
const brief = async () => (await home.ask('GET', `/api/context/inject?project=${home.project}/`)).text()

test('a session is opened without a prompt, and is live while the process of the editor runs', async () => {
  const editor = Bun.spawn(['sleep', '60'])
  await post('/api/sessions/init', { contentSessionId: 'opened', host: 'My editor', project: `${home.project}/`, pid: editor.pid })
  expect(await sessionOf('opened')).toMatchObject({ agent: 'other', host: 'My editor', live: true, promptCount: 0, folder: home.project })
  editor.kill()
  await editor.exited
  expect(await sessionOf('opened')).toMatchObject({ live: false })
})

test('an editor learns from the answer that a project is excluded, and nothing of it is stored', async () => {
  const excluded = join(home.folder, 'secret-project')
  mkdirSync(excluded)
  const origin = { contentSessionId: 'excluded', host: 'My editor', project: `${excluded}/` }
  expect(await post('/api/sessions/init', origin)).toMatchObject({ sessionDbId: null })
  expect(await observe('excluded', { ...origin, ...save('a', 'b'), new_turn: true })).toEqual({ status: 'skipped', reason: 'private' })
  const all = (await (await home.ask('GET', '/api/sessions')).json()) as SessionList
  expect(all.sessions.filter(({ contentSessionId }) => contentSessionId === 'excluded')).toEqual([])
})

test('saves without a prompt are distilled and in the brief; one that is sent twice counts once', async () => {
  const first = { ...save('  return day + 6', '  return day + 6.2'), new_turn: true, tool_use_id: 'a' }
  expect(await observe('work', first)).toEqual({ status: 'queued' })
  expect(await observe('work', first)).toEqual({ status: 'queued' })
  await observe('work', {
    ...save('export function lowTide(day: number) {\n  return day + 6.2', 'export function lowTide(day: number) {\n  return day + 6.4'),
    tool_use_id: 'b',
  })
  expect(await sessionOf('work')).toMatchObject({ promptCount: 1, toolUses: 2 })
  await post('/api/sessions/summarize', { contentSessionId: 'work' })
  await home.settled()
  expect(await brief()).toContain('tides.ts')
  expect(await brief()).not.toContain('(no words)')
})

test('a question to the memory is stored, but is not an answer when it is asked again', async () => {
  const question = 'why does tideAt multiply by the gauge'
  const asked = { contentSessionId: 'asks', host: 'My editor', project: `${home.project}/` }
  await observe('asks', { ...save('  return hour', '  return hour * 2'), new_turn: true })
  await post('/api/sessions/summarize', { contentSessionId: 'asks' })
  for (const prompt of [`/recollect search ${question}`, `@recollect /recall ${question}`]) {
    expect(await post('/api/sessions/init', { ...asked, prompt })).toMatchObject({ skipped: false })
    await post('/api/sessions/summarize', { ...asked, last_user_message: prompt })
  }
  await home.settled()
  expect(await sessionOf('asks')).toMatchObject({ promptCount: 3 })
  const { hits } = (await post('/api/search', { query: question, project: `${home.project}/` })) as { hits: { title: string }[] }
  const titles = hits.map(({ title }) => title)
  expect(titles.filter((title) => title.includes(question) || title === '(no words)')).toEqual([])
  expect(titles.join()).toContain('tides.ts')
})

test('a command that failed and an error in the editor are failures until they pass', async () => {
  await observe('checks', {
    new_turn: true,
    tool_name: 'Bash',
    tool_input: { command: 'npm test' },
    tool_error: 'Exit code 1\n1 of 12 tests failed',
  })
  const error = 'Exit code 1\ntides.ts(3,5): error TS2304: Cannot find name ebb.'
  await observe('checks', { tool_name: 'Diagnostics', tool_input: { path: 'tides.ts' }, tool_error: error })
  await post('/api/sessions/summarize', { contentSessionId: 'checks' })
  await home.settled()
  expect(await brief()).toContain('Cannot find name ebb')
  await observe('checks', {
    new_turn: true,
    tool_name: 'Diagnostics',
    tool_input: { path: 'tides.ts' },
    tool_response: { stdout: 'No problems are left.' },
  })
  await observe('checks', { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_response: { stdout: '12 passed' } })
  await post('/api/sessions/summarize', { contentSessionId: 'checks' })
  await home.settled()
  expect(await brief()).not.toMatch(/fail[^\n]*Cannot find name ebb/i)
})

test('while an agent works in the folder, above it or below it, reports of the editor are skipped if it says so', async () => {
  const unless = { ...save('a', 'b'), unless_agent: true, new_turn: true }
  for (const [n, cwd] of [home.project, join(home.project, 'src'), home.folder].entries()) {
    mkdirSync(cwd, { recursive: true })
    const session_id = `agent-${n}`
    await home.hook({ hook_event_name: 'SessionStart', session_id, source: 'startup', cwd })
    await home.hook({ hook_event_name: 'UserPromptSubmit', session_id, prompt: 'Count the eels', cwd })
    expect([cwd, await observe('beside', unless)]).toEqual([cwd, { status: 'skipped', reason: 'agent_at_work' }])
    await home.hook({ hook_event_name: 'SessionEnd', session_id, reason: 'exit', cwd })
  }
  const link = join(home.folder, 'link-to-project')
  symlinkSync(home.project, link)
  await home.hook({ hook_event_name: 'SessionStart', session_id: 'linked', source: 'startup' })
  expect(await observe('beside', { ...unless, project: `${link}/` })).toEqual({ status: 'skipped', reason: 'agent_at_work' })
  await home.hook({ hook_event_name: 'SessionEnd', session_id: 'linked', reason: 'exit' })
  expect(await sessionOf('beside')).toBeUndefined()
  const elsewhere = join(home.folder, 'project-two')
  mkdirSync(elsewhere)
  await home.hook({ hook_event_name: 'SessionStart', session_id: 'elsewhere', source: 'startup', cwd: elsewhere })
  expect(await observe('beside', unless)).toEqual({ status: 'queued' })
})

test('memories are found by the code they are tied to, and only for files of the folder', async () => {
  const session_id = 'settles'
  await home.hook({ hook_event_name: 'SessionStart', session_id, source: 'startup' })
  await home.hook({ hook_event_name: 'UserPromptSubmit', session_id, prompt: 'Why does tideAt multiply?' })
  await home.hook({
    hook_event_name: 'PostToolUse',
    session_id,
    tool_name: 'Edit',
    tool_use_id: 'e1',
    tool_input: { file_path: join(home.project, 'tides.ts'), old_string: 'return hour', new_string: 'return hour * 2' },
    tool_response: {},
  })
  const last_assistant_message = 'Settled: tideAt multiplies by 2, because the gauge reports half hours.'
  await home.hook({ hook_event_name: 'Stop', session_id, last_assistant_message })
  await home.hook({ hook_event_name: 'SessionEnd', session_id, reason: 'exit' })
  await home.settled()
  const about = async (path: string) =>
    (await (
      await home.ask('GET', `/api/code/memories?project=${home.project}/&path=${encodeURIComponent(path)}`)
    ).json()) as CodeMemoriesResponse
  const found = await about('tides.ts')
  const tideAt = found.definitions.find(({ name }) => name === 'tideAt')
  const titles = tideAt?.memories.map(({ title }) => title.replace(/\W+$/, '')) ?? []
  expect(new Set(titles).size).toBe(titles.length)
  expect(tideAt).toMatchObject({ firstLine: 1, lastLine: 3 })
  expect(tideAt?.memories[0]).toMatchObject({
    title: expect.stringContaining('tideAt multiplies by 2'),
    agent: 'claude-code',
    host: null,
    code: null,
  })
  expect(found.definitions.find(({ name }) => name === 'lowTide')?.memories[0]).toMatchObject({ agent: 'other', host: 'My editor' })
  expect(await about(join(home.project, 'tides.ts'))).toEqual(await about('tides.ts'))
  const link = join(home.folder, 'linked')
  symlinkSync(home.project, link)
  const linked = await home.ask('GET', `/api/code/memories?project=${link}/&path=${encodeURIComponent(join(link, 'tides.ts'))}`)
  expect(((await linked.json()) as CodeMemoriesResponse).definitions).toEqual(found.definitions)
  for (const outside of ['/etc/passwd', '../tides.ts'])
    expect(await about(outside)).toMatchObject({ path: null, definitions: [], others: [] })
  expect((await home.ask('GET', '/api/code/memories?project=nowhere&path=a.ts')).status).toBe(400)
})

test('private parts and secrets of what an editor reports leave no byte', async () => {
  const secret = 'sk-ant-api03-Zq7Yt2Wm9Kx4Lp8Rv1Nb6Hc3Jd5Fg0SaQeUiOoPpAaSsDdFfGgHhJjKkLlZzXxCcVvBbNnMm12-AbCdEfAA'
  await observe('private', { ...save('a', `b <private>heron nest</private> ${secret}`), new_turn: true })
  await observe('private', {
    tool_name: 'Bash',
    tool_input: { command: 'env' },
    tool_error: `Exit code 1\n<private>heron nest</private>\nAPI_KEY=${secret}`,
  })
  await observe('private', {
    tool_name: 'Diagnostics',
    tool_input: { path: 'a.ts' },
    tool_error: 'Exit code 1\na.ts(1,1): error: <private>heron nest</private>',
  })
  await post('/api/sessions/complete', { contentSessionId: 'private' })
  await home.settled()
  await home.run('stop')
  expect(await findInHome(home.home, ['heron nest', secret])).toEqual([])
})
