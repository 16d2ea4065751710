import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../../src/cli/command.ts'
import { root } from './pages.ts'

/** The mistakes in calls of our program in a shell line, according to its own table of commands and options. */
export function commandProblems(line: string, known: Command[]): string[] {
  return callsIn(line).flatMap(([name = '', ...words]) => {
    if (['help', '--version', 'version', '--help', '--json', '--home'].includes(name)) return []
    const command = known.find((candidate) => candidate.name === (OTHER_NAMES[name] ?? name))
    if (!command) return [`recollect ${name} is not a command`]
    const end = words.indexOf('--')
    const actions = command.name === name ? actionsOf(command) : []
    const action = words[0] ?? ''
    if (actions.length > 0 && /^[a-z-]+$/.test(action) && !action.startsWith('-') && !actions.includes(action))
      return [`recollect ${name} ${action} is not an action; there are ${actions.join(', ')}`]
    return (
      (end < 0 ? words : words.slice(0, end))
        .filter((word) => /^--[a-z]/.test(word))
        .map((word) => word.slice(2).split('=')[0] ?? '')
        .filter((option) => option !== 'help' && !(option in command.options))
        // Words of a query may look like options.
        .filter((option) => !(command.isQuery && option === 'force-with-lease'))
        .map((option) => `recollect ${name} has no option --${option}`)
    )
  })
}

/** The words that may follow the name of a command, such as `team join`; none if the command takes other words. */
function actionsOf({ name, usage }: Command): string[] {
  const ways = [...(usage.split('\n\n')[0] ?? '').matchAll(new RegExp(`^ *recollect ${name} (.*)$`, 'gm'))].map(([, way = '']) => way)
  const names = ways.map((way) => /^(\[?)([a-z][a-z-]*(?: ?\| ?[a-z-]+)*)\]?(?: |$)/.exec(way))
  const isOpen = ways.some((way, index) => !names[index] && !/^\[?--/.test(way))
  // Something in brackets is a name only beside others: `graph [id]`, but `team [status]`.
  if (isOpen || !names.some((found) => found?.[1] === '')) return []
  return names.flatMap((found) => found?.[2]?.split(/ ?\| ?/) ?? [])
}

/** The mistakes in calls of npm's scripts and of our own in a shell line: a script that package.json does not have, a file that does not exist. */
export function scriptProblems(line: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  const called = [...line.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, run, short]) => run ?? short ?? '')
  const files = [...line.matchAll(/\bbin\/with-bun ([\w/.-]+\.ts)\b/g)].map(([, file = '']) => file)
  return [
    ...called.filter((name) => !(name in scripts)).map((name) => `npm run ${name} does not exist`),
    ...files.filter((file) => !existsSync(join(root, file))).map((file) => `${file} does not exist`),
  ]
}

const OTHER_NAMES: Record<string, string> = { hooks: 'hook', serve: 'mcp' }

/** The arguments of each call of the program in a line, without quotes, notation and punctuation. */
function callsIn(line: string): string[][] {
  return line
    .replace(/'[^']*'|"[^"]*"/g, (quoted) => (quoted.includes('recollect ') ? quoted.slice(1, -1) : 'text'))
    .split(/&&|\|\||[;|]|\$\(|>>?/)
    .map((part) => /^(?:\w+=\S+ +)*(?:.* -- )?(?:bin\/)?recollect +(.*)$/.exec(part.trim())?.[1] ?? '')
    .filter((args) => args !== '')
    .map((args) =>
      args
        .replace(/[[\]()…]/g, ' ')
        .split(/[\s|]+/)
        .filter(Boolean),
    )
    .filter(([name = '']) => /^[a-z-]/.test(name))
}
