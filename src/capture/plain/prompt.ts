import { sentencesOf, stripMarkup } from '../../core/prose.ts'
import { linesOf, shorten } from '../../core/text.ts'
import { errorLine } from './problems.ts'

/** A prompt without pasted text and without tags that the client added. */
export type ParsedPrompt = {
  /** The person's words on one line; empty if the prompt contains only client output. */
  text: string
  /** The sentences of `text`. A line break ends a sentence too. */
  sentences: string[]
  /** The heading of a plan that the prompt contains ("Implement the following plan: # …"). */
  planTitle: string | null
  /** Says enough to name a session: not "yes", "commit", "7". */
  isMeaningful: boolean
}

/** Text beyond this is pasted, not a request. */
const MAX_PROMPT_CHARS_READ = 24_000

export function readPrompt(prompt: string, origin: 'person' | 'machine'): ParsedPrompt {
  const raw = prompt.slice(0, MAX_PROMPT_CHARS_READ)
  if (origin === 'machine') return parsedPrompt(noticeOf(raw), null, false)
  const command = slashCommand(raw)
  if (command !== null) return parsedPrompt(command, null, /\s\S+\s\S+/.test(command))
  const unwrapped = withoutWrapping(raw)
  const planTitle = /^\s*(?:please\s+)?(?:implement|execute|carry out)\b[^\n]{0,60}\bplan\b/i.test(unwrapped) ? headingOf(unwrapped) : null
  const words = planTitle ?? withoutPastes(unwrapped)
  const isClear = isMeaningful(stripMarkup(words))
  // "error=" above a pasted log says too little, so add the error line of the log.
  return parsedPrompt(isClear || !isFragment(words) ? words : `${words}\n${errorLine(pastedIn(unwrapped, words))}`, planTitle, isClear)
}

function pastedIn(prompt: string, words: string): string {
  const typed = new Set(words.split('\n'))
  return linesOf(prompt)
    .filter((line) => !typed.has(line) && !/^\s*(?:```|~~~|""")/.test(line))
    .join('\n')
}

/** Ends like the introduction of pasted text, or contains no word. */
function isFragment(words: string): boolean {
  return /[:=([{<"'`,]\s*$/.test(words) || !/\p{L}{2}|\d/u.test(words)
}

function parsedPrompt(words: string, planTitle: string | null, isMeaningful: boolean): ParsedPrompt {
  const lines = words.split('\n').map(stripMarkup)
  return { text: lines.filter(Boolean).join(' '), sentences: lines.flatMap(sentencesOf), planTitle, isMeaningful }
}

function isMeaningful(text: string): boolean {
  const letters = text.replace(/[^\p{L}\p{N}]/gu, '')
  // A CJK character is about one word, so a few of them can be a complete request.
  const wide = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(text)
  if (letters.length < (wide ? 4 : 10)) return false
  const words = text.split(/\s+/).length
  if (words < 3 && !wide) return false
  // "5 seems like a good one" refers to a list in the answer before.
  if (/^#?\d+\b(?![.)])[^.]{0,40}$/.test(text)) return false
  return !/^(?:ok|okay|yes|yeah|yep|no|sure|thanks|thank you|great|perfect|continue|go ahead|go on|commit|push|do it|sounds good|lgtm)\b[^.]{0,25}$/i.test(
    text,
  )
}

/** `/review src/auth.ts`, from the client's tags or as typed; null if the prompt is not a slash command. */
function slashCommand(prompt: string): string | null {
  const name = tagText(prompt, 'command-name')
  if (name !== null) return `${name} ${tagText(prompt, 'command-args') ?? ''}`.replace(/\s+/g, ' ').trim()
  const typed = /^\/[a-z][\w:-]*(?: .*)?$/i.exec(prompt.trim().split('\n', 1)[0] ?? '')
  return typed ? typed[0] : null
}

/** Tags of text that the client added. */
const WRAPPING = [
  'system-reminder',
  'local-command-stdout',
  'local-command-stderr',
  'local-command-caveat',
  'bash-input',
  'bash-stdout',
  'bash-stderr',
  'ide_opened_file',
  'ide_selection',
  'command-message',
  'user-prompt-submit-hook',
]

function withoutWrapping(prompt: string): string {
  let text = prompt
  for (const tag of WRAPPING) text = withoutTag(text, tag)
  return text.replace(/\[(?:Image|Pasted text)[^\]]{0,80}\]/g, '').trim()
}

function withoutTag(text: string, tag: string): string {
  let kept = ''
  let from = 0
  for (;;) {
    const open = text.indexOf(`<${tag}`, from)
    if (open < 0) return kept + text.slice(from)
    const close = text.indexOf(`</${tag}>`, open)
    kept += text.slice(from, open)
    if (close < 0) return kept
    from = close + tag.length + 3
  }
}

function tagText(text: string, tag: string): string | null {
  const open = text.indexOf(`<${tag}>`)
  const close = open < 0 ? -1 : text.indexOf(`</${tag}>`, open)
  return close < 0 ? null : text.slice(open + tag.length + 2, close).trim()
}

/** The text of a notice from the client. */
function noticeOf(prompt: string): string {
  const summary = tagText(prompt, 'summary')
  const result = tagText(prompt, 'result')
  if (summary !== null) return stripMarkup(result ? `${summary}: ${result.split('\n', 1)[0]}` : summary)
  return stripMarkup(withoutWrapping(prompt).replace(/<[^>]{1,80}>/g, ' '))
}

/** Pasted logs, code and quotes are the subject of the request, not the request. */
function withoutPastes(text: string): string {
  const typed: string[] = []
  let fence = ''
  for (const line of linesOf(text, 2000)) {
    const mark = /^\s*(```|~~~|""")/.exec(line)?.[1]
    if (mark && (fence === '' || fence === mark)) {
      fence = fence ? '' : mark
      continue
    }
    if (fence === '' && !LOG_LINE.test(line)) typed.push(line)
  }
  return typed.join('\n').trim() || text
}

const LOG_LINE =
  /^\s*(?:[❯$>%]\s|at [^(]{1,200}\([^)]{1,300}:\d+|\[?\d{4}-\d\d-\d\d[T ]|\[\d\d:\d\d|[│|┌└├]|--- (?:FAIL|PASS)|\d+\s*[|│]|[•⨯✕✖×]\s|(?:ERROR|WARN|INFO|DEBUG|FATAL|npm ERR!|Error|Traceback)\b.*:)/

function headingOf(text: string): string | null {
  const heading = /^#{1,3}\s+(.+)$/m.exec(text)?.[1]
  const title = heading && stripMarkup(heading).replace(/^(?:implementation )?plan\s*[:–—-]\s*/i, '')
  return title ? shorten(title, 160) : null
}
