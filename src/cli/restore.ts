import { shorten } from '../core/text.ts'
import { ask, post } from './ask.ts'
import { type NoteReceipt, noteNamed } from './note-words.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('restore', args)
  if (positionals.length === 0) throw new CliError('which notes? recollect restore <id…>', EXIT.invalid)
  const receipts: NoteReceipt[] = []
  for (const text of positionals) receipts.push(await ask<NoteReceipt>(`/api/notes/${noteNamed(text)}/restore`, post({})))
  if (values.json) return sayJson(receipts)
  for (const { kind, note } of receipts)
    say(`${kind === 'same' ? 'Was not forgotten' : 'Restored'}: N${note.id} ${shorten(note.title, 90)}`)
}
