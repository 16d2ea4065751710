import { parseArgs } from 'node:util'
import { EXPORT_KINDS } from '../wire/api.ts'
import { askLines } from './ask.ts'
import { CliError, EXIT, say } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' }, kind: { type: 'string' }, project: { type: 'string' } } })
  if (!EXPORT_KINDS.some((kind) => kind === values.kind)) throw new CliError(`say what: --kind ${EXPORT_KINDS.join('|')}`, EXIT.invalid)
  const question = new URLSearchParams({ kind: values.kind as string, ...(values.project ? { project: values.project } : {}) })
  for await (const row of askLines<object>(`/api/export?${question}`)) say(JSON.stringify(row))
}
