/**
 * Answers plain questions about the project whose words are in every memory or in none: what is open, which tests fail, what was done. Loaded by the
 * first prompt that asks one.
 */
import type { ProjectKey } from '../core/ids.ts'
import type { OpenFailure, PassedTestRun } from '../core/memory.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { conclusionOf, isConclusive } from '../core/outcome.ts'
import { subjectStems } from '../core/subject.ts'
import { shorten } from '../core/text.ts'
import { formatAgo } from '../core/time-format.ts'
import { aboutText } from '../core/turn-title.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { answerQuery, asksForOpenEnds } from '../retrieval/answer.ts'
import type { Store } from '../store/store.ts'
import { type BriefPart, lineItem } from './page.ts'

/** The parts of an answer; empty if the project has none, and null if the prompt is no such question. */
export async function answerPlainQuestion(store: Store, project: ProjectKey, prompt: string, now: number): Promise<BriefPart[] | null> {
  const question = prompt.trim()
  if (question.length > MAX_QUESTION_CHARACTERS || question.includes('\n')) return null
  if (asksForOpenEnds(question)) return openEnds(store, project, question, now)
  if (FAILING_TESTS.test(question)) return failingTests(store, project, now)
  return RECENT_WORK.test(question) ? recentWork(store, project, question, now) : null
}

/** A longer prompt asks for more than this. */
const MAX_QUESTION_CHARACTERS = 120
const FAILING_TESTS = /^(?:which|what|are|do|did)\b[^.!;]{0,40}\btests?\b[^.!;]{0,30}\b(?:fail(?:s|ed|ing)?|broken|red)\b[^.!;]{0,30}$/i
const RECENT_WORK = /^(?:what|where) (?:did|have|had|were|was|are|happened)\b/i

async function openEnds(store: Store, project: ProjectKey, question: string, now: number): Promise<BriefPart[]> {
  const { hits } = await answerQuery(store, question, { project, limit: MAX_LINES, offset: 0 }, now)
  return hits
    .filter(({ kind, type }) => kind === 'note' && type === 'open-ends')
    .map((hit) => ({
      of: { kind: 'note', id: hit.id, why: 'an open end' },
      lines: [
        `Left open ${formatAgo(hit.at, now)} (${memoryId('note', hit.id)}): ${shorten(neutralizeText(hit.snippet || hit.title), MAX_CHARACTERS)}`,
      ],
    }))
}

/** The tests that failed when the project's latest sessions last ran them, unless they passed later. */
async function failingTests(store: Store, project: ProjectKey, now: number): Promise<BriefPart[]> {
  const sessions = await store.sessions.recent(project, MAX_SESSIONS)
  const passes = await store.prompts.recentPasses(project, null, MAX_PASSING_TURNS)
  const failures: OpenFailure[] = []
  for (const { id } of sessions) failures.push(...(await store.prompts.openFailuresBefore(id, Number.MAX_SAFE_INTEGER)))
  const failing = failures.filter((failure) => failure.names.length > 0 && !passes.some((pass) => isPassedLater(failure, pass)))
  return failing
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_LINES)
    .map(({ command, names, at }) => ({
      of: lineItem('failing', 'tests that failed when last run'),
      lines: [
        `Failed when last run, ${formatAgo(at, now)}: ${shorten(neutralizeText(`\`${command}\`: ${names.join('; ')}`), MAX_CHARACTERS)}`,
      ],
    }))
}

const isPassedLater = ({ command, at }: OpenFailure, pass: PassedTestRun) => pass.at > at && (pass.isWhole || pass.command === command)

/** What was done at the time that the question mentions, or last: the turns that concluded something, in the words of their answers. */
async function recentWork(store: Store, project: ProjectKey, question: string, now: number): Promise<BriefPart[] | null> {
  const { hits, time, by } = await answerQuery(store, question, { project, limit: MAX_HITS, offset: 0 }, now)
  if (by !== 'list') return null
  const wasThen = time === null || time.kept
  const parts: BriefPart[] = []
  const turns = new Set<string>()
  for (const { sessionId, turn } of hits) {
    if (parts.length >= (wasThen ? MAX_LINES : MAX_OTHER_LINES)) break
    const prompt = sessionId === null || turn === null ? null : await store.prompts.byNumber(sessionId, turn)
    if (!prompt?.answer || turns.has(`${sessionId} ${turn}`) || !isConclusive(prompt.answer)) continue
    turns.add(`${sessionId} ${turn}`)
    const result = conclusionOf(prompt.answer, [...subjectStems(prompt.text)], MAX_CHARACTERS)
    const about = aboutText(prompt.text, MAX_ABOUT_CHARACTERS)
    parts.push({
      of: { kind: 'prompt', id: prompt.id, why: wasThen ? 'work of the time that the prompt mentions' : 'the last work' },
      lines: [
        `${formatAgo(prompt.at, now)} (${memoryId('prompt', String(prompt.id))}${about ? `: “${neutralizeText(about)}”` : ''}): ${neutralizeText(result)}`,
      ],
    })
  }
  const said = `Nothing is remembered ${/^(?:since|before) /.test(time?.meaning ?? '') ? '' : 'from '}${time?.meaning ?? ''}. Before that:`
  return parts.length === 0 || wasThen ? parts : [{ of: lineItem('time', 'says how the time was understood'), lines: [said] }, ...parts]
}

const MAX_LINES = 6
const MAX_OTHER_LINES = 2
const MAX_HITS = 30
const MAX_SESSIONS = 5
const MAX_PASSING_TURNS = 50
const MAX_CHARACTERS = 220
const MAX_ABOUT_CHARACTERS = 60
