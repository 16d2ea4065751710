import { expect } from 'bun:test'
import { agentOrSkip } from '../harness/agent-clients.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { runAgent, writeAgentSettings } from '../harness/run-agent.ts'
import { runClaude } from '../harness/run-claude.ts'
import { modelText, startScriptedModel } from '../harness/scripted-model.ts'
import { aPerson } from '../support/person.ts'
import { CONCLUSION } from './agent-flow.ts'

const flow = await agentOrSkip('codex')

flow(
  'what Codex settled is in the first request of Claude Code in the same project, and the other way round',
  async () => {
    await using person = await aPerson({ files: { 'greet.txt': 'hello\n' }, git: true, init: null })
    const model = startScriptedModel()
    try {
      writeAgentSettings(person, 'codex', model)
      await person.recollect('init', '--agent', 'claude-code,codex', '--yes')
      await runAgent(person, 'codex', { model, prompt: 'How often should the greeting service retry?', steps: [{ text: CONCLUSION }] })
      await person.settled()
      const claude = await runClaude({
        sandbox: person,
        prompt: 'Where do the invoices go?',
        turns: ['Settled: invoices are written to the folder ledger-2026, one file for each customer.'],
      })
      expect(requestText(claude.requests[0])).toContain('retries 7 times with a pause of 450 ms')
      await person.settled()
      const codex = await runAgent(person, 'codex', { model, prompt: 'Where are the invoices?', steps: [{ text: 'In ledger-2026.' }] })
      expect(modelText(codex.requests[0])).toContain('invoices are written to the folder ledger-2026')
      await person.settled()
      const sessions = await person.rows<{ agent: string; project: string }>('sessions')
      expect(sessions.map(({ agent }) => agent)).toEqual(['codex', 'claude-code', 'codex'])
      expect(new Set(sessions.map(({ project }) => project)).size).toBe(1)
    } finally {
      await model.close()
    }
  },
  300_000,
)
