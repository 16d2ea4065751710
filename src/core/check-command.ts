/** A check by its command, with the program that ran it if its output or its command names one: `pytest`, `go`, `bun`, `tsc`. */
export type CheckSuite = { command: string; runner?: string }

/**
 * Whether a passing run of a whole suite says that a failed check passes now. `same`: one program ran both. `unclear`: a script such as
 * `make test` may have run it. `other`: another program or another language, which says nothing about it.
 */
export function compareSuites(passed: CheckSuite, failed: CheckSuite): 'same' | 'unclear' | 'other' {
  if (passed.command === failed.command) return 'same'
  const [a, b] = [passed.runner ?? runnerOf(passed.command), failed.runner ?? runnerOf(failed.command)]
  if (a !== null && b !== null) return a === b ? 'same' : 'other'
  return mayBeSameLanguage(passed.command, failed.command) ? 'unclear' : 'other'
}

/** The program that a command runs by name; null for a script, which may run anything. */
function runnerOf(command: string): string | null {
  const [program = '', first = ''] = command.replace(/^python[\d.]* -m /, '').split(' ')
  if (/^(?:go|bun|deno|cargo|dotnet|swift|mix|flutter|dart)$/.test(program))
    return PROGRAM_SUBCOMMANDS.test(first) ? (TEST_SUBCOMMANDS.test(first) ? program : `${program} ${first}`) : null
  if (program === 'node') return command.includes('--test') ? 'node' : null
  return /^(?:npm|pnpm|yarn|make|just|mise|task|rake|rails|composer|turbo|nx|php|tox|nox)$/.test(program) ? null : program.replace(/w$/, '')
}

const TEST_SUBCOMMANDS = /^(?:test|t|nextest)$/
const PROGRAM_SUBCOMMANDS = /^(?:test|t|nextest|vet|check|clippy|build|lint|generate)$/

/**
 * Whether two commands may run code of the same language. `make test` and `mise run test` may run anything; a package script and `pytest`
 * belong to different languages.
 */
function mayBeSameLanguage(one: string, other: string): boolean {
  const [a, b] = [languageOf(one), languageOf(other)]
  return a === ANY || b === ANY || a === b
}

const ANY = 'any'
const LANGUAGES: [string, RegExp][] = [
  [ANY, /^(?:make|just|mise|task|git)\b/],
  ['go', /^(?:go|golangci-lint)\b/],
  ['js', /^(?:npm|pnpm|yarn|bun|deno|node|jest|vitest|mocha|ava|turbo|nx|tsc|vue-tsc|eslint|biome|oxlint|playwright|cypress)\b/],
  ['python', /^(?:python|pytest|py\.test|tox|nox|mypy|pyright|ruff|flake8|pylint)/],
  ['jvm', /^(?:mvnw?|gradlew?)\b/],
  ['ruby', /^(?:rspec|rake|rails|rubocop)\b/],
  ['php', /^(?:php|phpunit|pest|composer)\b/],
]

/** For other programs, the program name stands for the language. */
function languageOf(command: string): string {
  return LANGUAGES.find(([, programs]) => programs.test(command))?.[0] ?? command.split(' ', 1)[0] ?? ''
}
