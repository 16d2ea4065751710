/** One session for each open folder, from activation to deactivation; reports of a folder go to its session. */
import { createHash } from 'node:crypto'
import { env, type Uri, workspace } from 'vscode'
import type { ClientToolUse } from '../../src/client/client.ts'
import type { Memory } from './memory.ts'
import { openRecorder, type Recorder, type RecorderState } from './recorder.ts'

const RETRY_MS = 5000

export type Sessions = ReturnType<typeof openSessions>

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
    const place = createHash('sha256').update(folder).digest('hex').slice(0, 8)
    const recorder = openRecorder({
      session: memory.tell(folder).session(`vscode-${env.sessionId}-${place}`, folder),
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

  return {
    /** The folder of the workspace that a file is in; undefined for files elsewhere, such as those of libraries. */
    folderOf: (uri: Uri): string | undefined =>
      uri.scheme === 'file' && !/\/(?:\.git|node_modules)\//.test(uri.fsPath) ? workspace.getWorkspaceFolder(uri)?.uri.fsPath : undefined,
    /** The folder that commands without a file are about. */
    mainFolder: (): string | undefined => workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath,
    isAllowed,
    isPaused: () => isPaused,
    setPaused: (paused: boolean): void => {
      isPaused = paused
      changed()
    },
    /** Opens the session of every folder. */
    openAll: (): void => {
      for (const { uri } of workspace.workspaceFolders ?? []) if (uri.scheme === 'file' && isAllowed()) recorderOf(uri.fsPath)
    },
    report: (folder: string | undefined, use: ClientToolUse): void => {
      if (folder !== undefined && isAllowed()) recorderOf(folder).report(use)
    },
    prompt: (folder: string | undefined, text: string, answer?: string): void => {
      if (folder !== undefined && isAllowed()) recorderOf(folder).prompt(text, answer)
    },
    /** The worst state of all folders. */
    state: (): RecorderState | 'off' => {
      if (!isAllowed()) return 'off'
      const states = [...recorders.values()].map((recorder) => recorder.state())
      return states.includes('away') ? 'away' : states.includes('agent') ? 'agent' : 'recording'
    },
    close: async (): Promise<void> => {
      isClosing = true
      await Promise.all([...recorders.values()].map((recorder) => recorder.close()))
    },
  }
}
