/**
 * Recollect in VS Code: a session for each folder from activation to deactivation, what happens in the editor as its observations, and memory for the
 * person and for models. It talks only to the worker on this machine. Nothing here waits for the worker before the editor can go on.
 */
import { type ExtensionContext, window, workspace } from 'vscode'
import { addChat, briefLines } from './chat.ts'
import { openCodeMemory, showBesideCode } from './code.ts'
import { addCommands } from './commands.ts'
import { openMemory } from './memory.ts'
import { addMcpServer, addModelTools } from './model-tools.ts'
import { openPages } from './pages.ts'
import { openSessions } from './sessions.ts'
import { addStatus, type StatusState } from './status.ts'
import { openViewer } from './viewer.ts'
import { watchEditor } from './watch.ts'

/** The first line of the bundle, which scripts/vscode.ts puts there, takes these. */
declare const loadedAt: number
declare const loadedCpu: NodeJS.CpuUsage | undefined

type OwnTime = { ms: number; cpuMs: number }

/** Our own time since a moment: by the clock, and that of this thread, which other programs on a busy machine do not lengthen. */
function timeSince(at: number, cpu: NodeJS.CpuUsage | undefined): OwnTime {
  const { user, system } = process.threadCpuUsage?.(cpu) ?? { user: 0, system: 0 }
  return { ms: performance.now() - at, cpuMs: (user + system) / 1000 }
}

const loading = timeSince(loadedAt, loadedCpu)

/** What deactivation must wait for. */
let close: () => Promise<void> = async () => {}

/** For tests. */
export type Api = { loading: OwnTime; activation: OwnTime; brief(): string; state(): string }

export function activate(context: ExtensionContext): Api {
  const [startedAt, startedCpu] = [performance.now(), process.threadCpuUsage?.()]
  const output = window.createOutputChannel('Recollect', { log: true })
  const log = (line: string) => output.info(line)
  const status = addStatus()
  const memory = openMemory(log)
  let brief = ''
  let project = ''
  let isStarting = true
  let isAwake = false
  let shown: StatusState = 'starting'
  const show = () => {
    const before = shown
    shown = stateNow()
    status.update(shown, brief)
    // The worker runs again: someone has started it in a terminal, or the recorder has.
    if (before === 'away' && (shown === 'recording' || shown === 'agent')) void begin()
  }
  const sessions = openSessions(memory, log, show)
  const stateNow = (): StatusState => {
    if (process.platform === 'win32') return 'unsupported'
    if (!workspace.isTrusted) return 'untrusted'
    const state = sessions.state()
    if (state === 'off' || state === 'paused') return state
    if (isStarting) return 'starting'
    return state === 'empty' && !isAwake ? 'away' : state
  }
  const code = openCodeMemory(memory, sessions)
  const viewer = openViewer(memory)
  const pages = openPages()

  /** Finds or starts the worker, opens the sessions and fetches the brief. */
  const begin = async (): Promise<void> => {
    if (workspace.isTrusted) isAwake = await memory.wake()
    sessions.openAll()
    const folder = sessions.mainFolder()
    const found =
      folder === undefined || !workspace.isTrusted
        ? null
        : await memory
            .ask(folder)
            .brief()
            .catch(() => null)
    brief = briefLines(found?.text ?? '')
    project = found?.project ?? ''
    isStarting = false
    show()
    viewer.refresh()
  }

  context.subscriptions.push(
    output,
    status,
    ...addCommands({ memory, sessions, code, viewer, pages, log, refresh: begin }),
    ...addModelTools(memory, sessions),
    ...addMcpServer(memory, sessions, String(context.extension.packageJSON.version)),
    ...addChat(memory, sessions, code),
    ...showBesideCode(code, sessions),
    viewer.sideBar(() => project),
    window.onDidChangeActiveColorTheme(() => viewer.refresh()),
    workspace.onDidGrantWorkspaceTrust(() => void begin()),
    workspace.onDidChangeWorkspaceFolders(() => sessions.openAll()),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('recollect')) show()
    }),
  )
  const watching = process.platform === 'win32' ? [] : watchEditor(sessions, memory)
  close = async () => {
    // What waits for a pause is reported now.
    for (const one of watching) one.dispose()
    await sessions.close()
  }
  show()
  if (process.platform !== 'win32') void begin()
  const activation = timeSince(startedAt, startedCpu)
  log(`loaded in ${loading.ms.toFixed(1)} ms, activated in ${activation.ms.toFixed(1)} ms`)
  return { loading, activation, brief: () => brief, state: stateNow }
}

export const deactivate = (): Promise<void> => close()
