import type { PerformedAction } from '../../core/action.ts'
import { type Heredoc, heredocsOf, programOf, type SimpleCommand, simpleCommands } from './shell.ts'

/** The purpose of a command. `look` covers everything that does not matter to a memory. */
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

/** One simple command of a shell line. */
export type CommandPart = {
  kind: CommandKind
  /** The program and its subcommand (`go test`, `pnpm --filter api test`): equal for two runs of the same check. */
  tool: string
  /** The remaining arguments, without flags that only change the output. */
  args: string[]
  /** Every word, quotes removed. */
  words: string[]
  /** The commands its output was piped into (`tail -5`), which then determine the exit code; empty without a pipe. */
  filter: string
}

/** A shell line that finished, successfully or not. */
export type FinishedCommand = {
  /** Position among the turn's actions. */
  index: number
  parts: CommandPart[]
  heredocs: Heredoc[]
  /** Without terminal colors. */
  output: string
  failed: boolean
  /** Null if unknown: it ran in the background, or the client did not report it. */
  exitCode: number | null
  tool: string
  at: number
}

/** The parsed commands of a turn, except those that the person interrupted. */
export function commandsOf(actions: PerformedAction[]): FinishedCommand[] {
  return actions.flatMap((use, index) => {
    const { action } = use
    if (action.kind !== 'command' || use.interrupted) return []
    const output = withoutColors(action.output || use.error || '')
    const failed = use.failed || (action.exitCode ?? 0) !== 0
    return [
      {
        index,
        parts: partsOf(action.command),
        heredocs: heredocsOf(action.command),
        output,
        failed,
        exitCode: action.exitCode,
        tool: use.tool,
        at: use.at,
      },
    ]
  })
}

/** Removes terminal colors and cursor moves, which would keep patterns from matching. */
function withoutColors(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for escape characters.
  return output.includes('\u001b') ? output.replace(/\u001b(?:\[[0-9;?]*[A-Za-z]|\][^\u0007\u001b]{0,200}\u0007?)/g, '') : output
}

/** The commands of a shell line, classified. */
export function partsOf(command: string): CommandPart[] {
  return simpleCommands(command).map(classifyCommand)
}

function classifyCommand({ words, filter }: SimpleCommand): CommandPart {
  const program = programOf(words[0])
  const rest = words.slice(1)
  const script = findScript(program, rest)
  const [kind, toolWords] = script ? [kindOfScript(script.name, program), script.end] : kindOfProgram(program, rest)
  return { kind, tool: [program, ...rest.slice(0, toolWords)].join(' '), args: withoutOutputFlags(rest.slice(toolWords)), words, filter }
}

/** Removes flags that change only what is printed, so that two runs of one check compare equal. */
function withoutOutputFlags(args: string[]): string[] {
  return args.filter(
    (arg) =>
      !/^(-v+|-q|-s|--verbose|--silent|--quiet|--no-?colou?r|--colou?r(=\w+)?|--reporter(=\S+)?|-count=\d+|--|--nocapture|-x|--bail)$/.test(
        arg,
      ),
  )
}

type ScriptName = { name: string; end: number }

/** The package script, task or target that a runner is asked to run. `end` is the position after its name. */
function findScript(program: string, rest: string[]): ScriptName | null {
  const at = skipFlags(rest, 0)
  if (MAKE_PROGRAMS.includes(program)) return scriptAt(rest, at) ?? { name: 'build', end: 0 }
  if (PACKAGE_MANAGERS.includes(program)) return findPackageScript(program, rest, at)
  return TASK_RUNNERS.includes(program) ? findTask(program, rest, at) : null
}

const MAKE_PROGRAMS = ['make', 'just']
const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun', 'deno']
const TASK_RUNNERS = ['mise', 'task', 'rake', 'composer', 'turbo', 'nx']

function scriptAt(rest: string[], at: number): ScriptName | null {
  const name = rest[at]
  return name === undefined ? null : { name, end: at + 1 }
}

/** The position after the flags that start here, and after their values. */
function skipFlags(rest: string[], from: number): number {
  let at = from
  while (rest[at]?.startsWith('-') && rest[at] !== '--') at += FLAGS_WITH_VALUE.test(rest[at] ?? '') ? 2 : 1
  return at
}

const FLAGS_WITH_VALUE = /^(--filter|-F|-w|--workspace|-C|--cwd|--dir|--prefix|-f|--project|-p)$/

function findPackageScript(program: string, rest: string[], at: number): ScriptName | null {
  const word = rest[at] ?? ''
  if (/^(?:run|run-script|task)$/.test(word)) return scriptAt(rest, skipFlags(rest, at + 1))
  // `bun test` and `deno test` run the program's own test runner, not a script.
  if (program === 'bun' || program === 'deno') return null
  if (word === 't') return { name: 'test', end: at + 1 }
  return PACKAGE_MANAGER_COMMANDS.test(word) ? null : scriptAt(rest, at)
}

const PACKAGE_MANAGER_COMMANDS =
  /^(i|install|add|ci|remove|rm|uninstall|update|up|init|view|info|ls|list|audit|outdated|publish|pack|version|config|why|link|login|whoami|create)$/

function findTask(program: string, rest: string[], at: number): ScriptName | null {
  const word = rest[at] ?? ''
  if (word === 'run' || word === 'r') return scriptAt(rest, at + 1)
  if (program === 'mise' || (program === 'composer' && /^(require|install|update)$/.test(word))) return null
  return scriptAt(rest, at)
}

/** Script names are free text, but most of them say what the script does. */
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

/** The kind of a program, and how many of its arguments say what it does rather than what it works on. */
function kindOfProgram(program: string, args: string[]): [CommandKind, number] {
  const special = SPECIAL_PROGRAMS.find((row) => row.program.test(program) && row.applies(args))
  if (special) return [special.kind(args), special.words(args)]
  const known = TOOLS.find(([, programs, subs]) => programs.includes(program) && (subs === null || subs.includes(args[0] ?? '')))
  if (!known) return ['look', 0]
  const [kind, , subs] = known
  // A linter with a fix flag changes files, and afterwards has nothing left to report.
  const isFixing = kind === 'lint' && hasArg(args, /^(?:--write|--fix|--apply|format)$/)
  return [isFixing ? 'files' : kind, subs === null ? 0 : 1]
}

const hasArg = (args: string[], pattern: RegExp) => args.some((arg) => pattern.test(arg))

type SpecialProgram = {
  program: RegExp
  applies(args: string[]): boolean
  kind(args: string[]): CommandKind
  words(args: string[]): number
}

/** Programs whose kind depends on more than their first argument. The first row that applies counts. */
const SPECIAL_PROGRAMS: SpecialProgram[] = [
  {
    program: /^python[\d.]*$/,
    applies: ([sub]) => sub === '-m',
    kind: ([, module = '']) => PYTHON_MODULES[module] ?? 'run',
    words: () => 2,
  },
  { program: /^node$/, applies: (args) => hasArg(args, /^--test/), kind: () => 'test', words: () => 0 },
  {
    program: /^php$/,
    applies: ([sub]) => sub === 'artisan',
    kind: ([, command = '']) => (command === 'test' ? 'test' : command.startsWith('migrate') ? 'migrate' : 'run'),
    words: () => 2,
  },
  { program: /^(?:mvnw?|gradlew?)$/, applies: () => true, kind: kindOfJvmBuild, words: () => 0 },
  { program: /^zig$/, applies: ([sub]) => sub === 'build', kind: ([, step]) => (step === 'test' ? 'test' : 'build'), words: () => 1 },
  {
    program: /^docker$/,
    applies: ([sub]) => sub === 'compose',
    kind: ([, command]) => (command === 'build' ? 'build' : 'look'),
    words: () => 2,
  },
  { program: /^/, applies: (args) => hasArg(args, /^(?:db:migrate|migration:run)$/), kind: () => 'migrate', words: () => 1 },
  { program: /^git$/, applies: () => true, kind: () => 'git', words: countGitWords },
  { program: /^gh$/, applies: ([sub]) => sub === 'pr', kind: () => 'pull-request', words: () => 2 },
  { program: /^glab$/, applies: ([sub]) => sub === 'mr', kind: () => 'pull-request', words: () => 2 },
  {
    // A script file can break and be repaired. An inline snippet (`node -e`) only looks at something.
    program: /^(?:node|python|python3|bun|deno|ruby|php|perl|tsx|ts-node|bash|sh|zsh)$/,
    applies: ([sub = '']) => /\.\w{1,4}$/.test(sub),
    kind: () => 'run',
    words: () => 1,
  },
]

function kindOfJvmBuild(args: string[]): CommandKind {
  if (hasArg(args, /test|check|verify/i)) return 'test'
  return hasArg(args, /compile|build|package|assemble|install/i) ? 'build' : 'look'
}

const PYTHON_MODULES: Record<string, CommandKind> = { pytest: 'test', unittest: 'test', mypy: 'typecheck', pip: 'install' }

/** Programs by kind, some only with one of the given first arguments. The first matching row counts. */
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
    // The list of problems in an editor, which is reported like a command.
    ['lint', 'problems'],
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
    ['install', 'composer', 'require install update'],
    ['install', 'dotnet', 'add'],
    ['migrate', 'prisma', 'migrate db'],
    ['migrate', 'alembic flyway', 'upgrade migrate'],
    ['migrate', 'knex drizzle-kit typeorm sequelize'],
    ['run', 'go cargo bun deno', 'run'],
    ['run', 'terraform tofu', 'apply plan'],
    ['run', 'kubectl helm', 'apply install upgrade'],
  ] satisfies [CommandKind, string, string?][]
).map(([kind, programs, subs]): [CommandKind, string[], string[] | null] => [kind, programs.split(' '), subs?.split(' ') ?? null])

/** Includes the flags before the subcommand: `git -C dir commit`. */
function countGitWords(rest: string[]): number {
  let i = 0
  while (rest[i]?.startsWith('-')) i += /^(-C|-c)$/.test(rest[i] ?? '') ? 2 : 1
  return i + 1
}
