import type { Jobs } from '../core/job.ts'
import type { Prompt, Session, Summary } from '../core/memory.ts'
import { asNoteId } from '../core/note.ts'
import { firstLine } from '../core/text.ts'
import { ulidOf } from '../core/ulid.ts'
import type { Store } from '../store/store.ts'
import type { CapturedNoteDraft } from './drafts.ts'

/** A session as its note tells it. */
export type Episode = {
  session: Session
  prompts: Prompt[]
  /** Of its turns. */
  summaries: Summary[]
  /** What it changed. */
  files: string[]
  /** What asked for the note. */
  hook: 'session-end' | 'precompact'
}

export type EpisodeJob = Jobs['episode']

/** Asks for the note of a session to be written or brought up to date; asked for several times before that, it is written once. */
export async function queueEpisode(store: Store, sessionId: number, hook: EpisodeJob['hook'], at: number): Promise<void> {
  const job: EpisodeJob = { sessionId, hook }
  await store.jobs.add('episode', String(sessionId), job, at)
}

/** The same for a session that has its note; one that was imported has none, and is to have none. */
export async function refreshEpisode(store: Store, session: Session, at: number): Promise<void> {
  if (await store.notes.get(episodeNoteId(session))) await queueEpisode(store, session.id, 'session-end', at)
}

const episodeNoteId = (session: Session) => asNoteId(ulidOf(`${session.agent}\n${session.contentSessionId}`, session.startedAt))

/** Longer than this, what was asked and what came of it is cut. */
const MAX_SECTION_CHARS = 600
/** An outcome shorter than this is hardly one. */
const MIN_OUTCOME_CHARS = 40
const MAX_FILES_LISTED = 40

/** The one note of a session: what was asked, where, what was touched, how it ended. Null when nothing in it is worth a note. */
export function episodeDraft({ session, prompts, summaries, files, hook }: Episode): CapturedNoteDraft | null {
  const asked = prompts.filter((prompt) => prompt.origin === 'person').map((prompt) => prompt.text)
  const outcome = outcomeOf(prompts.flatMap((prompt) => prompt.answer?.trim() || []))
  if (isTrivialSession(asked[0] ?? '', outcome, files)) return null
  const telling = asked.find((text) => countLetters(text) >= 10)
  const ask = telling ?? asked.toSorted((a, b) => countLetters(b) - countLetters(a))[0] ?? ''
  const named = session.title || telling || summaries.find((summary) => summary.completed !== '')?.completed || ask
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
    title: firstLine(named, 80) || 'Session summary',
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

/** How it ended: the last answer. One that only says that it is committed, or next to nothing, is followed by the last that tells of the work. */
function outcomeOf(answers: string[]): string {
  const last = answers.at(-1) ?? ''
  const telling = isBareRemark(last) ? answers.findLast((answer) => !isBareRemark(answer)) : undefined
  return telling === undefined ? last : `${last}\n\n${telling}`
}

const isBareRemark = (answer: string) =>
  answer.length < MIN_OUTCOME_CHARS || (answer.length < MAX_DELIVERY_REMARK_CHARS && DELIVERED.test(answer))

/** Longer than this, an answer about a commit tells something besides. */
const MAX_DELIVERY_REMARK_CHARS = 200
const DELIVERED = /^(?:(?:all )?done[.!,:–—\s-]*)?(?:committed|pushed|merged|(?:the )?(?:new )?(?:commit|push|pr|pull request)\b)/i

/** The free gate: a touched file keeps a session; without one, no prompt or a lone command with a tiny outcome is not worth a note. */
export function isTrivialSession(firstPrompt: string, outcome: string, files: string[]): boolean {
  if (files.length > 0) return false
  return outcome.length < MIN_OUTCOME_CHARS && (firstPrompt.trim() === '' || isLoneCommand(firstPrompt))
}

/** How much a prompt says. A session often opens with a command to the client, a greeting or an answer to a menu. */
const countLetters = (text: string) => (isLoneCommand(text) ? 0 : text.replace(/[^\p{L}\p{N}]/gu, '').length)

const isLoneCommand = (text: string) => /^\/\S+$/.test(text.trim())

function filesPart(files: string[]): string {
  if (files.length === 0) return ''
  const more = files.length - MAX_FILES_LISTED
  const shown = files.slice(0, MAX_FILES_LISTED).map((file) => `- ${file}`)
  return [`**Files touched (${files.length}):**`, ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

const labelledSection = (label: string, text: string | undefined) => (text?.trim() ? `**${label}:** ${clipSection(text)}` : '')

/** The beginning of a text with its lines: no half character is left, and no code block stays open over what follows. */
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
