import type { ProjectKey } from '../core/ids.ts'
import type { Note } from '../core/note.ts'
import { shorten } from '../core/text.ts'
import { dayOf } from '../core/time-format.ts'
import { countTokens } from '../core/tokens.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { Store } from '../store/store.ts'
import { type BriefPage, framePart, type ReasonedItem, RULE_REASON, type Share } from './page.ts'

/** A standing rule of the person, as they said it. */
export type StandingRule = { note: Note; text: string; lastSaidAt: number; timesSaid: number }

/** More would not fit, however short they are. */
const MAX_RULES_READ = 200

/** The rules that hold now, of a project and for all projects, the latest first. The store leaves out replaced and rejected ones. */
export async function rulesFor(store: Store, project: ProjectKey, now: number): Promise<StandingRule[]> {
  const notes = await store.notes.ofNamespace(project, RULES_NAMESPACE, now, MAX_RULES_READ)
  return notes
    .filter(isPersonsRule)
    .map((note) => ({ note, text: note.body, lastSaidAt: note.updatedAt, timesSaid: Math.max(1, note.said.length) }))
}

export const RULES_NAMESPACE = 'rules'

/** Whether the person said or accepted it. Other people's rules, and imported rules that were not accepted, are ordinary notes. */
const isPersonsRule = ({ author, state, said }: Note) => author === null && (state === 'accepted' || said.length > 0)

/** Adds rules as dated quotations, one line each, as long as they fit their share of the page. */
export function addRules(page: BriefPage, rules: StandingRule[], share: Share, left: ReasonedItem[]): void {
  let hasHeading = false
  for (const rule of rules) {
    const line = ruleLine(rule)
    const of: ReasonedItem = { kind: 'note', id: rule.note.id, why: RULE_REASON }
    const parts = [...(hasHeading ? [] : [framePart(RULES_HEADING)]), { of, lines: [line] }]
    const fits = share.fits(countTokens(line))
    if (fits && page.add(...parts)) {
      hasHeading = true
      share.take(countTokens(line))
    } else left.push({ ...of, why: fits ? page.whyNoRoom(...parts) : `no room: ${share.left()} tokens left for rules` })
  }
}

const RULES_HEADING = "The person's standing rules, in their words, latest first:"

export function ruleLine({ text, lastSaidAt, timesSaid }: StandingRule): string {
  const times = timesSaid > 1 ? `, said ${timesSaid} times` : ''
  return `- "${shorten(neutralizeText(text), MAX_RULE_CHARACTERS)}" (${dayOf(lastSaidAt)}${times})`
}

const MAX_RULE_CHARACTERS = 300
