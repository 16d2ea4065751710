import type { ProjectKey } from '../core/ids.ts'
import { pathOf, writeNote } from '../notes/notes.ts'
import type { Store } from '../store/store.ts'
import type { ExportedNoteFile, ExportKind, ExportLine } from '../wire/contract/upkeep.ts'

/** All rows of one kind. Both `contentSessionId` and `sessionId` are the agent's session id, because our row numbers mean nothing in another home. */
export function* exportLines(store: Store, kind: ExportKind, project: ProjectKey | null): Generator<ExportLine> {
  switch (kind) {
    case 'sessions':
      for (const { clientPid: _, ...s } of store.sessions.each()) {
        if (project === null || s.project === project) yield { ...s, sessionId: s.contentSessionId }
      }
      return
    case 'tool-uses':
      for (const { input, output, ...use } of store.toolUses.each(project)) {
        yield { ...use, sessionId: use.contentSessionId, input: JSON.parse(input), output: output === null ? null : JSON.parse(output) }
      }
      return
    case 'prompts':
      for (const row of store.prompts.each(project)) yield { ...row, sessionId: row.contentSessionId }
      return
    case 'observations':
      for (const row of store.observations.each(project)) yield { ...row, sessionId: row.contentSessionId }
      return
    case 'summaries':
      for (const row of store.summaries.each(project)) yield { ...row, sessionId: row.contentSessionId }
      return
    case 'notes':
      yield* store.notes.each(project)
      return
    case 'commits':
      yield* store.commits.each(project)
      return
  }
}

/** Notes as markdown files, with their paths relative to the home. */
export function* noteFiles(store: Store, project: ProjectKey | null): Generator<ExportedNoteFile> {
  for (const note of store.notes.each(project)) yield { path: pathOf(note), text: writeNote(note) }
}
