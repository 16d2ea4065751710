import type { Note } from '../core/note.ts'
import { shorten } from '../core/text.ts'
import { ask } from './ask.ts'
import { confirmed } from './confirm.ts'
import { noteNamed } from './note-words.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('forget', args)
  if (positionals.length === 0) throw new CliError('which notes? recollect forget <id…>', EXIT.invalid)
  const notes: Note[] = []
  for (const text of positionals) notes.push(await ask<Note>(`/api/notes/${noteNamed(text)}`))
  const listed = notes.map((note) => `  N${note.id} ${shorten(note.title, 90)}`).join('\n')
  if (values['dry-run']) return values.json ? sayJson({ wouldForget: notes, hard: values.hard ?? false }) : say(`Would forget:\n${listed}`)
  if (values.hard && !values.yes) {
    const goOn = await confirmed(`${listed}\nRemove for good, files included? They cannot be restored.`)
    if (!goOn) return say('Nothing was changed.')
  }
  for (const note of notes) await ask(`/api/notes/${note.id}${values.hard ? '?hard=1' : ''}`, { method: 'DELETE' })
  if (values.json) return sayJson({ forgotten: notes.map((note) => note.id), hard: values.hard ?? false })
  say(`${values.hard ? 'Gone for good' : 'Forgotten'}:\n${listed}${values.hard ? '' : "\n'recollect restore <id>' brings them back."}`)
}
