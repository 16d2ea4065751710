import { shellQuote } from './hooks.ts'
import { type ClaudeOptions, prepareRun } from './run-claude.ts'
import { transcripts } from './sandbox.ts'

/** Keys other than text, in tmux's notation. */
export type Key = 'Enter' | 'Escape' | 'Up' | 'Down' | 'Tab' | 'BTab' | 'C-c' | 'C-d'

/**
 * The real client in a terminal (a private tmux server). Its default permission mode asks a model that cannot be scripted, so it starts in
 * `bypassPermissions` unless `args` names another mode.
 */
export async function startTui(options: ClaudeOptions & { width?: number; height?: number } = {}) {
  const run = await prepareRun(options)
  const { sandbox, api } = run
  const server = `recollect-${process.pid}-${crypto.randomUUID().slice(0, 8)}`
  const tmux = (...args: string[]) => Bun.spawnSync(['tmux', '-L', server, '-f', '/dev/null', ...args])

  const env = Object.entries({ ...sandbox.env, ...options.env, ANTHROPIC_BASE_URL: api.url }).map(([name, value]) => `${name}=${value}`)
  const mode = options.args?.includes('--permission-mode') ? [] : ['--permission-mode', 'bypassPermissions']
  const client = ['env', '-i', ...env, sandbox.claude, ...mode, ...run.args].map(shellQuote).join(' ')
  const size = ['-x', String(options.width ?? 160), '-y', String(options.height ?? 50)]
  // The pane outlives the client, so that its last output can still be read.
  const started = tmux('new-session', '-d', '-s', 'tui', ...size, '-c', sandbox.project, `${client}; echo "[client exited $?]"; sleep 3600`)
  if (!started.success) throw new Error(`tmux did not start: ${started.stderr.toString()}`)

  const screen = () => tmux('capture-pane', '-p', '-t', 'tui').stdout.toString().trimEnd()
  return {
    sandbox,
    api,
    screen,
    hooks: run.hooks,
    debug: run.debug,
    transcripts: () => transcripts(sandbox),
    press: async (...keys: Key[]) => {
      tmux('send-keys', '-t', 'tui', ...keys)
      await Bun.sleep(150)
    },
    /** Types a text and submits it. Without the pause, the client would take Enter as part of a paste. */
    submit: async (text: string) => {
      tmux('send-keys', '-t', 'tui', '-l', text)
      await Bun.sleep(400)
      tmux('send-keys', '-t', 'tui', 'Enter')
    },
    /** Waits for a text on the screen, or for anything else to become true. */
    waitFor: async (what: RegExp | (() => boolean), timeoutMs = 60_000) => {
      const isTrue = typeof what === 'function' ? what : () => what.test(screen())
      for (const until = Date.now() + timeoutMs; !isTrue(); await Bun.sleep(100)) {
        if (Date.now() > until) throw new Error(`${what} did not appear within ${timeoutMs} ms. The screen:\n${screen()}`)
      }
    },
    close: async () => {
      tmux('kill-server')
      await run.leave()
    },
  }
}
