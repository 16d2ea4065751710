import { shorten } from '../../core/text.ts'
import { backupFileIn } from '../backups.ts'
import { call } from '../call.ts'
import { dryRun, json, yes } from '../command.ts'
import { type ForgettableMemory, parseForgettable } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { invalidInput, print, printJson } from '../print.ts'

export const command = defineCommand({
  name: 'restore',
  summary: 'bring back forgotten memories, or everything from a backup',
  usage: `recollect restore <id…> [--json]
       recollect restore <file> [--dry-run] [--yes] [--json]

  A path (./memories), a name that ends in .tar.gz and the name of an existing file mean a backup; everything else is the id of a memory.
  A backup replaces the memories, notes and settings of the home. They are moved to a folder in the home, not deleted.`,
  words: '<id…>|<file>',
  options: { 'dry-run': { ...dryRun, about: 'verify the backup, print what it would replace, and change nothing' }, yes, json },
  async run({ values, positionals }) {
    const file = backupFileIn(positionals)
    if (file !== null) return (await import('../restore-backup.ts')).restoreFromBackup(file, values)
    if (values['dry-run']) throw invalidInput('--dry-run works only with a backup; restoring memories by id deletes nothing')
    if (positionals.length === 0) throw invalidInput('which memory? recollect restore <id…>, for example 12 or N01K…')
    const restored: Awaited<ReturnType<typeof restore>>[] = []
    for (const memory of positionals.map(parseForgettable)) restored.push(await restore(memory))
    if (values.json) return printJson(restored)
    for (const one of restored) {
      const name =
        'note' in one ? `N${one.note.id} ${shorten(one.note.title, 90)}` : `#${one.observation.id} ${shorten(one.observation.title, 90)}`
      print(`${one.kind === 'same' ? 'Not forgotten, so not changed' : 'Restored'}: ${name}`)
    }
  },
})

const restore = ({ kind, id }: ForgettableMemory) =>
  kind === 'note' ? call('POST /api/notes/:id/restore', { id }) : call('POST /api/observations/:id/restore', { id })
