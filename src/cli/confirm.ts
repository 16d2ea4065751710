import { invalidInput, print } from './print.ts'

/** Asks a person to confirm; an empty line is the usual answer. Without a terminal the caller must have passed --yes. */
export async function confirmed(question: string, usual: 'yes' | 'no' = 'no'): Promise<boolean> {
  if (!process.stdin.isTTY) throw invalidInput('not a terminal, so I cannot ask. Pass --yes to continue.')
  const lines = question.split('\n')
  if (lines.length > 1) print(lines.slice(0, -1).join('\n'))
  process.stdout.write(`${lines.at(-1)} ${usual === 'yes' ? '[Y/n]' : '[y/N]'} `)
  for await (const line of console) return line.trim() === '' ? usual === 'yes' : /^y(es)?$/i.test(line.trim())
  return false
}
