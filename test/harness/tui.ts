import { shellQuote } from './hooks.ts'
import { type ClaudeOptions, setScene } from './run-claude.ts'
import { transcripts } from './sandbox.ts'

/** Keys a person presses that are not text, in tmux's spelling. */
export type Key = 'Enter' | 'Escape' | 'Up' | 'Down' | 'Tab' | 'BTab' | 'C-c' | 'C-d'

/**
 * The real client as a person sees it, in a terminal of its own (a private tmux server). Its default permission mode asks a model
 * that a script cannot play, so it starts in `bypassPermissions` unless `args` names another mode.
 */
export async function startTui(options: ClaudeOptions & { width?: number; height?: number } = {}) {
  const scene = await setScene(options)
  const { sandbox, api } = scene
  const server = `recollect-${process.pid}-${crypto.randomUUID().slice(0, 8)}`
  const tmux = (...args: string[]) => Bun.spawnSync(['tmux', '-L', server, '-f', '/dev/null', ...args])

  const env = Object.entries({ ...sandbox.env, ...options.env, ANTHROPIC_BASE_URL: api.url }).map(([name, value]) => `${name}=${value}`)
  const mode = options.args?.includes('--permission-mode') ? [] : ['--permission-mode', 'bypassPermissions']
  const client = ['env', '-i', ...env, sandbox.claude, ...mode, ...scene.args].map(shellQuote).join(' ')
  const size = ['-x', String(options.width ?? 160), '-y', String(options.height ?? 50)]
  // The pane outlives the client, so that its last words can still be read.
  const started = tmux('new-session', '-d', '-s', 'tui', ...size, '-c', sandbox.project, `${client}; echo "[client exited $?]"; sleep 3600`)
  if (!started.success) throw new Error(`tmux did not start: ${started.stderr.toString()}`)

  const screen = () => tmux('capture-pane', '-p', '-t', 'tui').stdout.toString().trimEnd()
  return {
    sandbox,
    api,
    screen,
    hooks: scene.hooks,
    debug: scene.debug,
    transcripts: () => transcripts(sandbox),
    press: async (...keys: Key[]) => {
      tmux('send-keys', '-t', 'tui', ...keys)
      await Bun.sleep(150)
    },
    /** Types a text and sends it. Between the two the client needs a moment, or it takes Enter for part of a paste. */
    submit: async (text: string) => {
      tmux('send-keys', '-t', 'tui', '-l', text)
      await Bun.sleep(400)
      tmux('send-keys', '-t', 'tui', 'Enter')
    },
    /** Waits for a text on the screen, or for anything else to become true. */
    waitFor: async (what: RegExp | (() => boolean), timeoutMs = 20_000) => {
      const holds = typeof what === 'function' ? what : () => what.test(screen())
      for (const until = Date.now() + timeoutMs; !holds(); await Bun.sleep(100)) {
        if (Date.now() > until) throw new Error(`${what} did not come within ${timeoutMs} ms. The screen:\n${screen()}`)
      }
    },
    close: async () => {
      tmux('kill-server')
      await scene.leave()
    },
  }
}
