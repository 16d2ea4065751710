import { CONFLICT_CHOICES, type NoteCommit, type SyncReport, type SyncState } from '../core/sync.ts'
import { shorten } from '../core/text.ts'
import { formatAgo } from '../core/time-format.ts'
import { ask, post } from './ask.ts'
import { requireNoteId } from './note-command.ts'
import { parse } from './parse.ts'
import { CliError, dim, EXIT, plural, say, sayJson, table, yellow } from './print.ts'

/** As long as the worker itself waits for the network, and a little. */
const SYNC_TIMEOUT_MS = 600_000

export async function run(args: string[]): Promise<number | undefined> {
  const { values, positionals } = parse('sync', args)
  const json = values.json ?? false
  const [what, name, ...rest] = positionals
  if (rest.length > 0) throw new CliError(`what is "${rest[0]}"? 'recollect help sync' shows what it takes`, EXIT.invalid)
  if (values.resolve !== undefined)
    return resolveConflict(
      values.resolve,
      CONFLICT_CHOICES.filter((choice) => values[choice]),
      json,
    )
  switch (what) {
    case undefined:
      return syncNow(values['dry-run'] ?? false, json)
    case 'status':
      return showState(json)
    case 'history':
      return showHistory(name, values.at, json)
    default:
      throw new CliError(`there is no "recollect sync ${what}"; 'recollect help sync' shows what it takes`, EXIT.invalid)
  }
}

async function syncNow(dryRun: boolean, json: boolean): Promise<number> {
  const report = await ask<SyncReport>('/api/sync', { ...post({ dryRun }), timeoutMs: SYNC_TIMEOUT_MS })
  if (json) sayJson(report)
  else saySyncReport(report, dryRun)
  return report.outcome === 'refused' ? EXIT.error : EXIT.done
}

/** What travelled, in a few lines. */
export function saySyncReport(report: SyncReport, dryRun = false): void {
  const { committed, received, kept, withheld, outcome, reason, pushed } = report
  const would = dryRun ? 'Would be ' : ''
  const listed = (what: string, paths: string[]) => {
    if (paths.length === 0) return
    say(`${dryRun ? `${would}${what.toLowerCase()}` : what}: ${plural(paths.length, 'file')}`)
    for (const path of paths.slice(0, 10)) say(dim(`  ${path}`))
    if (paths.length > 10) say(dim(`  and ${paths.length - 10} more`))
  }
  listed('Committed', committed)
  listed('Received', received)
  listed('Kept as another version', kept)
  if (kept.length > 0 && !dryRun) say(`Two machines wrote the same note. 'recollect sync status' shows both; --resolve ends it.`)
  for (const { path, line } of withheld) say(yellow(`Withheld: ${path}, line ${line}, holds something that must not leave this machine`))
  for (const { project, written, problem } of report.mirrored) {
    if (problem) say(yellow(`Not mirrored: ${project}: ${problem}`))
    else if (written > 0) say(`Mirrored: ${plural(written, 'record')} into the repository of ${project}`)
  }
  const endings: Record<SyncReport['outcome'], string> = {
    synced: pushed
      ? dryRun
        ? 'Would be pushed.'
        : 'Synced and pushed.'
      : committed.length + received.length > 0
        ? 'Synced.'
        : 'Nothing to sync.',
    local: committed.length > 0 ? '' : 'Nothing to commit.',
    offline: `The remote cannot be reached (${reason}). What is committed goes along next time.`,
    busy: `Not now: ${reason}.`,
    refused: yellow(`Not synced: ${reason}.`),
  }
  if (endings[outcome]) say(endings[outcome])
  if (outcome === 'local')
    say(dim(`There is no remote, so notes stay on this machine. 'recollect init --remote <address>' gives them one.`))
}

async function showState(json: boolean): Promise<undefined> {
  const state = await ask<SyncState>('/api/sync')
  if (json) return sayJson(state)
  say(table(syncStateRows(state)))
  for (const { path, line } of state.last?.withheld ?? []) say(yellow(`  withheld: ${path}, line ${line}`))
  for (const { id, of, title, machine } of state.conflicted)
    say(yellow(`  conflict: N${of} has another version, N${id} from ${machine || 'another machine'}: ${shorten(title, 60)}`))
  if (state.conflicted.length > 0) say(dim(`'recollect sync --resolve ID --ours|--theirs|--both' ends a conflict.`))
}

/** For `sync status` and `status`. */
export function syncStateRows({ remote, ahead, behind, waiting, conflicted, last }: SyncState): string[][] {
  const counts = [
    waiting > 0 ? `${plural(waiting, 'file')} to commit` : '',
    ahead > 0 ? `${ahead} ahead` : '',
    behind > 0 ? `${behind} behind` : '',
    conflicted.length > 0 ? yellow(plural(conflicted.length, 'conflict')) : '',
  ].filter(Boolean)
  const trouble = last?.outcome === 'refused' || last?.outcome === 'offline' ? yellow(` (${last.outcome}: ${last.reason})`) : ''
  return [
    ['Sync', `${remote || 'no remote'}${counts.length > 0 ? `, ${counts.join(', ')}` : ''}`],
    ['Last sync', last ? `${formatAgo(last.at, Date.now())}${trouble}` : 'never'],
  ]
}

async function resolveConflict(name: string, choices: string[], json: boolean): Promise<undefined> {
  const [choice, ...others] = choices
  if (!choice || others.length > 0) throw new CliError('which version? give one of --ours, --theirs, --both', EXIT.invalid)
  const resolved = await ask<{ id: string }>('/api/sync/resolve', post({ id: requireNoteId(name), choice }))
  if (json) return sayJson(resolved)
  say(
    choice === 'both'
      ? `Both stay, as notes of their own.`
      : `N${resolved.id} is now as ${choice === 'ours' ? 'this machine' : 'the other machine'} wrote it.`,
  )
}

async function showHistory(name: string | undefined, at: string | undefined, json: boolean): Promise<undefined> {
  const query = new URLSearchParams({ id: requireNoteId(name), ...(at ? { commit: at } : {}) })
  const history = await ask<{ versions?: NoteCommit[]; text?: string | null }>(`/api/sync/history?${query}`)
  if (json) return sayJson(history)
  if (at) {
    if (typeof history.text !== 'string') throw new CliError(`there is no version ${at} of it`, EXIT.invalid)
    return say(history.text.trimEnd())
  }
  if (!history.versions?.length) return say('It has not been committed yet.')
  say(
    table(
      history.versions.map(({ commit, at, machine, subject }) => [commit.slice(0, 10), formatAgo(at, Date.now()), machine, dim(subject)]),
    ),
  )
}
