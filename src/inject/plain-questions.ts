/**
 * Answers plain questions about the project whose words are in every memory or in none: what is open, which tests fail, what was done. Loaded by the
 * first prompt that asks one.
 */
import type { ProjectKey } from '../core/ids.ts'
import type { OpenFailure } from '../core/memory.ts'
import { memoryId, shortMemoryId } from '../core/memory-kinds.ts'
import { conclusionOf, isConclusive } from '../core/outcome.ts'
import { kindsOfChoice } from '../core/settlement.ts'
import { isEverydayWord } from '../core/small-talk.ts'
import { subjectStems } from '../core/subject.ts'
import { shorten } from '../core/text.ts'
import { formatAgo } from '../core/time-format.ts'
import { aboutText } from '../core/turn-title.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { answerQuery } from '../retrieval/answer.ts'
import type { Store } from '../store/store.ts'
import { writeWithMarks } from './code-marks.ts'
import { type BriefPart, type CheckCode, EMPTY_BRIEF, type InjectedBrief, lineItem, openPage, type ReasonedItem } from './page.ts'
import { stillFailing } from './passing-tests.ts'
import type { RecallThresholds } from './recall.ts'
import { ruleLine, rulesFor } from './rules.ts'

/** The answer, within its tokens; null if the prompt is no such question, or memory has nothing to say. */
export async function answerPlainQuestion(
  store: Store,
  project: ProjectKey,
  prompt: string,
  now: number,
  { heading, tokens, shown, checkCode }: { heading: BriefPart; tokens: number; shown: Set<string>; checkCode: CheckCode | null },
): Promise<InjectedBrief | null> {
  const parts = (await partsOf(store, project, prompt.trim(), now)).filter(({ of }) => !shown.has(`${of.kind}:${of.id}`))
  if (parts.length === 0) return null
  const written = await writeWithMarks((marks) => {
    const page = openPage('<recollect-context about="this prompt">', '</recollect-context>', { tokens, characters: tokens * 5 }, marks)
    const fitting = page.add(heading) ? parts.findIndex((part) => !page.add(part)) : 0
    return fitting === 0 ? EMPTY_BRIEF : { ...EMPTY_BRIEF, ...page.close(), left: parts.flatMap(({ turn }) => turn ?? []) }
  }, checkCode)
  return written.text === '' ? null : written
}

/** `turn`: where a line comes from that belongs to no memory. The record of it goes when that turn is deleted. */
type AnswerPart = BriefPart & { turn?: ReasonedItem }

async function partsOf(store: Store, project: ProjectKey, question: string, now: number): Promise<AnswerPart[]> {
  if (question.length > MAX_QUESTION_CHARACTERS || question.includes('\n')) return []
  if (FAILING_TESTS.test(question)) return failingTests(store, project, now)
  const rules = await rulesAbout(store, project, question, now)
  if (rules.length > 0) return rules
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
        `Left open ${formatAgo(hit.at, now)} (${shortMemoryId('note', hit.id)}): ${shorten(neutralizeText(hit.snippet || hit.title), MAX_CHARACTERS)}`,
      ],
    }))
}

/** The person's standing rules, if the question asks for rules; or those that choose between the tools it names: "npm or yarn?". */
async function rulesAbout(store: Store, project: ProjectKey, question: string, now: number): Promise<BriefPart[]> {
  const asksForRules = RULES.test(question)
  const kinds = asksForRules ? new Set<string>() : kindsOfChoice(question)
  if (!asksForRules && kinds.size === 0) return []
  const rules = (await rulesFor(store, project, now)).filter(({ text }) => asksForRules || !kinds.isDisjointFrom(kindsOfChoice(text)))
  return rules.slice(0, MAX_LINES).map((rule) => ({
    of: { kind: 'note', id: rule.note.id, why: 'a standing rule that the prompt asks about' },
    lines: [`The person's rule, ${ruleLine(rule).slice(2)}`],
  }))
}

const RULES = /\b(?:what|which|list|are|any)\b[^.!;]{0,20}\b(?:rules|conventions|standing instructions)\b/i

/** The tests that fail now; if none does, those that failed last. */
async function failingTests(store: Store, project: ProjectKey, now: number): Promise<AnswerPart[]> {
  const turns = await store.links.failuresBefore(project, now, MAX_FAILING_TURNS)
  const named = turns
    .flatMap(({ open, sessionId }) => open.filter(({ names }) => names.length > 0).map((failure) => ({ ...failure, sessionId })))
    .sort((a, b) => b.at - a.at)
  const failing = new Set<OpenFailure>(await stillFailing(store, project, null, named))
  const current = distinctRuns(named.filter((failure) => failing.has(failure))).slice(0, MAX_LINES)
  const said = current.length > 0 ? 'Failed when last run' : 'No test is known to fail now. The last that failed, and passed later'
  return Promise.all((current.length > 0 ? current : named.slice(0, 1)).map((failure) => failurePart(store, said, failure, now)))
}

type MetFailure = OpenFailure & { sessionId: number }

const distinctRuns = (failures: MetFailure[]) =>
  failures.filter(({ command }, place) => failures.findIndex((other) => other.command === command) === place)

async function failurePart(store: Store, said: string, failure: MetFailure, now: number): Promise<AnswerPart> {
  const { command, names, at, sessionId, promptNumber } = failure
  const prompt = await store.prompts.byNumber(sessionId, promptNumber)
  return {
    of: lineItem('failing', 'tests that failed when last run'),
    lines: [`${said}, ${formatAgo(at, now)}: ${shorten(neutralizeText(`\`${command}\`: ${names.join('; ')}`), MAX_CHARACTERS)}`],
    ...(prompt ? { turn: { kind: 'prompt', id: prompt.id, why: 'only its failing tests were shown' } } : {}),
  }
}

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
const MAX_FAILING_TURNS = 20
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
