import type { Command } from '../../src/cli/command.ts'

/** The mistakes in calls of our program in a shell line, according to its own table of commands and options. */
export function commandProblems(line: string, known: Command[]): string[] {
  return callsIn(line).flatMap(([name = '', ...words]) => {
    if (['help', '--version', 'version', '--help', '--json', '--home'].includes(name)) return []
    const command = known.find((candidate) => candidate.name === (OTHER_NAMES[name] ?? name))
    if (!command) return [`recollect ${name} is not a command`]
    const end = words.indexOf('--')
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
