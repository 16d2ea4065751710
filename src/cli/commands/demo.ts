import { join } from 'node:path'
import { shippedFilesFolder } from '../../platform/shipped-files.ts'
import { json } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { print, printJson } from '../print.ts'
import { type HistoryImportResult, importHistory } from './import.ts'

export const command = defineCommand({
  name: 'demo',
  summary: 'load a small sample history to explore',
  usage: 'recollect demo [--json]',
  words: null,
  options: { json },
  async run({ values }) {
    const loaded = await loadDemo()
    return values.json ? printJson(loaded) : printDemo(loaded)
  },
})

/** Imports the sample project's history like any other. */
export function loadDemo(): Promise<HistoryImportResult> {
  return importHistory({ paths: [join(shippedFilesFolder(), 'demo')], since: null, project: null })
}

export function printDemo({ files, prompts, toolUses }: HistoryImportResult): undefined {
  print(`Loaded the sample history of a project called tidepool: ${files} sessions, ${prompts} new prompts, ${toolUses} new tool uses.`)
}
