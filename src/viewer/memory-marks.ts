import type { CodeMark } from '../core/code-mark.ts'
import type { WorkOutcome } from '../core/work-outcome.ts'
import type { InjectionUsage, SearchHit } from '../wire/contract/memories.ts'
import type { FullNote, NoteWithUrn } from '../wire/contract/notes.ts'
import { formatCount } from './formats.ts'
import type { MarkText } from './marks.tsx'
import { nameOfProject } from './project-list.ts'
import { hrefOf, memoryHref } from './route.ts'

/** The marks beside the title of a note's page. */
export function marksOfNote(note: FullNote): (MarkText | null)[] {
  const [newer] = note.supersededBy
  return [
    note.pinned ? { kind: 'pinned', words: 'pinned', about: 'Every brief contains it.' } : null,
    note.state === 'proposed' ? { kind: 'proposed', words: 'proposed', about: 'No one has accepted it yet.' } : null,
    note.scope === 'project' ? null : { kind: 'kind', words: note.scope },
    newer ? { kind: 'replaced', words: 'replaced', href: memoryHref('note', newer) } : null,
  ]
}

/** The marks beside a rule, a decision or an open end; `newer` is the one that replaced it. */
export function marksOfStatement(note: NoteWithUrn, newer: string | null): (MarkText | null)[] {
  return [
    note.deletedAt !== null ? { kind: 'rejected', words: 'rejected' } : null,
    note.deletedAt === null && newer ? { kind: 'replaced', words: 'replaced by a newer one', href: memoryHref('note', newer) } : null,
    { kind: 'project', words: note.scope === 'global' ? 'every project' : nameOfProject(note.project) },
    note.said.length > 1 ? { kind: 'kind', words: `said ${formatCount(note.said.length, 'time')}` } : null,
    note.tags.includes('agent')
      ? { kind: 'agent', words: 'by the agent', about: 'Read from an answer of the agent, not from a prompt.' }
      : null,
  ]
}

/** Warnings about a hit. */
export function marksOfHit({ outcome, signals }: SearchHit): MarkText[] {
  if (outcome?.of === 'newer work') return [{ kind: 'replaced', words: `replaced by ${outcome.id}` }]
  if (outcome?.of === 'newer value') return [{ kind: 'outdated', words: `a value changed in ${outcome.id}` }]
  if (outcome?.replaced) return [{ kind: 'kind', words: `replaced ${outcome.replaced}` }]
  return (signals.replaced ?? 0) < 0 ? [{ kind: 'replaced', words: 'replaced' }] : []
}

/** Says that newer work replaced a result. */
export const replacedMark = (outcome: WorkOutcome | null): MarkText | null =>
  outcome?.of === 'newer work' ? { kind: 'replaced', words: `replaced by ${outcome.id}`, href: hrefOf('memory', outcome.id) } : null

/** Says that the changes a memory speaks of were undone, and by which turn or commit. */
export const undoneMark = (undoneBy: string | undefined): MarkText | null =>
  undoneBy ? { kind: 'undone', words: `undone by ${undoneBy}`, about: 'No longer in force.', href: hrefOf('memory', undoneBy) } : null

/** A warning that the code a memory speaks of was changed or deleted; null if it was not, or if nothing is known. */
export const codeMark = (code: CodeMark | null): MarkText | null =>
  code && { kind: 'outdated', words: code.isHistory ? `history: ${code.text}` : code.text, about: 'Compared with the working tree.' }

/** How many lines of a brief were used later, or why that is not known. */
export function markOfUsage({ counted, used, doubt }: InjectionUsage): MarkText {
  if (doubt) return { kind: 'unused', words: doubt === 'too few sessions' ? 'too few sessions to tell' : 'too early to tell' }
  return { kind: used > 0 ? 'used' : 'unused', words: `${used} of ${formatCount(counted, 'line')} used later` }
}
