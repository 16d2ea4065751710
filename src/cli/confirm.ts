import { invalidInput } from './print.ts'

/** Asks a person to confirm. Without a terminal the caller must have passed --yes. */
export async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw invalidInput('not a terminal, so I cannot ask. Pass --yes to continue.')
  process.stdout.write(`${question} [y/N] `)
  for await (const line of console) return /^y(es)?$/i.test(line.trim())
  return false
}
