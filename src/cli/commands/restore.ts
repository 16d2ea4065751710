import { shorten } from '../../core/text.ts'
import { formatAge } from '../../core/time-format.ts'
import { backupFileIn } from '../backups.ts'
import { call } from '../call.ts'
import { dryRun, json, yes } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { dim, invalidInput, print, printJson, printTable } from '../print.ts'

export const command = defineCommand({
  name: 'restore',
  summary: 'bring back what was deleted, or everything from a backup',
  usage: `recollect restore <id…> [--json]
       recollect restore <file> [--dry-run] [--yes] [--json]
       recollect restore [--json]

  Without an argument, lists what can be restored. A memory that was deleted with its turn or session comes back together with it.

  A path (./memories), a name that ends in .tar.gz and the name of an existing file mean a backup; everything else is the id of a memory.
  A backup replaces the memories, notes and settings of the home. They are moved to a folder in the home, not deleted.`,
  words: '[<id…>|<file>]',
  options: { 'dry-run': { ...dryRun, about: 'verify the backup, print what it would replace, and change nothing' }, yes, json },
  async run({ values, positionals }) {
    if (positionals.length === 0) return listRestorable(values.json ?? false)
    const file = backupFileIn(positionals)
    if (file !== null) return (await import('../restore-backup.ts')).restoreFromBackup(file, values)
    if (values['dry-run']) throw invalidInput('--dry-run works only with a backup; restoring memories by id deletes nothing')
    const report = await call('POST /api/restore', { ids: positionals })
    if (values.json) return printJson(report)
    for (const { id, title } of report.restored) print(`Restored: ${id} ${shorten(title, 90)}`)
    for (const id of report.unchanged) print(`Not deleted, so not changed: ${id}`)
  },
})

async function listRestorable(asJson: boolean): Promise<undefined> {
  const items = await call('GET /api/forgotten', { limit: 200 })
  if (asJson) return printJson(items)
  if (items.length === 0) return print('Nothing that was deleted can be restored.')
  const now = Date.now()
  printTable(items.map(({ id, title, forgottenAt }) => [id, dim(formatAge(forgottenAt, now)), shorten(title, 90)]))
}
