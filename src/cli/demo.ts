import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Imported, importHistory } from './import.ts'
import { say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } })
  const loaded = await loadDemo()
  if (values.json) return sayJson(loaded)
  sayDemo(loaded)
}

/** A sample project's history, read like anybody's own. */
export function loadDemo(): Promise<Imported> {
  return importHistory({ paths: [join(import.meta.dir, '..', '..', 'demo')], since: null, project: null })
}

export function sayDemo(loaded: Imported): void {
  say(
    `Loaded the sample history of a project called tidepool: ${loaded.files} sessions, ${loaded.prompts} new prompts, ${loaded.toolUses} new tool uses.`,
  )
}
