import { shortMemoryId } from '../../core/memory-kinds.ts'
import type { Note } from '../../core/note.ts'
import { shorten } from '../../core/text.ts'
import { call } from '../call.ts'
import { json, limit, project } from '../command.ts'
import { currentProject, requireKnownProject } from '../current-project.ts'
import { requireNoteId, textFromWordsOrStdin } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { bold, dim, invalidInput, plural, print, printJson } from '../print.ts'

const KINDS = ['rules', 'decisions', 'open-ends'] as const
const ACTIONS = ['list', 'accept', 'edit', 'reject'] as const

export const command = defineCommand({
  name: 'rules',
  summary: 'list, accept, edit or reject what was said in sessions',
  usage: `recollect rules [list] [--kind rules|decisions|open-ends|all] [--state proposed|accepted] [--hidden] [--project P]
                       [--limit N] [--json]
       recollect rules accept <id…> [--json]
       recollect rules edit <id> <new text, or - for stdin> [--json]
       recollect rules reject <id…> [--json]

  Recollect reads your standing rules from your own prompts, and decisions and open ends also from the agent's answers. Each is proposed
  until you accept it. Proposed ones are used on your machines, and are left out of the git notes mirror. A rejected one does not come
  back. A newer rule replaces an older one about the same thing; 'recollect restore <id>' undoes that.`,
  words: '[list | accept | edit | reject] [<id…>]',
  options: {
    kind: { type: 'string', of: [...KINDS, 'all'], default: 'rules', about: 'what to list (default rules)' },
    state: { type: 'string', of: ['proposed', 'accepted'], about: 'list only these' },
    hidden: { type: 'boolean', about: 'include replaced and rejected ones' },
    project,
    limit: limit('50', 1000),
    json,
  },
  async run({ values, positionals }) {
    const [action = 'list', ...words] = positionals
    switch (action) {
      case 'list':
        return list(values)
      case 'accept':
        return change(words, 'Accepted', values.json, (id) => call('PATCH /api/notes/:id', { id, state: 'accepted', confidence: 1 }))
      case 'reject':
        return change(words, 'Rejected', values.json, (id) => call('DELETE /api/notes/:id', { id }))
      case 'edit':
        return edit(words, values.json)
      default:
        throw invalidInput(`unknown action "${action}"; use one of: ${ACTIONS.join(', ')}`)
    }
  },
})

type ListValues = {
  kind: string
  state?: string | undefined
  hidden?: boolean | undefined
  project?: string | undefined
  limit: number
  json?: boolean | undefined
}

async function list(values: ListValues): Promise<undefined> {
  const project = values.project ?? currentProject()
  const kinds = values.kind === 'all' ? KINDS : [values.kind]
  const lists = await Promise.all(
    kinds.map((namespace) =>
      call('GET /api/notes', {
        namespace,
        project,
        limit: values.limit,
        ...(values.state ? { state: values.state as Note['state'] } : {}),
        ...(values.hidden ? { hidden: true } : {}),
      }),
    ),
  )
  const notes = lists.flatMap((one) => one.notes)
  if (notes.length === 0) await requireKnownProject(values)
  if (values.json) return printJson({ project, notes })
  if (notes.length === 0)
    return print(`None yet. Say "from now on …", "always …" or "never …" in a prompt, or save one: recollect capture --ns rules <text>`)
  const replacedBy = new Map(
    notes.flatMap((note) => (note.deletedAt === null ? note.supersedes.map((older) => [older, note.id] as const) : [])),
  )
  for (const note of notes) printStatement(note, replacedBy.get(note.id) ?? null)
  const proposed = notes.filter((note) => note.state === 'proposed' && note.deletedAt === null).length
  const next =
    proposed > 0 ? ` ${proposed} proposed; to keep one: recollect rules accept <id>, otherwise: recollect rules reject <id>.` : ''
  return print(dim(`${plural(notes.length, 'statement')} shown.${next}`))
}

function printStatement(note: Note, replacedBy: string | null): void {
  const state = note.deletedAt !== null ? 'rejected' : replacedBy ? `replaced by ${shortMemoryId('note', replacedBy)}` : note.state
  const times =
    note.said.length > 1
      ? `said ${note.said.length} times, first ${dayIn(note.said[0])}, last ${dayIn(note.said.at(-1))}`
      : `said ${dayOfNote(note)}`
  const place = note.session ? `, session ${note.session}` : ''
  print(
    `${bold(shortMemoryId('note', note.id))}  ${dim([state, note.namespace, `${times}${place}`, ...(note.tags.includes('agent') ? ['by the agent'] : [])].join(' · '))}`,
  )
  print(`  "${shorten(note.body, 400)}"`)
}

const dayIn = (place: string | undefined) => place?.slice(0, 10) ?? ''
const dayOfNote = (note: Note) => dayIn(note.said[0]) || new Date(note.createdAt).toISOString().slice(0, 10)

async function change<T>(words: string[], done: string, asJson: boolean | undefined, act: (id: string) => Promise<T>): Promise<undefined> {
  if (words.length === 0) throw invalidInput(`which one? Pass its id, for example N7F3KQ2BD; 'recollect rules' shows ids`)
  const ids = words.map(requireNoteId)
  // All ids are looked up first, so a misspelt id changes nothing.
  const notes = await Promise.all(ids.map((id) => call('GET /api/notes/:id', { id })))
  const receipts: T[] = []
  for (const id of ids) receipts.push(await act(id))
  if (asJson) return printJson(receipts)
  for (const note of notes) print(`${done}: ${shortMemoryId('note', note.id)} ${shorten(note.title, 90)}`)
}

/** A person's own wording needs no acceptance. */
async function edit([word, ...text]: string[], asJson: boolean | undefined): Promise<undefined> {
  const id = requireNoteId(word)
  const body = await textFromWordsOrStdin(text)
  if (body.trim() === '') throw invalidInput(`what should it say? recollect rules edit N${id} <new text>`)
  const receipt = await call('PATCH /api/notes/:id', { id, body, state: 'accepted', confidence: 1 })
  return asJson
    ? printJson(receipt)
    : print(`Changed and accepted: ${shortMemoryId('note', receipt.note.id)} ${shorten(receipt.note.title, 90)}`)
}
