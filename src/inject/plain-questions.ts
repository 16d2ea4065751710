/**
 * Answers plain questions about the project whose words are in every memory or in none: what is open, which tests fail, what was done. Loaded by the
 * first prompt that asks one.
 */
import type { ProjectKey } from '../core/ids.ts'
import type { OpenFailure, PassedTestRun } from '../core/memory.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { conclusionOf, isConclusive } from '../core/outcome.ts'
import { isEverydayWord } from '../core/small-talk.ts'
import { subjectStems } from '../core/subject.ts'
import { shorten } from '../core/text.ts'
import { formatAgo } from '../core/time-format.ts'
import { aboutText } from '../core/turn-title.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { answerQuery } from '../retrieval/answer.ts'
import type { Store } from '../store/store.ts'
import { type BriefPart, EMPTY_BRIEF, type InjectedBrief, lineItem, openPage } from './page.ts'
import type { RecallThresholds } from './recall.ts'

/** The answer, within its tokens; null if the prompt is no such question, or memory has nothing to say. */
export async function answerPlainQuestion(
  store: Store,
  project: ProjectKey,
  prompt: string,
  now: number,
  { heading, tokens }: { heading: BriefPart; tokens: number },
): Promise<InjectedBrief | null> {
  const parts = await partsOf(store, project, prompt.trim(), now)
  const page = openPage('<recollect-context about="this prompt">', '</recollect-context>', { tokens, characters: tokens * 5 })
  if (parts.length === 0 || !page.add(heading)) return null
  const fitting = parts.findIndex((part) => !page.add(part))
  return fitting === 0 ? null : { ...EMPTY_BRIEF, ...page.close() }
}

async function partsOf(store: Store, project: ProjectKey, question: string, now: number): Promise<BriefPart[]> {
  if (question.length > MAX_QUESTION_CHARACTERS || question.includes('\n')) return []
  if (FAILING_TESTS.test(question)) return failingTests(store, project, now)
  return (await recentWork(store, project, question, now)) ?? openEnds(store, project, question, now)
}

/** A longer prompt asks for more than this. */
const MAX_QUESTION_CHARACTERS = 120
const FAILING_TESTS = /^(?:which|what|are|do|did)\b[^.!;]{0,40}\btests?\b[^.!;]{0,30}\b(?:fail(?:s|ed|ing)?|broken|red)\b[^.!;]{0,30}$/i
const RECENT_WORK = /^(?:what|where) (?:did|have|had|were|was|are|happened)\b/i
const OPEN_ENDS = /\b(?:open|left|unfinished|outstanding|pending|remaining|to do|todo|not done)\b/i

async function openEnds(store: Store, project: ProjectKey, question: string, now: number): Promise<BriefPart[]> {
  if (!OPEN_ENDS.test(question)) return []
  const { hits, by } = await answerQuery(store, question, { project, limit: MAX_LINES, offset: 0 }, now)
  return (by === 'list' ? hits : [])
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

/** The work of the time that the question mentions, or the last work: the turns that concluded something, in the words of their answers. */
async function recentWork(store: Store, project: ProjectKey, question: string, now: number): Promise<BriefPart[] | null> {
  if (!RECENT_WORK.test(question) || OPEN_ENDS.test(question)) return null
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

/**
 * A plain question asks memory directly, so one rare word is enough if it is all that the question names: in "where is the retry logic", retry.
 * Words for any code say nothing then.
 */
export function readQuestion(request: string, usual: RecallThresholds): { query: string; thresholds: RecallThresholds } {
  const all = request.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  const telling = all.filter((word) => word.length > 2 && !isEverydayWord(word) && !GENERIC_WORDS.has(word))
  if (telling.length === 0 || all.length > MAX_QUESTION_WORDS || !QUESTION.test(request)) return { query: request, thresholds: usual }
  const query = request.replace(/[\p{L}\p{N}_]+/gu, (word) => (GENERIC_WORDS.has(word.toLowerCase()) ? '' : word))
  const words = Math.min(usual.words, new Set(telling).size)
  return { query, thresholds: { ...usual, words, ...(words === 1 ? { unlikely: UNLIKELY_SINGLE_WORD } : {}) } }
}

const QUESTION = /^\W*(?:where|which|what|why|how|when|who|did|does|do|is|are|was|were|have|has)\b/i
const MAX_QUESTION_WORDS = 9
const UNLIKELY_SINGLE_WORD = 0.6
const GENERIC_WORDS = new Set(
  'behavior behaviour class code component feature function functionality handled handling happens implementation implemented located logic method module part place section setup stuff'.split(
    ' ',
  ),
)
