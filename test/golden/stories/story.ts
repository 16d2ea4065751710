import type { Script, Turn } from '../../harness/fake-anthropic.ts'
import type { startTui } from '../../harness/tui.ts'

/** A session to record: a small project, and what a person and a model do with it. Its commands really run. */
export type Story = {
  /** The name of the recording's file. */
  name: string
  /** The name of the project folder. */
  project: string
  files: Record<string, string | object>
} & (
  | {
      /** Each prompt resumes the session of the one before. */
      prompts: { says: string; model: Script }[]
    }
  | {
      /** An interactive session, in which a person can agree, interrupt and type ahead. */
      model: Script
      args?: string[]
      person(at: Terminal): Promise<void>
    }
)

export type Terminal = Awaited<ReturnType<typeof startTui>>

type Tool = { name: string; input: Record<string, unknown> }

/** One answer of the model: an optional text, and the tools it calls. */
export function step(text: string, ...tools: Tool[]): Turn {
  return text === '' ? { tools } : { text, tools }
}

export const bash = (command: string, description: string): Tool => ({ name: 'Bash', input: { command, description } })

/** Paths are relative to the project; the recorder makes them absolute. */
export const read = (file_path: string): Tool => ({ name: 'Read', input: { file_path } })

export const write = (file_path: string, content: string): Tool => ({ name: 'Write', input: { file_path, content } })

export const edit = (file_path: string, old_string: string, new_string: string, replace_all = false): Tool => ({
  name: 'Edit',
  input: { file_path, old_string, new_string, replace_all },
})
