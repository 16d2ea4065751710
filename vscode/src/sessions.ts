/** One session for each open folder, from activation to deactivation; reports of a folder go to its session. */
import { randomUUID } from 'node:crypto'
import { commands, type Uri, window, workspace } from 'vscode'
import type { ClientToolUse } from '../../src/client/client.ts'
import type { Memory } from './memory.ts'
import { openRecorder, type Recorder, type RecorderState } from './recorder.ts'

const RETRY_MS = 5000
const WORST_FIRST: RecorderState[] = ['away', 'agent', 'recording', 'excluded']

export type Sessions = ReturnType<typeof openSessions>

const foldersNow = (): string[] =>
  (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath)

export function openSessions(memory: Memory, log: (line: string) => void, changed: () => void) {
  const recorders = new Map<string, Recorder>()
  let isPaused = false
  let isClosing = false

  // A window of another program may have switched recording off for its children.
  const isAllowed = () =>
    !isPaused &&
    !isClosing &&
    process.env.RECOLLECT !== 'off' &&
    workspace.isTrusted &&
    workspace.getConfiguration('recollect').get('record.enabled', true)

  const recorderOf = (folder: string): Recorder => {
    const known = recorders.get(folder)
    if (known) return known
    const recorder = openRecorder({
      // VS Code's own id of a session is the same for all sessions where telemetry is switched off.
      session: memory.tell(folder).session(`vscode-${randomUUID()}`, folder),
      pid: process.pid,
      changed,
      failed: (reason) => log(`a report was refused: ${reason}`),
      wake: async () => void (await memory.wake()),
      idleMs: workspace.getConfiguration('recollect').get('record.idleMinutes', 5) * 60_000,
      retryMs: RETRY_MS,
    })
    recorders.set(folder, recorder)
    return recorder
  }

  const folderOf = (uri: Uri): string | undefined =>
    uri.scheme === 'file' && !/\/(?:\.git|node_modules)\//.test(uri.fsPath) ? workspace.getWorkspaceFolder(uri)?.uri.fsPath : undefined

  return {
    /** The folder of the workspace that a file is in; undefined for files elsewhere, such as those of libraries. */
    folderOf,
    /** The folder that commands without a file are about: that of the active editor, or the first one. */
    mainFolder: (): string | undefined => {
      const { document } = window.activeTextEditor ?? {}
      return (document && folderOf(document.uri)) ?? foldersNow()[0]
    },
    isAllowed,
    setPaused: (paused: boolean): void => {
      isPaused = paused
      void commands.executeCommand('setContext', 'recollect.isPaused', paused)
      changed()
    },
    /** Opens the session of every folder, and ends those of folders that are no longer open. */
    openAll: (): void => {
      const folders = foldersNow()
      for (const [folder, recorder] of recorders) {
        if (folders.includes(folder)) continue
        recorders.delete(folder)
        void recorder.close()
      }
      if (isAllowed()) folders.forEach(recorderOf)
      changed()
    },
    report: (folder: string | undefined, use: ClientToolUse): void => {
      if (folder !== undefined && isAllowed()) recorderOf(folder).report(use)
    },
    prompt: (folder: string | undefined, text: string, answer?: string): void => {
      if (folder !== undefined && isAllowed()) recorderOf(folder).prompt(text, answer)
    },
    /** The worst state of all folders. */
    state: (): RecorderState | 'off' | 'paused' | 'empty' => {
      if (isPaused) return 'paused'
      if (!isAllowed()) return 'off'
      if (foldersNow().length === 0) return 'empty'
      const states = [...recorders.values()].map((recorder) => recorder.state())
      return WORST_FIRST.find((state) => states.includes(state)) ?? 'recording'
    },
    close: async (): Promise<void> => {
      isClosing = true
      await Promise.all([...recorders.values()].map((recorder) => recorder.close()))
    },
  }
}
