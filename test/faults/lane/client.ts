import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HOOK_PROGRAM } from '../../../src/platform/program.ts'
import type { FaultyHome } from '../home.ts'

/** One turn of a session: what is asked, run and answered. */
export type Turn = { prompt: string; commands: string[]; answer: string }

/** The content of the transcripts, which the journal must contain exactly once. */
export type Truth = { prompts: string[]; toolUses: string[] }

export type Client = ReturnType<typeof aClient>

/**
 * `folder` contains the project and the transcript. `prefix` is a command that runs hooks elsewhere, `program` the hook of another version, `now` the
 * clock of the transcript, and `continues` the client whose session is resumed.
 */
type ClientOptions = {
  folder?: string
  program?: string[]
  prefix?: string[]
  now?: () => number
  continues?: { truth: Truth; lines(): number }
}

/**
 * A client with one session, as Claude Code behaves: every event starts a hook process, and the line of the transcript is written right after. It
 * has a process of its own, so that it can die.
 */
export function aClient(
  at: FaultyHome,
  session: string,
  { prefix = [], now = Date.now, continues, folder = at.folder, program }: ClientOptions = {},
) {
  const project = join(folder, 'project')
  const transcript = join(folder, '.claude', 'projects', 'project', `${session}.jsonl`)
  const own = Bun.spawn(['sleep', '3600'], { stdio: ['ignore', 'ignore', 'ignore'] })
  const env = { ...at.env, CLAUDE_PID: String(own.pid), CLAUDE_PROJECT_DIR: project }
  const truth: Truth = continues?.truth ?? { prompts: [], toolUses: [] }
  const failures: string[] = []
  let lines = continues?.lines() ?? 0
  let turns = truth.prompts.length

  const hook = async (event: string, fields: object = {}): Promise<string> => {
    const payload = { session_id: session, transcript_path: transcript, cwd: project, hook_event_name: event, ...fields }
    const command = [...prefix, ...(program ?? [HOOK_PROGRAM.command, ...HOOK_PROGRAM.args]), 'claude-code']
    const child = Bun.spawn(command, { cwd: '/', env, stdin: new Blob([JSON.stringify(payload)]), stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0 || stderr !== '' || !isJsonObject(stdout)) failures.push(`${event}: exit ${code}, ${stdout}${stderr}`)
    return stdout
  }
  const write = (fields: object) => {
    mkdirSync(dirname(transcript), { recursive: true })
    const line = { uuid: `${session}-${++lines}`, timestamp: new Date(now()).toISOString(), sessionId: session, cwd: project, ...fields }
    appendFileSync(transcript, `${JSON.stringify(line)}\n`)
  }
  const user = (promptId: string, content: unknown) => write({ type: 'user', promptId, message: { role: 'user', content } })
  const assistant = (content: unknown) => write({ type: 'assistant', message: { id: `m${lines}`, role: 'assistant', content } })

  return {
    session,
    project,
    transcript,
    truth,
    lines: () => lines,
    /** Hook results that a client would show as an error. */
    failures,
    hook,
    start: (source = 'startup') => hook('SessionStart', { source }),
    turn: async ({ prompt, commands, answer }: Turn) => {
      const prompt_id = `${session}-p${++turns}`
      await hook('UserPromptSubmit', { prompt_id, prompt })
      user(prompt_id, prompt)
      for (const [i, command] of commands.entries()) {
        const id = `${prompt_id}-t${i}`
        assistant([{ type: 'tool_use', id, name: 'Bash', input: { command } }])
        const use = { tool_name: 'Bash', tool_input: { command }, tool_use_id: id, prompt_id }
        await hook('PostToolUse', { ...use, tool_response: { stdout: `${command} is done` } })
        user(prompt_id, [{ type: 'tool_result', tool_use_id: id, content: `${command} is done` }])
        truth.toolUses.push(`${session} ${id}`)
      }
      await hook('Stop', { prompt_id, last_assistant_message: answer })
      assistant([{ type: 'text', text: answer }])
      truth.prompts.push(`${session}: ${prompt} → ${answer}`)
    },
    end: async () => {
      await hook('SessionEnd', { reason: 'other' })
      own.kill('SIGKILL')
      await own.exited
    },
    /** Ends without any hook, as after `kill -9` or a crash of the terminal. */
    die: async () => {
      own.kill('SIGKILL')
      await own.exited
    },
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
