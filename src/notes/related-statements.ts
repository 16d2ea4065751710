import { asNoteId, isDeletedOrExpired, type Note } from '../core/note.ts'
import { readSettlement, relateSettlements, type SettlementRelation, settlementSearchWords } from '../core/settlement.ts'
import type { Store } from '../store/store.ts'
import { distinctiveWords, restates } from './similarity.ts'

/** The notes that a note replaces (`older`), those that replace it because they are newer, and the one that says the same. */
export type RelatedNotes = { older: Note[]; newer: Note[]; same?: Note }

/** How many existing notes a new one is compared with: those that share most words with it. */
const MAX_COMPARED_NOTES = 40

/** Finds the notes of the same project and scope that a note restates, replaces, or is replaced by. */
export async function relatedNotes(store: Store, wanted: Note, now: number): Promise<RelatedNotes> {
  const related: RelatedNotes = { older: [], newer: [] }
  const words = [...new Set([...settlementSearchWords(wanted.body.slice(0, MAX_STATEMENT_CHARS)), ...distinctiveWords(wanted.body)])]
  if (words.length === 0 || wanted.type === 'episodic') return related
  const within = { project: wanted.project, kinds: ['note' as const], since: 0, before: Number.MAX_SAFE_INTEGER, limit: MAX_COMPARED_NOTES }
  for (const match of await store.documents.match(words, within)) {
    const known = await store.notes.get(asNoteId(match.ref))
    if (!known || known.id === wanted.id || isDeletedOrExpired(known, now) || !areComparable(wanted, known)) continue
    const isVisible = (await store.notes.supersededBy(known.id)).length === 0
    const relation = restatesNote(wanted, known) ? 'replaces' : relationOf(wanted, known)
    if (relation === 'same' && wanted.said.length > 0) related.same ??= known
    if (relation === 'replaces' && isVisible) (isNewer(wanted, known) ? related.older : related.newer).push(known)
  }
  return related
}

function areComparable(wanted: Note, known: Note): boolean {
  // A copy of another person's note neither replaces one of the person's own nor is replaced by it.
  return (
    known.author === null &&
    known.scope === wanted.scope &&
    known.project === wanted.project &&
    known.type !== 'episodic' &&
    known.conflictOf === null
  )
}

/** A statement that was said again counts its places instead. */
const restatesNote = (wanted: Note, known: Note) =>
  known.namespace === wanted.namespace && !known.pinned && wanted.said.length === 0 && restates(wanted.body, known.body)

/** Whether two notes say the same, or the newer of the two contradicts the older. */
function relationOf(wanted: Note, known: Note): SettlementRelation {
  // A longer text is a document: a sentence that differs from one of its own does not replace it.
  if (Math.max(wanted.body.length, known.body.length) > MAX_STATEMENT_CHARS) return 'unrelated'
  const [newer, older] = isNewer(wanted, known) ? [wanted, known] : [known, wanted]
  const isLater = newer.session === null || newer.session !== older.session
  const relation = relateSettlements(readSettlement(newer.body), readSettlement(older.body), isLater)
  if (relation === 'same') return newer.namespace === older.namespace ? 'same' : 'unrelated'
  const canReplace = CHOICES.has(newer.namespace) && CHOICES.has(older.namespace) && !isSameBreath(newer, older)
  // A statement of an agent must not replace one of a person.
  return canReplace && (!isSaidByAgent(newer) || isSaidByAgent(older)) ? relation : 'unrelated'
}

const MAX_STATEMENT_CHARS = 600

/** Namespaces in which a newer note can contradict an older one. What was learned, done or left open is not a choice. */
const CHOICES = new Set(['rules', 'decisions', 'patterns', 'context', 'config', 'testing', 'security', 'apis'])

const isNewer = (wanted: Note, known: Note) => wanted.updatedAt >= known.updatedAt

/** Rules of one prompt complete each other: "rule 1 is …, rule 2 is …". */
const isSameBreath = (one: Note, other: Note) => one.session !== null && one.session === other.session && one.createdAt === other.createdAt

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
