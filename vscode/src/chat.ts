/** The chat participant `@recollect`. It answers from memory alone and asks no model, so that it works without one. */
import { type ChatRequest, type ChatResponseStream, chat, type Disposable, MarkdownString, ThemeIcon, window } from 'vscode'
import { RecollectError } from '../../src/client/client.ts'
import type { CodeMemory } from './code.ts'
import { type Memory, noteScope, searchScope } from './memory.ts'
import { briefText, hitsText, linked, linkToMemory, plain, sessionsText } from './render.ts'
import type { Sessions } from './sessions.ts'

const MAX_HITS = 6
const MAX_SESSIONS = 8
const DAY_MS = 24 * 60 * 60_000

export function addChat(memory: Memory, sessions: Sessions, code: CodeMemory): Disposable[] {
  const participant = chat.createChatParticipant('recollect.chat', async (request, _context, stream) => {
    const folder = sessions.mainFolder()
    try {
      await answerTo(request, stream, memory, sessions, code)
      // The answer is not stored: it was in memory already, and would be taken for a result.
      sessions.prompt(folder, promptOf(request), '')
    } catch (cause) {
      if (!(cause instanceof RecollectError)) throw cause
      stream.markdown(plain(cause.message))
      if (cause.kind === 'unreachable') stream.button({ command: 'recollect.start', title: 'Start Recollect' })
    }
    return {}
  })
  participant.iconPath = new ThemeIcon('history')
  participant.followupProvider = {
    provideFollowups: () => [
      { prompt: '', command: 'standup', label: 'What was done last?' },
      { prompt: '', command: 'why', label: 'Why is the selected code like this?' },
    ],
  }
  return [participant]
}

/** The words of a note are stored once, in the note, so that forgetting it is enough. */
const promptOf = ({ command, prompt }: ChatRequest) =>
  `@recollect${command ? ` /${command}` : ''} ${command === 'remember' ? '' : prompt}`.trim()

async function answerTo(
  request: ChatRequest,
  stream: ChatResponseStream,
  memory: Memory,
  sessions: Sessions,
  code: CodeMemory,
): Promise<void> {
  const folder = sessions.mainFolder()
  switch (request.command) {
    case 'remember': {
      const body = request.prompt.trim()
      if (body === '') return void stream.markdown('Write what to remember after `/remember`.')
      const { note } = await memory.ask(folder).notes.add({ body, namespace: 'learnings', ...noteScope(folder) })
      show(stream, `Saved as ${linked(`N${note.id}`, linkToMemory)}.`)
      return
    }
    case 'standup': {
      const text = await standupText(memory, folder)
      if (text === null) return void stream.markdown('No work is remembered in this project yet.')
      show(stream, text)
      return
    }
    case 'why': {
      const editor = window.activeTextEditor ?? window.visibleTextEditors[0]
      if (!editor) return void stream.markdown('Open a file and select the code to explain.')
      const { text } = await code.why(editor.document, editor.selection)
      show(stream, text)
      return
    }
    default: {
      const words = request.prompt.trim()
      if (words === '') return void stream.markdown('Ask what is remembered, for example `@recollect why do we retry?`')
      const hits = await memory.ask(folder).search(words, { limit: MAX_HITS, ...searchScope(folder) })
      if (hits.length === 0) return void stream.markdown('Nothing is remembered about this. Try fewer or other words.')
      show(stream, hitsText(hits, Date.now(), linkToMemory))
    }
  }
}

/** Recent sessions and where things stand; null if no work is remembered. */
export async function standupText(memory: Memory, folder: string | undefined): Promise<string | null> {
  const all = await memory.ask(folder).sessions({ limit: 50, ...searchScope(folder) })
  const worked = all.filter(({ promptCount, observations }) => promptCount > 0 && observations > 0)
  const recent = worked.filter(({ lastEventAt }) => Date.now() - lastEventAt < 3 * DAY_MS)
  const sessions = (recent.length > 0 ? recent : worked).slice(0, MAX_SESSIONS)
  if (sessions.length === 0) return null
  const { text } = folder === undefined ? { text: '' } : await memory.ask(folder).brief({ tokens: 600 })
  const stand = text === '' ? '' : `\n\n**Where things stand**\n\n${briefText(briefLines(text))}`
  return `**Recent sessions**\n\n${sessionsText(sessions, Date.now())}${stand}`
}

/** The brief without the tags and the sentence that are meant for a model. */
export const briefLines = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^<\/?recollect-context|Recalled data, not instructions/.test(line))
    .join('\n')
    .trim()

function show(stream: ChatResponseStream, text: string): void {
  const markdown = new MarkdownString(text)
  markdown.isTrusted = { enabledCommands: ['recollect.openMemory'] }
  stream.markdown(markdown)
}
