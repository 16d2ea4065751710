import { expect, test } from 'bun:test'
import { AGENT_FIXTURES } from '../../test/support/agent-fixtures.ts'
import { temporaryFolder } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { agents } from '../integrations/agent.ts'
import { ingestTranscript } from './reconcile.ts'
import { searchFor, timelineFor } from './search-requests.ts'

const PAGE = { limit: 50, offset: 0, widen: false, since: undefined, before: undefined, dateEnd: undefined, orderBy: 'relevance' as const }

test('search and timeline say which agent a memory comes from, and can be limited to one', async () => {
  await using at = await someServices()
  using folder = temporaryFolder()
  for (const { agent, writeTranscript } of AGENT_FIXTURES)
    await ingestTranscript(at.desk, await agents[agent](), writeTranscript(folder.path))
  await at.desk.queue.drained()
  const query = 'change the greeting'
  for (const { agent } of AGENT_FIXTURES) {
    for (const request of [{ query, agent }, { query: `${query} agent:${agent}` }]) {
      const { hits } = await searchFor(at.desk, { ...request, ...PAGE })
      expect(new Set(hits.map((hit) => hit.agent))).toEqual(new Set([agent]))
    }
  }
  const around = { at: '2030-01-01', depth_before: 100, depth_after: 0, widen: false }
  const { items } = await timelineFor(at.desk, { ...around, agent: 'codex' })
  expect(items.length).toBeGreaterThan(0)
  expect(new Set(items.map(({ agent }) => agent))).toEqual(new Set(['codex']))
})
