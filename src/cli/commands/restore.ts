import type { Observation } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import { ask, post } from '../ask.ts'
import { json } from '../command.ts'
import { type CliNoteReceipt, parseForgettable } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { invalidInput, print, printJson } from '../print.ts'

export const command = defineCommand({
  name: 'restore',
  summary: 'bring back forgotten notes and observations',
  usage: 'recollect restore <id…> [--json]',
  words: '<id…>',
  options: { json },
  async run({ values, positionals }) {
    if (positionals.length === 0) throw invalidInput('which memory? recollect restore <id…>, for example 12 or N01K…')
    const restored: (CliNoteReceipt | { kind: 'restored'; observation: Observation })[] = []
    for (const { path } of positionals.map(parseForgettable)) restored.push(await ask(`${path}/restore`, post({})))
    if (values.json) return printJson(restored)
    for (const one of restored) {
      const name =
        'note' in one ? `N${one.note.id} ${shorten(one.note.title, 90)}` : `#${one.observation.id} ${shorten(one.observation.title, 90)}`
      print(`${one.kind === 'same' ? 'Not forgotten, so not changed' : 'Restored'}: ${name}`)
    }
  },
})
