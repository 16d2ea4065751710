import type { Action } from '../core/action.ts'
import { type EntityKind, entitiesIn } from '../core/entities.ts'

/** The files, names and errors that a session touched, which a brief could have named at its start. */
export type SessionFootprint = {
  /** Paths inside its folder. */
  files: Set<string>
  /** The files that it changed. */
  changed: Set<string>
  /** Names in code that it added or removed, and in prompts. */
  names: Set<string>
  /** Errors of its commands and tools, and in prompts. */
  errors: Set<string>
}

/** Derives the footprint from prompts and tool uses. A failed tool touched no file, but its error counts. */
export function footprintOf(folder: string, prompts: string[], uses: { action: Action; error: string | null }[]): SessionFootprint {
  const touched: SessionFootprint = { files: new Set(), changed: new Set(), names: new Set(), errors: new Set() }
  for (const text of prompts) {
    collect(touched.names, text, 'symbol')
    collect(touched.errors, text, 'error')
  }
  for (const { action, error } of uses) {
    if (error !== null) collect(touched.errors, error, 'error')
    else if (action.kind === 'command') collect(touched.errors, action.output, 'error')
    if (error !== null || (action.kind !== 'read' && action.kind !== 'edit' && action.kind !== 'write')) continue
    if (action.kind === 'edit') collect(touched.names, `${action.removed}\n${action.added}`, 'symbol')
    if (action.kind === 'write') collect(touched.names, action.content, 'symbol')
    if (!action.file.startsWith(`${folder}/`)) continue
    const path = action.file.slice(folder.length + 1)
    touched.files.add(path)
    if (action.kind !== 'read') touched.changed.add(path)
  }
  return touched
}

function collect(into: Set<string>, text: string, kind: EntityKind): void {
  for (const entity of entitiesIn(text)) if (entity.kind === kind) into.add(entity.name)
}
