import { type BriefScore, FOOTPRINT_KINDS, type RankingScore } from '../src/evaluate/evaluate.ts'

/** The search scores as a markdown table, with one row per set and search method. */
export function searchTable(rows: [set: string, method: string, result: RankingScore][]): string {
  const lines = rows.map(([set, method, r]) => [
    set,
    method,
    ...[r['frac@5'], r['any@5'], r['frac@10'], r['any@10']].map(percent),
    r.mrr.toFixed(3),
    r.questions,
  ])
  return table(['set', 'search', 'frac@5', 'any@5', 'frac@10', 'any@10', 'MRR', 'questions'], lines)
}

/** As a markdown table: how much of what a session touched was shown at its start, and for how many tokens. */
export function briefTable({ sessions, ours, baseline }: BriefScore): string {
  const line = (name: string, of: BriefScore['ours']) => [
    name,
    ...FOOTPRINT_KINDS.map((kind) => `${percent(of[kind])} %`),
    Math.round(of.tokens),
    sessions,
  ]
  return table(
    ['shown at the start of a session', ...FOOTPRINT_KINDS, 'tokens', 'sessions'],
    [line('the newest 50 observations in full', baseline), line('the brief', ours)],
  )
}

/** Replaces the text between the two marks. Throws if the marks are missing. */
export function replaceBetweenMarks(page: string, text: string): string {
  const [from, to] = [page.indexOf(OPENING_MARK), page.indexOf(CLOSING_MARK)]
  if (from < 0 || to < from) throw new Error(`the page has no ${OPENING_MARK} … ${CLOSING_MARK}; add both marks where the tables belong`)
  return `${page.slice(0, from + OPENING_MARK.length)}\n${text}\n${page.slice(to)}`
}

const OPENING_MARK = '<!-- eval -->'
const CLOSING_MARK = '<!-- /eval -->'

const percent = (share: number) => (100 * share).toFixed(1)
const table = (head: string[], rows: (string | number)[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
