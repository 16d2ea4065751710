import { join, resolve } from 'node:path'
import { exists, isFolder, writeInPlace } from '../../platform/files.ts'
import type { ExportKind } from '../../wire/contract/upkeep.ts'
import { callLines } from '../call.ts'
import { json, project } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { invalidInput, plural, print, printExactly, printJson } from '../print.ts'

const EXPORT_KINDS = [
  'tool-uses',
  'prompts',
  'observations',
  'summaries',
  'sessions',
  'notes',
  'commits',
] as const satisfies readonly ExportKind[]

export const command = defineCommand({
  name: 'export',
  summary: 'export one kind of memory as JSON lines, or notes as files',
  usage: `recollect export --json --kind tool-uses|prompts|observations|summaries|sessions|notes|commits [--project P]
       recollect export --kind notes --format markdown --out <folder> [--project P]

  To import it again: 'recollect import --from jsonl' or '--from markdown'. Commits are imported from their repository instead.`,
  words: null,
  options: {
    kind: { type: 'string', of: EXPORT_KINDS, about: 'what to export' },
    project,
    format: { type: 'string', of: ['jsonl', 'markdown'], default: 'jsonl', about: 'markdown writes one file for each note' },
    out: { type: 'string', value: 'FOLDER', about: 'the folder for the markdown files' },
    json,
  },
  async run({ values }) {
    const { kind, project, format, out } = values
    if (!kind) throw invalidInput(`what to export? Pass --kind ${EXPORT_KINDS.join('|')}`)
    if (format === 'jsonl') {
      if (out !== undefined) throw invalidInput('--out needs --format markdown; JSON lines go to standard output')
      for await (const row of callLines('GET /api/export', { kind, project, format })) printExactly(JSON.stringify(row))
      return
    }
    if (kind !== 'notes') throw invalidInput(`--format markdown exports only notes, not ${kind}: pass --kind notes, or leave --format out`)
    if (!out) throw invalidInput('--format markdown needs a folder: pass --out <folder>')
    const folder = resolve(out)
    if (exists(folder) && !isFolder(folder)) throw invalidInput(`--out must be a folder, and ${folder} is a file`)
    let files = 0
    for await (const line of callLines('GET /api/export', { kind, project, format })) {
      if (!('path' in line && 'text' in line)) continue
      writeInPlace(join(folder, line.path), line.text)
      files++
    }
    if (values.json) return printJson({ folder, files })
    return print(`Wrote ${plural(files, 'note')} to ${folder}.`)
  },
})
