/**
 * Reports what happens in one folder to the worker, one report after the other and never in the editor's way: a report is handed over at once, sent
 * in the background, limited in time by the connection, and tried again while the worker is away. This file knows nothing of VS Code.
 */
import type { Client, ClientToolUse } from '../../src/client/client.ts'

type EditorSession = ReturnType<Client['session']>

/**
 * `agent`: an agent works in the folder and reports that work itself. `excluded`: the person's settings exclude the project. `away`: no worker
 * answers, and reports wait.
 */
export type RecorderState = 'recording' | 'agent' | 'excluded' | 'away'

export type RecorderOptions = {
  session: EditorSession
  pid: number
  /** Called when the state has changed. */
  changed(state: RecorderState): void
  /** Called for a report that the worker refused. It must not contain the report. */
  failed(reason: string): void
  /** Tries to make the worker answer. */
  wake(): Promise<void>
  /** A turn ends when nothing happened for this long. */
  idleMs: number
  retryMs: number
}

/** Reports that wait for the worker. The oldest are dropped when there are more, or when they are larger. */
const MAX_WAITING = 2000
const MAX_WAITING_CHARACTERS = 20_000_000
/** How long the end of the editor may wait. */
const MAX_CLOSE_MS = 1500

type Task = { run(): Promise<void>; characters: number }
export type Recorder = ReturnType<typeof openRecorder>

export function openRecorder(options: RecorderOptions) {
  const { session, changed, failed, wake, idleMs, retryMs } = options
  const waiting: Task[] = []
  let waitingCharacters = 0
  let state: RecorderState = 'recording'
  let isExcluded = false
  let isSending = false
  let isTurnOpen = false
  let isWorkNamed = false
  const asked: { text: string; answer: string }[] = []
  let isClosed = false
  let reported = 0
  let idle: ReturnType<typeof setTimeout> | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  const start = Date.now().toString(36)

  const become = (next: RecorderState) => {
    if (next === state) return
    state = next
    changed(state)
  }

  const drop = (index: number) => {
    for (const { characters } of waiting.splice(index, 1)) waitingCharacters -= characters
  }

  const send = async (): Promise<void> => {
    if (isSending) return
    isSending = true
    for (let task = waiting[0]; task; task = waiting[0]) {
      try {
        await task.run()
        drop(0)
        if (state === 'away') become(isExcluded ? 'excluded' : 'recording')
      } catch (cause) {
        if (!isAway(cause)) {
          drop(0)
          failed((cause as Error).message)
          continue
        }
        become('away')
        if (!isClosed) retry = setTimeout(() => void wake().then(send, send), retryMs)
        break
      }
    }
    isSending = false
  }

  const push = (run: Task['run'], characters = 0): void => {
    waiting.push({ run, characters })
    waitingCharacters += characters
    // The first one may be on its way. It is also the one that opens the session.
    while (waiting.length > 2 && (waiting.length > MAX_WAITING || waitingCharacters > MAX_WAITING_CHARACTERS)) drop(1)
  }

  const add = (report: () => void): void => {
    if (isClosed) return
    report()
    clearTimeout(idle)
    idle = setTimeout(endTurn, idleMs)
    if (state !== 'away') void send()
  }

  const closeTurn = (): void =>
    push(async () => {
      if (!isTurnOpen) return
      await session.answer('')
      isTurnOpen = false
    })

  const pushPrompt = (text: string): void =>
    push(async () => {
      await session.prompt(text)
      isTurnOpen = true
    }, text.length)

  /** A prompt with its answer is two reports, so that the prompt is not sent again when the answer fails. */
  const pushTurn = ({ text, answer }: { text: string; answer: string }): void => {
    pushPrompt(text)
    push(async () => {
      await session.answer(answer)
      isTurnOpen = false
    }, answer.length)
  }

  /** Ends the work that the person has named, and reports the questions that were asked meanwhile. */
  const endNamedWork = (): void => {
    isWorkNamed = false
    if (asked.length > 0) closeTurn()
    for (const turn of asked.splice(0)) pushTurn(turn)
  }

  function endTurn(): void {
    if (isClosed) return
    closeTurn()
    endNamedWork()
    if (state !== 'away') void send()
  }

  add(() =>
    push(async () => {
      const { sessionDbId } = await session.open({ pid: options.pid })
      isExcluded = sessionDbId === null
      if (isExcluded) become('excluded')
    }),
  )

  return {
    state: () => state,
    /**
     * Words of the person. Without an answer they name the work that follows. With one they are a question, which does not interrupt work that has a
     * name: it is reported when that work ends.
     */
    prompt: (text: string, answer?: string): void =>
      add(() => {
        if (answer !== undefined && isWorkNamed) asked.push({ text, answer })
        else if (answer !== undefined) pushTurn({ text, answer })
        else {
          endNamedWork()
          pushPrompt(text)
          isWorkNamed = true
        }
      }),
    /** Something that happened. It starts a turn if none is open. */
    report: (use: ClientToolUse): void => {
      const id = `${start}-${++reported}`
      const send = async () => {
        const answer = await session.toolUse({ ...use, id, newTurn: !isTurnOpen, unlessAgent: true })
        if (answer.status === 'skipped' && answer.reason === 'agent_at_work') return become('agent')
        if (answer.status === 'queued') {
          isExcluded = false
          isTurnOpen = true
        }
        become(isExcluded ? 'excluded' : 'recording')
      }
      add(() => push(send, JSON.stringify(use).length))
    },
    /** Sends what waits, then ends the session; gives up after a moment. */
    close: async (): Promise<void> => {
      clearTimeout(idle)
      clearTimeout(retry)
      endNamedWork()
      push(async () => void (await session.end('exit')))
      isClosed = true
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, MAX_CLOSE_MS)
      })
      const emptied = async () => {
        while (waiting.length > 0) {
          await send()
          if (state === 'away') return
          if (isSending) await new Promise((resolve) => setTimeout(resolve, 10))
        }
      }
      await Promise.race([emptied(), late])
      clearTimeout(timer)
    },
  }
}

/** Whether the report may succeed later: no worker answers, or not in time. A report has an id, so that one that arrives twice counts once. */
const isAway = (cause: unknown): boolean => {
  const kind = (cause as { kind?: string }).kind
  return kind === 'unreachable' || kind === 'late'
}
