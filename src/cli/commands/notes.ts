import { shortMemoryId } from '../../core/memory-kinds.ts'
import { isDeletedOrExpired, type Note } from '../../core/note.ts'
import { shorten } from '../../core/text.ts'
import { formatAge } from '../../core/time-format.ts'
import { call } from '../call.ts'
import { json, limit, noteOptions, project } from '../command.ts'
import { currentProject, projectNamer, requireKnownProject } from '../current-project.ts'
import { defineCommand } from '../parse.ts'
import { bold, dim, fitToTerminal, plural, print, printJson, table } from '../print.ts'

export const command = defineCommand({
  name: 'notes',
  summary: 'list the notes of this project, newest first',
  usage: 'recollect notes [--ns N] [--type T] [--all] [--hidden] [--project P] [--limit N] [--json]',
  words: null,
  options: {
    ns: noteOptions.ns,
    type: noteOptions.type,
    all: { type: 'boolean', about: 'list the notes of all projects' },
    hidden: { type: 'boolean', about: 'include superseded, expired and forgotten notes' },
    project,
    limit: limit('50', 1000),
    json,
  },
  async run({ values }) {
    const project = values.all ? null : (values.project ?? currentProject())
    const { notes, counts } = await call('GET /api/notes', {
      limit: values.limit,
      namespace: values.ns,
      type: values.type,
      ...(project ? { project } : {}),
      ...(values.hidden ? { hidden: true } : {}),
    })
    if (notes.length === 0) await requireKnownProject(values)
    if (values.json) return printJson({ project, notes, counts })
    if (notes.length > 0) return printNotes(notes, counts.conflicted, await projectNamer())
    const elsewhere = counts.all > 0 ? ` Other projects have ${plural(counts.all, 'note')}: recollect notes --all.` : ''
    return print(`No notes here yet. Save one with 'recollect capture <text>', or write [decision] in a prompt.${elsewhere}`)
  },
})

function printNotes(notes: Note[], conflicts: number, nameOf: (project: string) => string): undefined {
  const now = Date.now()
  const scopeOf = (note: Note) => (note.scope === 'project' ? nameOf(note.project) : note.scope)
  const isOneScope = new Set(notes.map(scopeOf)).size === 1
  const rows = notes.map((note) => [
    shortMemoryId('note', note.id),
    formatAge(note.updatedAt, now),
    note.namespace,
    ...(isOneScope ? [] : [scopeOf(note)]),
    `${note.pinned ? '★ ' : ''}${bold(shorten(note.title, 90))}${dim(stateOf(note, now))}${dim(note.tags.map((tag) => ` #${tag}`).join(''))}`,
  ])
  for (const line of table(rows).split('\n')) print(fitToTerminal(line))
  const more = conflicts > 0 ? ` ${plural(conflicts, 'conflict')} to resolve: recollect sync status.` : ''
  print(dim(`\n${plural(notes.length, 'note')} shown. To read one: recollect get <id>.${more}`))
}

function stateOf(note: Note, now: number): string {
  if (note.deletedAt !== null) return '  (forgotten)'
  if (isDeletedOrExpired(note, now)) return '  (expired)'
  if (note.state === 'proposed') return '  (proposed)'
  if (note.author !== null) return `  (by ${note.author})`
  return note.conflictOf ? `  (another version of ${shortMemoryId('note', note.conflictOf)})` : ''
}
