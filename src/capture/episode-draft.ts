import { NO_WORDS, type Prompt, type Session, type Summary } from '../core/memory.ts'
import { isBareRemark, MIN_CONCLUSION_CHARACTERS } from '../core/outcome.ts'
import { firstLine } from '../core/text.ts'
import type { CapturedNoteDraft } from './drafts.ts'
import { episodeNoteId } from './episode.ts'
import { threadsOf } from './threads.ts'

/** The input for the note of a session. */
export type Episode = {
  session: Session
  prompts: Prompt[]
  /** One per turn. */
  summaries: Summary[]
  /** Changed files. */
  files: string[]
  /** The event that triggered the note. */
  hook: 'session-end' | 'precompact'
}

const MAX_SECTION_CHARS = 600
const MAX_FILES_LISTED = 40
const MAX_TITLE_CHARS = 80

/** Drafts the note of a session: the request, the branch, the changed files and the outcome. Null if the session is not worth a note. */
export function episodeDraft({ session, prompts, summaries, files, hook }: Episode): CapturedNoteDraft | null {
  const requests = prompts.filter(({ origin, text }) => origin === 'person' && text !== NO_WORDS).map((prompt) => prompt.text)
  const outcome = outcomeOf(prompts)
  if (isTrivialSession(requests[0] ?? '', outcome, files)) return null
  const meaningful = requests.find((text) => countLetters(text) >= 10)
  const ask = meaningful ?? requests.toSorted((a, b) => countLetters(b) - countLetters(a))[0] ?? ''
  const name =
    wholeTitle(session.title, meaningful ?? '') || meaningful || summaries.find((summary) => summary.completed !== '')?.completed || ask
  const parts = [
    `**Ask:** ${clipSection(ask) || '(no user prompt captured)'}`,
    session.branch ? `**Branch:** ${session.branch}` : '',
    filesPart(files),
    `**Outcome:** ${clipSection(outcome) || '(no assistant output captured)'}`,
    labelledSection('Learned', summaries.findLast((summary) => summary.learned !== '')?.learned),
    labelledSection('Next steps', summaries.at(-1)?.nextSteps),
  ]
  return {
    id: episodeNoteId(session),
    title: firstLine(name, MAX_TITLE_CHARS) || 'Session summary',
    body: parts.filter(Boolean).join('\n\n'),
    type: 'episodic',
    namespace: 'sessions',
    scope: 'project',
    project: session.project,
    source: 'session-end',
    session: session.contentSessionId,
    confidence: 1,
    tags: ['session', hook],
    createdAt: session.startedAt,
    updatedAt: session.lastEventAt,
  }
}

/** The session's title, or the first line of the request if the title is only the beginning of it and the line is short enough for a note. */
function wholeTitle(title: string | null, request: string): string | null {
  if (!title) return title
  const line = firstLine(request, Number.MAX_SAFE_INTEGER)
  const isCut = line.length > title.length && line.toLowerCase().includes(title.toLowerCase().replace(/…$/, ''))
  return isCut && line.length <= MAX_TITLE_CHARS ? line : title
}

/**
 * The answer with the result of the session's last thread that has one. A last answer that only reports a commit or says very little comes
 * before it. Without any result, the last answer.
 */
function outcomeOf(prompts: Prompt[]): string {
  const last = prompts.findLast(({ answer }) => answer?.trim())?.answer?.trim() ?? ''
  const result = threadsOf(prompts).findLast(({ outcome }) => outcome !== null)?.outcome
  const answer = prompts.find(({ number }) => number === result)?.answer?.trim()
  if (!answer || answer === last) return last
  return isBareRemark(last) ? `${last}\n\n${answer}` : answer
}

/** A session without changed files, without a prompt or with only a slash command, and with a tiny outcome. */
export function isTrivialSession(firstPrompt: string, outcome: string, files: string[]): boolean {
  if (files.length > 0) return false
  return outcome.length < MIN_CONCLUSION_CHARACTERS && (firstPrompt.trim() === '' || isLoneCommand(firstPrompt))
}

/** Measures how much a prompt says. Sessions often start with a slash command, a greeting or a menu choice. */
const countLetters = (text: string) => (isLoneCommand(text) ? 0 : text.replace(/[^\p{L}\p{N}]/gu, '').length)

const isLoneCommand = (text: string) => /^\/\S+$/.test(text.trim())

function filesPart(files: string[]): string {
  if (files.length === 0) return ''
  const more = files.length - MAX_FILES_LISTED
  const shown = files.slice(0, MAX_FILES_LISTED).map((file) => `- ${file}`)
  return [`**Files touched (${files.length}):**`, ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

const labelledSection = (label: string, text: string | undefined) => (text?.trim() ? `**${label}:** ${clipSection(text)}` : '')

/** The start of a text, lines kept. It never ends in half a character, and closes an open code block. */
function clipSection(text: string): string {
  const whole = text.trim()
  const cut =
    whole.length <= MAX_SECTION_CHARS
      ? whole
      : `${whole
          .slice(0, MAX_SECTION_CHARS - 1)
          .toWellFormed()
          .replace(/\uFFFD$/, '')
          .trimEnd()}…`
  return (cut.match(/^\s*```/gm)?.length ?? 0) % 2 === 1 ? `${cut}\n\`\`\`` : cut
}
