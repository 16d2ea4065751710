import type { Script, Turn } from '../../harness/fake-anthropic.ts'
import type { startTui } from '../../harness/tui.ts'

/** A session to be recorded: a small project, and what a person and a model do with it. Commands in it really run. */
export type Story = {
  /** The recording's file. */
  name: string
  /** What the project's folder is called. */
  project: string
  files: Record<string, string | object>
} & (
  | {
      /** Each prompt goes on where the one before ended. */
      prompts: { says: string; model: Script }[]
    }
  | {
      /** In front of the terminal, where a person can agree, interrupt and type ahead. */
      model: Script
      args?: string[]
      person(at: Terminal): Promise<void>
    }
)

export type Terminal = Awaited<ReturnType<typeof startTui>>

type Tool = { name: string; input: Record<string, unknown> }

/** One answer of the model: a word about what it is up to, if it has one, and the tools it calls. */
export function step(text: string, ...tools: Tool[]): Turn {
  return text === '' ? { tools } : { text, tools }
}

export const bash = (command: string, description: string): Tool => ({ name: 'Bash', input: { command, description } })

/** Files are named as in the project; the recorder makes the names whole, as the client wants them. */
export const read = (file_path: string): Tool => ({ name: 'Read', input: { file_path } })

export const write = (file_path: string, content: string): Tool => ({ name: 'Write', input: { file_path, content } })

export const edit = (file_path: string, old_string: string, new_string: string, replace_all = false): Tool => ({
  name: 'Edit',
  input: { file_path, old_string, new_string, replace_all },
})
