/** Seeds 000 and 001: a person moves from claude-mem 13 to Recollect. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ClaudeMemSession, claudeMem13Database } from '../support/claude-mem-13.ts'
import { runGit } from '../support/machines.ts'
import { aTestHome, type TestHome } from '../support/test-home.ts'
import { openWorkerDatabase } from '../support/worker-database.ts'

const SESSION: ClaudeMemSession = {
  id: '11111111-1111-4111-8111-111111111111',
  project: 'shop',
  prompts: ['Fix the rounding of the cart', 'Now test it'],
  observations: [
    { type: 'bugfix', title: 'The cart rounds to cents', modified: ['src/cart.ts'] },
    { type: 'security_alert', title: 'The token was logged', prompt: 2, concepts: ['gotcha', 'unheard-of'] },
    { type: 'security_note', title: 'Keys are rotated weekly', prompt: 2 },
  ],
  summary: { request: 'Round the cart', learned: 'Prices are kept in cents', prompt: 2 },
}

function install(home: TestHome, sessions: ClaudeMemSession[]): string {
  const folder = join(home.folder, '.claude-mem')
  mkdirSync(folder)
  claudeMem13Database(join(folder, 'claude-mem.db'), sessions)
  return folder
}

const start = async (home: TestHome, folder: string, id: string) =>
  (await (
    await home.ask('POST', '/hook/claude-code', {
      session_id: id,
      cwd: folder,
      source: 'startup',
      hook_event_name: 'SessionStart',
    })
  ).json()) as { systemMessage?: string; hookSpecificOutput?: { additionalContext: string } }

const rows = <Row>(home: TestHome, sql: string): Row[] => {
  const db = openWorkerDatabase(join(home.home, 'recollect.db'), { readonly: true })
  try {
    return db.query<Row, []>(sql).all()
  } finally {
    db.close()
  }
}

test('welcome and doctor notice the memories of claude-mem, until they are imported', async () => {
  await using home = await aTestHome()
  install(home, [SESSION])
  expect(await home.run('welcome')).toContain('import --from claude-mem')
  const finding = async () =>
    JSON.parse(await home.run('doctor', '--json').catch((error: Error) => error.message.slice(error.message.indexOf('{')))).findings.find(
      ({ what }: { what: string }) => what === 'claude-mem',
    )
  expect(await finding()).toMatchObject({ state: 'warning', fix: 'recollect import --from claude-mem' })
  await home.run('import', '--from', 'claude-mem')
  expect(await finding()).toBeUndefined()
})

test('before the first session: the folder in the database says which project it is, and the first session is shown its memories', async () => {
  await using home = await aTestHome()
  const folder = join(home.folder, 'shop')
  mkdirSync(folder)
  runGit(folder, 'init', '--quiet')
  runGit(folder, 'remote', 'add', 'origin', 'git@example.com:team/shop.git')
  install(home, [{ ...SESSION, cwd: folder }])
  await home.run('import', '--from', 'claude-mem')
  expect(rows(home, 'SELECT project, folder FROM sessions')).toEqual([{ project: 'example.com/team/shop', folder }])
  const { hookSpecificOutput } = await start(home, folder, 'new')
  expect(hookSpecificOutput?.additionalContext).toContain('Prices are kept in cents')
})

test('a project with an unambiguous name takes over what was imported under that name, and can give it back', async () => {
  await using home = await aTestHome()
  install(home, [SESSION])
  await home.run('import', '--from', 'claude-mem')
  const folder = join(home.folder, 'elsewhere', 'shop')
  mkdirSync(folder, { recursive: true })
  const { hookSpecificOutput, systemMessage } = await start(home, folder, 'new')
  expect(hookSpecificOutput?.additionalContext).toContain('Prices are kept in cents')
  expect(systemMessage).toContain('took over the memories imported as shop')
  await home.settled()
  const [, from = ''] = /projects split (\S+?)\)/.exec(systemMessage ?? '') ?? []
  await home.run('projects', 'split', from, '--yes')
  expect(rows<{ project: string }>(home, 'SELECT DISTINCT project FROM sessions ORDER BY 1').map(({ project }) => project)).toEqual([
    'shop',
    from,
  ])
  expect((await start(home, folder, 'again')).hookSpecificOutput).toBeUndefined()
})

test('a repository with a remote takes them over too, and keeps its own key', async () => {
  await using home = await aTestHome()
  install(home, [SESSION])
  await home.run('import', '--from', 'claude-mem')
  const folder = join(home.folder, 'code', 'shop')
  mkdirSync(folder, { recursive: true })
  runGit(folder, 'init', '--quiet')
  runGit(folder, 'remote', 'add', 'origin', 'https://example.com/team/shop')
  expect((await start(home, folder, 'new')).hookSpecificOutput?.additionalContext).toContain('Prices are kept in cents')
  await home.settled()
  expect(rows(home, 'SELECT DISTINCT project FROM sessions')).toEqual([{ project: 'example.com/team/shop' }])
})

test('where two folders have the name, both joins are offered and nothing moves by itself', async () => {
  await using home = await aTestHome()
  await home.run('start')
  for (const parent of ['one', 'two']) {
    const folder = join(home.folder, parent, 'shop')
    mkdirSync(folder, { recursive: true })
    await start(home, folder, parent)
  }
  install(home, [SESSION])
  const out = await home.run('import', '--from', 'claude-mem')
  expect(out.match(/projects join shop-[0-9a-f]{6} shop\b/g)).toHaveLength(2)
  const projects = rows<{ project: string }>(home, 'SELECT DISTINCT project FROM sessions').map(({ project }) => project)
  expect(projects).toHaveLength(3)
  expect(projects).toContain('shop')
})

test('security types and unknown concepts stay as tags, prompt numbers stay, and memories saved by hand become notes', async () => {
  await using home = await aTestHome()
  const manual = {
    id: 'manual-content-shop-claude',
    project: 'shop',
    observations: [{ type: 'discovery', title: 'Deploy day', narrative: 'We deploy on Tuesdays only.' }],
  }
  install(home, [SESSION, manual])
  await home.run('import', '--from', 'claude-mem')
  expect(rows(home, 'SELECT title, type, tags, prompt_number FROM observations ORDER BY id')).toEqual([
    { title: 'The cart rounds to cents', type: 'bugfix', tags: '[]', prompt_number: 1 },
    { title: 'The token was logged', type: 'discovery', tags: '["security","security_alert","unheard-of"]', prompt_number: 2 },
    { title: 'Keys are rotated weekly', type: 'discovery', tags: '["security","security_note"]', prompt_number: 2 },
  ])
  expect(rows(home, 'SELECT prompt_number FROM session_summaries')).toEqual([{ prompt_number: 2 }])
  expect(await home.run('search', 'tag:security', '--all')).toMatch(
    /The token was logged[\s\S]*Keys are rotated|Keys are rotated[\s\S]*The token was logged/,
  )
  expect(await home.run('search', 'tag:security_alert', '--all')).not.toContain('Keys are rotated weekly')
  const [note] = JSON.parse(await home.run('notes', '--all', '--json')).notes
  expect(note).toMatchObject({ title: 'Deploy day', body: 'We deploy on Tuesdays only.', source: 'import', tags: ['claude-mem'] })
})

test('its settings are offered, and taken over with --settings before the import', async () => {
  await using home = await aTestHome()
  const secret = join(home.folder, 'secret')
  mkdirSync(secret)
  const folder = install(home, [SESSION, { ...SESSION, id: 'hidden', project: 'secret', cwd: secret }])
  const settings = { CLAUDE_MEM_EXCLUDED_PROJECTS: `${secret}*`, CLAUDE_MEM_SKIP_TOOLS: 'TodoWrite,WebFetch' }
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  const out = await home.run('import', '--from', 'claude-mem', '--settings')
  expect(out).toContain('WebFetch')
  expect(out).not.toContain('TodoWrite')
  expect(out).toContain('1 session of projects that are excluded')
  expect(JSON.parse(await home.run('config', 'get', 'privacy.exclude_projects', '--json')).value).toEqual([`${secret}*`])
  expect(rows(home, "SELECT id FROM sessions WHERE content_session_id = 'hidden'")).toEqual([])
})

test('sessions of other agents are imported with their host, and everything that was left out is reported', async () => {
  await using home = await aTestHome()
  const folder = install(home, [SESSION, { id: 'from-cursor', project: 'shop', platform: 'cursor', prompts: ['Add a coupon field'] }])
  const db = new Database(join(folder, 'claude-mem.db'))
  db.run(
    `INSERT INTO observations (memory_session_id, project, type, title, created_at, created_at_epoch) VALUES ('gone', 'shop', 'bugfix', 'Orphan', '', 1)`,
  )
  db.run(
    `INSERT INTO pending_messages (session_db_id, content_session_id, message_type, created_at_epoch) VALUES (1, 'x', 'observation', 1)`,
  )
  db.run(
    `INSERT INTO sdk_sessions (content_session_id, memory_session_id, project, started_at, started_at_epoch) VALUES ('', 'm', 'shop', '', 1)`,
  )
  db.close()
  const imported = JSON.parse(await home.run('import', '--from', 'claude-mem', '--json'))
  expect(imported).toMatchObject({ sessions: 2, prompts: 3, observations: 3, summaries: 1 })
  expect(imported.left.map(({ reason }: { reason: string }) => reason)).toEqual([
    '1 session without an id',
    '1 memory whose session is not in the database',
    '1 message that claude-mem has not processed yet',
    '3 tool uses; the memories made from them are imported',
  ])
  expect(rows(home, "SELECT agent, host FROM sessions WHERE content_session_id = 'from-cursor'")).toEqual([
    { agent: 'other', host: 'cursor' },
  ])
  const again = JSON.parse(await home.run('import', '--from', 'claude-mem', '--json'))
  expect(again).toMatchObject({ sessions: 0, prompts: 0, observations: 0, summaries: 0 })
})

test('what claude-mem made of a turn stays when the turn is distilled here as well', async () => {
  await using home = await aTestHome()
  const folder = join(home.folder, 'shop')
  mkdirSync(folder)
  install(home, [{ ...SESSION, cwd: folder }])
  await home.run('import', '--from', 'claude-mem')
  const event = { session_id: SESSION.id, cwd: folder }
  await home.hook({ ...event, hook_event_name: 'UserPromptSubmit', prompt: 'Ship it' })
  await home.hook({ ...event, hook_event_name: 'Stop', last_assistant_message: 'It is shipped, with the new rounding in place.' })
  await home.settled()
  expect(rows(home, "SELECT id FROM observations WHERE key GLOB 'claude-mem:*'")).toHaveLength(3)
})
