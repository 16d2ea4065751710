import type { Acted } from '../../core/action.ts'

/** What a command is for. Only the kinds named here matter to a memory; everything else is looking around. */
export type CommandKind =
  | 'test'
  | 'typecheck'
  | 'lint'
  | 'build'
  | 'install'
  | 'migrate'
  | 'run'
  | 'git'
  | 'pull-request'
  | 'files'
  | 'look'

/** One simple command out of a shell line. */
export type Part = {
  kind: CommandKind
  /** The program and what it was told to do (`go test`, `pnpm --filter api test`): equal for two runs of the same check. */
  tool: string
  /** What it was pointed at, flags that only change the output left out. */
  args: string[]
  /** Every word, quotes removed. */
  words: string[]
  /** What its output went through (`tail -5`), which then gave the exit code; empty when nothing did. */
  filter: string
}

/** A shell line that ran to its end, good or bad. */
export type Ran = {
  /** Place among the turn's acts. */
  index: number
  parts: Part[]
  heredocs: Heredoc[]
  /** What it printed, without terminal colours. */
  output: string
  failed: boolean
  exitCode: number | null
  tool: string
  at: number
}

/** The commands of a turn, taken apart. One that a person stopped tells nothing and is left out. */
export function commandsOf(acts: Acted[]): Ran[] {
  return acts.flatMap((act, index) => {
    const { action } = act
    if (action.kind !== 'command' || act.interrupted) return []
    const output = withoutColours(action.output || act.error || '')
    const failed = act.failed || (action.exitCode ?? 0) !== 0
    return [
      {
        index,
        parts: partsOf(action.command),
        heredocs: heredocsOf(action.command),
        output,
        failed,
        exitCode: action.exitCode,
        tool: act.tool,
        at: act.at,
      },
    ]
  })
}

/** Terminal colours and cursor moves stand between a pattern and its word. */
function withoutColours(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for.
  return output.includes('\u001b') ? output.replace(/\u001b(?:\[[0-9;?]*[A-Za-z]|\][^\u0007\u001b]{0,200}\u0007?)/g, '') : output
}

/** The simple commands of a shell line, wrappers such as `cd x &&`, `sudo`, `npx` and `sh -c '…'` taken off. */
export function partsOf(command: string): Part[] {
  return simpleCommands(withoutHeredocs(command.slice(0, LONGEST)).script, 0)
}

/** The texts that a command feeds in with `<<EOF`, each with the file it is written to, if any. */
export function heredocsOf(command: string): Heredoc[] {
  return withoutHeredocs(command.slice(0, 4 * LONGEST)).heredocs
}

/** Longer than any line a person or an agent means to be read; a generated script beyond it is data. */
const LONGEST = 16_000

export type Heredoc = { text: string; file: string | null; appends: boolean }

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

function simpleCommands(script: string, depth: number): Part[] {
  return splitScript(script).flatMap(({ words, filter }) => {
    const bare = unwrapped(words)
    const shell = /^(?:ba|z|da)?sh$/.test(programOf(bare[0])) ? bare.findIndex((word) => /^-l?c$/.test(word)) : -1
    const inner = shell > 0 ? bare[shell + 1] : undefined
    // `sh -c` twice over is nobody's real command; stop there rather than trust the depth of hostile input.
    if (inner !== undefined && depth < 2)
      return simpleCommands(inner, depth + 1).map((part) => ({ ...part, filter: part.filter || filter }))
    return bare.length > 0 ? [partFrom(bare, filter)] : []
  })
}

type Simple = { words: string[]; filter: string }

/** Cuts a script at `;`, `&`, newlines and pipes, with quotes and escapes respected. Stages after a pipe are filters of the first. */
function splitScript(script: string): Simple[] {
  const commands: Simple[] = []
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
      if (c === '\\' && quote === '"' && i + 1 < script.length) word += script[++i]
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
function unwrapped(words: string[]): string[] {
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

function partFrom(words: string[], filter: string): Part {
  const program = programOf(words[0])
  const rest = words.slice(1)
  const script = runScript(program, rest)
  if (script) {
    const kind = kindOfScript(script.name, program)
    return { kind, tool: [program, ...rest.slice(0, script.end)].join(' '), args: pointedAt(rest.slice(script.end)), words, filter }
  }
  const [kind, taken] = kindOfProgram(program, rest)
  return { kind, tool: [program, ...rest.slice(0, taken)].join(' '), args: pointedAt(rest.slice(taken)), words, filter }
}

/** `/usr/local/go/bin/go` and `./gradlew` by the name people call them. */
function programOf(word: string | undefined): string {
  const name = (word ?? '').replaceAll('\\', '/')
  return name.slice(name.lastIndexOf('/') + 1).replace(/\.(exe|cmd|bat)$/i, '')
}

/** Flags that change what is printed, not what is checked; without them two runs of one check compare equal. */
function pointedAt(args: string[]): string[] {
  return args.filter(
    (arg) =>
      !/^(-v+|-q|-s|--verbose|--silent|--quiet|--no-?colou?r|--colou?r(=\w+)?|--reporter(=\S+)?|-count=\d+|--|--nocapture|-x|--bail)$/.test(
        arg,
      ),
  )
}

/** The package script, task or target that a runner is told to run, and where its name ends among the words. */
function runScript(program: string, rest: string[]): { name: string; end: number } | null {
  const valued = /^(--filter|-F|-w|--workspace|-C|--cwd|--dir|--prefix|-f|--project|-p)$/
  let i = 0
  const skipFlags = () => {
    while (rest[i]?.startsWith('-') && rest[i] !== '--') i += valued.test(rest[i] ?? '') && !rest[i]?.includes('=') ? 2 : 1
  }
  skipFlags()
  const word = rest[i]
  if (word === undefined) return program === 'make' || program === 'just' ? { name: 'build', end: 0 } : null
  switch (program) {
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun':
    case 'deno': {
      if (word === 'run' || word === 'run-script' || word === 'task') {
        i++
        skipFlags()
        return rest[i] === undefined ? null : { name: rest[i] ?? '', end: i + 1 }
      }
      if (program === 'bun' || program === 'deno') return null
      if (word === 't') return { name: 'test', end: i + 1 }
      return /^(i|install|add|ci|remove|rm|uninstall|update|up|init|view|info|ls|list|audit|outdated|publish|pack|version|config|why|link|login|whoami|create)$/.test(
        word,
      )
        ? null
        : { name: word, end: i + 1 }
    }
    case 'mise':
    case 'task':
    case 'rake':
    case 'composer':
    case 'turbo':
    case 'nx': {
      if (word === 'run' || word === 'r') i++
      else if (program === 'mise' || (program === 'composer' && /^(require|install|update)$/.test(word))) return null
      return rest[i] === undefined ? null : { name: rest[i] ?? '', end: i + 1 }
    }
    case 'make':
    case 'just':
      return { name: word, end: i + 1 }
    default:
      return null
  }
}

/** Script names are free text, but people call things what they are. */
function kindOfScript(name: string, program: string): CommandKind {
  if (/test|spec|e2e|cypress|jest|vitest/i.test(name)) return 'test'
  if (/type-?check|types?$|tsc|check-types/i.test(name)) return 'typecheck'
  if (/fix|format|fmt|prettier/i.test(name)) return 'files'
  if (/lint|check|eslint|biome|clippy/i.test(name)) return 'lint'
  if (/build|compile|bundle|generate|codegen|dist|^all$/i.test(name)) return 'build'
  if (/migrat/i.test(name)) return 'migrate'
  if (/^(dev|start|serve|watch|preview)/i.test(name)) return 'look'
  return program === 'make' || program === 'just' ? 'build' : 'run'
}

/** The kind of a program, and how many of its words belong to what it does rather than what it is pointed at. */
function kindOfProgram(program: string, rest: string[]): [CommandKind, number] {
  const sub = rest[0] ?? ''
  const is = (programs: string, subs?: string) =>
    programs.split(' ').includes(program) && (subs === undefined || subs.split(' ').includes(sub))
  const has = (pattern: RegExp) => rest.some((arg) => pattern.test(arg))

  if (is('bun deno go cargo dotnet swift mix flutter dart elixir', 'test')) return ['test', 1]
  if (is('cargo', 't nextest')) return ['test', 1]
  if (is('pytest py.test jest vitest mocha ava tap tox nox rspec phpunit pest ctest bats karma busted nextest')) return ['test', 0]
  if (is('playwright cypress artisan rails bin/rails', 'test run spec')) return ['test', 1]
  if (/^python[\d.]*$/.test(program) && sub === '-m')
    return [
      /^(pytest|unittest)$/.test(rest[1] ?? '') ? 'test' : rest[1] === 'mypy' ? 'typecheck' : rest[1] === 'pip' ? 'install' : 'run',
      2,
    ]
  if (program === 'node' && has(/^--test/)) return ['test', 0]
  if (is('php') && sub === 'artisan') return [rest[1] === 'test' ? 'test' : /^migrate/.test(rest[1] ?? '') ? 'migrate' : 'run', 2]
  if (is('mvn mvnw gradle gradlew'))
    return [has(/test|check|verify/i) ? 'test' : has(/compile|build|package|assemble|install/i) ? 'build' : 'look', 0]
  if (program === 'zig' && sub === 'build') return [rest[1] === 'test' ? 'test' : 'build', 1]

  if (is('tsc vue-tsc tsgo mypy pyright flow svelte-check')) return ['typecheck', 0]
  if (is('go', 'vet') || is('cargo', 'check')) return ['typecheck', 1]
  if (is('gofmt prettier black rustfmt') || is('cargo go', 'fmt')) return ['files', 0]
  if (
    is(
      'eslint biome ruff flake8 pylint rubocop phpstan psalm shellcheck stylelint ktlint swiftlint hadolint markdownlint markdownlint-cli2 golangci-lint oxlint standard credo',
    )
  )
    return [has(/^(--write|--fix|--apply|format)$/) ? 'files' : 'lint', 0]
  if (is('cargo', 'clippy')) return ['lint', 1]

  if (
    is('go cargo dotnet swift docker bun next vite', 'build') ||
    is('dotnet', 'publish') ||
    is('cmake', '--build') ||
    is('go', 'generate')
  )
    return ['build', 1]
  if (is('webpack tsup rollup esbuild ninja xcodebuild javac gcc g++ clang rustc goreleaser')) return ['build', 0]
  if (is('docker') && sub === 'compose' && rest[1] === 'build') return ['build', 2]

  if (
    is('npm pnpm yarn bun', 'i install add ci') ||
    is('cargo poetry uv pdm bundle', 'add install') ||
    is('pip pip3 gem brew apt apt-get apk dnf', 'install add')
  )
    return ['install', 1]
  if (is('go', 'get') || is('composer', 'require')) return ['install', 1]
  if (is('uv', 'pip') || (is('dotnet') && sub === 'add' && has(/^package$/))) return ['install', 2]

  if (
    is('prisma', 'migrate db') ||
    is('alembic flyway', 'upgrade migrate') ||
    is('knex drizzle-kit typeorm sequelize') ||
    has(/^(db:migrate|migration:run)$/)
  )
    return ['migrate', 1]
  if (is('git')) return ['git', gitWords(rest)]
  if (is('gh', 'pr') || is('glab', 'mr')) return ['pull-request', 2]
  if (is('rm mv sed tee')) return ['files', 0]
  if (is('go cargo bun deno', 'run')) return ['run', 1]
  if (is('terraform tofu', 'apply plan') || is('kubectl', 'apply') || is('helm', 'install upgrade')) return ['run', 1]
  // An inline snippet is a look at something; a script by name is a thing that can be broken and repaired.
  if (/^(node|python[\d.]*|bun|deno|ruby|php|perl|tsx|ts-node|bash|sh|zsh)$/.test(program))
    return [/\.\w{1,4}$/.test(sub) ? 'run' : 'look', 1]
  return ['look', 0]
}

/** `git -C dir commit` acts like `git commit`. */
function gitWords(rest: string[]): number {
  let i = 0
  while (rest[i]?.startsWith('-')) i += /^(-C|-c)$/.test(rest[i] ?? '') ? 2 : 1
  return i + 1
}
