import { join } from 'node:path'
import { shippedFilesFolder } from '../platform/shipped-files.ts'
import { type HistoryImportResult, importHistory } from './import.ts'
import { parse } from './parse.ts'
import { say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('demo', args)
  const loaded = await loadDemo()
  if (values.json) return sayJson(loaded)
  sayDemo(loaded)
}

/** A sample project's history, read like anybody's own. */
export function loadDemo(): Promise<HistoryImportResult> {
  return importHistory({ paths: [join(shippedFilesFolder(), 'demo')], since: null, project: null })
}

export function sayDemo(loaded: HistoryImportResult): void {
  say(
    `Loaded the sample history of a project called tidepool: ${loaded.files} sessions, ${loaded.prompts} new prompts, ${loaded.toolUses} new tool uses.`,
  )
}
