/** Seed 004, the MCP server and the hooks of Subcog: each test is one of its clauses, with the payloads, commands and settings that it prints. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Note } from '../../src/core/note.ts'
import { countTokens } from '../../src/core/tokens.ts'
import { runGit } from '../support/machines.ts'
import { anMcpProcess, aScriptHome, type ScriptHome } from '../support/script-home.ts'
import { subcogDatabase } from '../support/subcog.ts'
import { transcript } from '../support/transcript.ts'
import { until } from '../support/until.ts'

let home: ScriptHome
beforeAll(async () => {
  home = await aScriptHome()
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
})

type SessionRow = { contentSessionId: string; folder: string; status: string }
const sessionNamed = async (id: string) => (await home.rows<SessionRow>('sessions')).find(({ contentSessionId }) => contentSessionId === id)

const SESSION = 'sess_abc123'
const START = {
  hook: 'SessionStart',
  session_id: SESSION,
  project_name: 'my-project',
  git_branch: 'feature/auth',
  timestamp: '2025-01-20T10:00:00Z',
}
const PROMPT = { hook: 'UserPromptSubmit', session_id: SESSION, prompt: "Let's use PostgreSQL [decision] because of JSONB support" }
const READ = {
  hook: 'PostToolUse',
  session_id: SESSION,
  tool_name: 'Read',
  tool_input: { file_path: '/src/auth.rs' },
  tool_output: 'pub fn authenticate(...) {... }',
}
const COMPACT = {
  hook: 'PreCompact',
  session_id: SESSION,
  conversation_summary: 'User implemented authentication...',
  key_decisions: ['Use JWT', 'Store in httpOnly cookies'],
  remaining_context_tokens: 5000,
}
const STOP = {
  hook: 'Stop',
  session_id: SESSION,
  reason: 'user_initiated',
  duration_seconds: 1800,
  tool_calls: 45,
  tokens_used: 50000,
}

test('1.1 MCP server lifecycle: serve --transport stdio answers the six tools by their dotted names, and ends with its client', async () => {
  const mcp = await anMcpProcess(home, 'serve', '--transport', 'stdio')
  expect(mcp.opened.result?.serverInfo?.name).toBe('recollect')
  expect(await mcp.call('memory.capture', { content: 'Fastembed runs on this machine.', namespace: 'decisions' })).toContain('Saved as N')
  expect(await mcp.call('memory.recall', { query: 'fastembed' })).toContain('Fastembed runs on this machine.')
  expect(await mcp.call('memory.status')).toContain('notes')
  expect(await mcp.call('memory.sync')).not.toContain('error')
  expect(await mcp.call('memory.consolidate')).not.toContain('error')
  expect(await mcp.call('memory.configure')).toContain('worker.port')
  const { result } = await mcp.request('tools/list')
  const names = result?.tools?.map(({ name }) => name) ?? []
  expect(names.some((name) => name.includes('.'))).toBe(false)
  expect(countTokens(JSON.stringify(result?.tools))).toBeLessThan(3000)
  expect(await mcp.call('memory.unknown')).toContain('not found')
  expect(await mcp.call('memory.capture', { content: 'x', text: 'y' })).toContain('unknown argument "content"')
  expect(await mcp.close()).toBe(0)
})

test('1.2 Hook lifecycle: JSON in, JSON out, and exit 0 even when the input is not understood', async () => {
  for (const input of ['', 'not json', '[]', '{}', '{"hook":"SessionStart"}', '{"session_id":7}', '{"hook":"Nonsense","session_id":"s"}']) {
    const { code, stdout } = await home.recollect(input, 'hook', 'session-start')
    expect([input, code, typeof JSON.parse(stdout)]).toEqual([input, 0, 'object'])
  }
})

test('2.1 Claude Code integration: the args of mcp.json are enough', async () => {
  const mcp = await anMcpProcess(home, 'serve')
  expect(mcp.opened.result?.serverInfo?.name).toBe('recollect')
  expect(await mcp.close()).toBe(0)
})

test('4.1 Event bus: a capture by one client is announced to another', async () => {
  const [one, other] = [await anMcpProcess(home, 'serve'), await anMcpProcess(home, 'serve')]
  await one.call('memory.capture', { content: 'Captures are announced.', namespace: 'patterns' })
  await until(() => other.notifications.length > 0)
  expect(other.notifications).toContain('notifications/resources/list_changed')
  await Promise.all([one.close(), other.close()])
})

test('5.2 SessionStart: the brief for the project at project_path', async () => {
  await home.recollect('', 'capture', 'Reviews need two people.', '--ns', 'patterns')
  expect(await home.hookEvent('session-start', { ...START, project_path: home.project })).toContain('Reviews need two people.')
  expect(await sessionNamed(SESSION)).toMatchObject({ folder: home.project })
})

test('5.2 UserPromptSubmit: a marker is captured as a note, with a receipt', async () => {
  const receipt = await home.hookEvent('user-prompt', PROMPT)
  expect(receipt).toMatch(/Saved as N\w+ \(decisions\): Let's use PostgreSQL because of JSONB support/)
  const notes = await home.rows<Note>('notes')
  expect(notes.find(({ body }) => body.includes('JSONB'))).toMatchObject({ namespace: 'decisions', source: 'human' })
})

test('5.2 PostToolUse: memories about the file that was read, with the output in tool_output', async () => {
  await home.recollect('', 'capture', 'authenticate in /src/auth.rs must stay constant-time.', '--ns', 'security')
  expect(await home.hookEvent('post-tool', READ)).toContain('must stay constant-time')
  const use = (await home.rows<{ sessionId: string; tool: string; output: string }>('tool-uses')).find(
    ({ sessionId }) => sessionId === SESSION,
  )
  expect(use).toMatchObject({ tool: 'Read', output: 'pub fn authenticate(...) {... }' })
})

test('5.2 PreCompact: the summary is kept, and its key decisions become notes', async () => {
  // The client rejects context here, so the reply is empty.
  expect(await home.hookEvent('pre-compact', COMPACT)).toBe('')
  await home.settled()
  const notes = (await home.rows<Note>('notes')).filter(({ namespace }) => namespace === 'decisions')
  for (const body of COMPACT.key_decisions)
    expect(notes.find((note) => note.body === body)).toMatchObject({ state: 'proposed', confidence: 0.9 })
  const [summary] = await home.rows<{ source: string; notes: string }>('summaries')
  expect(summary).toMatchObject({ source: 'compact', notes: expect.stringContaining('User implemented authentication...') })
})

test('5.2 Stop: the session ends, and is analysed', async () => {
  expect(await home.hookEvent('stop', STOP)).toBe('')
  await home.settled()
  expect((await sessionNamed(SESSION))?.status).toBe('completed')
  const episode = (await home.rows<Note>('notes')).find(({ type, session }) => type === 'episodic' && session === SESSION)
  expect(episode).toMatchObject({ session: SESSION, body: expect.stringContaining('PostgreSQL') })
})

test("5.2 Stop: the client's own event ends a turn and not the session", async () => {
  const session = { session_id: 'own', cwd: home.project }
  await home.hookEvent('user-prompt', { ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Why is it slow?' })
  await home.hookEvent('stop', {
    ...session,
    hook_event_name: 'Stop',
    last_assistant_message: 'The index is missing.',
    stop_hook_active: false,
  })
  await home.settled()
  expect((await sessionNamed('own'))?.status).toBe('active')
})

test('2.1 and 7.2 hooks.json: each of the five commands takes its payload, prints JSON and exits with 0', async () => {
  const payloads = {
    'session-start': { ...START, project_path: home.project },
    'user-prompt': PROMPT,
    'post-tool': READ,
    'pre-compact': COMPACT,
    stop: STOP,
  }
  for (const [event, payload] of Object.entries(payloads)) {
    const { code, stdout } = await home.recollect(JSON.stringify({ ...payload, session_id: 'by-command' }), 'hook', event)
    expect([event, code, typeof JSON.parse(stdout)]).toEqual([event, 0, 'object'])
  }
  // What met a busy worker is in the spool and arrives a little later.
  await home.settled()
  expect(await sessionNamed('by-command')).toMatchObject({ status: 'completed', folder: home.project })
  const [prompt] = (await home.rows<{ sessionId: string; text: string }>('prompts')).filter(({ sessionId }) => sessionId === 'by-command')
  expect(prompt?.text).toBe(PROMPT.prompt)
  const uses = (await home.rows<{ sessionId: string }>('tool-uses')).filter(({ sessionId }) => sessionId === 'by-command')
  expect(uses).toHaveLength(1)
})

test('6.1 PreCompact with auto-capture: decisions, blockers and rules are read from the transcript when no prompt came by hook', async () => {
  const turns = [
    { prompt: 'We must never log customer emails.', answer: 'Understood. I removed them from the log.' },
    { prompt: 'Go on.', answer: 'Blocked: waiting for the staging API key from ops.' },
    { prompt: "Let's go with Redis instead of Memcached, because we need persistence.", answer: 'Redis it is.' },
  ]
  const path = join(home.folder, 'unhooked.jsonl')
  writeFileSync(path, transcript('unhooked', turns, { cwd: home.project }))
  await home.hookEvent('pre-compact', {
    hook: 'PreCompact',
    session_id: 'unhooked',
    cwd: home.project,
    transcript_path: path,
    trigger: 'auto',
  })
  await home.settled()
  const stated = (await home.rows<Note>('notes')).filter(({ session, type }) => session === 'unhooked' && type !== 'episodic')
  expect(stated.map(({ namespace, body }) => [namespace, body.split('\n')[0]]).sort()).toEqual([
    ['blockers', 'Blocked: waiting for the staging API key from ops.'],
    ['decisions', expect.stringContaining('Redis')],
    ['rules', 'We must never log customer emails.'],
  ])
  expect((await home.recollect('', 'search', 'staging key ns:blockers')).stdout).toContain('waiting for the staging API key')
})

test('A captured note is found by meaning within one second, by words that it does not contain, and already as the only memory', async () => {
  await using empty = await aScriptHome()
  const notes = [
    ['Authentication cookies expire after twelve hours.', 'how long does a login stay valid'],
    ['Customers in Germany must see prices including VAT.', 'tax shown to buyers'],
    ['We chose Postgres over MySQL for its JSONB columns.', 'which database engine do we use'],
    ['Flaky browser specs are retried twice on CI.', 'unstable tests get another attempt'],
    ['Deploys are frozen on Fridays.', 'when may we not release'],
  ] as const
  for (const [text, query] of notes) {
    await empty.recollect('', 'capture', text)
    const captured = performance.now()
    const isFound = async () => (await empty.recollect('', 'search', query, '--kind', 'note')).stdout.includes(text)
    let found = false
    while (!found && performance.now() - captured < 1000) found = await isFound()
    expect([query, found]).toEqual([query, true])
  }
}, 300_000)

const CONFIG = `# ~/.config/subcog/config.toml

[hooks]
enabled = true

[hooks.session_start]
enabled = true
fetch_remote = false
context_token_budget = 2000
include_guidance = true

[hooks.user_prompt]
enabled = true
signal_patterns = ["[decision]", "[learned]", "[blocker]", "[progress]"]

[hooks.post_tool_use]
enabled = true
trigger_tools = ["Read", "Edit", "Write"]
exclude_patterns = ["*.lock", "node_modules/*"]

[hooks.pre_compact]
enabled = true
confidence_threshold = 0.8

[hooks.stop]
enabled = true
push_remote = false
session_analysis = true
`
const withSetting = (line: RegExp, value: string) => CONFIG.replace(line, value)

test('7.3 config.toml: every key is accepted; two are read under our names, with a message', async () => {
  await using at = await aScriptHome(CONFIG)
  const { settings, problems } = JSON.parse((await at.recollect('', 'config', 'list', '--json')).stdout) as {
    settings: { name: string; value: unknown; source: string }[]
    problems: string[]
  }
  const fromFile = Object.fromEntries(settings.filter(({ source }) => source === 'user file').map(({ name, value }) => [name, value]))
  expect(fromFile).toEqual({
    'hooks.enabled': true,
    'hooks.session_start.enabled': true,
    'hooks.session_start.fetch_remote': false,
    'hooks.session_start.token_budget': 2000,
    'hooks.session_start.include_guidance': true,
    'hooks.user_prompt.enabled': true,
    'hooks.user_prompt.markers': ['[decision]', '[learned]', '[blocker]', '[progress]'],
    'hooks.post_tool_use.enabled': true,
    'hooks.post_tool_use.trigger_tools': ['Read', 'Edit', 'Write'],
    'hooks.post_tool_use.exclude_patterns': ['*.lock', 'node_modules/*'],
    'hooks.pre_compact.enabled': true,
    'hooks.pre_compact.confidence_threshold': 0.8,
    'hooks.stop.enabled': true,
    'hooks.stop.push_remote': false,
    'hooks.stop.session_analysis': true,
  })
  expect(problems).toEqual([
    expect.stringContaining('hooks.session_start.context_token_budget'),
    expect.stringContaining('hooks.user_prompt.signal_patterns'),
  ])
  expect(problems.every((problem) => problem.includes('was read as'))).toBe(true)
  // Whoever copies the file and restarts sees the same at once, and also that the file cannot be read.
  const restart = async () => (await at.recollect('', 'restart')).stdout
  expect(await restart()).toContain('context_token_budget')
  appendFileSync(join(at.home, 'config.toml'), CONFIG)
  expect(await restart()).toContain('is not valid TOML')
})

/** What each stage leaves behind after the events of the seed. */
async function stagesOf(config: string) {
  await using at = await aScriptHome(config)
  await at.recollect('', 'capture', 'authenticate in src/auth.rs stays constant-time.', '--ns', 'security')
  const file = join(at.project, 'src', 'auth.rs')
  const brief = await at.hookEvent('session-start', { ...START, project_path: at.project })
  const receipt = await at.hookEvent('user-prompt', PROMPT)
  const related = await at.hookEvent('post-tool', { ...READ, tool_input: { file_path: file } })
  await at.hookEvent('pre-compact', COMPACT)
  await at.settled()
  const compacted = (await at.rows<Note>('notes')).some(({ body }) => body === 'Use JWT')
  await at.hookEvent('stop', { ...STOP, last_assistant_message: 'The login page works now, and so does the test of its form.' })
  await at.settled()
  const notes = await at.rows<Note>('notes')
  const prompts = await at.rows<{ text: string; answer: string | null }>('prompts')
  return {
    brief: brief.includes('constant-time'),
    marker: receipt.includes('Saved as'),
    prompt: prompts.some(({ text }) => text.includes('PostgreSQL')),
    answer: prompts.some(({ answer }) => answer === 'The login page works now, and so does the test of its form.'),
    related: related.includes('constant-time'),
    toolUse: (await at.rows('tool-uses')).length > 0,
    compacted,
    episode: notes.some(({ tags, type }) => type === 'episodic' && tags.length > 0),
  }
}

const ALL = { brief: true, marker: true, prompt: true, answer: true, related: true, toolUse: true, compacted: true, episode: true }

test.each<[string, string, Partial<typeof ALL>]>([
  ['every stage works', CONFIG, {}],
  [
    'hooks.enabled = false',
    withSetting(/^enabled = true/m, 'enabled = false'),
    Object.fromEntries(Object.keys(ALL).map((key) => [key, false])),
  ],
  ['session_start.enabled = false', withSetting(/(?<=session_start\]\n)enabled = true/, 'enabled = false'), { brief: false }],
  ['user_prompt.enabled = false', withSetting(/(?<=user_prompt\]\n)enabled = true/, 'enabled = false'), { marker: false, prompt: false }],
  [
    'post_tool_use.enabled = false',
    withSetting(/(?<=post_tool_use\]\n)enabled = true/, 'enabled = false'),
    { related: false, toolUse: false },
  ],
  ['pre_compact.enabled = false', withSetting(/(?<=pre_compact\]\n)enabled = true/, 'enabled = false'), { compacted: false }],
  [
    'pre_compact.confidence_threshold = 0.95',
    withSetting(/confidence_threshold = 0.8/, 'confidence_threshold = 0.95'),
    { compacted: false },
  ],
  ['stop.session_analysis = false', withSetting(/session_analysis = true/, 'session_analysis = false'), { episode: false }],
  ['trigger_tools without Read', withSetting(/trigger_tools = .*/, 'trigger_tools = ["Write"]'), { related: false }],
  [
    'exclude_patterns with the file',
    withSetting(/exclude_patterns = .*/, 'exclude_patterns = ["src/*"]'),
    { related: false, toolUse: false },
  ],
  ['signal_patterns without [decision]', withSetting(/signal_patterns = .*/, 'signal_patterns = ["[learned]"]'), { marker: false }],
])('7.3 hooks configuration: %s', async (_, config, off) => {
  expect(await stagesOf(config)).toEqual({ ...ALL, ...off })
})

test('7.3 stop.enabled = false: no analysis and no sync at the end, everything else stays', async () => {
  const config = withSetting(/(?<=stop\]\n)enabled = true/, 'enabled = false').replace(
    /(?<=pre_compact\]\n)enabled = true/,
    'enabled = false',
  )
  expect(await stagesOf(config)).toEqual({ ...ALL, episode: false, compacted: false })
})

test('7.3 exclude_patterns: node_modules/* also covers deeper folders, and *.lock a file anywhere', async () => {
  await using at = await aScriptHome(CONFIG)
  await at.hookEvent('session-start', { ...START, project_path: at.project })
  const files = ['node_modules/a.js', 'node_modules/a/b/c.js', 'packages/x/node_modules/y/z.js', 'deep/er/yarn.lock', 'src/kept.ts']
  for (const file of files) await at.hookEvent('post-tool', { ...READ, tool_input: { file_path: join(at.project, file) } })
  const uses = await at.rows<{ input: { file_path: string } }>('tool-uses')
  expect(uses.map(({ input }) => input.file_path)).toEqual([join(at.project, 'src/kept.ts')])
})

test('7.3 include_guidance and context_token_budget shape the brief', async () => {
  const briefWith = async (config: string) => {
    await using at = await aScriptHome(config)
    const words = 'long words about the harbour '.repeat(8)
    for (let n = 0; n < 8; n++)
      await at.ask('POST', '/api/notes', { body: `Fact ${n}: ${words}${n}`, project: at.project, scope: 'project' })
    for (const [n, animal] of ['gulls', 'seals', 'crabs', 'herons'].entries()) {
      const session = { session_id: `s${n}`, cwd: at.project }
      await at.hookEvent('user-prompt', { ...session, prompt: `How many ${animal} live on pier ${n}?` })
      await at.hookEvent('stop', {
        ...session,
        hook: 'Stop',
        reason: 'exit',
        last_assistant_message: `There are 1${n} ${animal} on pier ${n}.`,
      })
    }
    await at.settled()
    return at.hookEvent('session-start', { ...START, project_path: at.project })
  }
  const full = await briefWith(CONFIG)
  const small = await briefWith(withSetting(/context_token_budget = 2000/, 'context_token_budget = 200'))
  const unguided = await briefWith(
    withSetting(/context_token_budget = 2000/, 'context_token_budget = 200').replace('include_guidance = true', 'include_guidance = false'),
  )
  expect([countTokens(full) > 500, countTokens(small) <= 200, countTokens(unguided) <= 200]).toEqual([true, true, true])
  expect(small).toContain('search <words>')
  expect(unguided).not.toContain('search <words>')
  for (const brief of [full, small, unguided]) expect(brief).toContain('13 herons')
})

/** A project's repository with an origin, and people who work on it, each with a clone and a home of their own. */
async function aTeam(...names: string[]) {
  return aTeamWith('', ...names)
}

async function aTeamWith(config: string, ...names: string[]) {
  const people: { name: string; home: ScriptHome; clone: string }[] = []
  const origin = await aScriptHome()
  const bare = join(origin.folder, 'app.git')
  runGit(origin.folder, 'init', '--quiet', '--bare', '-b', 'main', bare)
  runGit(origin.folder, 'clone', '--quiet', bare, join(origin.folder, 'seed'))
  writeFileSync(join(origin.folder, 'seed', 'a.txt'), 'a\n')
  runGit(join(origin.folder, 'seed'), 'add', '.')
  runGit(join(origin.folder, 'seed'), 'commit', '--quiet', '-m', 'first')
  runGit(join(origin.folder, 'seed'), 'push', '--quiet', 'origin', 'HEAD:main')
  for (const name of names) {
    const home = await aScriptHome(`[sync]\ngit_notes = true\n${config}`)
    const clone = join(home.folder, 'app')
    runGit(home.folder, 'clone', '--quiet', bare, clone)
    runGit(clone, 'config', 'user.name', name)
    runGit(clone, 'config', 'user.email', `${name.toLowerCase()}@example.org`)
    people.push({ name, home, clone })
  }
  const start = (person: (typeof people)[number], session: string) =>
    person.home.recollect(JSON.stringify({ ...START, session_id: session, project_path: person.clone }), 'hook', 'session-start')
  return {
    people,
    bare,
    start,
    stop: (person: (typeof people)[number], session: string) =>
      person.home.recollect(JSON.stringify({ ...STOP, session_id: session, cwd: person.clone }), 'hook', 'stop'),
    capture: (person: (typeof people)[number], text: string, ns = 'decisions') =>
      person.home.runIn(person.clone, '', 'capture', text, '--ns', ns),
    search: async (person: (typeof people)[number], words: string) => (await person.home.runIn(person.clone, '', 'search', words)).stdout,
    [Symbol.asyncDispose]: async () => {
      for (const { home } of people) await home[Symbol.asyncDispose]()
      await origin[Symbol.asyncDispose]()
    },
  }
}

test('6.1 SessionStart and Stop: notes travel through refs/notes/mem, and the next memory.recall sees those of others', async () => {
  await using team = await aTeam('Ada', 'Bo')
  const [ada, bo] = team.people as [(typeof team.people)[number], (typeof team.people)[number]]
  await team.start(ada, 's1')
  await team.capture(ada, 'Retries are off, because the gateway retries already.')
  await team.capture(ada, 'Timeouts are five seconds.', 'learnings')
  await team.stop(ada, 's1')
  await ada.home.settled()
  expect(runGit(ada.clone, 'ls-remote', team.bare, 'refs/notes/mem/*').match(/mem\/\w+/g)).toEqual(['mem/decisions', 'mem/learnings'])
  // A clone without notes of its own fetches in the background when a session starts.
  await team.start(bo, 's2')
  await until(async () => (await team.search(bo, 'gateway retries')).includes('Retries are off'))
  expect(await team.search(bo, 'gateway retries')).toContain('(by Ada <ada@example.org>)')
  const [copy] = (await bo.home.rows<Note>('notes')).filter(({ body }) => body.startsWith('Retries'))
  expect(copy).toMatchObject({ author: 'Ada <ada@example.org>', source: 'import', scope: 'local', namespace: 'decisions' })
  const mcp = await anMcpProcess(bo.home, 'serve')
  expect(await mcp.call('memory.recall', { query: 'gateway retries', project: bo.clone })).toContain('Retries are off')
  await mcp.close()
  expect(
    await bo.home.recollect(JSON.stringify({ ...START, session_id: 's3', project_path: bo.clone }), 'hook', 'session-start'),
  ).toMatchObject({
    stdout: expect.stringContaining('by Ada'),
  })
  expect(runGit(bo.clone, 'status', '--porcelain')).toBe('')
})

test('6.1 refs/notes/mem: clones that write at the same time converge, and only accepted notes without session notes leave the machine', async () => {
  await using team = await aTeam('Ada', 'Bo', 'Cy')
  for (const person of team.people) {
    await team.start(person, person.name)
    await person.home.hookEvent('user-prompt', {
      hook: 'UserPromptSubmit',
      session_id: person.name,
      prompt: `We must never tell ${person.name}'s secret plan.`,
    })
    await team.capture(person, `${person.name} decided on the colour of the ${person.name} button.`)
  }
  await Promise.all(team.people.map((person) => team.stop(person, person.name)))
  for (const { home } of team.people) await home.settled()
  for (let round = 0; round < 2; round++) await Promise.all(team.people.map(({ home, clone }) => home.runIn(clone, '', 'sync')))
  const lines = team.people.map(({ clone }) => {
    const root = runGit(clone, 'rev-list', '--max-parents=0', 'HEAD').trim()
    return runGit(clone, 'notes', '--ref=mem/decisions', 'show', root)
  })
  expect(new Set(lines).size).toBe(1)
  expect(lines[0]?.trim().split('\n')).toHaveLength(3)
  for (const { home, clone } of team.people) {
    const notes = (await home.rows<Note>('notes')).filter(({ body }) => body.includes('decided on the colour'))
    expect(notes.map(({ author }) => author === null).sort()).toEqual([false, false, true])
    expect(runGit(clone, 'for-each-ref', '--format=%(refname)', 'refs/notes/mem').trim()).toBe('refs/notes/mem/decisions')
  }
})

test('6.1 refs/notes/mem: clones that write in turn converge, and everyone has the newest version', async () => {
  await using team = await aTeam('Ada', 'Bo')
  const [ada, bo] = team.people as [(typeof team.people)[number], (typeof team.people)[number]]
  const sync = (person: (typeof team.people)[number]) => person.home.runIn(person.clone, '', 'sync')
  await team.start(ada, 's1')
  await team.start(bo, 's2')
  await team.capture(ada, 'The session cookie lasts a week.')
  await sync(ada)
  await sync(bo)
  await team.capture(bo, 'Reviews need two people.')
  await sync(bo)
  const [own] = (await ada.home.rows<Note>('notes')).filter(({ body }) => body.startsWith('The session cookie'))
  await ada.home.runIn(ada.clone, '', 'edit', `N${own?.id}`, '--body', 'The session cookie lasts a day.')
  await sync(ada)
  await sync(bo)
  const lines = team.people.map(({ clone }) => {
    const root = runGit(clone, 'rev-list', '--max-parents=0', 'HEAD').trim()
    return runGit(clone, 'notes', '--ref=mem/decisions', 'show', root)
  })
  expect(lines[0]).toBe(lines[1] ?? '')
  expect(lines[0]?.trim().split('\n')).toHaveLength(3)
  for (const { home } of team.people) {
    const bodies = (await home.rows<Note>('notes')).filter(({ type }) => type !== 'episodic').map(({ body }) => body)
    expect(bodies.sort()).toEqual(['Reviews need two people.', 'The session cookie lasts a day.'])
  }
})

test('6.1 refs/notes/mem: session notes leave the machine only with sync.git_notes_sessions = true', async () => {
  for (const [config, refs] of [
    ['', ['refs/notes/mem/decisions']],
    ['git_notes_sessions = true\n', ['refs/notes/mem/decisions', 'refs/notes/mem/sessions']],
  ] as const) {
    await using team = await aTeamWith(config, 'Ada')
    const [ada] = team.people as [(typeof team.people)[number]]
    await team.start(ada, 's1')
    await ada.home.hookEvent('user-prompt', { ...PROMPT, session_id: 's1', cwd: ada.clone })
    await team.stop(ada, 's1')
    await ada.home.settled()
    await ada.home.runIn(ada.clone, '', 'sync')
    expect(runGit(ada.clone, 'ls-remote', team.bare, 'refs/notes/*').match(/refs\S+/g)).toEqual([...refs])
  }
})

test.each([
  ['fetch_remote = false', '[hooks.session_start]\nfetch_remote = false\n', { fetched: false, pushed: true }],
  ['push_remote = false', '[hooks.stop]\npush_remote = false\n', { fetched: true, pushed: false }],
  ['both true', '', { fetched: true, pushed: true }],
])('7.3 %s: what a session fetches at its start and pushes at its end', async (_, config, wanted) => {
  await using team = await aTeamWith(config, 'Ada', 'Bo')
  const [ada, bo] = team.people as [(typeof team.people)[number], (typeof team.people)[number]]
  await team.start(bo, 's0')
  await team.capture(bo, 'Retries are off.')
  await bo.home.runIn(bo.clone, '', 'sync')
  await team.start(ada, 's1')
  await ada.home.settled()
  const fetched = (await ada.home.rows<Note>('notes')).some(({ body }) => body === 'Retries are off.')
  await team.capture(ada, 'Timeouts are five seconds.', 'learnings')
  await team.stop(ada, 's1')
  await ada.home.settled()
  const pushed = runGit(ada.clone, 'ls-remote', team.bare, 'refs/notes/mem/learnings') !== ''
  expect({ fetched, pushed }).toEqual(wanted)
})

test('3.1 refs/notes/mem: import --from git-notes rebuilds a lost home', async () => {
  await using team = await aTeam('Ada', 'Bo')
  const [ada, bo] = team.people as [(typeof team.people)[number], (typeof team.people)[number]]
  for (const [person, session] of [
    [ada, 's1'],
    [bo, 's2'],
  ] as const) {
    await team.start(person, session)
    await team.capture(person, `${person.name} keeps decisions in git.`)
    await team.capture(person, `${person.name} never squashes.`, 'rules')
    await team.stop(person, session)
    await person.home.settled()
  }
  await ada.home.run('stop')
  rmSync(ada.home.home, { recursive: true })
  mkdirSync(ada.home.home)
  // An ordinary start of the new home must not delete what the mirror still has.
  writeFileSync(join(ada.home.home, 'config.toml'), '[sync]\ngit_notes = true\n')
  await ada.home.run('start')
  await team.start(ada, 's3')
  await ada.home.settled()
  const imported = await ada.home.runIn(ada.clone, '', 'import', '--from', 'git-notes', '--json')
  expect(JSON.parse(imported.stdout)).toMatchObject({ notes: { added: 2 } })
  const notes = await ada.home.rows<Note>('notes')
  const own = notes.filter(({ author, type }) => author === null && type !== 'episodic')
  expect(own.map(({ body, scope, state, namespace }) => [body, scope, state, namespace]).sort()).toEqual([
    ['Ada keeps decisions in git.', 'project', 'accepted', 'decisions'],
    // Whoever can push could have written it, so it holds when the person accepts it.
    ['Ada never squashes.', 'project', 'proposed', 'rules'],
  ])
  expect(
    notes
      .filter(({ author }) => author !== null)
      .map(({ body }) => body)
      .sort(),
  ).toEqual(['Bo keeps decisions in git.', 'Bo never squashes.'])
  const brief = async () => (await ada.home.runIn(ada.clone, '', 'inject')).stdout
  expect(await brief()).not.toContain('standing rules')
  const rule = own.find(({ namespace }) => namespace === 'rules')
  await ada.home.runIn(ada.clone, '', 'rules', 'accept', `N${rule?.id}`)
  expect(await brief()).toMatch(/standing rules[^\n]*\n- "Ada never squashes."/)
  expect((await ada.home.runIn(ada.clone, '', 'import', '--from', 'git-notes')).stdout).toContain('Nothing new')
})

test("3.1 refs/notes/mem: memories in Subcog's own form are imported as notes", async () => {
  await using team = await aTeam('Ada')
  const [ada] = team.people as [(typeof team.people)[number]]
  writeFileSync(
    join(ada.home.folder, 'memory'),
    '---\nid: mem_1\nnamespace: learnings\ntags: [auth]\ncreated_at: 1735689600\n---\nTokens are checked twice.\n',
  )
  runGit(ada.clone, 'notes', '--ref=mem/learnings', 'add', '-F', join(ada.home.folder, 'memory'), 'HEAD')
  expect((await ada.home.runIn(ada.clone, '', 'import', '--from', 'git-notes')).stdout).toContain('1 new note')
  const [note] = await ada.home.rows<Note>('notes')
  expect(note).toMatchObject({ body: 'Tokens are checked twice.', namespace: 'learnings', tags: ['auth'], source: 'import', author: null })
  expect(note?.createdAt).toBe(1735689600000)
})

test('3.1 refs/notes: deleted and unreadable memories of Subcog are left out, and the import says so', async () => {
  await using team = await aTeam('Ada')
  const [ada] = team.people as [(typeof team.people)[number]]
  const attach = (ref: string, text: string) => {
    writeFileSync(join(ada.home.folder, 'memory'), text)
    runGit(ada.clone, 'notes', `--ref=${ref}`, 'add', '-F', join(ada.home.folder, 'memory'), 'HEAD')
  }
  // All memories are in one ref, the way the program itself wrote them.
  attach('subcog', '---\nnamespace: patterns\nstatus: active\n---\n\nHandlers return early.\n')
  attach('mem/context', '---\nnamespace: context\nstatus: deleted\n---\nA secret plan.\n')
  attach('mem/security', '---\nnamespace: [torn\n---\nNever read.\n')
  runGit(
    ada.clone,
    'notes',
    '--ref=mem/testing',
    'add',
    '-m',
    'A plain text',
    runGit(ada.clone, 'rev-list', '--max-parents=0', 'HEAD').trim(),
  )
  const { notes, left } = JSON.parse((await ada.home.runIn(ada.clone, '', 'import', '--from', 'git-notes', '--json')).stdout)
  expect(notes.added).toBe(1)
  expect(left).toEqual([
    { file: expect.stringMatching(/^refs\/notes\/mem\/context [0-9a-f]{12}$/), reason: 'it is deleted in Subcog' },
    { file: expect.stringContaining('refs/notes/mem/security'), reason: expect.stringContaining('not valid YAML') },
    { file: expect.stringContaining('refs/notes/mem/testing'), reason: expect.stringContaining('does not start with front matter') },
  ])
  expect((await ada.home.rows<Note>('notes')).map(({ body, namespace }) => [body, namespace])).toEqual([
    ['Handlers return early.', 'patterns'],
  ])
})

test('3.1 index.db: memories that are only in the database become notes of their projects, and what is left out is reported', async () => {
  await using at = await aScriptHome()
  const folder = join(at.folder, '.local', 'share', 'subcog')
  mkdirSync(folder, { recursive: true })
  const tags = ['auth', 'db']
  const handbook = { namespace: 'learnings', project: 'handbook', tags }
  subcogDatabase(join(folder, 'index.db'), [
    { id: 'm1', body: 'Use PostgreSQL because of JSONB support.', project: 'example.com/team/shop', tags },
    { id: 'm2', body: 'Prefer small commits.', namespace: 'patterns', domain: 'user', tags },
    { ...handbook, id: 'm3', body: 'Expenses are filed by the tenth. <private>Not by me.</private>', status: 'archived' },
    { ...handbook, id: 'm4', body: 'Gone.', status: 'deleted' },
    { ...handbook, id: 'm5', body: 'Too old.', expiresAt: 1 },
  ])
  const { notes, left } = JSON.parse((await at.recollect('', 'import', '--from', 'subcog', '--json')).stdout)
  expect(notes.added).toBe(3)
  expect(left.map(({ reason }: { reason: string }) => reason)).toEqual(['1 memory (deleted in Subcog)', '1 memory (expired)'])
  const stored = await at.rows<Note>('notes')
  expect(stored.map(({ body, project, namespace }) => [body, project, namespace]).sort()).toEqual([
    ['Expenses are filed by the tenth.', 'handbook', 'learnings'],
    ['Prefer small commits.', 'global', 'patterns'],
    ['Use PostgreSQL because of JSONB support.', 'example.com/team/shop', 'decisions'],
  ])
  expect(stored[0]).toMatchObject({ tags: ['auth', 'db'], source: 'import', createdAt: 1735689600000 })
  expect((await at.recollect('', 'import', '--from', 'subcog')).stdout).toStartWith('Nothing new')
  // The folder of that name takes its memories over.
  const cwd = join(at.folder, 'docs', 'handbook')
  mkdirSync(cwd, { recursive: true })
  expect(await at.hookEvent('session-start', { ...START, cwd })).toContain('filed by the tenth')
  expect(await at.recollect('', 'import', '--from', 'subcog', '/')).toMatchObject({ code: 4, stderr: expect.stringContaining('index.db') })
})
