/** A problem that the editor shows in a file. Line and column are counted from 1. */
export type Problem = { line: number; column: number; code: string; message: string }

const MAX_PROBLEMS = 20

/** The problems of a file in the form in which compilers print them. The same problems give the same text. */
export function problemText(file: string, problems: Problem[]): string {
  const lines = problems
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map(({ line, column, code, message }) => `${file}(${line},${column}): error${code ? ` ${code}` : ''}: ${message.split('\n')[0]}`)
  const more = lines.length > MAX_PROBLEMS ? [`Found ${lines.length} errors`] : []
  return [...lines.slice(0, MAX_PROBLEMS), ...more].join('\n')
}

type ProblemReport = { file: string; error: string | null }

/**
 * Decides which changes of the problems are reported. Problems from before the first save are known and not reported, because they are not news; when
 * one of them is gone after a save, both are.
 */
export function openProblemLog() {
  const known = new Map<string, { text: string; isReported: boolean }>()
  let hasSaved = false
  return {
    saved: (): void => {
      hasSaved = true
    },
    /** The reports for the problems that a file has now; `error` is null when it has none any more. */
    update: (file: string, text: string): ProblemReport[] => {
      const before = known.get(file) ?? { text: '', isReported: true }
      if (before.text === text) return []
      known.set(file, { text, isReported: hasSaved })
      if (!hasSaved) return []
      const earlier = before.isReported || before.text === '' ? [] : [{ file, error: before.text }]
      return [...earlier, { file, error: text === '' ? null : text }]
    },
  }
}
