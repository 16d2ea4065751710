import { join, resolve } from 'node:path'
import { exists, isFolder, writeInPlace } from '../platform/files.ts'
import { EXPORT_KINDS } from '../wire/api.ts'
import { askLines } from './ask.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, plural, say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('export', args)
  const { kind, project, format, out } = values
  if (!EXPORT_KINDS.some((known) => known === kind)) throw new CliError(`say what: --kind ${EXPORT_KINDS.join('|')}`, EXIT.invalid)
  if (format !== 'jsonl' && format !== 'markdown')
    throw new CliError(`"${format}" is no format; there are jsonl and markdown`, EXIT.invalid)
  const question = new URLSearchParams({ kind: kind as string, format, ...(project ? { project } : {}) })
  if (format === 'jsonl') {
    if (out !== undefined) throw new CliError('--out goes with --format markdown; lines of JSON go to standard output', EXIT.invalid)
    for await (const row of askLines<object>(`/api/export?${question}`)) say(JSON.stringify(row))
    return
  }
  if (kind !== 'notes') throw new CliError('only notes can be written as markdown', EXIT.invalid)
  if (!out) throw new CliError('say where to: --out <folder>', EXIT.invalid)
  const folder = resolve(out)
  if (exists(folder) && !isFolder(folder)) throw new CliError(`${folder} is not a folder`, EXIT.invalid)
  let files = 0
  for await (const { path, text } of askLines<{ path: string; text: string }>(`/api/export?${question}`)) {
    writeInPlace(join(folder, path), text)
    files++
  }
  if (values.json) return sayJson({ folder, files })
  say(`Wrote ${plural(files, 'note')} to ${folder}.`)
}
