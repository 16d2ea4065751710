import { asNoteId, isDeletedOrExpired, type Note } from '../core/note.ts'
import { readSettlement, relateSettlements, settlementSearchWords } from '../core/settlement.ts'
import type { Store } from '../store/store.ts'
import { distinctiveWords, restates } from './similarity.ts'

/** The notes that a note replaces (`older`), those that replace it because they are newer, and the one that says the same. */
export type RelatedNotes = { older: Note[]; newer: Note[]; same?: Note }

/** How many existing notes a new one is compared with: those that share most words with it. */
const MAX_COMPARED_NOTES = 40

/** Finds the notes of the same project and scope that a note restates, replaces, or is replaced by. */
export async function relatedNotes(store: Store, wanted: Note, now: number): Promise<RelatedNotes> {
  const related: RelatedNotes = { older: [], newer: [] }
  const words = [...new Set([...settlementSearchWords(wanted.body), ...distinctiveWords(wanted.body)])]
  if (words.length === 0 || wanted.type === 'episodic') return related
  const settlement = readSettlement(wanted.body)
  const within = { project: wanted.project, kinds: ['note' as const], since: 0, before: Number.MAX_SAFE_INTEGER, limit: MAX_COMPARED_NOTES }
  for (const match of await store.documents.match(words, within)) {
    const known = await store.notes.get(asNoteId(match.ref))
    if (!known || known.id === wanted.id || isDeletedOrExpired(known, now) || !areComparable(wanted, known)) continue
    const isVisible = (await store.notes.supersededBy(known.id)).length === 0
    const isSameNamespace = known.namespace === wanted.namespace
    if (isVisible && isSameNamespace && !known.pinned && wanted.said.length === 0 && restates(wanted.body, known.body)) {
      related.older.push(known)
      continue
    }
    if (!STATEMENTS.has(wanted.namespace) || !STATEMENTS.has(known.namespace)) {
      if (wanted.said.length > 0 && isSameNamespace && relateSettlements(settlement, readSettlement(known.body), true) === 'same')
        related.same ??= known
      continue
    }
    const isNewer = wanted.updatedAt >= known.updatedAt
    const isLater = wanted.session === null || known.session === null || wanted.session !== known.session
    const relation = isNewer
      ? relateSettlements(settlement, readSettlement(known.body), isLater)
      : relateSettlements(readSettlement(known.body), settlement, isLater)
    if (relation === 'same' && wanted.said.length > 0) related.same ??= known
    if (relation !== 'replaces' || !isVisible || isSameBreath(wanted, known)) continue
    const [newer, older] = isNewer ? [wanted, known] : [known, wanted]
    if (isSaidByAgent(newer) && !isSaidByAgent(older)) continue
    if (isNewer) related.older.push(known)
    else related.newer.push(known)
  }
  return related
}

/** Namespaces in which a newer note can contradict an older one. What was learned, done or left open is not a choice. */
const STATEMENTS = new Set(['rules', 'decisions', 'patterns', 'context', 'config', 'testing', 'security', 'apis'])

function areComparable(wanted: Note, known: Note): boolean {
  return known.scope === wanted.scope && known.project === wanted.project && known.type !== 'episodic' && known.conflictOf === null
}

/** Rules of one prompt complete each other: "rule 1 is …, rule 2 is …". */
const isSameBreath = (one: Note, other: Note) => one.session !== null && one.session === other.session && one.createdAt === other.createdAt

/** What an agent said must not replace what a person said. */
const isSaidByAgent = ({ said, tags }: Note) => said.length > 0 && tags.includes('agent')

/** Whether a person rejected a statement that says the same. */
export async function rejectedStatement(store: Store, wanted: Note): Promise<boolean> {
  if (wanted.said.length === 0) return false
  const rejected = await store.notes.rejected(wanted.project, MAX_REJECTED_COMPARED)
  if (rejected.length === 0) return false
  const settlement = readSettlement(wanted.body)
  return rejected.some(
    (note) => note.namespace === wanted.namespace && relateSettlements(settlement, readSettlement(note.body), true) === 'same',
  )
}

const MAX_REJECTED_COMPARED = 200
/** A rule that is said in every session must not make its file grow without end. */
const MAX_PLACES = 50

/** The places of two lists, oldest first. Of too many, the first and the latest are kept. */
export function mergePlaces(one: string[], other: string[]): string[] {
  const all = [...new Set([...one, ...other])].sort()
  return all.length <= MAX_PLACES ? all : [...all.slice(0, 1), ...all.slice(1 - MAX_PLACES)]
}
