/** The decisions that a caller hands over with a summary, as the last lines of it. They are read again when notes are proposed from it. */
const HEADING = 'Decisions:'

/** The list as text; empty for an empty list. */
export function formatDecisions(decisions: string[]): string {
  const lines = decisions.map((decision) => decision.replace(/\s+/g, ' ').trim()).filter(Boolean)
  return lines.length > 0 ? [HEADING, ...lines.map((line) => `- ${line}`)].join('\n') : ''
}

/** The decisions at the end of a summary. */
export function parseDecisions(summary: string): string[] {
  const lines = summary.trimEnd().split('\n')
  const heading = lines.lastIndexOf(HEADING)
  const list = heading < 0 ? [] : lines.slice(heading + 1)
  return list.every((line) => line.startsWith('- ')) ? list.map((line) => line.slice(2).trim()).filter(Boolean) : []
}
