import { expect } from 'bun:test'
import { AGENT_TITLES } from '../../src/core/agent.ts'
import type { OtherAgent } from '../../src/integrations/agent-setup.ts'
import { AGENT_CLIENTS, agentOrSkip } from '../harness/agent-clients.ts'
import { agentSettings, agentVersion, runAgent, writeAgentSettings } from '../harness/run-agent.ts'
import { type ModelStep, modelText, startScriptedModel } from '../harness/scripted-model.ts'
import { aPerson } from '../support/person.ts'

/** The turn of session one: a command, a command that fails, an edit, a call of our memory tool, and the conclusion. */
export type AgentTurn = {
  steps(project: string): ModelStep[]
  /** The tool uses that the journal must contain. */
  uses: { tool: string; failed: boolean }[]
}

export const CONCLUSION = 'Settled: the greeting service retries 7 times with a pause of 450 ms, because the gateway drops the first calls.'
/** The text that the model saves with our memory tool, over MCP. */
export const MEMORY_TOOL_TEXT = 'Herons log poison messages.'
const PROMPT = 'Decide how often the greeting service retries, and change greet.txt.'

type StoredToolUse = { tool: string; input: string; error: string | null; toolUseId: string }

/** The same flow for every agent, with its real client. */
export async function testAgent(agent: OtherAgent, turn: AgentTurn): Promise<void> {
  const flow = await agentOrSkip(agent)
  const title = AGENT_TITLES[agent]

  flow(
    `${title}: the conclusion of one session is in the first request of the next, and every event is in the journal once`,
    async () => {
      await using person = await aPerson({ files: { 'greet.txt': 'hello\n', 'README.md': '# demo\n' }, git: true, init: null })
      const model = startScriptedModel()
      try {
        writeAgentSettings(person, agent, model)
        const before = agentSettings(person, agent)
        expect(await agentVersion(person, agent, model)).toContain(AGENT_CLIENTS[agent].version)
        await person.recollect('init', '--agent', agent, '--yes')

        await runAgent(person, agent, { model, prompt: PROMPT, steps: [...turn.steps(person.project), { text: CONCLUSION }] })
        await person.settled()
        expect(await person.recollect('notes', '--json')).toContain(MEMORY_TOOL_TEXT)
        await expectJournal(person, agent, turn)

        const second = await runAgent(person, agent, {
          model,
          prompt: 'How often does the greeting service retry?',
          steps: [{ text: 'Seven times.' }],
        })
        const text = modelText(second.requests[0])
        expect(text).toContain('recollect-context')
        expect(text).toContain('retries 7 times with a pause of 450 ms')
        for (const aside of second.asides) expect(modelText(aside)).not.toContain('recollect-context')
        await person.settled()
        const prompts = await person.rows<{ text: string; answer: string | null; sessionId: string }>('prompts')
        expect(prompts.map(({ text }) => text)).toEqual([PROMPT, 'How often does the greeting service retry?'])
        expect(prompts.map(({ answer }) => answer)).toEqual([CONCLUSION, 'Seven times.'])

        await person.recollect('uninstall')
        expect(agentSettings(person, agent)).toEqual(before)
      } finally {
        await model.close()
      }
    },
    300_000,
  )
}

async function expectJournal(person: Awaited<ReturnType<typeof aPerson>>, agent: OtherAgent, turn: AgentTurn): Promise<void> {
  const uses = await person.rows<StoredToolUse>('tool-uses')
  expect(uses.map(({ tool, error }) => ({ tool, failed: error !== null }))).toEqual(turn.uses)
  expect(uses.filter(({ toolUseId }) => toolUseId.startsWith('content:'))).toEqual([])
  const sessions = await person.rows<{ agent: string }>('sessions')
  expect(sessions.map((session) => session.agent)).toEqual([agent])
}
