import type { ProjectKey } from '../core/ids.ts'
import { asNoteId, isDeletedOrExpired, type Note } from '../core/note.ts'
import { shorten } from '../core/text.ts'
import { dayOf } from '../core/time-format.ts'
import { countTokens } from '../core/tokens.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { Store } from '../store/store.ts'
import { type BriefPage, type BriefPart, framePart, type ReasonedItem, RULE_REASON, type Share } from './page.ts'

/** A standing rule of the person, as they said it. `replaced` is the rule that held before it, if that changed lately. */
export type StandingRule = { note: Note; text: string; lastSaidAt: number; timesSaid: number; replaced: Note | null }

/** More would not fit, however short they are. */
const MAX_RULES_READ = 200

/** The rules that hold now, of a project and for all projects, the latest first. The store leaves out replaced and rejected ones. */
export async function rulesFor(store: Store, project: ProjectKey, now: number): Promise<StandingRule[]> {
  const notes = await store.notes.ofNamespace(project, RULES_NAMESPACE, now, MAX_RULES_READ)
  const rules: StandingRule[] = []
  for (const note of notes.filter(isPersonsRule)) {
    const { body: text, updatedAt: lastSaidAt, said } = note
    rules.push({ note, text, lastSaidAt, timesSaid: Math.max(1, said.length), replaced: await replacedLately(store, note, now) })
  }
  return rules
}

/** The rule that a rule replaced, while code that follows it is still likely to be met. */
async function replacedLately(store: Store, { supersedes, updatedAt }: Note, now: number): Promise<Note | null> {
  if (supersedes.length === 0 || now - updatedAt > REPLACED_MS) return null
  const older = await Promise.all(supersedes.slice(-MAX_REPLACED_READ).map((id) => store.notes.get(asNoteId(id))))
  const known = older.filter((one) => one !== null && isPersonsRule(one) && !isDeletedOrExpired(one, now))
  return known.reduce<Note | null>((latest, one) => (one && one.updatedAt > (latest?.updatedAt ?? 0) ? one : latest), null)
}

const REPLACED_MS = 30 * 86_400_000
const MAX_REPLACED_READ = 5

export const RULES_NAMESPACE = 'rules'

/** Whether the person said or accepted it. Other people's rules, and imported rules that were not accepted, are ordinary notes. */
const isPersonsRule = ({ author, state, said }: Note) => author === null && (state === 'accepted' || said.length > 0)

/** Adds rules as dated quotations, one line each, as long as they fit their share of the page. */
export function addRules(page: BriefPage, rules: StandingRule[], share: Share, left: ReasonedItem[]): void {
  let hasHeading = false
  for (const rule of rules) {
    const before = replacedParts(rule)
    const line = ruleLine(rule)
    const cost = countTokens([line, ...before.flatMap(({ lines }) => lines)].join('\n'))
    const of: ReasonedItem = { kind: 'note', id: rule.note.id, why: RULE_REASON }
    const parts = [...(hasHeading ? [] : [framePart(RULES_HEADING)]), { of, lines: [line] }, ...before]
    const fits = share.fits(cost)
    if (fits && page.add(...parts)) {
      hasHeading = true
      share.take(cost)
    } else left.push({ ...of, why: fits ? page.whyNoRoom(...parts) : `no room: ${share.left()} tokens left for rules` })
  }
}

const RULES_HEADING = "The person's standing rules, in their words, latest first:"

export function ruleLine({ text, lastSaidAt, timesSaid }: StandingRule): string {
  const times = timesSaid > 1 ? `, said ${timesSaid} times` : ''
  return `- "${shorten(neutralizeText(text), MAX_RULE_CHARACTERS)}" (${dayOf(lastSaidAt)}${times})`
}

const MAX_RULE_CHARACTERS = 300

/** The rule that held before, as such: code that follows it is not a model to copy. */
function replacedParts({ replaced }: StandingRule): BriefPart[] {
  if (!replaced) return []
  const line = `  No longer: "${shorten(neutralizeText(replaced.body), MAX_REPLACED_CHARACTERS)}" (${dayOf(replaced.updatedAt)})`
  return [{ of: { kind: 'note', id: replaced.id, why: 'the rule that held before' }, lines: [line] }]
}

const MAX_REPLACED_CHARACTERS = 120
