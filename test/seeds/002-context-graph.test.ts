/** Seed 002, Claude Code hooks and Context Graph: each test is one of its clauses, with the commands and payloads that it prints. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmdirSync, statSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { garbage } from '../support/garbage.ts'
import { anMcpProcess, aScriptHome, type ScriptHome } from '../support/script-home.ts'
import { until } from '../support/until.ts'
import { openWorkerDatabase } from '../support/worker-database.ts'

let home: ScriptHome
beforeAll(async () => {
  home = await aScriptHome()
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
})

type Row = { sessionId: string; contentSessionId: string; [field: string]: unknown }
const rowsOf = async (kind: string, session: string) =>
  (await home.rows<Row>(kind)).filter(({ contentSessionId }) => contentSessionId === session)
const base = (session: string, event: string) => ({
  session_id: session,
  transcript_path: '/nowhere/transcript.jsonl',
  cwd: home.project,
  permission_mode: 'default',
  hook_event_name: event,
})

test('Input schema: every event of the table is accepted with its fields, and the answer is valid for the client', async () => {
  const tool = { tool_name: 'Bash', tool_input: { command: 'npm test' } }
  const events: Record<string, object> = {
    SessionStart: { source: 'startup' },
    UserPromptSubmit: { prompt: 'Run the tests' },
    PreToolUse: { ...tool, tool_use_id: 'toolu_1' },
    PostToolUse: { ...tool, tool_response: { stdout: 'ok' }, tool_use_id: 'toolu_1' },
    PermissionRequest: tool,
    Notification: { message: 'Waiting' },
    PreCompact: { trigger: 'manual', custom_instructions: '' },
    SubagentStop: { stop_hook_active: false },
    Stop: { stop_hook_active: false },
    SessionEnd: { reason: 'prompt_input_exit' },
  }
  for (const [event, fields] of Object.entries(events)) {
    const { code, stdout } = await home.recollect(JSON.stringify({ ...base('schema', event), ...fields }), 'hook', 'claude-code', event)
    const reply = JSON.parse(stdout) as { hookSpecificOutput?: { hookEventName: string }; decision?: string; continue?: boolean }
    expect([event, code, reply.decision, reply.continue]).toEqual([event, 0, undefined, undefined])
    if (reply.hookSpecificOutput) expect(reply.hookSpecificOutput.hookEventName).toBe(event)
  }
  await home.settled()
  expect(await rowsOf('tool-uses', 'schema')).toMatchObject([{ tool: 'Bash', toolUseId: 'toolu_1' }])
  expect(await rowsOf('sessions', 'schema')).toMatchObject([{ status: 'completed' }])
})

test('Exit codes: a hook never blocks with 2, whatever it is given', async () => {
  for (const event of ['PreToolUse', 'UserPromptSubmit', 'Stop'])
    for (const input of ['', 'nonsense', '{"session_id":null}', '{"decision":"block"}'])
      expect([event, input, (await home.recollect(input, 'hook', 'claude-code', event)).code]).toEqual([event, input, 0])
})

test('Configuration: init writes the documented structure, and leaves PreToolUse off', async () => {
  await using at = await aScriptHome()
  await at.run('init', '--yes', '--no-mcp')
  const { hooks } = JSON.parse(readFileSync(join(at.folder, '.claude', 'settings.json'), 'utf8')) as {
    hooks: Record<string, { matcher?: string; hooks: { type: string; command: string; timeout: number }[] }[]>
  }
  expect(Object.keys(hooks)).not.toContain('PreToolUse')
  expect(Object.keys(hooks)).toEqual(expect.arrayContaining(['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd']))
  for (const [entry] of Object.values(hooks)) expect(entry?.hooks[0]).toMatchObject({ type: 'command', timeout: expect.any(Number) })
})

test('session_start.sh: hooks session-start --stdin --format json', async () => {
  await home.recollect('', 'capture', 'The graph lives in one file.')
  const { code, stdout } = await home.recollect(
    JSON.stringify(base('cg', 'SessionStart')),
    'hooks',
    'session-start',
    '--stdin',
    '--format',
    'json',
  )
  expect([code, typeof JSON.parse(stdout)]).toEqual([0, 'object'])
  await home.settled()
  expect(await rowsOf('sessions', 'cg')).toHaveLength(1)
  expect(await home.hookEvent('session-start', base('cg-2', 'SessionStart'))).toContain('The graph lives in one file.')
})

test('user_prompt_submit.sh: hooks prompt-submit --session-id … --stdin true --format json', async () => {
  const { code } = await home.recollect(
    JSON.stringify({ prompt: 'Where does the graph live?' }),
    ...['hooks', 'prompt-submit', '--session-id', 'cg', '--stdin', 'true', '--format', 'json'],
  )
  expect(code).toBe(0)
  await home.settled()
  expect(await rowsOf('prompts', 'cg')).toMatchObject([{ text: 'Where does the graph live?' }])
})

test('The scripts’ envelope: fields in payload.data are read like those of the client', async () => {
  const pipe = (hook_type: string, session_id: string, data: object, ...args: string[]) =>
    home.recollect(
      JSON.stringify({ hook_type, session_id, timestamp_ms: 1, payload: { type: hook_type, data } }),
      ...['hooks', ...args, '--format', 'json'],
    )
  const fresh = join(home.folder, 'enveloped')
  mkdirSync(fresh)
  await pipe('session_start', 'cg-e', { cwd: fresh, source: 'cli' }, 'session-start', '--stdin')
  await pipe('user_prompt_submit', 'cg-e', { prompt: 'Which edges are unique?', context: [] }, 'prompt-submit', '--stdin', 'true')
  const use = { tool_name: 'Read', tool_input: { file_path: '/src/a.ts' }, tool_response: 'text', tool_use_id: 'e1', tool_success: true }
  await pipe('post_tool_use', 'cg-e', use, 'post-tool', '--session-id', 'cg-e', '--stdin', 'true', '--success', 'true')
  await pipe(
    'session_end',
    'cg-e',
    { duration_ms: 1, status: 'normal' },
    'session-end',
    '--session-id',
    'cg-e',
    '--generate-summary',
    'true',
  )
  await home.settled()
  expect(await rowsOf('sessions', 'cg-e')).toMatchObject([{ folder: fresh, status: 'completed' }])
  expect(await rowsOf('prompts', 'cg-e')).toMatchObject([{ text: 'Which edges are unique?' }])
  expect(await rowsOf('tool-uses', 'cg-e')).toMatchObject([{ tool: 'Read', toolUseId: 'e1', output: 'text' }])
})

test('pre_tool_use.sh: hooks pre-tool --session-id … --tool-name … --fast-path true --format json, off until it is switched on', async () => {
  const flags = (at: ScriptHome, session: string) => {
    const input = JSON.stringify({ file_path: join(at.project, 'src', 'graph.ts') })
    return [
      'hooks',
      'pre-tool',
      '--session-id',
      session,
      '--tool-name',
      'Read',
      '--tool-input',
      input,
      '--fast-path',
      'true',
      '--format',
      'json',
    ]
  }
  expect(await home.recollect('', ...flags(home, 'cg'))).toMatchObject({ code: 0, stdout: '{}' })

  await using at = await aScriptHome('[hooks.pre_tool_use]\nenabled = true\n')
  const fileNamed = (name: string) => join(at.project, 'src', name)
  const FILES = ['graph.ts', 'nodes.ts', 'paths.ts', 'cycles.ts', 'first.ts'].map(fileNamed)
  await at.hookEvent('prompt-submit', { session_id: 'before', prompt: 'Make the edges of the graph unique' })
  for (const [n, file_path] of FILES.entries()) {
    const tool_input = { file_path, old_string: 'const edges = []', new_string: 'const edges = new Map()' }
    await at.hookEvent('post-tool', { session_id: 'before', tool_name: 'Edit', tool_input, tool_response: {}, tool_use_id: `t${n}` })
  }
  await at.hookEvent('stop', { session_id: 'before', last_assistant_message: 'The edges are a map now, so none occurs twice.' })
  await at.hookEvent('session-end', { session_id: 'before' })
  await at.settled()
  const before = async (session_id: string, file_path: string) => {
    const started = performance.now()
    return {
      text: await at.hookEvent('pre-tool', { session_id, tool_name: 'Read', tool_input: { file_path } }),
      ms: performance.now() - started,
    }
  }
  /** Starts a session, and waits until its answers are ready: those about all files are there with the first one. */
  const prepare = async (session: string) => {
    await at.hookEvent('session-start', { session_id: session, source: 'startup' })
    await until(async () => (await before(session, fileNamed('first.ts'))).text.includes('edges'))
  }
  await prepare('first')
  expect((await before('first', fileNamed('graph.ts'))).text).toContain('edges')
  expect((await before('first', fileNamed('graph.ts'))).text).toBe('')

  // Another program holds the database, so an answer that stored or looked up anything would wait. Each is about another file or session: it comes once.
  for (const session of ['a', 'b', 'c']) await prepare(session)
  const worker = workerOf(at)
  const answers = []
  for (const session of ['a', 'b', 'c'])
    for (const file of FILES.slice(0, 4)) {
      await at.settled()
      const db = openWorkerDatabase(join(at.home, 'recollect.db'))
      db.run('BEGIN EXCLUSIVE')
      answers.push(await before(session, file))
      db.run('ROLLBACK')
      db.close()
    }
  for (const { text } of answers) expect(text).toContain('edges')
  expect(Math.min(...answers.map(({ ms }) => ms))).toBeLessThan(20)

  // Locked for longer than the worker waits: the answer cannot be recorded, which must not end the worker.
  await prepare('d')
  await at.settled()
  const locking = openWorkerDatabase(join(at.home, 'recollect.db'))
  locking.run('BEGIN EXCLUSIVE')
  expect((await before('d', fileNamed('graph.ts'))).text).toContain('edges')
  await Bun.sleep(6000)
  locking.run('ROLLBACK')
  locking.close()
  expect(workerOf(at)).toBe(worker)

  // A hook on a busy machine may give up before the worker has answered.
  let printed = '{}'
  for (let n = 0; n < 5 && printed === '{}'; n++) {
    await prepare(`command-${n}`)
    printed = (await at.recollect('', ...flags(at, `command-${n}`))).stdout
  }
  expect(JSON.parse(printed)).toMatchObject({
    hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: expect.stringContaining('edges') },
  })
})

test('post_tool_use.sh: hooks post-tool works from its flags alone, also when stdin stays open', async () => {
  const flags = ['hooks', 'post-tool', '--session-id', 'cg', '--tool-name', 'Read', '--format', 'json']
  expect(await home.recollect('', ...flags)).toMatchObject({ code: 0, stdout: '{}' })
  const open = home.spawn(...flags, '--tool-input', JSON.stringify({ file_path: join(home.project, 'graph.db') }), '--tool-output', 'bytes')
  expect([await open.stdout.text(), await open.exited]).toEqual(['{}', 0])
  await home.settled()
  const uses = await rowsOf('tool-uses', 'cg')
  expect(uses.map(({ tool, input, output }) => [tool, input, output])).toEqual([
    ['Read', null, null],
    ['Read', { file_path: join(home.project, 'graph.db') }, 'bytes'],
  ])
  // A session that was not reported before belongs to this folder.
  await home.recollect('', 'hooks', 'post-tool', '--session-id', 'cg-new', '--tool-name', 'Bash', '--format', 'json')
  await home.settled()
  expect(await rowsOf('sessions', 'cg-new')).toMatchObject([{ folder: home.project }])
})

test('stop.sh: memory capture-response --content … --session-id … --response-type stop_response', async () => {
  const response = ['--response-type', 'stop_response', '--strict-exit']
  const known = await home.recollect(
    '',
    'memory',
    'capture-response',
    '--content',
    'It lives in graph.db.',
    '--session-id',
    'cg',
    ...response,
  )
  expect(known).toMatchObject({ code: 0, stdout: 'Saved.\n' })
  expect(await rowsOf('prompts', 'cg')).toMatchObject([{ answer: 'It lives in graph.db.' }])
  const unknown = await home.recollect(
    '',
    'memory',
    'capture-response',
    '--content',
    'Nobody asked.',
    '--session-id',
    'cg-unknown',
    ...response,
  )
  expect(unknown).toMatchObject({ code: 0, stdout: 'Saved.\n' })
  expect(await rowsOf('prompts', 'cg-unknown')).toMatchObject([{ answer: 'Nobody asked.' }])
  expect(await rowsOf('sessions', 'cg-unknown')).toMatchObject([{ folder: home.project }])
  expect((await home.recollect('', 'memory', 'capture-response', '--content', 'x', ...response)).code).toBe(4)
})

test('session_end.sh: hooks session-end --session-id … --duration-ms … --format json', async () => {
  const { code } = await home.recollect('', 'hooks', 'session-end', '--session-id', 'cg', '--duration-ms', '1800000', '--format', 'json')
  expect(code).toBe(0)
  await home.settled()
  expect(await rowsOf('sessions', 'cg')).toMatchObject([{ status: 'completed' }])
})

test('CLI subcommands: memory capture-memory, inject-context, and inject-brief within 200 tokens', async () => {
  const saved = await home.recollect(
    '',
    'memory',
    'capture-memory',
    '--content',
    'Graphs are acyclic.',
    '--hook-type',
    'PostToolUse',
    '--json',
  )
  expect(JSON.parse(saved.stdout)).toMatchObject({ kind: 'added', note: { tags: ['PostToolUse'] } })
  expect((await home.recollect('', 'memory', 'inject-context')).stdout).toContain('Graphs are acyclic.')
  const brief = await home.recollect('', 'memory', 'inject-brief', '--format', 'json')
  expect((JSON.parse(brief.stdout) as { tokens: number }).tokens).toBeLessThan(200)
})

test('CLI subcommands: the flags of Context Graph’s own program are accepted, and a prompt prints what it recalls', async () => {
  const captured = ['memory', 'capture-memory', '--content', 'Nodes are numbered from one.', '--source', 'hook', '--importance', '0.9']
  expect(await home.recollect('', ...captured, '--session-id', 'cg', '--strict-exit')).toMatchObject({ code: 0 })
  const answer = ['memory', 'capture-response', '--content', 'Yes.', '--session-id', 'cg', '--importance', '0.5', '--strict-exit']
  expect(await home.recollect('', ...answer)).toMatchObject({ code: 0, stdout: 'Saved.\n' })
  const inject = async (...args: string[]) => (await home.recollect('', 'memory', ...args, '--session-id', 'cg', '--strict-exit')).stdout
  expect(await inject('inject-context', 'From which number are nodes numbered?')).toContain('Nodes are numbered from one.')
  expect(await inject('inject-context', 'From which number are nodes numbered?')).not.toContain('Graphs are acyclic.')
  expect(await inject('inject-context', '--budget', '1200', '--top-k', '1')).toContain('Nodes are numbered from one.')
  expect(await inject('inject-context', '--budget', '1200', '--top-k', '1')).not.toContain('Graphs are acyclic.')
  expect(await inject('inject-brief', 'quarterly zebra census', '--top-k', '5')).toBe('')
})

test('CLI subcommands: memory inject-context in a new project prints nothing and exits with 0', async () => {
  const fresh = join(home.folder, 'fresh')
  mkdirSync(fresh)
  for (const form of ['inject-context', 'inject-brief'])
    for (const strict of [[], ['--strict-exit']])
      expect(await home.runIn(fresh, '', 'memory', form, ...strict)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect((await home.runIn(fresh, '', 'memory', 'inject-context', '--project', 'misspelt', '--strict-exit')).code).toBe(4)
})

test('Exit codes pass through: 0 success, 1 error, 2 timeout, 3 database, 4 invalid input', async () => {
  await using at = await aScriptHome()
  const strict = (stdin: string, ...args: string[]) => at.recollect(stdin, ...args, '--strict-exit')
  expect((await strict('', 'memory', 'capture-memory', '--content', 'Fine.')).code).toBe(0)
  expect((await strict('nonsense', 'hooks', 'session-start', '--stdin')).code).toBe(4)
  const pid = workerOf(at)
  process.kill(pid, 'SIGSTOP')
  expect((await strict('{}', 'hooks', 'session-start', '--session-id', 's')).code).toBe(2)
  process.kill(pid, 'SIGCONT')
  await at.settled()
  breakUnderWorker(join(at.home, 'recollect.db'))
  // The first to meet the damage; the worker then starts again with a new database.
  expect((await strict('', 'memory', 'capture-memory', '--content', 'Lost.')).code).toBe(3)
  await using away = await aScriptHome()
  await away.run('stop')
  // A worker that cannot open its database does not start.
  renameSync(join(away.home, 'recollect.db'), join(away.home, 'kept'))
  mkdirSync(join(away.home, 'recollect.db'))
  expect((await away.recollect('', 'memory', 'capture-memory', '--content', 'Nowhere.', '--strict-exit')).code).toBe(3)
  rmdirSync(join(away.home, 'recollect.db'))
  renameSync(join(away.home, 'kept'), join(away.home, 'recollect.db'))
  expect((await away.recollect('{}', 'hooks', 'post-tool', '--session-id', 's', '--tool-name', 'Bash', '--strict-exit')).code).toBe(1)
})

test.each(['mcp', 'serve'])(
  'Prerequisites: %s on TCP answers with the token, and without it with a JSON-RPC error before it closes',
  async (command) => {
    const child = home.spawn(command, '--transport', 'tcp', '--port', '0')
    try {
      const port = Number(/127\.0\.0\.1:(\d+)/.exec(await firstLine(child.stderr))?.[1])
      const initialize = {
        jsonrpc: '2.0',
        id: 7,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      }
      const ask = (...lines: string[]) => exchange(port, lines.map((line) => `${line}\n`).join(''))
      const refused = { jsonrpc: '2.0', error: { code: -32001, message: expect.stringContaining('token') } }
      expect(JSON.parse(await ask(JSON.stringify(initialize)))).toMatchObject({ ...refused, id: 7 })
      expect(JSON.parse(await ask('wrong'))).toMatchObject({ ...refused, id: null })
      expect(JSON.parse(await exchange(port, ''))).toMatchObject({ ...refused, id: null })
      const token = readFileSync(join(home.home, 'run', 'token'), 'utf8').trim()
      expect(JSON.parse(await ask(token, JSON.stringify(initialize)))).toMatchObject({
        id: 7,
        result: { serverInfo: { name: 'recollect' } },
      })
    } finally {
      child.kill()
      await child.exited
    }
  },
)

test('Prerequisites: registered with a command, the server also answers over stdio', async () => {
  const mcp = await anMcpProcess(home, 'mcp')
  expect(await mcp.call('memory_recall', { query: 'acyclic graphs', project: home.project })).toContain('Graphs are acyclic.')
  expect(await mcp.close()).toBe(0)
})

test('Security checklist: secrets are not logged or stored, and a path with .. is data', async () => {
  const secret = `ghp_${'k3Yx9'.repeat(8).slice(0, 36)}`
  await home.hookEvent('post-tool', {
    ...base('safe', 'PostToolUse'),
    tool_name: 'Read',
    tool_input: { file_path: `../../etc/${secret}` },
    tool_response: secret,
  })
  await home.settled()
  expect(await rowsOf('tool-uses', 'safe')).toHaveLength(1)
  expect(JSON.stringify(await rowsOf('tool-uses', 'safe'))).not.toContain(secret)
  expect(readFileSync(join(home.home, 'logs', 'worker.log'), 'utf8')).not.toContain(secret)
})

const workerOf = ({ home }: ScriptHome) => (JSON.parse(readFileSync(join(home, 'run', 'worker.json'), 'utf8')) as { pid: number }).pid

/** Overwrites all pages but the first, and writes to the log so that the worker reads them again. */
function breakUnderWorker(database: string): void {
  const db = openWorkerDatabase(database)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.run('CREATE TABLE unknown (x)')
  db.close()
  const file = openSync(database, 'r+')
  const page = garbage(4096)
  for (let at = 4096; at < statSync(database).size; at += 4096) writeSync(file, page, 0, 4096, at)
  closeSync(file)
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('\n')) break
  }
  return text
}

/** Sends a text, closes its side, and returns everything that comes back. */
function exchange(port: number, text: string): Promise<string> {
  const answer = Promise.withResolvers<string>()
  let received = ''
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }, () => socket.end(text))
  socket.on('data', (data) => {
    received += data.toString()
  })
  socket.on('close', () => answer.resolve(received))
  socket.on('error', answer.reject)
  return answer.promise
}
