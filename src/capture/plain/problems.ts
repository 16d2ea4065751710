import { linesOf, shorten } from '../../core/text.ts'
import { unique } from './lists.ts'

/** Errors reported by a compiler, type checker or linter. */
export type Problems = { count: number; first: string[] }

/** Reads the errors from the output of a build, type check or lint run; null if there are none. */
export function readProblems(output: string): Problems | null {
  const found: string[] = []
  let total: number | null = null
  let lastFile = ''
  for (const raw of linesOf(output)) {
    const line = raw.trim()
    if (line === '') continue
    const count = TOTAL.exec(line)?.slice(1).find(Boolean)
    if (count !== undefined) total = (total ?? 0) + Number(count)
    // Some tools print the file on one line and the error on the next.
    const file = /^(?:-->\s+|at )?((?:[\w@.-]+\/)*[\w.-]+\.\w{1,5})(?::\d+(?::\d+)?)?(?:\s+[\w/]+)?(?:\s+━+)?$/.exec(line)?.[1]
    const error = ERRORS.some((pattern) => pattern.test(line)) ? line : null
    if (error && !/^(error: could not compile|error: aborting|error: script ")/.test(error))
      found.push(lastFile && /^[×\d]/.test(error) ? `${lastFile}: ${error}` : error)
    if (file) lastFile = file
  }
  const distinct = unique(found)
  const n = total ?? distinct.length
  return n > 0
    ? { count: Math.max(n, total === null ? distinct.length : 0), first: distinct.slice(0, 5).map((line) => shorten(line, 200)) }
    : null
}

const TOTAL =
  /^Found (\d+) errors?\b|^✖ \d+ problems? \((\d+) errors?|^(\d+) issues:?$|^(\d+) errors? generated|due to (\d+) previous errors?|^\s*(\d+) Error\(s\)|^Summary: ([1-9]\d*) error/

const ERRORS: RegExp[] = [
  /^[\w@./\\ -]+\.\w{1,5}[(:]\d+[,:]?\d*\)?:? ?-? ?(?:fatal )?error\b/i, // tsc, gcc, clang, mypy, javac, csc
  /^[\w@./-]+\.(?:go|py|rb|rs|zig):\d+(?::\d+)?: \S/, // go, golangci-lint, ruff, flake8
  /^error(?:\[E\d+\])?: \S/, // rustc, and many others
  /^\d+:\d+\s+error\s+\S/, // eslint
  /^× \S/, // biome
  /^e: (?:file:)?\S+: /, // kotlin
  /^(?:ERROR in|\[ERROR\]|Error:|SyntaxError:|TypeError:|ReferenceError:) \S/,
  /^\S+:\d+(?::\d+)? error \S/, // markdownlint
]

/** The line that best says why a command failed, or an empty text. */
export function errorLine(output: string): string {
  const problem = readProblems(output)?.first[0]
  if (problem) return problem
  const lines = linesOf(output)
    .map((line) => line.trim())
    .filter(
      (line) =>
        line !== '' &&
        !/^(?:Node\.js v|at |[\]})>;,]+$|\^+$|Exit code|error Command failed|npm (?:ERR!|error) (?:A complete log|code|path)|ELIFECYCLE|info Visit)/.test(
          line,
        ),
    )
  // Python tracebacks end with the line that names the error; Node stacks begin with it.
  const named = lines.findLast((line) =>
    /^(?:[\w.]+(?:Error|Exception|Panic)|AssertionError|panic|fatal|ERROR|FAILURE|CONFLICT \([^)]*\)|! \[rejected\]|✖)\b:?\s*\S/.test(line),
  )
  const chosen =
    named ??
    lines.findLast((line) => /\b(?:error|failed|cannot|could not|unable to|denied|refused|timed? ?out|not found)\b/i.test(line)) ??
    lines.slice(-2).join(' ')
  return shorten(chosen ?? '', 200)
}

/** The command was mistyped, refused or not found, so the project itself did not fail. */
export function isMisuse(output: string, exitCode: number | null, failed = true): boolean {
  if (exitCode === 127 || exitCode === 126 || exitCode === 130) return true
  const start = output.slice(0, 600)
  if (failed) return NOT_FOUND.test(start) || MISUSE.test(start)
  // A pipe may have hidden the exit code. Only an output that says nothing else counts, because a test may print these words.
  return NOT_FOUND.test(start) && linesOf(output.trim()).length <= 3
}

const NOT_FOUND =
  /command not found|^(?:\S+: )?(?:line )?\d*:? ?[\w.@/-]+: not found$|[Ss]cript not found|Missing script:?|No rule to make target|no such command|is not recognized as|ERR_PNPM_NO_SCRIPT/m
const MISUSE =
  /unrecognized (?:subcommand|option|argument)|unknown (?:option|flag|shorthand|command|subcommand)|invalid option|no such file or directory: |cd: .{0,200}No such file|no matches found:|doesn't want to (?:proceed|take this action)|requires approval|has been denied|Sibling tool call|temporarily unavailable, so|did not match any files|Request interrupted|directory prefix \. does not contain|command timed out|file or directory not found:|No test files found|No tests found, exiting|Module not found "(?!\.)[^"]*"$/im
