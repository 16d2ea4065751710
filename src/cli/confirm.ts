import { CliError, EXIT } from './print.ts'

/** Asks a person; without a terminal there is nobody to ask, and the flag has to say it. */
export async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CliError('nobody is there to ask; add --yes to go on', EXIT.invalid)
  process.stdout.write(`${question} [y/N] `)
  for await (const line of console) return /^y(es)?$/i.test(line.trim())
  return false
}
