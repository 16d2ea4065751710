import { type Command, type CommandOption, json } from '../command.ts'
import { defineCommand, unknownValue } from '../parse.ts'
import { invalidInput, printExactly, printJson } from '../print.ts'
import { TOPICS } from '../topics.ts'

const SHELLS: Record<string, (commands: Command[]) => string> = { bash, zsh, fish }

export const command = defineCommand({
  name: 'completion',
  summary: 'print a script that completes commands in your shell',
  usage: `recollect completion bash|zsh|fish [--json]

  bash   echo 'eval "$(recollect completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(recollect completion zsh)"' >> ~/.zshrc
  fish   recollect completion fish > ~/.config/fish/completions/recollect.fish`,
  words: 'bash|zsh|fish',
  options: { json },
  async run({ values, positionals }, loadAll) {
    const [shell] = positionals
    if (shell === undefined) throw invalidInput('which shell? Use: recollect completion bash|zsh|fish')
    const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
    if (!write) throw invalidInput(unknownValue('shell', shell, Object.keys(SHELLS)))
    const script = write(await loadAll())
    return values.json ? printJson({ shell, script }) : printExactly(script)
  },
})

const optionsOf = ({ options }: Command): [string, CommandOption][] => Object.entries(options)
/** The literal words that a command understands, such as bash|zsh|fish, list or status. Placeholders in <…> are left out. */
const wordsOf = ({ words }: Command): string[] => (words ?? '').match(/(?<![<\w-])[a-z][a-z-]+(?![\w…>-])/g) ?? []
const helpWords = (commands: Command[]) => [...commands.map(({ name }) => name), ...Object.keys(TOPICS)].join(' ')

/** One `case` for each command and no arrays: macOS ships an old bash. */
function bash(commands: Command[]): string {
  const listed = commands.flatMap((one) =>
    optionsOf(one).flatMap(([option, { of }]) => (of ? [[`${one.name}:--${option}`, of] as const] : [])),
  )
  const free = commands.flatMap((one) =>
    optionsOf(one).flatMap(([option, { type, of }]) => (type === 'string' && !of ? [`${one.name}:--${option}`] : [])),
  )
  const offered = (one: Command) => [...wordsOf(one), ...optionsOf(one).map(([option]) => `--${option}`)].join(' ')
  return `_recollect() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" offered=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=( $(compgen -W "${['help', ...commands.map(({ name }) => name)].join(' ')}" -- "$word") )
    return
  fi
  case "$command:$before" in
${listed.map(([option, of]) => `    ${option}) COMPREPLY=( $(compgen -W "${of.join(' ')}" -- "$word") ); return ;;`).join('\n')}
    ${free.join('|')}) COMPREPLY=( $(compgen -f -- "$word") ); return ;;
  esac
  case "$command" in
    help) offered="${helpWords(commands)}" ;;
${commands.map((one) => `    ${one.name}) offered="${offered(one)}" ;;`).join('\n')}
  esac
  COMPREPLY=( $(compgen -W "$offered" -- "$word") )
}
complete -o default -F _recollect recollect`
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function zsh(commands: Command[]): string {
  const cases = commands.map((one) => {
    const options = optionsOf(one).map(([option, { about, of, type }]) => {
      const value = type === 'string' ? `:value:${of ? `(${of.join(' ')})` : '_files'}` : ''
      return quoted(`--${option}[${about.replace(/[[\]:]/g, ' ')}]${value}`)
    })
    const words = wordsOf(one)
    const rest = quoted(`*:word:${words.length > 0 ? `(${words.join(' ')})` : '_files'}`)
    return `    ${one.name}) _arguments ${[...options, rest].join(' ')} ;;`
  })
  return `#compdef recollect
_recollect() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(${commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ')})
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    help) _values topic ${helpWords(commands)} ;;
${cases.join('\n')}
  esac
}
# A shell without its own setup has not loaded the completion system yet.
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
compdef _recollect recollect`
}

function fish(commands: Command[]): string {
  const lines = ['complete -c recollect -f', `complete -c recollect -n __fish_use_subcommand -a help -d 'explain a command or a topic'`]
  for (const one of commands) {
    const condition = `-n '__fish_seen_subcommand_from ${one.name}'`
    lines.push(`complete -c recollect -n __fish_use_subcommand -a ${one.name} -d ${quoted(one.summary)}`)
    for (const [option, { about, short, type, of }] of optionsOf(one)) {
      const value = type === 'boolean' ? '' : of ? ` -x -a '${of.join(' ')}'` : ' -r'
      lines.push(`complete -c recollect ${condition} -l ${option}${short ? ` -s ${short}` : ''}${value} -d ${quoted(about)}`)
    }
    if (wordsOf(one).length > 0) lines.push(`complete -c recollect ${condition} -a '${wordsOf(one).join(' ')}'`)
  }
  lines.push(`complete -c recollect -n '__fish_seen_subcommand_from help' -a '${helpWords(commands)}'`)
  return lines.join('\n')
}
