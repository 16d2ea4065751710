/** The words of a command without quotes, assignments, redirections and wrappers; `filter` is what its output was piped into. */
export type SimpleCommand = { words: string[]; filter: string }

export type Heredoc = { text: string; file: string | null; appends: boolean }

/** A longer command is generated, and its rest is data. */
const MAX_COMMAND_CHARS = 16_000

/** The simple commands of a shell line, in order. Wrappers such as `sudo`, `npx` and `sh -c '…'` are removed. */
export function simpleCommands(command: string): SimpleCommand[] {
  return commandsIn(withoutHeredocs(command.slice(0, MAX_COMMAND_CHARS)).script, 0)
}

/** The heredocs of a command (`<<EOF`), each with the file it is written to, if any. */
export function heredocsOf(command: string): Heredoc[] {
  return withoutHeredocs(command.slice(0, 4 * MAX_COMMAND_CHARS)).heredocs
}

/** `go` for `/usr/local/go/bin/go`, `gradlew` for `./gradlew`. */
export function programOf(word: string | undefined): string {
  const name = (word ?? '').replaceAll('\\', '/')
  return name.slice(name.lastIndexOf('/') + 1).replace(/\.(exe|cmd|bat)$/i, '')
}

function withoutHeredocs(command: string): { script: string; heredocs: Heredoc[] } {
  const heredocs: Heredoc[] = []
  const kept: string[] = []
  const lines = command.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const opening = /<<-?\s*(['"]?)([A-Za-z_]\w*)\1/.exec(line.slice(0, 2000))
    if (!opening) {
      kept.push(line)
      continue
    }
    let end = i + 1
    while (end < lines.length && lines[end]?.trim() !== opening[2]) end++
    const target = /(>>?)\s*(['"]?)([^\s'"<>|&;]+)\2/.exec(line.replace(/\d?>&\d/g, ''))
    heredocs.push({ text: lines.slice(i + 1, end).join('\n'), file: target?.[3] ?? null, appends: target?.[1] === '>>' })
    kept.push(line.replace(opening[0], ''))
    i = end
  }
  return { script: kept.join('\n'), heredocs }
}

function commandsIn(script: string, depth: number): SimpleCommand[] {
  return splitScript(script).flatMap(({ words, filter }) => {
    const bare = unwrapCommand(words)
    const shell = /^(?:ba|z|da)?sh$/.test(programOf(bare[0])) ? bare.findIndex((word) => /^-l?c$/.test(word)) : -1
    const inner = shell > 0 ? bare[shell + 1] : undefined
    // Real commands do not nest `sh -c` deeper. The limit keeps hostile input from exhausting the stack.
    if (inner !== undefined && depth < 2)
      return commandsIn(inner, depth + 1).map((simple) => ({ ...simple, filter: simple.filter || filter }))
    return bare.length > 0 ? [{ words: bare, filter }] : []
  })
}

/** Splits a script at `;`, `&`, newlines and pipes, except inside quotes. Stages after a pipe are filters of the first stage. */
function splitScript(script: string): SimpleCommand[] {
  const commands: SimpleCommand[] = []
  let stages: string[][] = [[]]
  for (const token of shellTokens(script)) {
    if (token.kind === 'word') stages.at(-1)?.push(token.text)
    else if (token.kind === 'pipe') stages.push([])
    else {
      const [words = [], ...filters] = stages
      if (words.length > 0) commands.push({ words, filter: filters.map((stage) => stage.join(' ')).join(' | ') })
      stages = [[]]
    }
  }
  return commands
}

type ShellToken = { kind: 'word'; text: string } | { kind: 'pipe' } | { kind: 'command-end' }

function* shellTokens(script: string): Generator<ShellToken> {
  for (let at = 0; at < script.length; ) {
    const c = script[at] ?? ''
    if (isBlank(c)) at++
    else if (isOperator(script, at)) {
      const isDouble = '&|'.includes(c) && script[at + 1] === c
      yield { kind: c === '|' && !isDouble ? 'pipe' : 'command-end' }
      at += isDouble ? 2 : 1
    } else {
      const { text, end } = readWord(script, at)
      if (text !== null) yield { kind: 'word', text }
      at = end
    }
  }
  yield { kind: 'command-end' }
}

/** The word that starts at a position. Its text is null if there is only a line continuation. */
function readWord(script: string, start: number): { text: string | null; end: number } {
  let text: string | null = null
  let at = start
  while (at < script.length && !isBlank(script[at] ?? '') && !isOperator(script, at)) {
    const c = script[at] ?? ''
    if (c === "'" || c === '"') {
      const quoted = readQuoted(script, at)
      text = (text ?? '') + quoted.text
      at = quoted.end
    } else if (c === '\\' && at + 1 < script.length) {
      if (script[at + 1] !== '\n') text = (text ?? '') + script[at + 1]
      at += 2
    } else {
      text = (text ?? '') + c
      at++
    }
  }
  return { text, end: at }
}

/** The text between quotes. A quote that is never closed reaches to the end of the script. */
function readQuoted(script: string, start: number): { text: string; end: number } {
  const quote = script[start]
  let text = ''
  let at = start + 1
  for (; at < script.length && script[at] !== quote; at++) {
    // Inside double quotes a backslash escapes only these characters. Before any other it is literal, as in `"\bname\b"`.
    if (script[at] === '\\' && quote === '"' && '$`"\\\n'.includes(script[at + 1] ?? ' ')) at++
    text += script[at]
  }
  return { text, end: at + 1 }
}

const isBlank = (c: string) => c === ' ' || c === '\t' || c === '\r'

/** Whether a command or pipeline stage ends here. The `&` of `2>&1` and `&>` belongs to a redirection. */
function isOperator(script: string, at: number): boolean {
  const c = script[at] ?? ''
  if (c === '&') return script[at - 1] !== '>' && script[at + 1] !== '>'
  return ';\n|()'.includes(c)
}

/** Removes assignments, redirections and programs that only start another program. */
function unwrapCommand(words: string[]): string[] {
  const kept: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (/^(\d|&)?>{1,2}$|^<$/.test(word)) i++
    else if (!/^(\d|&)?>{1,2}&?\S/.test(word)) kept.push(word)
  }
  let from = 0
  for (;;) {
    const word = kept[from] ?? ''
    const next = kept[from + 1] ?? ''
    if (/^[A-Za-z_]\w*=/.test(word) || /^(sudo|time|nice|nohup|command|env|rtk|npx|bunx|pnpx|then|do|else|!|\{)$/.test(word)) from += 1
    else if (word === 'timeout' || (word === 'cross-env' && next.includes('='))) from += 2
    else if (/^(pnpm|yarn|npm)$/.test(word) && /^(exec|dlx)$/.test(next)) from += 2
    else if (/^(uv|poetry|pipenv|pdm|hatch|rye)$/.test(word) && next === 'run') from += 2
    else if ((word === 'bundle' && next === 'exec') || (word === 'mise' && next === 'exec')) from += 2
    else if (word === 'wsl' && next === '-e') from += 2
    else if (from > 0 && /^(-y|--yes|--|-p)$/.test(word)) from += 1
    else return kept.slice(from)
  }
}
