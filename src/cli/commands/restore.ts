import { shorten } from '../../core/text.ts'
import { call } from '../call.ts'
import { json } from '../command.ts'
import { type ForgettableMemory, parseForgettable } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { invalidInput, print, printJson } from '../print.ts'

export const command = defineCommand({
  name: 'restore',
  summary: 'bring back forgotten and replaced memories',
  usage: `recollect restore <id…> [--json]

  A note that another note replaced holds again; the other note stays.`,
  words: '<id…>',
  options: { json },
  async run({ values, positionals }) {
    if (positionals.length === 0) throw invalidInput('which memory? recollect restore <id…>, for example 12 or N01K…')
    const restored: Awaited<ReturnType<typeof restore>>[] = []
    for (const memory of positionals.map(parseForgettable)) restored.push(await restore(memory))
    if (values.json) return printJson(restored)
    for (const one of restored) {
      const name =
        'note' in one ? `N${one.note.id} ${shorten(one.note.title, 90)}` : `#${one.observation.id} ${shorten(one.observation.title, 90)}`
      print(`${one.kind === 'same' ? 'Neither forgotten nor replaced, so not changed' : 'Restored'}: ${name}`)
    }
  },
})

const restore = ({ kind, id }: ForgettableMemory) =>
  kind === 'note' ? call('POST /api/notes/:id/restore', { id }) : call('POST /api/observations/:id/restore', { id })
