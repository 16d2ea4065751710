import type { Observation } from '../core/memory.ts'
import { shorten } from '../core/text.ts'
import { ask, post } from './ask.ts'
import { type CliNoteReceipt, parseForgettable } from './note-command.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('restore', args)
  if (positionals.length === 0) throw new CliError('what? recollect restore <id…>, for instance 12 or N01K…', EXIT.invalid)
  const restored: (CliNoteReceipt | { kind: 'restored'; observation: Observation })[] = []
  for (const { path } of positionals.map(parseForgettable)) restored.push(await ask(`${path}/restore`, post({})))
  if (values.json) return sayJson(restored)
  for (const one of restored) {
    const name =
      'note' in one ? `N${one.note.id} ${shorten(one.note.title, 90)}` : `#${one.observation.id} ${shorten(one.observation.title, 90)}`
    say(`${one.kind === 'same' ? 'Was not forgotten' : 'Restored'}: ${name}`)
  }
}
