import { join } from 'node:path'
import { shippedFolder } from '../platform/shipped.ts'
import { type Imported, importHistory } from './import.ts'
import { parse } from './parse.ts'
import { say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('demo', args)
  const loaded = await loadDemo()
  if (values.json) return sayJson(loaded)
  sayDemo(loaded)
}

/** A sample project's history, read like anybody's own. */
export function loadDemo(): Promise<Imported> {
  return importHistory({ paths: [join(shippedFolder(), 'demo')], since: null, project: null })
}

export function sayDemo(loaded: Imported): void {
  say(
    `Loaded the sample history of a project called tidepool: ${loaded.files} sessions, ${loaded.prompts} new prompts, ${loaded.toolUses} new tool uses.`,
  )
}
