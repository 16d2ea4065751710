import { asProjectKey } from '../core/ids.ts'
import { isDeletedOrExpired, type Note } from '../core/note.ts'
import { projectName } from '../core/project.ts'
import { shorten } from '../core/text.ts'
import { formatAge } from '../core/time-format.ts'
import { ask } from './ask.ts'
import { currentProject, requireKnownProject } from './current-project.ts'
import { parse } from './parse.ts'
import { bold, dim, fitToTerminal, plural, say, sayJson, table } from './print.ts'

type CliNoteList = { notes: (Note & { urn: string })[]; counts: { all: number; hidden: number; conflicted: number } }

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('notes', args)
  const project = values.all ? null : (values.project ?? currentProject())
  const question = new URLSearchParams({
    limit: values.limit,
    ...(project ? { project } : {}),
    ...(values.ns ? { namespace: values.ns } : {}),
    ...(values.type ? { type: values.type } : {}),
    ...(values.hidden ? { hidden: '1' } : {}),
  })
  const { notes, counts } = await ask<CliNoteList>(`/api/notes?${question}`)
  if (notes.length === 0) await requireKnownProject(values)
  if (values.json) return sayJson({ project, notes, counts })
  if (notes.length === 0) {
    const elsewhere = counts.all > 0 ? ` There are ${plural(counts.all, 'note')} elsewhere: recollect notes --all.` : ''
    return say(`No notes here yet. 'recollect capture <text>' keeps one; so does [decision] in a prompt.${elsewhere}`)
  }
  const now = Date.now()
  const where = (note: Note) => (note.scope === 'project' ? projectName(asProjectKey(note.project)) : note.scope)
  const one = new Set(notes.map(where)).size === 1
  const rows = notes.map((note) => [
    `N${note.id}`,
    formatAge(note.updatedAt, now),
    note.namespace,
    ...(one ? [] : [where(note)]),
    `${note.pinned ? '★ ' : ''}${bold(shorten(note.title, 90))}${dim(stateOf(note, now))}${dim(note.tags.map((tag) => ` #${tag}`).join(''))}`,
  ])
  for (const line of table(rows).split('\n')) say(fitToTerminal(line))
  const more = counts.conflicted > 0 ? ` ${plural(counts.conflicted, 'conflict')} to resolve: recollect sync status.` : ''
  say(dim(`\n${plural(notes.length, 'note')} shown. In full: recollect get <id>.${more}`))
}

function stateOf(note: Note, now: number): string {
  if (note.deletedAt !== null) return '  (forgotten)'
  if (isDeletedOrExpired(note, now)) return '  (expired)'
  return note.conflictOf ? `  (another version of N${note.conflictOf})` : ''
}
