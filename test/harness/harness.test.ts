import { expect } from 'bun:test'
import { clientOrSkip, WITHOUT_HTTP_HOOKS } from './client.ts'
import { requestText, type Turn, toolResults } from './fake-anthropic.ts'
import { contextFor, startHookServer } from './hooks.ts'
import { type PrintRun, runClaude } from './run-claude.ts'
import { makeSandbox, runIn } from './sandbox.ts'
import { startTui } from './tui.ts'

const flow = await clientOrSkip()
const oldFlow = await clientOrSkip(WITHOUT_HTTP_HOOKS)

const bash = (command: string): Turn => ({ tools: [{ name: 'Bash', input: { command, description: 'run' } }] })
const eventNames = (run: PrintRun) => run.hooks.map((hook) => hook.payload.hook_event_name)
const conversation = (run: PrintRun) => run.requests.filter((request) => request.lane === 'main')

flow('a print run follows the script and its hooks are recorded', async () => {
  const run = await runClaude({ record: true, files: { 'a.txt': 'alpha\n' }, turns: [bash('cat a.txt'), bash('exit 3'), 'finished'] })
  expect(run.code).toBe(0)
  expect(run.answer).toBe('finished')
  expect(toolResults(conversation(run)[2]).map((result) => [result.text, result.failed])).toEqual([
    ['alpha', false],
    ['Exit code 3', true],
  ])
  expect(eventNames(run).filter((name) => name !== 'PostToolBatch' && name !== 'MessageDisplay')).toEqual([
    ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreToolUse', 'PostToolUseFailure', 'Stop', 'SessionEnd'],
  ])
  expect(run.transcripts[0]?.lines.filter((line) => line.type === 'assistant')).toHaveLength(3)
})

flow('the output of a hook reaches the model', async () => {
  const output = {
    SessionStart: contextFor('SessionStart', 'CONTEXT-OF-START'),
    UserPromptSubmit: contextFor('UserPromptSubmit', 'CONTEXT-OF-PROMPT'),
    PostToolUse: contextFor('PostToolUse', 'CONTEXT-OF-TOOL'),
  }
  const run = await runClaude({ record: { output }, turns: [bash('true'), 'done'] })
  const [first, second] = conversation(run)
  expect(requestText(first)).toContain('CONTEXT-OF-START')
  expect(requestText(first)).toContain('CONTEXT-OF-PROMPT')
  expect(requestText(first)).not.toContain('CONTEXT-OF-TOOL')
  expect(requestText(second)).toContain('CONTEXT-OF-TOOL')
})

flow('http hooks are posted and their answer reaches the model', async () => {
  const server = startHookServer((payload) => contextFor(payload.hook_event_name, `BY-HTTP-${payload.hook_event_name}`))
  const http = [{ hooks: [{ type: 'http', url: `${server.url}/hook`, timeout: 5 }] }]
  const run = await runClaude({ settings: { hooks: { UserPromptSubmit: http, PostToolUse: http } }, turns: [bash('true'), 'done'] })
  await server.close()
  expect(server.calls.map((payload) => payload.hook_event_name)).toEqual(['UserPromptSubmit', 'PostToolUse'])
  expect(requestText(conversation(run)[1])).toContain('BY-HTTP-PostToolUse')
})

flow('a session is resumed in the same sandbox', async () => {
  const sandbox = await makeSandbox()
  try {
    const first = await runClaude({ sandbox, record: true, prompt: 'remember 42', turns: ['noted'] })
    const session = first.hooks[0]?.payload.session_id ?? ''
    const second = await runClaude({ sandbox, record: true, prompt: 'and?', args: ['--resume', session], turns: ['42'] })
    expect(second.hooks[0]?.payload).toMatchObject({ hook_event_name: 'SessionStart', source: 'resume', session_id: session })
    expect(requestText(second.requests[0])).toContain('remember 42')
  } finally {
    await sandbox.remove()
  }
})

flow('a subagent has its own script', async () => {
  const delegate: Turn = {
    tools: [{ name: 'Agent', input: { description: 'look', prompt: 'look around', subagent_type: 'general-purpose' } }],
  }
  const run = await runClaude({ record: true, turns: { main: [delegate, 'done'], sub: ['saw nothing'] } })
  const stopped = run.hooks.find((hook) => hook.payload.hook_event_name === 'SubagentStop')
  expect(stopped?.payload.last_assistant_message).toBe('saw nothing')
})

flow('an error of the model ends the run', async () => {
  const refused = { error: { status: 400, type: 'invalid_request_error', message: 'no such thing' } }
  const run = await runClaude({ turns: () => refused })
  expect(run.code).not.toBe(0)
  expect(run.answer).toContain('no such thing')
})

flow('the client inherits nothing from our environment', async () => {
  const run = await runClaude({ turns: [bash('env'), 'done'] })
  const names = new Set([...(toolResults(conversation(run)[1])[0]?.text ?? '').matchAll(/^(\w+)=/gm)].map((match) => match[1]))
  expect(names).toContain('HOME')
  const ours = Object.keys(process.env).filter((name) => process.env[name] && names.has(name))
  // Names that every shell has; their values are from the sandbox.
  expect(ours.filter((name) => !SHELL_NAMES.has(name))).toEqual([])
})

const SHELL_NAMES = new Set(['HOME', 'PATH', 'PWD', 'OLDPWD', 'SHLVL', 'SHELL', 'TERM', 'LANG', 'TMPDIR', 'IS_SANDBOX', '_'])

flow('programs in the sandbox find the client on their PATH', async () => {
  const sandbox = await makeSandbox({ git: true, files: { 'a.txt': 'alpha\n' } })
  const { stdout } = await runIn(sandbox, ['claude', '--version'])
  expect(stdout).toStartWith(sandbox.version)
  expect((await runIn(sandbox, ['git', 'status', '--short'])).stdout).toBe('')
  await sandbox.remove()
})

flow.skipIf(!Bun.which('tmux'))('the client works in a terminal', async () => {
  const tui = await startTui({ record: true, turns: ['Hello from the script.'] })
  const happened = (event: string) => tui.hooks().some((hook) => hook.payload.hook_event_name === event)
  try {
    await tui.waitFor(() => happened('SessionStart'))
    await tui.waitFor(/bypass permissions on/)
    await tui.submit('hi there')
    await tui.waitFor(/Hello from the script/)
    await tui.submit('/exit')
    await tui.waitFor(/client exited 0/)
    expect(happened('SessionEnd')).toBe(true)
  } finally {
    await tui.close()
  }
})

oldFlow('an old client runs command hooks and shows their context to the model', async () => {
  const output = { SessionStart: contextFor('SessionStart', 'CONTEXT-OF-START') }
  const run = await runClaude({ client: WITHOUT_HTTP_HOOKS, record: { output }, turns: [bash('true'), 'done'] })
  expect(eventNames(run)).toEqual(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'])
  expect(requestText(conversation(run)[0])).toContain('CONTEXT-OF-START')
})

oldFlow('an old client ignores every hook of a settings file that contains an http hook', async () => {
  const hooks = {
    SessionStart: [
      { hooks: [{ type: 'command', command: `echo ${JSON.stringify(JSON.stringify(contextFor('SessionStart', 'COMMAND')))}` }] },
    ],
    UserPromptSubmit: [{ hooks: [{ type: 'http', url: 'http://127.0.0.1:9/hook' }] }],
  }
  const run = await runClaude({ client: WITHOUT_HTTP_HOOKS, settings: { hooks }, turns: ['done'] })
  expect(run.code).toBe(0)
  expect(requestText(conversation(run)[0])).not.toContain('COMMAND')
  const { UserPromptSubmit: _, ...commandsOnly } = hooks
  const withoutHttp = await runClaude({ client: WITHOUT_HTTP_HOOKS, settings: { hooks: commandsOnly }, turns: ['done'] })
  expect(requestText(conversation(withoutHttp)[0])).toContain('COMMAND')
})
