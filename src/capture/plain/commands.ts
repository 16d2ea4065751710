import type { PerformedAction } from '../../core/action.ts'
import { type Heredoc, heredocsOf, programOf, type SimpleCommand, simpleCommands } from './shell.ts'

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
export type CommandPart = {
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
export type FinishedCommand = {
  /** Place among the turn's acts. */
  index: number
  parts: CommandPart[]
  heredocs: Heredoc[]
  /** What it printed, without terminal colours. */
  output: string
  failed: boolean
  /** Null when it is not known: it went to the background, or the client did not say. */
  exitCode: number | null
  tool: string
  at: number
}

/** The commands of a turn, taken apart. One that a person stopped tells nothing and is left out. */
export function commandsOf(acts: PerformedAction[]): FinishedCommand[] {
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

/** The commands of a shell line, each with what it is for. */
export function partsOf(command: string): CommandPart[] {
  return simpleCommands(command).map(classifyCommand)
}

function classifyCommand({ words, filter }: SimpleCommand): CommandPart {
  const program = programOf(words[0])
  const rest = words.slice(1)
  const script = findScript(program, rest)
  const [kind, taken] = script ? [kindOfScript(script.name, program), script.end] : kindOfProgram(program, rest)
  return { kind, tool: [program, ...rest.slice(0, taken)].join(' '), args: withoutOutputFlags(rest.slice(taken)), words, filter }
}

/** Flags that change what is printed, not what is checked; without them two runs of one check compare equal. */
function withoutOutputFlags(args: string[]): string[] {
  return args.filter(
    (arg) =>
      !/^(-v+|-q|-s|--verbose|--silent|--quiet|--no-?colou?r|--colou?r(=\w+)?|--reporter(=\S+)?|-count=\d+|--|--nocapture|-x|--bail)$/.test(
        arg,
      ),
  )
}

/** The package script, task or target that a runner is told to run, and where its name ends among the words. */
function findScript(program: string, rest: string[]): { name: string; end: number } | null {
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
  const [sub = '', next = ''] = rest
  const has = (pattern: RegExp) => rest.some((arg) => pattern.test(arg))
  if (/^python[\d.]*$/.test(program) && sub === '-m') return [PYTHON_MODULES[next] ?? 'run', 2]
  if (program === 'node' && has(/^--test/)) return ['test', 0]
  if (program === 'php' && sub === 'artisan') return [next === 'test' ? 'test' : next.startsWith('migrate') ? 'migrate' : 'run', 2]
  if (/^(?:mvnw?|gradlew?)$/.test(program))
    return [has(/test|check|verify/i) ? 'test' : has(/compile|build|package|assemble|install/i) ? 'build' : 'look', 0]
  if (program === 'zig' && sub === 'build') return [next === 'test' ? 'test' : 'build', 1]
  if (program === 'docker' && sub === 'compose') return [next === 'build' ? 'build' : 'look', 2]
  if (has(/^(?:db:migrate|migration:run)$/)) return ['migrate', 1]
  if (program === 'git') return ['git', countGitWords(rest)]
  if ((program === 'gh' && sub === 'pr') || (program === 'glab' && sub === 'mr')) return ['pull-request', 2]
  // An inline snippet is a look at something; a script by name is a thing that can be broken and repaired.
  if (INTERPRETERS.includes(program) && /\.\w{1,4}$/.test(sub)) return ['run', 1]
  const known = TOOLS.find(([, programs, subs]) => programs.includes(program) && (subs === null || subs.includes(sub)))
  if (!known) return ['look', 0]
  // A linter that mends what it finds changes files, and finds nothing afterwards.
  const mends = known[0] === 'lint' && has(/^(?:--write|--fix|--apply|format)$/)
  return [mends ? 'files' : known[0], known[2] === null ? 0 : 1]
}

const PYTHON_MODULES: Record<string, CommandKind> = { pytest: 'test', unittest: 'test', mypy: 'typecheck', pip: 'install' }
const INTERPRETERS = 'node python python3 bun deno ruby php perl tsx ts-node bash sh zsh'.split(' ')

/** Programs by what they are for, some only with one of these words behind them. The first row that fits counts. */
const TOOLS = (
  [
    ['test', 'bun deno go cargo dotnet swift mix flutter dart', 'test'],
    ['test', 'cargo', 't nextest'],
    ['test', 'playwright cypress artisan rails', 'test run spec'],
    ['test', 'pytest py.test jest vitest mocha ava tap tox nox rspec phpunit pest ctest bats karma busted'],
    ['typecheck', 'tsc vue-tsc tsgo mypy pyright flow svelte-check'],
    ['typecheck', 'go', 'vet'],
    ['typecheck', 'cargo', 'check'],
    ['files', 'gofmt prettier black rustfmt rm mv sed tee'],
    ['files', 'cargo go', 'fmt'],
    ['lint', 'eslint biome oxlint stylelint ruff flake8 pylint rubocop phpstan psalm shellcheck ktlint swiftlint hadolint golangci-lint'],
    ['lint', 'markdownlint markdownlint-cli2 credo'],
    ['lint', 'cargo', 'clippy'],
    ['build', 'go cargo dotnet swift docker bun next vite', 'build'],
    ['build', 'dotnet', 'publish'],
    ['build', 'cmake', '--build'],
    ['build', 'go', 'generate'],
    ['build', 'webpack tsup rollup esbuild ninja xcodebuild javac gcc g++ clang rustc goreleaser'],
    ['install', 'npm pnpm yarn bun', 'i install add ci'],
    ['install', 'cargo poetry uv pdm bundle', 'add install pip'],
    ['install', 'pip pip3 gem brew apt apt-get apk dnf', 'install add'],
    ['install', 'go', 'get'],
    ['install', 'composer', 'require'],
    ['install', 'dotnet', 'add'],
    ['migrate', 'prisma', 'migrate db'],
    ['migrate', 'alembic flyway', 'upgrade migrate'],
    ['migrate', 'knex drizzle-kit typeorm sequelize'],
    ['run', 'go cargo bun deno', 'run'],
    ['run', 'terraform tofu', 'apply plan'],
    ['run', 'kubectl helm', 'apply install upgrade'],
  ] satisfies [CommandKind, string, string?][]
).map(([kind, programs, subs]): [CommandKind, string[], string[] | null] => [kind, programs.split(' '), subs?.split(' ') ?? null])

/** `git -C dir commit` acts like `git commit`. */
function countGitWords(rest: string[]): number {
  let i = 0
  while (rest[i]?.startsWith('-')) i += /^(-C|-c)$/.test(rest[i] ?? '') ? 2 : 1
  return i + 1
}
