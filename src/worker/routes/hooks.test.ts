import { expect, test } from 'bun:test'
import { AGENT_FIXTURES } from '../../../test/support/agent-fixtures.ts'
import { nowhere } from '../../../test/support/builders.ts'
import { someServices } from '../../../test/support/services.ts'
import { rememberAgentInstall } from '../../platform/installs.ts'
import type { RequestContext } from '../router.ts'
import { handlers } from './hooks.ts'

const payloads = AGENT_FIXTURES.find(({ agent }) => agent === 'copilot')?.payloads ?? []

test("Claude Code's hooks of a project also run in Copilot, and what they report is recorded as Copilot's", async () => {
  await using at = await someServices()
  for (const payload of payloads) await send(at.desk, payload)
  const sessions = await at.store.sessions.recent(null, 10)
  expect(sessions.map(({ agent }) => agent)).toEqual(['copilot'])
  const uses = await at.store.toolUses.ofSession(sessions[0]?.id ?? 0, 10)
  expect(uses.map(({ tool }) => tool)).toEqual(['Bash', 'Bash', 'Edit', 'Read'])
})

test('they report nothing when Copilot has hooks of its own', async () => {
  await using at = await someServices()
  rememberAgentInstall(at.desk.home, 'copilot', [])
  for (const payload of payloads) await send(at.desk, payload)
  expect(await at.store.sessions.recent(null, 10)).toEqual([])
})

async function send(desk: Parameters<(typeof handlers)['POST /hook/:agent']>[0], payload: unknown): Promise<void> {
  const headers = { 'x-recollect-context': encodeURIComponent(JSON.stringify(nowhere)) }
  const request = new Request('http://worker/hook/claude-code', { method: 'POST', body: JSON.stringify(payload), headers })
  const control = { reportEvent: () => {} }
  const response = await handlers['POST /hook/:agent'](desk, { agent: 'claude-code' }, { request, control } as unknown as RequestContext)
  expect(response.status).toBe(200)
}
