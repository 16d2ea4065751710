/**
 * CommitRecall's sessions as the client would have written them down, so that the product's own reader decides what was a prompt: commands that
 * the client answers itself, interruptions and the summaries of compactions are none. The set has a tool use as one line of 300
 * characters at most: its name and the values of its input, without what it answered.
 */
import type { CommitRecall } from './data.ts'

type Session = CommitRecall['sessions'][number]
type Exchange = Session['exchanges'][number]

const A_TURN_MS = 60_000

/** The lines of a session's transcript. */
export function transcriptOf({ id, started, exchanges }: Session): string {
  const lines = exchanges.flatMap((exchange, turn) =>
    messagesOf(exchange, turn).map((line, place) => ({
      ...line,
      uuid: `${id}-${turn}-${place}`,
      timestamp: new Date(Date.parse(started) + turn * A_TURN_MS + place).toISOString(),
      sessionId: id,
      cwd: '/eval',
    })),
  )
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** What was asked, what was said on the way, what was done, and what was said last: in which order the middle came, the set does not say. */
function messagesOf({ prompt, answer, tools }: Exchange, turn: number) {
  const said = answer.filter((text) => text.trim())
  const say = (text: string, place: number) => assistant(`${turn}-said-${place}`, { type: 'text', text })
  const asked = prompt.trim() ? [{ ...user(prompt), isCompactSummary: prompt.startsWith(COMPACTED) }] : []
  const used = tools.flatMap((line, place) => {
    const use = toolUseOf(line)
    const id = `${turn}-${place}`
    return use ? [assistant(id, { type: 'tool_use', id, ...use }), user([{ type: 'tool_result', tool_use_id: id, content: '' }])] : []
  })
  return [...asked, ...said.slice(0, -1).map(say), ...used, ...said.slice(-1).map((text) => say(text, said.length))]
}

const COMPACTED = 'This session is being continued from a previous conversation'

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
      // Where the old text ends and the new begins, the line does not say.
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
