/**
 * Writes CommitRecall's sessions as client transcripts, so that the product's reader decides what is a prompt: commands that the
 * client answers itself, interruptions and compaction summaries are not. In the set, a tool use is one line of at most 300 characters with its
 * name and input values, without its output.
 */
import type { CommitRecall } from './data.ts'

type Session = CommitRecall['sessions'][number]
type Exchange = Session['exchanges'][number]

const TURN_MS = 60_000

/** The lines of a session's transcript. */
export function transcriptOf({ id, started, exchanges }: Session): string {
  const lines = exchanges.flatMap((exchange, turn) =>
    messagesOf(exchange, turn).map((line, position) => ({
      ...line,
      uuid: `${id}-${turn}-${position}`,
      timestamp: new Date(Date.parse(started) + turn * TURN_MS + position).toISOString(),
      sessionId: id,
      cwd: '/eval',
    })),
  )
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Prompt, intermediate answers, tool uses, last answer. The set does not record the order of the middle part. */
function messagesOf({ prompt, answer, tools }: Exchange, turn: number) {
  const answers = answer.filter((text) => text.trim())
  const answerLine = (text: string, position: number) => assistant(`${turn}-said-${position}`, { type: 'text', text })
  const promptLines = prompt.trim() ? [{ ...user(prompt), isCompactSummary: prompt.startsWith(COMPACTION_OPENING) }] : []
  const toolLines = tools.flatMap((line, position) => {
    const use = toolUseOf(line)
    const id = `${turn}-${position}`
    return use ? [assistant(id, { type: 'tool_use', id, ...use }), user([{ type: 'tool_result', tool_use_id: id, content: '' }])] : []
  })
  return [
    ...promptLines,
    ...answers.slice(0, -1).map(answerLine),
    ...toolLines,
    ...answers.slice(-1).map((text) => answerLine(text, answers.length)),
  ]
}

const COMPACTION_OPENING = 'This session is being continued from a previous conversation'

const user = (content: unknown) => ({ type: 'user', message: { role: 'user', content } })
const assistant = (id: string, block: object) => ({ type: 'assistant', message: { id, role: 'assistant', content: [block] } })

function toolUseOf(line: string): { name: string; input: Record<string, string> } | null {
  const [, name = '', rest = ''] = /^(\w+) ([\s\S]*)$/.exec(line) ?? []
  const input = inputOf(name, rest)
  return input && { name, input }
}

function inputOf(tool: string, rest: string): Record<string, string> | null {
  const [, path = '', after = ''] = /(\/\S+)\s?([\s\S]*)$/.exec(rest) ?? []
  switch (tool) {
    case 'Read':
      return { file_path: path }
    case 'Write':
      return { file_path: path, content: after }
    case 'Edit':
      // The line does not mark where the old text ends and the new text begins.
      return { file_path: path, old_string: '', new_string: after }
    case 'Bash':
      return { command: rest }
    case 'Grep':
      return { pattern: rest.split(' ')[0] ?? '', path }
    case 'Glob':
      return { pattern: rest }
    case 'Task':
      return { description: rest.slice(0, 60), prompt: rest }
    case 'ExitPlanMode':
      return { plan: rest }
    default:
      return null
  }
}
