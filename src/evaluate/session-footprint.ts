import type { Action } from '../core/action.ts'
import { type EntityKind, entitiesIn } from '../core/entities.ts'

/** What a session touched and another could have been told of beforehand. */
export type SessionFootprint = {
  /** Paths within its folder. */
  files: Set<string>
  /** Those of them that it changed. */
  changed: Set<string>
  /** Names of code that it wrote, took out or was asked about. */
  names: Set<string>
  /** Errors that its commands and tools met, or that it was asked about. */
  errors: Set<string>
}

/** By what was asked of a session and done in it. What a tool failed on was not touched, but the failure was met. */
export function footprintOf(folder: string, asked: string[], uses: { action: Action; error: string | null }[]): SessionFootprint {
  const touched: SessionFootprint = { files: new Set(), changed: new Set(), names: new Set(), errors: new Set() }
  for (const text of asked) {
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
