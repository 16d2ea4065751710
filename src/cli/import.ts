import { resolve } from 'node:path'
import { readEnvironment } from '../platform/environment.ts'
import { exists } from '../platform/files.ts'
import { IMPORT_SOURCES, type ImportLine, type ImportSource } from '../wire/api.ts'
import { askLines, post } from './ask.ts'
import { currentProject } from './current-project.ts'
import { parse } from './parse.ts'
import { CliError, dim, EXIT, plural, progressBar, say, sayJson } from './print.ts'

export type HistoryImportResult = Extract<ImportLine, { kind: 'done' }> & { left: { file: string; reason: string }[] }

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('import', args)
  const paths = positionals.map((path) => resolve(path))
  const missing = paths.find((path) => !exists(path))
  if (missing) throw new CliError(`there is no ${missing}`, EXIT.invalid)
  const from = values.native ? 'native' : (values.from ?? 'transcripts')
  const source = IMPORT_SOURCES.find((known) => known === from)
  if (!source) throw new CliError(`"${from}" is nothing to import from; there are ${IMPORT_SOURCES.join(', ')}`, EXIT.invalid)
  if (source !== 'transcripts') {
    if (values.since !== undefined) throw new CliError('--since goes with transcripts only', EXIT.invalid)
    // Loose markdown says nothing of a project: it belongs where the person stands.
    const project = values.project ?? (source === 'markdown' ? currentProject() : null)
    const brought = await importMemories({ from: source, paths, project })
    return values.json ? sayJson(brought) : sayMemoryImport(brought)
  }
  const result = await importHistory({ paths, since: values.since ?? null, project: values.project ?? null })
  if (values.json) return sayJson(result)
  sayHistoryImport({ ...result, where: paths.join(', ') || readEnvironment().claudeConfig })
}

type MemoryImportResult = Extract<ImportLine, { kind: 'imported' }> & { left: { file: string; reason: string }[] }

async function importMemories(wish: { from: ImportSource; paths: string[]; project: string | null }): Promise<MemoryImportResult> {
  if (wish.from !== 'native' && wish.paths.length !== 1)
    throw new CliError(`say what to import: recollect import --from ${wish.from} <path>`, EXIT.invalid)
  const bar = progressBar('Importing')
  const left: MemoryImportResult['left'] = []
  let begun = false
  try {
    for await (const line of askLines<ImportLine>('/api/import', post(wish))) {
      if (line.kind === 'importing') bar.at(line.done, line.of, line.what)
      begun ||= line.kind === 'importing'
      if (line.kind === 'skipped') left.push({ file: line.file, reason: line.reason })
      if (line.kind === 'failed' && !begun) throw new CliError(`${line.error}. Nothing was changed.`, EXIT.invalid)
      if (line.kind === 'failed') throw new CliError(`the import stopped: ${line.error}. What came in before stays; a second run goes on.`)
      if (line.kind === 'imported') return { ...line, left }
    }
  } finally {
    bar.end()
  }
  throw new CliError('the worker went away during the import. Run it again to go on.')
}

function sayMemoryImport({ notes, left, ms, ...rows }: MemoryImportResult): undefined {
  const counts = [
    [rows.sessions, 'new session'],
    [rows.prompts, 'new prompt'],
    [rows.observations, 'new observation'],
    [rows.summaries, 'new summary', 'new summaries'],
    [notes.added, 'new note'],
    [notes.updated, 'changed note'],
    [notes.forgotten, 'forgotten note'],
  ] as [number, string, string?][]
  const news = counts.filter(([n]) => n > 0).map(([n, one, many]) => plural(n, one, many))
  say(`${news.length > 0 ? `Brought in ${news.join(', ')}` : 'Nothing new'} (${(ms / 1000).toFixed(1)} s).`)
  const reasons = Map.groupBy(left, (file) => file.reason)
  for (const [reason, files] of reasons)
    say(dim(`Left out ${files.length === 1 ? (files[0]?.file ?? '') : plural(files.length, 'file')}: ${reason}.`))
}

/** Imports and shows how far it is; resolves with what came of it. */
export async function importHistory(wish: { paths: string[]; since: string | null; project: string | null }): Promise<HistoryImportResult> {
  const bar = progressBar('Importing')
  const left: HistoryImportResult['left'] = []
  try {
    for await (const line of askLines<ImportLine>('/api/import', post(wish))) {
      if (line.kind === 'progress') bar.at(line.bytes, line.totalBytes, `${line.done + 1} of ${line.files} files`)
      if (line.kind === 'distilling') bar.at(1, 1, `${line.waiting} turns still to be told`)
      if (line.kind === 'skipped') left.push({ file: line.file, reason: line.reason })
      if (line.kind === 'failed') throw new CliError(`the import stopped: ${line.error}. Run it again to go on.`)
      if (line.kind === 'done') return { ...line, left }
    }
  } finally {
    bar.end()
  }
  throw new CliError('the worker went away during the import. Run it again to go on.')
}

export function sayHistoryImport(i: HistoryImportResult & { where: string }): undefined {
  if (i.files + i.skipped === 0) return say(`No transcripts were found in ${i.where}.`)
  say(
    `Read ${plural(i.files, 'transcript')} in ${(i.ms / 1000).toFixed(1)} s: ` +
      `${plural(i.prompts, 'new prompt')}, ${plural(i.toolUses, 'new tool use')} in ${plural(i.sessions, 'session')}.`,
  )
  if (i.unreadableLines > 0) say(`${plural(i.unreadableLines, 'line')} could not be read and were passed over.`)
  const reasons = Map.groupBy(i.left, (file) => file.reason)
  for (const [reason, files] of reasons) say(dim(`Left out ${plural(files.length, 'file')}: ${reason}.`))
}
