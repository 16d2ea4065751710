import { join, resolve } from 'node:path'
import type { AgentName } from '../../core/agent.ts'
import { findClaudeMem } from '../../platform/claude-mem.ts'
import { readEnvironment } from '../../platform/environment.ts'
import { exists } from '../../platform/files.ts'
import type { ImportLine, ImportSource } from '../../wire/contract/upkeep.ts'
import { agentOption, parseAgents } from '../agents.ts'
import { callLines } from '../call.ts'
import type { OfferedSetting } from '../claude-mem-settings.ts'
import { json } from '../command.ts'
import { currentProject } from '../current-project.ts'
import { defineCommand } from '../parse.ts'
import { CliError, dim, EXIT, invalidInput, plural, print, printJson, progressBar } from '../print.ts'

const IMPORT_SOURCES = [
  'git',
  'git-notes',
  'claude-mem',
  'subcog',
  'anamnesis',
  'markdown',
  'jsonl',
  'transcripts',
  'native',
] as const satisfies readonly ImportSource[]

export const command = defineCommand({
  name: 'import',
  summary: 'import history from transcripts or other programs',
  usage: `recollect import [paths…] [--agent A,B] [--since DATE] [--project P] [--json]
       recollect import --native [--json]
       recollect import --from git [folder] [--since DATE] [--project P] [--json]
       recollect import --from git-notes [folder] [--project P] [--json]
       recollect import --from claude-mem [database] [--settings] [--project P] [--json]
       recollect import --from subcog [database] [--project P] [--json]
       recollect import --from anamnesis [folder] [--project P] [--json]
       recollect import --from markdown|jsonl <path> [--project P] [--json]

  Without paths it imports the sessions of every agent: Claude Code, Codex, Copilot CLI, Gemini CLI, Qwen Code and OpenCode. Known sessions are skipped; an interrupted import continues when you run it again.

  git          the commit messages of a repository, of this folder if none is given: the newest 20,000, or all since a date
  git-notes    the notes in refs/notes/mem of a repository: yours, those of others as copies, and what Subcog left there
  subcog       its database, by default ~/.local/share/subcog/index.db
  claude-mem   its database, by default ~/.claude-mem/claude-mem.db; import the transcripts first, they contain more
  anamnesis    a folder of its notes, by default all notes in ~/.anamnesis
  markdown     any folder of markdown files, as notes of this folder's project
  jsonl        a file that 'recollect export' wrote; tool uses are not imported`,
  words: '[paths…]',
  options: {
    since: { type: 'string', value: 'DATE', about: 'only transcripts or commits since then: 2026-03-01, 7d, yesterday' },
    project: { type: 'string', value: 'P', about: 'import into this project (transcripts: import only those of this project)' },
    agent: agentOption,
    native: { type: 'boolean', about: "import Claude Code's own memory as notes" },
    from: { type: 'string', of: IMPORT_SOURCES, about: 'what the path contains' },
    settings: { type: 'boolean', about: 'with claude-mem: also leave out the projects and tools that its settings leave out' },
    json,
  },
  async run({ values, positionals }) {
    const paths = positionals.map((path) => resolve(path))
    const missing = paths.find((path) => !exists(path))
    if (missing) throw invalidInput(`${missing} does not exist; pass existing files or folders`)
    const source = values.native ? 'native' : (values.from ?? 'transcripts')
    if (source === 'transcripts') {
      const agents = parseAgents(values.agent)
      const result = await importHistory({
        ...(agents ? { agents } : {}),
        paths,
        since: values.since ?? null,
        project: values.project ?? null,
      })
      if (values.json) return printJson(result)
      return printHistoryImport({ ...result, where: paths.join(', ') || "your agents' folders" })
    }
    if (values.agent !== undefined) throw invalidInput(`--agent works only with transcripts, not with ${source}; leave it out`)
    if (values.since !== undefined && source !== 'git')
      throw invalidInput(`--since works only with transcripts and git, not with ${source}; leave it out`)
    // A markdown file does not name its project, so it belongs to the one of this folder.
    const project = values.project ?? (source === 'markdown' ? currentProject() : null)
    if (values.settings && source !== 'claude-mem') throw invalidInput('--settings works only with --from claude-mem; leave it out')
    const from = paths.length > 0 ? paths : usualPaths(source)
    const offers = source === 'claude-mem' ? await claudeMemSettings(from[0], values.settings ?? false) : []
    const imported = await importMemories({ from: source, paths: from, project, since: values.since ?? null })
    if (values.json) return printJson(source === 'claude-mem' ? { ...imported, settings: offers } : imported)
    printMemoryImport(imported)
    if (offers.length > 0) (await import('../claude-mem-settings.ts')).printOfferedSettings(offers, values.settings ?? false)
    await (await import('../join-offers.ts')).printJoinOffers()
  },
})

/** What to import if no path is given. */
function usualPaths(source: ImportSource): string[] {
  if (source === 'git' || source === 'git-notes') return [process.cwd()]
  const { userHome } = readEnvironment()
  if (source === 'claude-mem') return [findClaudeMem(userHome) ?? noDatabase(source, '~/.claude-mem/claude-mem.db')]
  if (source === 'anamnesis' && exists(join(userHome, '.anamnesis'))) return [join(userHome, '.anamnesis')]
  if (source !== 'subcog') return []
  const databases = ['.local/share', 'Library/Application Support'].map((data) => join(userHome, data, 'subcog', 'index.db'))
  return [databases.find(exists) ?? noDatabase(source, '~/.local/share/subcog/index.db')]
}

function noDatabase(source: ImportSource, place: string): never {
  throw invalidInput(`there is no ${place}; name the database: recollect import --from ${source} <path>`)
}

/** The settings to offer. They are applied before the import, so that it leaves out what they exclude. */
async function claudeMemSettings(database: string | undefined, isWanted: boolean): Promise<OfferedSetting[]> {
  if (database === undefined) return []
  const { applyOfferedSettings, offeredSettings } = await import('../claude-mem-settings.ts')
  const offers = offeredSettings(database)
  if (isWanted) await applyOfferedSettings(offers)
  return offers
}

type SkippedFile = { file: string; reason: string }
type MemoryImportResult = Extract<ImportLine, { kind: 'imported' }> & { left: SkippedFile[] }

async function importMemories(request: {
  from: ImportSource
  paths: string[]
  project: string | null
  since: string | null
}): Promise<MemoryImportResult> {
  const { from, paths } = request
  if (from !== 'native' && paths.length !== 1)
    throw invalidInput(`--from ${from} needs exactly one path: recollect import --from ${from} <path>`)
  const bar = progressBar('Importing')
  const skipped: SkippedFile[] = []
  let hasStarted = false
  try {
    for await (const line of callLines('POST /api/import', request)) {
      if (line.kind === 'importing') bar.at(line.done, line.of, line.what)
      hasStarted ||= line.kind === 'importing'
      if (line.kind === 'skipped') skipped.push({ file: line.file, reason: line.reason })
      if (line.kind === 'failed') throw failedImport(line.error, hasStarted)
      if (line.kind === 'imported') return { ...line, left: skipped }
    }
  } finally {
    bar.end()
  }
  throw workerStopped()
}

const failedImport = (error: string, hasStarted: boolean) =>
  hasStarted
    ? new CliError(`the import stopped: ${error}. What was imported before is stored; run the command again to continue.`)
    : new CliError(`${error}. Nothing was changed.`, EXIT.invalid)
const workerStopped = () => new CliError('the worker stopped during the import. Run the command again to continue.')

function printMemoryImport({ notes, left, ms, ...rows }: MemoryImportResult): undefined {
  const counts = [
    [rows.sessions, 'new session'],
    [rows.prompts, 'new prompt'],
    [rows.observations, 'new observation'],
    [rows.summaries, 'new summary', 'new summaries'],
    [rows.commits, 'new commit'],
    [notes.added, 'new note'],
    [notes.updated, 'changed note'],
    [notes.forgotten, 'forgotten note'],
  ] as [number, string, string?][]
  const parts = counts.filter(([n]) => n > 0).map(([n, one, many]) => plural(n, one, many))
  print(`${parts.length > 0 ? `Imported ${parts.join(', ')}` : 'Nothing new'} (${(ms / 1000).toFixed(1)} s).`)
  for (const [reason, files] of Map.groupBy(left, (file) => file.reason))
    print(dim(`Skipped ${files[0]?.file}${files.length > 1 ? ` and ${files.length - 1} more` : ''}: ${reason}.`))
}

export type HistoryImportResult = Extract<ImportLine, { kind: 'done' }> & { left: SkippedFile[] }

/** Imports transcripts and shows the progress. */
export async function importHistory(request: {
  agents?: AgentName[]
  paths: string[]
  since: string | null
  project: string | null
}): Promise<HistoryImportResult> {
  const bar = progressBar('Importing')
  const skipped: SkippedFile[] = []
  try {
    for await (const line of callLines('POST /api/import', request)) {
      if (line.kind === 'progress') bar.at(line.bytes, line.totalBytes, `${line.done + 1} of ${line.files} files`)
      if (line.kind === 'distilling') bar.at(1, 1, `${line.waiting} turns left to distill`)
      if (line.kind === 'skipped') skipped.push({ file: line.file, reason: line.reason })
      if (line.kind === 'failed') throw new CliError(`the import stopped: ${line.error}. Run the command again to continue.`)
      if (line.kind === 'done') return { ...line, left: skipped }
    }
  } finally {
    bar.end()
  }
  throw workerStopped()
}

export function printHistoryImport(result: HistoryImportResult & { where: string }): undefined {
  const { files, skipped, where, ms, prompts, toolUses, sessions, unreadableLines, left } = result
  if (files + skipped === 0) return print(`No transcripts found in ${where}.`)
  print(
    `Read ${plural(files, 'transcript')} in ${(ms / 1000).toFixed(1)} s: ` +
      `${plural(prompts, 'new prompt')}, ${plural(toolUses, 'new tool use')} in ${plural(sessions, 'session')}.`,
  )
  if (unreadableLines > 0) print(`Skipped ${plural(unreadableLines, 'unreadable line')}.`)
  for (const [reason, group] of Map.groupBy(left, (file) => file.reason)) print(dim(`Skipped ${plural(group.length, 'file')}: ${reason}.`))
}
