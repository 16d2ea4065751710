import { shorten } from '../../core/text.ts'
import { linesOf, unique } from './lists.ts'

/** What a compiler, type checker or linter complained about. */
export type Problems = { count: number; first: string[] }

/** Reads the errors out of a build, type check or lint run; null when it complains of nothing. */
export function readProblems(output: string): Problems | null {
  const found: string[] = []
  let total: number | null = null
  let where = ''
  for (const raw of linesOf(output)) {
    const line = raw.trim()
    if (line === '') continue
    const said = TOTAL.exec(line)?.slice(1).find(Boolean)
    if (said !== undefined) total = (total ?? 0) + Number(said)
    // Some tools name the file on one line and the complaint on the next.
    const place = /^(?:-->\s+|at )?((?:[\w@.-]+\/)*[\w.-]+\.\w{1,5})(?::\d+(?::\d+)?)?(?:\s+[\w/]+)?(?:\s+━+)?$/.exec(line)?.[1]
    const error = ERRORS.some((pattern) => pattern.test(line)) ? line : null
    if (error && !/^(error: could not compile|error: aborting|error: script ")/.test(error))
      found.push(where && /^[×\d]/.test(error) ? `${where}: ${error}` : error)
    if (place) where = place
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
  /^error(?:\[E\d+\])?: \S/, // rustc, and many that begin with the word
  /^\d+:\d+\s+error\s+\S/, // eslint
  /^× \S/, // biome
  /^e: (?:file:)?\S+: /, // kotlin
  /^(?:ERROR in|\[ERROR\]|Error:|SyntaxError:|TypeError:|ReferenceError:) \S/,
  /^\S+:\d+(?::\d+)? error \S/, // markdownlint
]

/** The one line that says best why a command failed, or empty text. */
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
  // A Python traceback and a Node stack end or begin with the line that names the error.
  const named = lines.findLast((line) =>
    /^(?:[\w.]+(?:Error|Exception|Panic)|AssertionError|panic|fatal|ERROR|FAILURE|CONFLICT \([^)]*\)|! \[rejected\]|✖)\b:?\s*\S/.test(line),
  )
  const chosen =
    named ??
    lines.findLast((line) => /\b(?:error|failed|cannot|could not|unable to|denied|refused|timed? ?out|not found)\b/i.test(line)) ??
    lines.slice(-2).join(' ')
  return shorten(chosen ?? '', 200)
}

/** The command was mistyped, refused or not there: nothing of the project failed. */
export function isMisuse(output: string, exitCode: number | null): boolean {
  if (exitCode === 127 || exitCode === 126 || exitCode === 130) return true
  const start = output.slice(0, 600)
  return /command not found|unrecognized (?:subcommand|option|argument)|unknown (?:option|flag|shorthand|command|subcommand)|invalid option|Missing script:?|no such file or directory: |cd: .{0,200}No such file|no matches found:|doesn't want to (?:proceed|take this action)|requires approval|has been denied|Sibling tool call|temporarily unavailable, so|did not match any files|Request interrupted|directory prefix \. does not contain|command timed out|is not recognized as/i.test(
    start,
  )
}
