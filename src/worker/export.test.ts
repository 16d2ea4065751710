import { expect, test } from 'bun:test'
import { event, nowhere, prompt, toolUse } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { take } from '../capture/capture.ts'
import type { SessionEvent } from '../core/event.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'
import { claudeCode } from '../integrations/agent.ts'
import { EXPORT_KINDS } from '../wire/contract/upkeep.ts'
import { exportLines } from './export.ts'
import type { Services } from './services.ts'

test("every kind has the agent's session id, and stored JSON is exported as JSON", async () => {
  await using at = await someServices()
  await fill(at.desk)
  for (const kind of EXPORT_KINDS) {
    const lines = [...exportLines(at.store, kind, null)] as Record<string, unknown>[]
    if (kind === 'notes' || kind === 'commits') expect(lines).toEqual([])
    else expect(new Set(lines.map((line) => line.sessionId))).toEqual(new Set(['s1', 's2']))
    for (const line of lines) expect(Object.keys(line)).not.toContain('clientPid')
  }
  const [use] = [...exportLines(at.store, 'tool-uses', null)]
  expect(use).toMatchObject({ input: { command: 'true' }, output: { stdout: '' } })
})

test('an export of a project has only its rows', async () => {
  await using at = await someServices()
  await fill(at.desk)
  for (const kind of EXPORT_KINDS) {
    for (const line of exportLines(at.store, kind, asProjectKey('two'))) expect(line).toMatchObject({ project: 'two' })
  }
  expect([...exportLines(at.store, 'prompts', asProjectKey('two'))]).toHaveLength(3)
})

test('two exports at once do not affect each other, and a write between lines does not affect them', async () => {
  await using at = await someServices()
  await fill(at.desk)
  const [one, two] = [exportLines(at.store, 'prompts', null), exportLines(at.store, 'prompts', null)]
  const seen: unknown[][] = [[], []]
  for (let i = 0; i < 6; i++) {
    seen[0]?.push(one.next().value)
    await report(at.desk, 's9', prompt(`between ${i}`, `b${i}`), 9000 + i)
    seen[1]?.push(two.next().value)
  }
  const texts = seen.map((lines) => lines.map((line) => (line as { text: string }).text))
  expect(texts[0]?.slice(0, 6)).toEqual(['one 0', 'two 0', 'one 1', 'two 1', 'one 2', 'two 2'])
  expect(texts[1]?.slice(0, 6)).toEqual(['one 0', 'two 0', 'one 1', 'two 1', 'one 2', 'two 2'])
})

async function fill(desk: Services): Promise<void> {
  for (let i = 0; i < 3; i++) {
    for (const [session, project] of [
      ['s1', 'one'],
      ['s2', 'two'],
    ] as const) {
      await report(desk, session, prompt(`${project} ${i}`, `p${i}`), 1000 + i * 10, project)
      await report(desk, session, toolUse(`t${i}`, { promptId: `p${i}` }), 1001 + i * 10, project)
      await report(
        desk,
        session,
        { kind: 'turn-ended', promptId: `p${i}`, answer: `Decided to use approach ${i} because it is simpler.` },
        1005 + i * 10,
      )
    }
  }
  await desk.queue.drained()
}

function report(desk: Services, session: string, sessionEvent: SessionEvent, at: number, project = 'one') {
  const reported = event(sessionEvent, { session: asContentSessionId(session), at })
  const context = { ...nowhere, project: asProjectKey(project) }
  return desk.store.transaction(() => take(desk.store, reported, context, desk.rules(claudeCode)))
}
