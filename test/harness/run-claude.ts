import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeAnthropic, type ModelRequest, type Script, startFakeAnthropic } from './fake-anthropic.ts'
import { eventsOf, type RecordedHook, type Recording, recordHooks } from './hooks.ts'
import {
  makeSandbox,
  type Ran,
  type RunOptions,
  readJsonLines,
  runIn,
  type Sandbox,
  type SandboxOptions,
  transcripts,
  writeInto,
} from './sandbox.ts'

export type ClaudeOptions = SandboxOptions & {
  turns?: Script
  /** Write down the calls of all hooks, or of the events named; and what those hooks shall print. */
  record?: true | Partial<Recording>
  /** Further arguments of the client. */
  args?: string[]
  /** Goes on in this home and project; whoever made it removes it. */
  sandbox?: Sandbox
  /** Goes on with this model. */
  api?: FakeAnthropic
}

export type PrintOptions = ClaudeOptions & RunOptions & { prompt?: string }

export type PrintRun = Ran & {
  /** The answer the client printed. */
  answer: string
  /** What it sent to the model in this run. */
  requests: ModelRequest[]
  /** What the recorder saw in this run. */
  hooks: RecordedHook[]
  /** The client's stream-json output. */
  events: { type: string; [key: string]: unknown }[]
  transcripts: ReturnType<typeof transcripts>
  /** The client's debug log: why a hook or a settings file was not taken. */
  debug: string
}

/** One run of the real client in print mode (`claude -p`) against a scripted model, nothing asked for permission. */
export async function runClaude(options: PrintOptions = {}): Promise<PrintRun> {
  const scene = await setScene(options)
  const { sandbox, api } = scene
  const requestsBefore = api.requests.length
  const hooksBefore = scene.hooks().length
  try {
    const args = ['-p', options.prompt ?? 'go', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions']
    const ran = await runIn(sandbox, [sandbox.claude, ...args, ...scene.args], {
      ...options,
      env: { ...options.env, ANTHROPIC_BASE_URL: api.url },
    })
    const events = Bun.JSONL.parse(ran.stdout) as PrintRun['events']
    return {
      ...ran,
      answer: String(events.findLast((event) => event.type === 'result')?.result ?? ''),
      requests: api.requests.slice(requestsBefore),
      hooks: scene.hooks().slice(hooksBefore),
      events,
      transcripts: transcripts(sandbox),
      debug: scene.debug(),
    }
  } finally {
    await scene.leave()
  }
}

/** What both ways of running the client need around it: the sandbox with its settings, the model, the recorder's log. */
export async function setScene(options: ClaudeOptions) {
  const sandbox = options.sandbox ?? (await makeSandbox(options))
  const api = options.api ?? startFakeAnthropic(options.turns)
  if (options.api && options.turns) options.api.play(options.turns)
  const hookLog = join(sandbox.root, 'hooks.jsonl')
  const debugFile = join(sandbox.root, 'debug.log')
  const ownSettings = join(sandbox.root, 'settings.json')
  // A sandbox that is gone on with keeps the settings it has, for instance those that `recollect init` wrote.
  if (options.sandbox && options.settings) writeInto(sandbox.home, '.claude/settings.json', options.settings)
  const recording = { events: options.record ? eventsOf(sandbox.version) : [], ...(options.record === true ? {} : options.record) }
  // In a file of our own, which the client reads besides the person's settings: those stay as the test left them.
  writeInto(sandbox.root, 'settings.json', { skipDangerousModePermissionPrompt: true, hooks: recordHooks(hookLog, recording) })
  return {
    sandbox,
    api,
    args: ['--debug-file', debugFile, '--settings', ownSettings, ...(options.args ?? [])],
    hooks: () => readJsonLines<RecordedHook>(hookLog),
    debug: () => (existsSync(debugFile) ? readFileSync(debugFile, 'utf8') : ''),
    leave: async () => {
      if (!options.api) await api.close()
      if (!options.sandbox) await sandbox.remove()
    },
  }
}
