import type { PerformedAction } from '../../src/core/action.ts'
import type { Turn } from '../../src/core/memory.ts'
import { shorten } from '../../src/core/text.ts'
import { claudeCode } from '../../src/integrations/agent.ts'

/** The turns of a recorded session in the form that the distiller gets, without a database. */
export async function turnsOf(transcript: string): Promise<Turn[]> {
  const turns: Turn[] = []
  let folder = ''
  for await (const { items, facts } of claudeCode.readTranscript(transcript, null)) {
    folder ||= facts.cwd ?? ''
    for (const { event } of items) {
      const turn = turns.at(-1)
      if (event.kind === 'prompt-submitted')
        turns.push({
          ...event,
          promptNumber: turns.length + 1,
          prompt: event.origin === 'machine' ? shorten(claudeCode.noticeText(event.text), 200) : event.text,
          before: turns.at(-1)?.answer ?? null,
          answer: null,
          folder,
          actions: [],
          openFailures: [],
        })
      else if (turn && event.kind === 'tool-used' && !claudeCode.skipTools.has(event.tool)) turn.actions.push(performedAction(event))
      else if (turn && event.kind === 'turn-ended') turn.answer = event.answer
    }
  }
  for (const file of await claudeCode.subagentTranscripts(transcript)) await addSubagent(turns, file)
  return turns
}

/** The tool uses of a subagent belong to the turn that was running. */
async function addSubagent(turns: Turn[], transcript: string): Promise<void> {
  for await (const { items } of claudeCode.readTranscript(transcript, null)) {
    for (const { event } of items) {
      const turn = turns.findLast(({ at }) => at <= event.at)
      if (turn && event.kind === 'tool-used') turn.actions = [...turn.actions, performedAction(event)].sort((a, b) => a.at - b.at)
    }
  }
}

type ToolUsed = {
  toolUseId: string | null
  tool: string
  at: number
  input: unknown
  output: unknown
  error: string | null
  interrupted: boolean
  agentId: string | null
}

function performedAction({ toolUseId, tool, at, input, output, error, interrupted, agentId }: ToolUsed): PerformedAction {
  const use = { tool, input: JSON.stringify(input ?? null), output: error === null ? JSON.stringify(output ?? null) : null, error }
  return { id: toolUseId ?? '', tool, at, failed: error !== null, error, interrupted, agentId, action: claudeCode.readAction(use) }
}
