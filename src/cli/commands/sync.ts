import { shortMemoryId } from '../../core/memory-kinds.ts'
import { CONFLICT_CHOICES, type SyncReport, type SyncState } from '../../core/sync.ts'
import { shorten } from '../../core/text.ts'
import { formatAgo } from '../../core/time-format.ts'
import { call } from '../call.ts'
import { json } from '../command.ts'
import { requireNoteId } from '../note-command.ts'
import { defineCommand, seeHelp } from '../parse.ts'
import { dim, EXIT, invalidInput, plural, print, printJson, printTable, yellow } from '../print.ts'

/** A little longer than the worker itself waits for the network. */
const SYNC_TIMEOUT_MS = 600_000

export const command = defineCommand({
  name: 'sync',
  summary: 'share notes between your machines, over git',
  usage: `recollect sync [--dry-run] [--json]
       recollect sync status [--json]
       recollect sync history <id> [--at COMMIT] [--json]
       recollect sync --resolve <id> --ours|--theirs|--both [--json]

  Commits the notes of this machine, fetches the others, merges both and pushes. It also runs when a session starts and after it ends.
  Set the remote with 'recollect init --remote <address>'; without one, notes are only committed.

  status      the remote, pending changes, conflicts, and the result of the last sync
  history     the versions of a note, with the machine each came from; --at prints one`,
  words: '[status | history <id>]',
  options: {
    'dry-run': { type: 'boolean', about: 'print what would be sent and received, and change nothing' },
    resolve: { type: 'string', value: 'ID', about: 'choose between two versions of a note' },
    ours: { type: 'boolean', about: 'with --resolve: keep the version of this machine' },
    theirs: { type: 'boolean', about: 'with --resolve: keep the version of the other machine' },
    both: { type: 'boolean', about: 'with --resolve: keep both, as two notes' },
    at: { type: 'string', value: 'COMMIT', about: 'with history: print this version' },
    json,
  },
  async run({ values, positionals }) {
    const asJson = values.json ?? false
    const [action, id, ...rest] = positionals
    if (rest.length > 0) throw invalidInput(`unexpected argument "${rest[0]}"; ${seeHelp('sync')}`)
    if (values.resolve !== undefined) {
      const chosen = CONFLICT_CHOICES.filter((choice) => values[choice])
      return resolveConflict(values.resolve, chosen, asJson)
    }
    switch (action) {
      case undefined:
        return syncNow(values['dry-run'] ?? false, asJson)
      case 'status':
        return printState(asJson)
      case 'history':
        return printHistory(id, values.at, asJson)
      default:
        throw invalidInput(`unknown sync action "${action}"; use status, history <id>, or none to sync now`)
    }
  },
})

async function syncNow(dryRun: boolean, asJson: boolean): Promise<number> {
  const report = await call('POST /api/sync', { dryRun, folder: process.cwd() }, { timeoutMs: SYNC_TIMEOUT_MS })
  if (asJson) printJson(report)
  else {
    printSyncReport(report, dryRun)
    if (report.received.length > 0) await (await import('../join-offers.ts')).printJoinOffers()
  }
  return report.outcome === 'refused' ? EXIT.error : EXIT.done
}

export function printSyncReport(report: SyncReport, dryRun = false): void {
  const { committed, received, kept, withheld, outcome } = report
  printFiles(dryRun ? 'Would commit' : 'Committed', committed)
  printFiles(dryRun ? 'Would receive' : 'Received', received)
  printFiles(dryRun ? 'Would keep as another version' : 'Kept as another version', kept)
  if (kept.length > 0 && !dryRun)
    print(`Two machines changed the same note. 'recollect sync status' shows both versions; choose one with --resolve.`)
  for (const { path, line } of withheld) print(yellow(`Withheld: ${path}, line ${line}, contains text that must not leave this machine`))
  for (const { project, written, copied, problem } of report.mirrored) {
    if (problem) print(yellow(`Not mirrored: ${project}: ${problem}`))
    if (written > 0) print(`Mirrored: ${plural(written, 'record')} into the repository of ${project}`)
    if (copied > 0) print(`Copied: ${plural(copied, 'note')} of others from the repository of ${project}`)
  }
  const ending = syncEnding(report, dryRun)
  if (ending) print(ending)
  if (outcome === 'local') print(dim(`No remote is set, so notes stay on this machine. To set one: recollect init --remote <address>`))
}

function printFiles(label: string, paths: string[]): void {
  if (paths.length === 0) return
  print(`${label}: ${plural(paths.length, 'file')}`)
  for (const path of paths.slice(0, 10)) print(dim(`  ${path}`))
  if (paths.length > 10) print(dim(`  and ${paths.length - 10} more`))
}

function syncEnding({ outcome, pushed, committed, received, reason }: SyncReport, dryRun: boolean): string {
  switch (outcome) {
    case 'synced':
      if (pushed) return dryRun ? 'Would push.' : 'Synced and pushed.'
      return committed.length + received.length > 0 ? 'Synced.' : 'Nothing to sync.'
    case 'local':
      return committed.length > 0 ? '' : 'Nothing to commit.'
    case 'offline':
      return `The remote cannot be reached (${reason}). Committed notes are pushed next time.`
    case 'busy':
      return `Not synced now: ${reason}.`
    case 'refused':
      return yellow(`Not synced: ${reason}.`)
  }
}

async function printState(asJson: boolean): Promise<undefined> {
  const state = await call('GET /api/sync')
  if (asJson) return printJson(state)
  printTable(syncStateRows(state))
  for (const { path, line } of state.last?.withheld ?? []) print(yellow(`  withheld: ${path}, line ${line}`))
  for (const { id, of, title, machine } of state.conflicted)
    print(yellow(`  conflict: N${of} has another version, N${id} from ${machine || 'another machine'}: ${shorten(title, 60)}`))
  if (state.conflicted.length > 0) print(dim(`To resolve a conflict: recollect sync --resolve ID --ours|--theirs|--both`))
}

/** Rows for `sync status` and `status`. */
export function syncStateRows({ remote, ahead, behind, waiting, conflicted, last }: SyncState): string[][] {
  const counts = [
    waiting > 0 ? `${plural(waiting, 'file')} to commit` : '',
    ahead > 0 ? `${ahead} ahead` : '',
    behind > 0 ? `${behind} behind` : '',
    conflicted.length > 0 ? yellow(plural(conflicted.length, 'conflict')) : '',
  ].filter(Boolean)
  const problem = last?.outcome === 'refused' || last?.outcome === 'offline' ? yellow(` (${last.outcome}: ${last.reason})`) : ''
  return [
    ['Sync', `${remote || 'no remote'}${counts.length > 0 ? `, ${counts.join(', ')}` : ''}`],
    ['Last sync', last ? `${formatAgo(last.at, Date.now())}${problem}` : 'never'],
  ]
}

async function resolveConflict(noteId: string, chosen: (typeof CONFLICT_CHOICES)[number][], asJson: boolean): Promise<undefined> {
  const [choice, ...others] = chosen
  if (!choice || others.length > 0) throw invalidInput('which version? Pass exactly one of --ours, --theirs, --both')
  const resolved = await call('POST /api/sync/resolve', { id: requireNoteId(noteId), choice })
  if (asJson) return printJson(resolved)
  if (choice === 'both') return print('Kept both versions, as two notes.')
  return print(`${shortMemoryId('note', resolved.id)} now has the version of ${choice === 'ours' ? 'this machine' : 'the other machine'}.`)
}

async function printHistory(noteId: string | undefined, commit: string | undefined, asJson: boolean): Promise<undefined> {
  const id = requireNoteId(noteId)
  const history = await call('GET /api/sync/history', { id, commit })
  if (asJson) return printJson(history)
  if ('text' in history) {
    if (history.text === null) throw invalidInput(`N${id} has no version ${commit}; 'recollect sync history N${id}' lists the versions`)
    return print(history.text.trimEnd())
  }
  if (history.versions.length === 0) return print('The note has not been committed yet. To commit it: recollect sync')
  const rows = history.versions.map(({ commit, at, machine, subject }) => [
    commit.slice(0, 10),
    formatAgo(at, Date.now()),
    machine,
    dim(subject),
  ])
  return printTable(rows)
}
