/**
 * Sessions of a simulated client: the payloads that its hooks send, and the lines that it writes to its transcript before each of them. The mix is that
 * of 65 real sessions: 7 tool uses per prompt, a third of them commands, a fifth edits, a fifth reads, with 2 KB of output on average.
 */
import { join } from 'node:path'
import { seededRandom, wordMaker } from './sample-store.ts'

/** One step of a session: lines for its transcript, then a payload for the hook. */
export type ClientStep = { event: string; lines: object[]; payload: Record<string, unknown> }

export type SimulatedSession = { id: string; transcript: string; folder: string; steps: Generator<ClientStep> }

/** Tool uses per minute of a session at work, in those 65 sessions. */
export const USUAL_TOOL_USES_PER_MINUTE = 4.4

const TOOL_USES_PER_PROMPT = 7
const MAX_PROMPTS = 12
const FILES_PER_PROJECT = 80
/** One tool use of so many fails. */
const FAILURE_RATIO = 20
/** One session of so many is compacted, and one of so many never reports its end. */
const COMPACTION_RATIO = 6
const LOST_END_RATIO = 10

/** The session with this number. Equal numbers give equal sessions. */
export function simulatedSession(number: number, folder: string, transcripts: string): SimulatedSession {
  const id = `5e551011-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
  const transcript = join(transcripts, `${id}.jsonl`)
  return { id, transcript, folder, steps: stepsOf(number, id, folder, transcript) }
}

function* stepsOf(number: number, id: string, folder: string, transcript: string): Generator<ClientStep> {
  const random = seededRandom(number * 7919 + 1)
  const words = wordMaker(random)
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T
  const common = { session_id: id, transcript_path: transcript, cwd: folder }
  let lineCount = 0
  const line = (fields: object) => ({
    uuid: `${id}-${++lineCount}`,
    timestamp: new Date().toISOString(),
    sessionId: id,
    cwd: folder,
    ...fields,
  })
  const said = (content: unknown) => line({ type: 'assistant', message: { id: `m${lineCount}`, role: 'assistant', content } })
  yield step('SessionStart', [], { ...common, source: 'startup' })
  const prompts = 1 + Math.floor(random() * MAX_PROMPTS)
  for (let turn = 1; turn <= prompts; turn++) {
    const promptId = `${id}-p${turn}`
    const ofTurn = { ...common, prompt_id: promptId }
    const heard = (content: unknown) => line({ type: 'user', promptId, message: { role: 'user', content } })
    const prompt = words(8 + Math.floor(random() * 40))
    yield step('UserPromptSubmit', [heard(prompt)], { ...ofTurn, prompt })
    const uses = 1 + Math.floor(random() * 2 * TOOL_USES_PER_PROMPT)
    for (let n = 0; n < uses; n++) {
      const toolUseId = `toolu_${number}_${turn}_${n}`
      const { name, input, response } = toolUse(random, words, folder, pick)
      const failed = random() * FAILURE_RATIO < 1
      const error = `Exit code 1\nError: ${words(6)}`
      const used = { ...ofTurn, tool_name: name, tool_input: input, tool_use_id: toolUseId }
      const result = failed ? error : JSON.stringify(response)
      yield step(
        failed ? 'PostToolUseFailure' : 'PostToolUse',
        [
          said([{ type: 'tool_use', id: toolUseId, name, input }]),
          heard([{ type: 'tool_result', tool_use_id: toolUseId, content: result, is_error: failed }]),
        ],
        failed ? { ...used, error, is_interrupt: false } : { ...used, tool_response: response },
      )
    }
    const answer = `${words(40)}. ${words(20)}.`
    yield step('Stop', [said([{ type: 'text', text: answer }])], { ...ofTurn, stop_hook_active: false, last_assistant_message: answer })
    if (turn === 3 && number % COMPACTION_RATIO === 0) yield step('PreCompact', [], { ...ofTurn, trigger: 'auto', custom_instructions: '' })
  }
  if (number % LOST_END_RATIO !== 0) yield step('SessionEnd', [], { ...common, reason: 'prompt_input_exit' })
}

const step = (event: string, lines: object[], payload: Record<string, unknown>): ClientStep => ({
  event,
  lines,
  payload: { ...payload, hook_event_name: event },
})

type ToolUseParts = { name: string; input: Record<string, unknown>; response: unknown }

function toolUse(random: () => number, words: (count: number) => string, folder: string, pick: <T>(all: readonly T[]) => T): ToolUseParts {
  const file = join(folder, 'src', `part${Math.floor(random() * FILES_PER_PROJECT)}.ts`)
  const text = (chars: number) => words(Math.ceil((chars * (0.2 + 1.6 * random())) / 6))
  const kind = random()
  if (kind < 0.4) {
    const command = pick(['npm test', 'git status --short', `grep -rn ${words(1)} src`, `node scripts/${words(1)}.mjs`, 'ls -la src'])
    return { name: 'Bash', input: { command, description: words(4) }, response: { stdout: text(2000), stderr: '', interrupted: false } }
  }
  if (kind < 0.62) {
    const [before, after] = [`const ${words(1)} = ${text(60)}`, `const ${words(1)} = ${text(80)}`]
    return {
      name: 'Edit',
      input: { file_path: file, old_string: before, new_string: after, replace_all: false },
      response: { filePath: file, oldString: before, newString: after, userModified: false, replaceAll: false },
    }
  }
  if (kind < 0.84)
    return {
      name: 'Read',
      input: { file_path: file },
      response: { type: 'text', file: { filePath: file, content: text(4000), numLines: 80 } },
    }
  if (kind < 0.95)
    return { name: 'Grep', input: { pattern: words(1), path: folder }, response: { mode: 'content', content: text(1500), numLines: 20 } }
  return { name: 'Write', input: { file_path: file, content: text(2500) }, response: { type: 'create', filePath: file } }
}
