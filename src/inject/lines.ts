import type { Observation, Summary } from '../core/memory.ts'
import { asData } from '../core/neutral.ts'
import { shorten } from '../core/text.ts'
import { age } from '../core/when.ts'

/** What a summary says, a line for each of its fields. */
export function summaryLines(s: Summary): string[] {
  const fields: [string, string, number][] = [
    ['Asked', s.request, 300],
    ['Looked at', s.investigated, 240],
    ['Learned', s.learned, 500],
    ['Done', s.completed, 500],
    ['Next', s.nextSteps, 300],
    ['Notes', s.notes, 240],
  ]
  return fields.flatMap(([label, text, max]) => (text ? [`- ${label}: ${shorten(asData(text), max)}`] : []))
}

/** An observation in a line: enough to know whether to ask for it. */
export function observationLine(o: Observation & { branch?: string | null }, now: number, branch: string | null = null): string {
  const files = o.filesModified.slice(0, 2).join(', ')
  const what = shorten(asData(o.subtitle ? `${o.title} — ${o.subtitle}` : o.title), 220)
  const where = files && !what.includes(o.filesModified[0] ?? files) ? ` [${shorten(asData(files), 120)}]` : ''
  const off = branch !== null && o.branch && o.branch !== branch ? ` (${shorten(shownBranch(o.branch), 40)})` : ''
  return `#${o.id} · ${age(o.at, now)} · ${o.type} · ${what}${where}${off} · ~${o.tokens}t`
}

/** The first of what it found. */
export function factLines(o: Observation): string[] {
  return o.facts.slice(0, FACTS_SHOWN).map((fact) => `  - ${shorten(asData(fact), 200)}`)
}

const FACTS_SHOWN = 3

/** A branch has any name; here it is a word among others. */
export const shownBranch = (branch: string) => shorten(asData(branch).replace(/[<>"&]/g, ''), 80)

/** Without what could end the attribute, escaped or not: capture reads escapes too when it takes the block out. */
export const attribute = (text: string) => asData(text).replace(/["&<>\\%]/g, '')
