/**
 * The process that a client starts for a session. It relays lines between the client and the worker, starts the worker if none
 * runs, and connects to a new worker without the client noticing. It knows only which requests wait for a reply, opens no
 * database and loads no package, so it is small and starts quickly.
 */
import { projectKey } from '../core/project.ts'
import { hookEnvironment, readEnvironment } from '../platform/environment.ts'
import { type Home, homePaths } from '../platform/paths.ts'
import { findProject } from '../platform/project.ts'
import { isStopped } from '../wire/absent-worker.ts'
import { ensureWorker } from '../wire/start.ts'
import { diagnoseUnresponsiveWorker } from '../wire/unresponsive-worker.ts'
import { openPipe, type PipeEnd, type WorkerPipe } from '../wire/worker-pipe.ts'
import { openRelay } from './relay.ts'
import { lineSplitter } from './stdio-lines.ts'

/** Serves the client on stdin and stdout until it closes them. */
export async function serveStdin(): Promise<void> {
  const out = Bun.stdout.writer()
  const reply = (text: string) => {
    out.write(`${text}\n`)
    void out.flush()
  }
  const connection = openWorkerConnection(sessionProject(), reply)
  const split = lineSplitter((line) => connection.send(line), reply)
  for await (const chunk of Bun.stdin.stream()) split(chunk)
  await connection.finish()
}

/** The project of the client's folder. Null in the person's home or the root folder, which belong to no project. */
export function sessionProject(): string | null {
  const folder = sessionFolder()
  return folder === '/' || folder === readEnvironment().userHome ? null : projectKey(findProject(folder))
}

/** The client's working folder. */
export const sessionFolder = () => hookEnvironment().projectFolder ?? process.cwd()

const WORKER_START_TIMEOUT_MS = 15_000
const LAST_REPLIES_TIMEOUT_MS = 10_000
/** The pause between attempts to connect doubles within these bounds; so does the pause before restarting a worker that keeps crashing. */
const MIN_RETRY_PAUSE_MS = 500
const MAX_RETRY_PAUSE_MS = 30_000
const CRASH_WINDOW_MS = 60_000

/** Connects one client to the current worker, and to its successors. */
export function openWorkerConnection(project: string | null, reply: (line: string) => void, startMs = WORKER_START_TIMEOUT_MS) {
  const home = homePaths()
  const relay = openRelay()
  let pipe: WorkerPipe | null = null
  let isConnecting = false
  /** Resolving it ends the current pause between attempts. */
  let skipPause = Promise.withResolvers<void>()
  /** Start a worker if none runs, instead of only connecting to one. */
  let mayStartWorker = false
  let recentCrashes = 0
  let isFinished = false
  /** A client that connects for the first time starts a session, and a session starts the worker even after `recollect stop`. */
  let wasConnected = false

  const connect = async (pauseMs: number) => {
    if (isConnecting) return
    isConnecting = true
    for (let pause = relay.isWaiting() ? 0 : pauseMs; !pipe && !isFinished; pause = Math.max(MIN_RETRY_PAUSE_MS, pause * 2)) {
      // With a request waiting, retry soon, but not without any pause.
      const longestPause = relay.isWaiting() ? MIN_RETRY_PAUSE_MS : MAX_RETRY_PAUSE_MS
      if (pause > 0) await Promise.race([Bun.sleep(Math.min(pause, longestPause)), skipPause.promise])
      skipPause = Promise.withResolvers<void>()
      await attempt()
    }
    isConnecting = false
  }
  const attempt = async () => {
    const reason = mayStartWorker || relay.isWaiting() ? await startOrExplain(home, startMs, wasConnected) : null
    if (reason) {
      mayStartWorker = false
      for (const line of relay.failWaiting(`Recollect: ${reason}`)) reply(line)
      return
    }
    const opened = await openPipe(home, project, { message: receive, end: onPipeEnd })
    if (!opened) return
    // The client left meanwhile. An open pipe would keep this process alive.
    if (isFinished) return opened.close()
    pipe = opened
    wasConnected = true
    mayStartWorker = false
    for (const line of relay.linesForNewWorker()) opened.send(line)
  }
  const receive = (line: string) => {
    if (relay.receiveFromWorker(line)) reply(line)
  }
  const onPipeEnd = (end: PipeEnd) => {
    pipe = null
    if (isFinished) return
    // A worker that crashed is started again at once. One that was stopped is started again with the next request.
    mayStartWorker = end === 'lost'
    if (mayStartWorker) {
      recentCrashes++
      setTimeout(() => recentCrashes--, CRASH_WINDOW_MS).unref()
    }
    void connect(mayStartWorker ? Math.min(MAX_RETRY_PAUSE_MS, 50 * (2 ** (recentCrashes - 1) - 1)) : MIN_RETRY_PAUSE_MS)
  }
  return {
    send(text: string): void {
      const received = relay.receiveFromClient(text)
      if (received.kind === 'reply') reply(received.line)
      else if (pipe) pipe.send(text)
      else {
        // The relay sends waiting requests to the next worker. Notifications were for the old one and are dropped.
        mayStartWorker = true
        skipPause.resolve()
        void connect(0)
      }
    },
    /** The client sends nothing more: waits for the last replies, then disconnects. */
    async finish(): Promise<void> {
      for (let waited = 0; relay.isWaiting() && waited < LAST_REPLIES_TIMEOUT_MS; waited += 10) await Bun.sleep(10)
      isFinished = true
      skipPause.resolve()
      pipe?.close()
    },
  }
}

/** Starts the worker if none runs. Null when one answers, otherwise why not. */
async function startOrExplain(home: Home, startMs: number, respectsStop: boolean): Promise<string | null> {
  if (respectsStop && isStopped(home)) return "the worker was stopped; to start it: 'recollect start'"
  if (await ensureWorker(home, startMs)) return null
  return (await diagnoseUnresponsiveWorker(home)) ?? "the worker does not start; run 'recollect doctor' to find out why"
}
