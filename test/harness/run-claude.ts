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
  /** Record the calls of all hooks, or of the given events; and what these hooks print. */
  record?: true | Partial<Recording>
  /** Additional arguments for the client. */
  args?: string[]
  /** Use this home and project; the caller removes it. */
  sandbox?: Sandbox
  /** Use this model. */
  api?: FakeAnthropic
}

export type PrintOptions = ClaudeOptions & RunOptions & { prompt?: string }

export type PrintRun = Ran & {
  /** The answer the client printed. */
  answer: string
  /** Its requests to the model in this run. */
  requests: ModelRequest[]
  /** The recorded hook calls of this run. */
  hooks: RecordedHook[]
  /** The client's stream-json output. */
  events: { type: string; [key: string]: unknown }[]
  transcripts: ReturnType<typeof transcripts>
  /** The client's debug log, for example why it ignored a hook or a settings file. */
  debug: string
}

/** Runs the real client in print mode (`claude -p`) against a scripted model, without permission prompts. */
export async function runClaude(options: PrintOptions = {}): Promise<PrintRun> {
  const run = await prepareRun(options)
  const { sandbox, api } = run
  const requestsBefore = api.requests.length
  const hooksBefore = run.hooks().length
  try {
    const args = ['-p', options.prompt ?? 'go', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions']
    const ran = await runIn(sandbox, [sandbox.claude, ...args, ...run.args], {
      ...options,
      env: { ...options.env, ANTHROPIC_BASE_URL: api.url },
    })
    const events = Bun.JSONL.parse(ran.stdout) as PrintRun['events']
    return {
      ...ran,
      answer: String(events.findLast((event) => event.type === 'result')?.result ?? ''),
      requests: api.requests.slice(requestsBefore),
      hooks: run.hooks().slice(hooksBefore),
      events,
      transcripts: transcripts(sandbox),
      debug: run.debug(),
    }
  } finally {
    await run.leave()
  }
}

/** Prepares what both ways of running the client need: the sandbox with its settings, the model, the log of the recorder. */
export async function prepareRun(options: ClaudeOptions) {
  const sandbox = options.sandbox ?? (await makeSandbox(options))
  const api = options.api ?? startFakeAnthropic(options.turns)
  if (options.api && options.turns) options.api.play(options.turns)
  const hookLog = join(sandbox.root, 'hooks.jsonl')
  const debugFile = join(sandbox.root, 'debug.log')
  const ownSettings = join(sandbox.root, 'settings.json')
  // A reused sandbox keeps its settings, for instance those that `recollect init` wrote.
  if (options.sandbox && options.settings) writeInto(sandbox.home, '.claude/settings.json', options.settings)
  const recording = { events: options.record ? eventsOf(sandbox.version) : [], ...(options.record === true ? {} : options.record) }
  // In a separate file that the client reads in addition, so that the person's settings stay as the test left them.
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
