import type { ProjectKey } from '../core/ids.ts'
import { countTokens } from '../core/tokens.ts'
import { briefFor, recallFor } from '../inject/brief.ts'
import type { SemanticSearch } from '../retrieval/search.ts'
import type { Store } from '../store/store.ts'
import { type LaterPassages, laterPassages, partsOf, partWeights, recurs, shownLines } from './recurrence.ts'

/** A session at its start, and everything that it then said and did, turn by turn: the person's prompt, and what followed it. */
export type EvaluatedSession = {
  project: ProjectKey
  at: number
  branch: string | null
  turns: { prompt: string; followed: string[] }[]
}

/** How much of what was shown was used later, and how much of what could have been known was shown. */
export type UsageScore = {
  /** Lines, and how many of them the session used. */
  lines: number
  used: number
  /** Of the words and values that the session has and an earlier session had, by weight: the share that was shown. */
  coverage: number
  /** On average, per session or per prompt that got something. */
  tokens: number
  /** Sessions or prompts that got something. */
  shown: number
}

export type BriefScore = {
  /** Sessions with earlier memories. */
  sessions: number
  prompts: number
  brief: UsageScore
  recall: UsageScore
  /** The newest 50 observations in full, as other tools inject them. */
  baseline: UsageScore
  /** The lines of the briefs, compared with all sessions of other projects: what recurs by chance. */
  chance: Pick<UsageScore, 'lines' | 'used'>
}

type ShownText = { session: EvaluatedSession; text: string; later: LaterPassages }

/** Budgets as in the settings: a first prompt may get more. */
const RECALL_TOKENS = { first: 1000, later: 400 }

/**
 * Measures how much of what sessions are shown they use later: a line counts as used if its conclusion or its values recur in what the session
 * says or does after it. Names of files and code do not count: nearly every session repeats those.
 */
export function newBriefScore() {
  const sessions: { session: EvaluatedSession; later: LaterPassages }[] = []
  const shown: Record<'brief' | 'recall' | 'baseline', ShownText[]> = { brief: [], recall: [], baseline: [] }
  let prompts = 0
  let measured = 0
  return {
    /** The store must contain nothing from after the start of the session. Sessions without earlier memories show nothing. */
    async add(store: Store, session: EvaluatedSession, meaning: SemanticSearch | null): Promise<void> {
      const { project, at, branch, turns } = session
      const later = laterFrom(session, 0)
      sessions.push({ session, later })
      const newest = (await store.observations.recent(project, 50))
        .map((o) => [`#${o.id} ${o.type} ${o.title}`, o.subtitle, o.narrative, ...o.facts, ...o.filesModified, ...o.filesRead].join('\n'))
        .join('\n')
      if (!newest || turns.length === 0) return
      measured++
      const { text } = await briefFor(store, { project, now: at, branch })
      shown.baseline.push({ session, text: newest, later })
      if (text) shown.brief.push({ session, text, later })
      const known = new Set(text.split('\n'))
      for (const [turn, { prompt }] of turns.entries()) {
        prompts++
        const budget = turn === 0 ? RECALL_TOKENS.first : RECALL_TOKENS.later
        const recalled = await recallFor(store, { project, id: null }, prompt, at, budget, meaning)
        // A session is shown nothing twice.
        const lines = recalled.text.split('\n').filter((line) => !known.has(line))
        for (const line of lines) known.add(line)
        if (shownLines(lines.join('\n')).length > 0)
          shown.recall.push({ session, text: lines.join('\n'), later: laterFrom(session, turn, false) })
      }
    },
    result(): BriefScore {
      const weightOf = partWeights(sessions.map(({ later }) => later))
      const score = (texts: ShownText[]) => scoreTexts(texts, sessions, weightOf)
      return {
        sessions: measured,
        prompts,
        brief: score(shown.brief),
        recall: score(shown.recall),
        baseline: score(shown.baseline),
        chance: scoreByChance(shown.brief, weightOf),
      }
    },
  }
}

/** The texts of a session from a turn on. A recall is not compared with the prompt that it came with. */
function laterFrom({ turns }: EvaluatedSession, from: number, withPrompt = true): LaterPassages {
  return laterPassages(turns.slice(from).flatMap(({ prompt, followed }, i) => [i > 0 || withPrompt ? prompt : '', ...followed]))
}

function scoreTexts(
  texts: ShownText[],
  sessions: { session: EvaluatedSession; later: LaterPassages }[],
  weightOf: (part: string) => number,
): UsageScore {
  let [lines, used, tokens] = [0, 0, 0]
  const partsShown = new Map<EvaluatedSession, Set<string>>()
  for (const { session, text, later } of texts) {
    const all = shownLines(text)
    lines += all.length
    used += all.filter((line) => recurs(line, later, weightOf)).length
    tokens += countTokens(text)
    const parts = partsShown.get(session) ?? new Set()
    for (const line of all) for (const statement of line) for (const part of statement) parts.add(part)
    partsShown.set(session, parts)
  }
  const shares = sessions.flatMap(({ session, later }) => {
    const earlier = sessions.filter(({ session: other }) => other.project === session.project && other.at < session.at)
    const known = partsOf(earlier.flatMap(({ later }) => later))
    const needed = [...partsOf(later).intersection(known)]
    const weigh = (parts: string[]) => parts.reduce((sum, part) => sum + weightOf(part), 0)
    return needed.length === 0 ? [] : [weigh(needed.filter((part) => partsShown.get(session)?.has(part))) / Math.max(1, weigh(needed))]
  })
  return { lines, used, coverage: mean(shares), tokens: tokens / Math.max(1, texts.length), shown: texts.length }
}

/** Compares each text with the sessions of other projects. */
function scoreByChance(texts: ShownText[], weightOf: (part: string) => number): BriefScore['chance'] {
  let [lines, used] = [0, 0]
  for (const { session, text } of texts) {
    const all = shownLines(text)
    for (const other of texts.filter((one) => one.session.project !== session.project)) {
      lines += all.length
      used += all.filter((line) => recurs(line, other.later, weightOf)).length
    }
  }
  return { lines, used }
}

const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length)
