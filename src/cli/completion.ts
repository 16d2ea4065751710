import { commandSummaries } from './list.ts'
import { argumentsOf, type Option } from './options.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, say, sayJson } from './print.ts'
import { TOPICS } from './topics.ts'

const SHELLS = { bash, zsh, fish }

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('completion', args)
  const [shell = ''] = positionals
  if (!Object.hasOwn(SHELLS, shell)) throw new CliError('which shell? recollect completion bash|zsh|fish', EXIT.invalid)
  const script = SHELLS[shell as keyof typeof SHELLS](commandSummaries())
  return values.json ? sayJson({ shell, script }) : say(script)
}

const optionsOf = (name: string): [string, Option][] => Object.entries(argumentsOf(name)?.options ?? {})
/** Words that a command itself understands, as far as they stand between bars or alone: bash|zsh|fish, list, status. */
const wordsOf = (name: string): string[] => (argumentsOf(name)?.words ?? '').match(/(?<![<\w-])[a-z][a-z-]+(?![\w…>-])/g) ?? []

/** Plain words and a case for each command: it works with the bash of a Mac, which is old. */
function bash(about: Record<string, string>): string {
  const names = Object.keys(about)
  const helped = [...names, ...Object.keys(TOPICS)]
  const choices = names.flatMap((name) => optionsOf(name).flatMap(([option, { of }]) => (of ? [[`${name}:--${option}`, of] as const] : [])))
  const valued = names.flatMap((name) =>
    optionsOf(name).flatMap(([option, { type, of }]) => (type === 'string' && !of ? [`${name}:--${option}`] : [])),
  )
  return `_recollect() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" offered=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=( $(compgen -W "${['help', ...names].join(' ')}" -- "$word") )
    return
  fi
  case "$command:$before" in
${choices.map(([where, of]) => `    ${where}) COMPREPLY=( $(compgen -W "${of.join(' ')}" -- "$word") ); return ;;`).join('\n')}
    ${valued.join('|')}) COMPREPLY=( $(compgen -f -- "$word") ); return ;;
  esac
  case "$command" in
    help) offered="${helped.join(' ')}" ;;
${names.map((name) => `    ${name}) offered="${[...wordsOf(name), ...optionsOf(name).map(([option]) => `--${option}`)].join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=( $(compgen -W "$offered" -- "$word") )
}
complete -o default -F _recollect recollect`
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
/** In a list of zsh's _describe a colon ends the word that is completed. */
const described = (word: string, about: string) => quoted(`${word.replaceAll(':', '\\:')}:${about}`)

function zsh(about: Record<string, string>): string {
  const names = Object.keys(about)
  const helped = [...names, ...Object.keys(TOPICS)]
  const cases = names.map((name) => {
    const given = optionsOf(name).map(([option, { about, of, type }]) => {
      const value = type === 'string' ? `:value:${of ? `(${of.join(' ')})` : '_files'}` : ''
      return quoted(`--${option}[${about.replace(/[[\]:]/g, ' ')}]${value}`)
    })
    const words = wordsOf(name)
    const rest = quoted(`*:word:${words.length > 0 ? `(${words.join(' ')})` : '_files'}`)
    return `    ${name}) _arguments ${[...given, rest].join(' ')} ;;`
  })
  return `#compdef recollect
_recollect() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(${names.map((name) => described(name, about[name] ?? '')).join(' ')})
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    help) _values topic ${helped.join(' ')} ;;
${cases.join('\n')}
  esac
}
# A shell without a setup of its own has not loaded this yet.
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
compdef _recollect recollect`
}

function fish(about: Record<string, string>): string {
  const names = Object.keys(about)
  const helped = [...names, ...Object.keys(TOPICS)]
  const lines = ['complete -c recollect -f', `complete -c recollect -n __fish_use_subcommand -a help -d 'how to call it'`]
  for (const name of names) {
    const within = `-n '__fish_seen_subcommand_from ${name}'`
    lines.push(`complete -c recollect -n __fish_use_subcommand -a ${name} -d ${quoted(about[name] ?? '')}`)
    for (const [option, { about, short, type, of }] of optionsOf(name)) {
      const value = type === 'boolean' ? '' : of ? ` -x -a '${of.join(' ')}'` : ' -r'
      lines.push(`complete -c recollect ${within} -l ${option}${short ? ` -s ${short}` : ''}${value} -d ${quoted(about)}`)
    }
    if (wordsOf(name).length > 0) lines.push(`complete -c recollect ${within} -a '${wordsOf(name).join(' ')}'`)
  }
  lines.push(`complete -c recollect -n '__fish_seen_subcommand_from help' -a '${helped.join(' ')}'`)
  return lines.join('\n')
}
