import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseScriptEvent, scriptEventPayload } from '../../src/hooks/script-events.ts'
import { aTestHome } from './test-home.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

export type ScriptHome = Awaited<ReturnType<typeof aScriptHome>>
export type ScriptResult = { code: number; stdout: string; stderr: string; ms: number }

/** A throw-away home with a real worker, called as hook scripts call it: with a payload on stdin, any exit code, and settings of its own. */
export async function aScriptHome(config = '', env: Record<string, string> = {}) {
  const home = await aTestHome()
  mkdirSync(home.home, { recursive: true })
  if (config) writeFileSync(join(home.home, 'config.toml'), config)
  const spawn = (cwd: string, stdin: string | null, args: string[]) =>
    Bun.spawn([RECOLLECT, ...args], {
      cwd,
      env: { ...home.env, ...env },
      stdin: stdin === null ? 'pipe' : new Blob([stdin]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
  const runIn = async (cwd: string, stdin: string, ...args: string[]): Promise<ScriptResult> => {
    const started = performance.now()
    const child = spawn(cwd, stdin, args)
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr, ms: performance.now() - started }
  }
  await home.run('start')
  return {
    ...home,
    spawn: (...args: string[]) => spawn(home.project, null, args),
    runIn,
    recollect: (stdin: string, ...args: string[]) => runIn(home.project, stdin, ...args),
    /**
     * Sends what `recollect hook <event>` sends for this payload, and returns the text for the model. Over the socket, because a hook on a busy
     * machine gives up before the worker has answered.
     */
    hookEvent: async (event: string, payload: object): Promise<string> => {
      const bytes = scriptEventPayload(parseScriptEvent([event]), JSON.stringify({ cwd: home.project, ...payload }))
      const response = await fetch('http://worker/hook/claude-code', {
        method: 'POST',
        unix: join(home.home, 'run', 'worker.sock'),
        headers: { 'content-type': 'application/json', 'x-recollect-strict': '1' },
        body: bytes ?? '',
      })
      if (!response.ok) throw new Error(`hook ${event} was answered with ${response.status}`)
      return String(((await response.json()) as HookReply).hookSpecificOutput?.additionalContext ?? '')
    },
    rows: async <Row>(kind: string): Promise<Row[]> => {
      const { stdout } = await runIn(home.project, '', 'export', '--json', '--kind', kind)
      return Bun.JSONL.parse(stdout) as Row[]
    },
  }
}

type HookReply = { hookSpecificOutput?: { additionalContext?: string } }

/** A running `recollect serve` and how to call its tools. */
export async function anMcpProcess(home: ScriptHome, ...args: string[]) {
  const child = home.spawn(...args)
  const stdin = child.stdin as unknown as { write(text: string): void; flush(): void; end(): void }
  const waiting = new Map<number, (message: McpMessage) => void>()
  const notifications: string[] = []
  let [id, buffered] = [0, '']
  const reading = (async () => {
    for await (const chunk of child.stdout) {
      buffered += new TextDecoder().decode(chunk)
      const lines = buffered.split('\n')
      buffered = lines.pop() ?? ''
      for (const line of lines.filter(Boolean)) {
        const message = JSON.parse(line) as McpMessage
        if (message.id === undefined) notifications.push(message.method ?? '')
        else waiting.get(message.id)?.(message)
      }
    }
  })()
  const send = (message: object) => {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    stdin.flush()
  }
  const request = (method: string, params: object = {}): Promise<McpMessage> => {
    const reply = Promise.withResolvers<McpMessage>()
    waiting.set(++id, reply.resolve)
    send({ id, method, params })
    return reply.promise
  }
  const opened = await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  return {
    opened,
    notifications,
    request,
    /** The text that a tool returns. */
    call: async (name: string, given: object = {}): Promise<string> => {
      const { result, error } = await request('tools/call', { name, arguments: given })
      return error ? `error: ${error.message}` : (result?.content?.map(({ text }) => text).join('\n') ?? '')
    },
    /** Closes stdin, as a client does when it exits, and returns the exit code. */
    close: async (): Promise<number> => {
      stdin.end()
      await reading
      return child.exited
    },
  }
}

type McpMessage = {
  id?: number
  method?: string
  error?: { message: string }
  result?: { content?: { text: string }[]; tools?: { name: string }[]; serverInfo?: { name: string } }
}
