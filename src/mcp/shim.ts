/**
 * The process that a client starts for a session: it carries lines between the client and the worker, starts the worker when it is
 * away, and lets another one take its place without the client noticing. It knows nothing of the protocol but which requests wait
 * for an answer, holds no database and loads no package, so it is quick to start and small.
 */
import { projectKey } from '../core/project.ts'
import { hookEnvironment, readEnvironment } from '../platform/environment.ts'
import { homePaths } from '../platform/paths.ts'
import { findProject } from '../platform/project.ts'
import { ensureWorker } from '../wire/start.ts'
import { diagnoseUnresponsiveWorker } from '../wire/unresponsive-worker.ts'
import { openPipe, type PipeEnd, type WorkerPipe } from '../wire/worker-pipe.ts'
import { openRelay } from './relay.ts'
import { lineSplitter } from './stdio-lines.ts'

/** Serves the client at our stdin and stdout until it closes them. */
export async function serveStdin(): Promise<void> {
  const out = Bun.stdout.writer()
  const reply = (text: string) => {
    out.write(`${text}\n`)
    void out.flush()
  }
  const line = openWorkerConnection(sessionProject(), reply)
  const split = lineSplitter((text) => line.send(text), reply)
  for await (const chunk of Bun.stdin.stream()) split(chunk)
  await line.finish()
}

/** The project of the folder that the client works in. Its home or the root says nothing about what it works on. */
export function sessionProject(): string | null {
  const folder = sessionFolder()
  return folder === '/' || folder === readEnvironment().userHome ? null : projectKey(findProject(folder))
}

/** The folder that the client works in. */
export const sessionFolder = () => hookEnvironment().projectFolder ?? process.cwd()

const WORKER_START_TIMEOUT_MS = 15_000
const LAST_REPLIES_TIMEOUT_MS = 10_000
/** Looking for a worker begins at once and slows down to this; so does starting one that keeps dying. */
const MIN_RETRY_PAUSE_MS = 500
const MAX_RETRY_PAUSE_MS = 30_000
const CRASH_WINDOW_MS = 60_000

/** One client's line to whichever worker there is. */
export function openWorkerConnection(project: string | null, reply: (line: string) => void, startMs = WORKER_START_TIMEOUT_MS) {
  const home = homePaths()
  const relay = openRelay()
  let pipe: WorkerPipe | null = null
  let isSeeking = false
  let hurry = Promise.withResolvers<void>()
  /** A worker is to be started, not only looked for. */
  let isWanted = false
  let deaths = 0
  let isOver = false

  const seek = async (pauseMs: number) => {
    if (isSeeking) return
    isSeeking = true
    for (let pause = relay.isWaiting() ? 0 : pauseMs; !pipe && !isOver; pause = Math.max(MIN_RETRY_PAUSE_MS, pause * 2)) {
      // Who waits for an answer is not kept waiting for long, and still does not make us try without a breath.
      const longest = relay.isWaiting() ? MIN_RETRY_PAUSE_MS : MAX_RETRY_PAUSE_MS
      if (pause > 0) await Promise.race([Bun.sleep(Math.min(pause, longest)), hurry.promise])
      hurry = Promise.withResolvers<void>()
      await attempt()
    }
    isSeeking = false
  }
  const attempt = async () => {
    if ((isWanted || relay.isWaiting()) && !(await ensureWorker(home, startMs))) {
      isWanted = false
      const why = (await diagnoseUnresponsiveWorker(home)) ?? `the worker does not start; 'recollect doctor' says why`
      for (const line of relay.failWaiting(`Recollect: ${why}`)) reply(line)
      return
    }
    const opened = await openPipe(home, project, { message: hear, end: lose })
    if (!opened) return
    // The client left while we were looking: nobody else would close it, and it would keep us here for ever.
    if (isOver) return opened.close()
    pipe = opened
    isWanted = false
    for (const line of relay.linesForNewWorker()) opened.send(line)
  }
  const hear = (line: string) => {
    if (relay.receiveFromWorker(line)) reply(line)
  }
  const lose = (how: PipeEnd) => {
    pipe = null
    if (isOver) return
    // One that somebody sent away comes back when it is needed, or by itself; one that died is wanted at once.
    isWanted = how === 'lost'
    if (isWanted) {
      deaths++
      setTimeout(() => deaths--, CRASH_WINDOW_MS).unref()
    }
    void seek(isWanted ? Math.min(MAX_RETRY_PAUSE_MS, 50 * (2 ** (deaths - 1) - 1)) : MIN_RETRY_PAUSE_MS)
  }
  return {
    send(text: string): void {
      const taken = relay.receiveFromClient(text)
      if (taken.kind === 'answer') reply(taken.line)
      else if (pipe) pipe.send(text)
      else {
        // Whatever waits for an answer is told to the next worker; the rest was meant for the one that is gone.
        isWanted = true
        hurry.resolve()
        void seek(0)
      }
    },
    /** The client has nothing more to say: waits a moment for the last answers. */
    async finish(): Promise<void> {
      for (let waited = 0; relay.isWaiting() && waited < LAST_REPLIES_TIMEOUT_MS; waited += 10) await Bun.sleep(10)
      isOver = true
      hurry.resolve()
      pipe?.close()
    },
  }
}
