import { type Anchor, type AnchorCheck, type AnchorState, leafOf } from './anchor.ts'
import type { Observation } from './memory.ts'
import type { Note } from './note.ts'
import { shorten } from './text.ts'
import { neutralizeText } from './untrusted-text.ts'

/** A remark shown beside a memory about its code. Code that is the same or unknown gets none. */
export type CodeMark = {
  /** `unmerged`: the work is on no branch any more, and its code is not here. */
  state: Exclude<AnchorState, 'same' | 'unknown'> | 'unmerged'
  /** `changed since: \`localTime\``. */
  text: string
  /** A description of code that is gone: shown last, as history. */
  isHistory: boolean
  /** The names of what is gone. */
  gone: string[]
}

export type CheckedAnchor = { anchor: Anchor & { isAbandoned?: boolean }; check: AnchorCheck }

/** More names would make the mark longer than the memory. */
const MAX_NAMES = 3

/**
 * The mark of a memory. A lasting one, such as a decision, holds while code changes; it is marked only when its code was moved or is gone. Null
 * if nothing is to be said.
 */
export function codeMark(isLasting: boolean, checked: CheckedAnchor[]): CodeMark | null {
  const named = checked.filter(({ anchor }) => anchor.name !== null)
  const isFound = named.some(({ check: { state } }) => state === 'same' || state === 'changed')
  if (!isFound && checked.some(({ anchor }) => anchor.isAbandoned))
    return {
      state: 'unmerged',
      text: 'from a branch that was not merged',
      isHistory: !isLasting,
      gone: named.map(({ anchor }) => leafOf(anchor.name ?? '')),
    }
  const gone = named.filter(({ check }) => check.state === 'gone')
  const goneNames = gone.map(({ anchor }) => leafOf(anchor.name ?? ''))
  if (gone.length > 0 && !isFound && !named.some(({ check }) => check.state === 'unknown'))
    return { state: 'gone', text: `no longer in the code: ${listOf(gone.map(nameAndPlace))}`, isHistory: !isLasting, gone: goneNames }
  const parts = [
    ...(gone.length > 0 ? [`no longer in the code: ${listOf(gone.map(nameAndPlace))}`] : []),
    ...named.flatMap(({ anchor, check }) => moveText(anchor, check)),
    ...(isLasting ? [] : changeTexts(named)),
  ]
  return parts.length === 0 ? null : { state: 'changed', text: parts.slice(0, MAX_NAMES).join('; '), isHistory: false, gone: goneNames }
}

const quoted = (name: string) => `\`${shorten(neutralizeText(name).replaceAll('`', ''), 60)}\``
const nameOf = ({ name }: Anchor) => quoted(leafOf(name ?? ''))
const nameAndPlace = ({ anchor }: CheckedAnchor) => `${nameOf(anchor)} of ${shorten(neutralizeText(anchor.path), 80)}`

function listOf(names: string[]): string {
  const shown = [...new Set(names)]
  return shown.length > MAX_NAMES ? `${shown.slice(0, MAX_NAMES).join(', ')} and ${shown.length - MAX_NAMES} more` : shown.join(', ')
}

function moveText(anchor: Anchor, { movedTo, renamedTo }: AnchorCheck): string[] {
  if (movedTo === null && renamedTo === null) return []
  const name = renamedTo !== null && leafOf(renamedTo) !== leafOf(anchor.name ?? '') ? quoted(leafOf(renamedTo)) : ''
  const place = movedTo === null ? '' : `in ${shorten(neutralizeText(movedTo), 80)}`
  const now = [name, place].filter(Boolean).join(' ')
  return now === '' ? [] : [`${nameOf(anchor)} is now ${now}`]
}

/** The new header says most; without one, the names of what changed. */
function changeTexts(named: CheckedAnchor[]): string[] {
  const changed = named.filter(({ check }) => check.state === 'changed')
  if (changed.length === 0) return []
  const headers = changed.flatMap(({ anchor, check }) =>
    check.newHeader === null ? [] : [`${nameOf(anchor)} is now ${quotedHeader(check.newHeader)}`],
  )
  const others = changed.filter(({ check }) => check.newHeader === null).map(({ anchor }) => nameOf(anchor))
  return [...(others.length > 0 ? [`changed since: ${listOf(others)}`] : []), ...headers.slice(0, 1)]
}

const quotedHeader = (header: string) => `\`${shorten(neutralizeText(header).replaceAll('`', ''), 120)}\``

/** Whether an observation holds whatever becomes of the code: a decision, a reason, or what a failure taught. */
export const isLastingObservation = ({ type, concepts }: Pick<Observation, 'type' | 'concepts'>): boolean =>
  type === 'decision' || concepts.some((concept) => /^(?:why-it-exists|trade-off|gotcha)$/.test(concept))

/** Whether a note holds whatever becomes of the code. A pinned one holds because a person says so. */
export const isLastingNote = ({ namespace, pinned }: Pick<Note, 'namespace' | 'pinned'>): boolean =>
  pinned || /^(?:rules|decisions|blockers|open-ends)$/.test(namespace)
