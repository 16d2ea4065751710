import { type BriefScore, FOOTPRINT_KINDS, type RankingScore } from '../src/evaluate/evaluate.ts'

/** What was found, a line for each set and way of searching. */
export function searchTable(rows: [set: string, way: string, result: RankingScore][]): string {
  const lines = rows.map(([set, way, r]) => [
    set,
    way,
    ...[r['frac@5'], r['any@5'], r['frac@10'], r['any@10']].map(percent),
    r.mrr.toFixed(3),
    r.questions,
  ])
  return table(['set', 'found', 'frac@5', 'any@5', 'frac@10', 'any@10', 'MRR', 'questions'], lines)
}

/** What was named of that which the next session touched, and for how many tokens. */
export function briefTable({ sessions, ours, baseline }: BriefScore): string {
  const line = (name: string, of: BriefScore['ours']) => [
    name,
    ...FOOTPRINT_KINDS.map((kind) => `${percent(of[kind])} %`),
    Math.round(of.tokens),
    sessions,
  ]
  return table(
    ['named at the start, of what the session then touches', ...FOOTPRINT_KINDS, 'tokens', 'sessions'],
    [line('the newest 50 observations in full', baseline), line('the brief', ours)],
  )
}

/** A text with what stands between its two marks replaced. Throws when they are not there: nothing would have been written. */
export function between(text: string, filling: string): string {
  const [from, to] = [text.indexOf(OPEN), text.indexOf(CLOSE)]
  if (from < 0 || to < from) throw new Error(`there is no ${OPEN} … ${CLOSE} to write the table into`)
  return `${text.slice(0, from + OPEN.length)}\n${filling}\n${text.slice(to)}`
}

const OPEN = '<!-- eval -->'
const CLOSE = '<!-- /eval -->'

const percent = (share: number) => (100 * share).toFixed(1)
const table = (head: string[], rows: (string | number)[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
