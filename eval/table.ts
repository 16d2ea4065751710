import type { BriefScore, RankingScore, UsageScore } from '../src/evaluate/evaluate.ts'
import type { DecisionScore, DecisionScores } from './decisions.ts'
import type { RuleScore } from './rules.ts'

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

/** As a markdown table: how much of what sessions were shown they used later, and how much of what they needed was shown. */
export function briefTable({ sessions, prompts, brief, recall, baseline, chance }: BriefScore): string {
  const line = (name: string, of: UsageScore, asked: number) => [
    name,
    of.lines,
    `${percent(of.used / Math.max(1, of.lines))} %`,
    `${percent(of.coverage)} %`,
    Math.round(of.tokens),
    `${of.shown} of ${asked}`,
  ]
  return table(
    ['shown', 'lines', 'used later', 'coverage', 'tokens', 'sessions or prompts'],
    [
      line('the newest 50 observations in full', baseline, sessions),
      line('the brief', brief, sessions),
      line('recall at prompts', recall, prompts),
      [
        'the brief, compared with sessions of other projects',
        chance.lines,
        `${percent(chance.used / Math.max(1, chance.lines))} %`,
        '',
        '',
        '',
      ],
    ],
  )
}

/** Settled decisions, as a markdown table: how much of it is shown with a prompt that depends on it, beside the goals. */
export function decisionTable({ settled, amended, history, absent }: DecisionScores): string {
  const line = (name: string, of: DecisionScore, more: string, goal: string) => [
    name,
    `${percent(of.words)} %`,
    `${percent(of.numbers)} %`,
    of.tokens,
    `${of.silent} of ${of.asked}`,
    more,
    goal,
  ]
  const order = `newer first ${amended.newerFirst}, older marked ${amended.marked}`
  return table(
    ['rule settled in', "rule's own words", 'its numbers', 'tokens', 'silent', 'order', 'goal'],
    [
      line('a chat', settled, '', '80 %, 95 %, at most 300 tokens, silent once'),
      line('a chat, amended in a later one', amended, order, 'newer first and older marked, always'),
      line('a commit', history, '', '70 % of the words'),
      ['no chat', '', '', '', `${absent.silent} of ${absent.asked}`, '', 'silent 12 of 13'],
    ],
  )
}

/** Standing rules, as a markdown table, beside the goals. */
export function ruleTable({ rules, shown, replaced, stale, reallyStale, extracted, known }: RuleScore): string {
  const share = (part: number, of: number) => `${part} of ${of} (${percent(part / Math.max(1, of))} %)`
  return table(
    ['standing rules, in the brief of a new session', 'measured', 'goal'],
    [
      ['rules that hold, present', share(shown, rules), '70 %'],
      ['replaced rules, stated by an unmarked line', share(stale, replaced), 'at most 2 %'],
      ['the same, without lines that also state a rule that holds', share(reallyStale, replaced), ''],
      ['extracted rules that match one of the set', share(known, extracted), '80 %'],
    ],
  )
}

/** Replaces the text between the two marks. Throws if the marks are missing. */
export function replaceBetweenMarks(page: string, text: string, name = 'eval'): string {
  const [opening, closing] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [page.indexOf(opening), page.indexOf(closing)]
  if (from < 0 || to < from) throw new Error(`the page has no ${opening} … ${closing}; add both marks where the tables belong`)
  return `${page.slice(0, from + opening.length)}\n${text}\n${page.slice(to)}`
}

const percent = (share: number) => (100 * share).toFixed(1)
const table = (head: string[], rows: (string | number)[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
