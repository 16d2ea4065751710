import type { Observation } from '../../core/memory.ts'
import type { Note } from '../../core/note.ts'
import { shorten } from '../../core/text.ts'
import { ask } from '../ask.ts'
import { dryRun, json, yes } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { parseForgettable } from '../note-command.ts'
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
    for (const { path } of memories) await ask(`${path}${hard ? '?hard=1' : ''}`, { method: 'DELETE' })
    if (values.json) return printJson({ forgotten: memories.map(({ id }) => id), hard })
    return print(hard ? `Deleted:\n${listed}` : `Forgotten:\n${listed}\nTo bring them back: recollect restore <id>`)
  },
})

async function findMemory(word: string): Promise<{ kind: string; id: string; shown: string; title: string; path: string }> {
  const memory = parseForgettable(word)
  if (memory.kind === 'note') return { ...memory, title: (await ask<Note>(memory.path)).title }
  const { observation } = await ask<{ observation: Observation | null }>(memory.path)
  if (!observation) throw invalidInput(`no observation has the id ${memory.id}; 'recollect search' shows ids`)
  return { ...memory, title: observation.title }
}
