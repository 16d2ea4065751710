/** One simple command: its words without quotes, assignments, redirections and wrappers, and what its output went through. */
export type SimpleCommand = { words: string[]; filter: string }

export type Heredoc = { text: string; file: string | null; appends: boolean }

/** Longer than any line a person or an agent means to be read; a generated script beyond it is data. */
const MAX_COMMAND_CHARS = 16_000

/** The simple commands of a shell line in order. `cd x &&`, `sudo`, `npx` and `sh -c '…'` are taken off what they start. */
export function simpleCommands(command: string): SimpleCommand[] {
  return commandsIn(withoutHeredocs(command.slice(0, MAX_COMMAND_CHARS)).script, 0)
}

/** The texts that a command feeds in with `<<EOF`, each with the file it is written to, if any. */
export function heredocsOf(command: string): Heredoc[] {
  return withoutHeredocs(command.slice(0, 4 * MAX_COMMAND_CHARS)).heredocs
}

/** `/usr/local/go/bin/go` and `./gradlew` by the name people call them. */
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
    // `sh -c` twice over is nobody's real command; stop there rather than trust the depth of hostile input.
    if (inner !== undefined && depth < 2)
      return commandsIn(inner, depth + 1).map((simple) => ({ ...simple, filter: simple.filter || filter }))
    return bare.length > 0 ? [{ words: bare, filter }] : []
  })
}

/** Cuts a script at `;`, `&`, newlines and pipes, with quotes and escapes respected. Stages after a pipe are filters of the first. */
function splitScript(script: string): SimpleCommand[] {
  const commands: SimpleCommand[] = []
  let stages: string[][] = [[]]
  let word = ''
  let inWord = false
  let quote = ''
  const endWord = () => {
    if (inWord) stages.at(-1)?.push(word)
    word = ''
    inWord = false
  }
  const endCommand = () => {
    endWord()
    const [words = [], ...filters] = stages
    if (words.length > 0) commands.push({ words, filter: filters.map((stage) => stage.join(' ')).join(' | ') })
    stages = [[]]
  }
  for (let i = 0; i < script.length; i++) {
    const c = script[i] ?? ''
    if (quote) {
      // Between double quotes a backslash escapes only these; in front of anything else it is itself, as in `"\bname\b"`.
      if (c === '\\' && quote === '"' && '$`"\\\n'.includes(script[i + 1] ?? ' ')) word += script[++i]
      else if (c === quote) quote = ''
      else word += c
    } else if (c === "'" || c === '"') {
      quote = c
      inWord = true
    } else if (c === '\\' && i + 1 < script.length) {
      i++
      if (script[i] !== '\n') {
        word += script[i]
        inWord = true
      }
    } else if (c === '|' && script[i + 1] !== '|') {
      endWord()
      stages.push([])
    } else if (c === '&' && (script[i - 1] === '>' || script[i + 1] === '>')) {
      word += c // `2>&1` and `&>` are redirections, not the end of a command.
    } else if (';\n&|()'.includes(c)) {
      if ((c === '&' || c === '|') && script[i + 1] === c) i++
      endCommand()
    } else if (c === ' ' || c === '\t' || c === '\r') {
      endWord()
    } else {
      word += c
      inWord = true
    }
  }
  endCommand()
  return commands
}

/** The command itself, without assignments, redirections and the programs that only start another one. */
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
