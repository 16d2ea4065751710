import { shorten } from '../../core/text.ts'
import { call } from '../call.ts'
import { dryRun, json, yes } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { type ForgettableMemory, parseForgettable } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { invalidInput, print, printJson } from '../print.ts'

export const command = defineCommand({
  name: 'forget',
  summary: 'hide notes and observations, or delete them with --hard',
  usage: 'recollect forget <id…> [--hard] [--dry-run] [--yes] [--json]',
  words: '<id…>',
  options: {
    hard: { type: 'boolean', about: 'delete them permanently, files included' },
    'dry-run': dryRun,
    yes,
    json,
  },
  async run({ values, positionals }) {
    if (positionals.length === 0) throw invalidInput('which memory? recollect forget <id…>, for example 12 or N01K…')
    // All ids are looked up before the first memory is forgotten, so a misspelt id changes nothing.
    const memories = await Promise.all(positionals.map(findMemory))
    const hard = values.hard ?? false
    const listed = memories.map(({ shown, title }) => `  ${shown} ${shorten(title, 90)}`).join('\n')
    if (values['dry-run']) return values.json ? printJson({ wouldForget: memories, hard }) : print(`Would forget:\n${listed}`)
    if (hard && !values.yes && !(await confirmed(`${listed}\nDelete permanently, files included? They cannot be restored.`)))
      return print('Nothing was changed.')
    for (const { kind, id } of memories)
      await (kind === 'note' ? call('DELETE /api/notes/:id', { id, hard }) : call('DELETE /api/observations/:id', { id, hard }))
    if (values.json) return printJson({ forgotten: memories.map(({ id }) => id), hard })
    return print(hard ? `Deleted:\n${listed}` : `Forgotten:\n${listed}\nTo bring them back: recollect restore <id>`)
  },
})

async function findMemory(word: string): Promise<ForgettableMemory & { title: string }> {
  const memory = parseForgettable(word)
  if (memory.kind === 'note') return { ...memory, title: (await call('GET /api/notes/:id', { id: memory.id })).title }
  const { observation } = await call('GET /api/observations/:id', { id: memory.id })
  if (!observation) throw invalidInput(`no observation has the id ${memory.id}; 'recollect search' shows ids`)
  return { ...memory, title: observation.title }
}
