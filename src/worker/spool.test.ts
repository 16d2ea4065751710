import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addObservations, nowhere, observation } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { claudeCode } from '../integrations/agent.ts'
import { CorruptDatabase } from '../store/store.ts'
import { keepForLater, spoolSize } from '../wire/spool.ts'
import { ingestDelivery } from './intake.ts'
import { notUnderstoodPayloads } from './not-understood.ts'
import type { Services } from './services.ts'
import { drainSpool } from './spool.ts'

test('spooled payloads are ingested oldest first, with their original time', async () => {
  await using at = await someServices()
  keep(at.desk, 'd2', 2000, { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_use_id: 't1', tool_input: {}, tool_response: {} })
  keep(at.desk, 'd1', 1000, { hook_event_name: 'UserPromptSubmit', prompt: 'go' })
  keep(at.desk, 'd3', 3000, { hook_event_name: 'Stop', last_assistant_message: 'done' })
  expect(await drainSpool(at.desk)).toBe(3)
  expect(spoolSize(at.desk.home)).toBe(0)
  expect([...at.store.prompts.each(null)]).toMatchObject([{ text: 'go', answer: 'done', at: 1000, answeredAt: 3000 }])
  expect([...at.store.toolUses.each(null)]).toMatchObject([{ toolUseId: 't1', promptNumber: 1, at: 2000 }])
})

test('a delivery that was both sent and spooled is stored once', async () => {
  await using at = await someServices()
  const payload = { session_id: 's1', cwd: '/p', hook_event_name: 'UserPromptSubmit', prompt: 'again' }
  await ingestDelivery(at.desk, { agent: claudeCode, payload, context: nowhere, delivery: 'd1', at: 1000 })
  keep(at.desk, 'd1', 1000, payload)
  await drainSpool(at.desk)
  expect([...at.store.prompts.each(null)]).toHaveLength(1)
  keep(at.desk, 'd2', 2000, payload)
  await drainSpool(at.desk)
  expect([...at.store.prompts.each(null)]).toHaveLength(2)
})

test('unusable files are logged, counted and set aside, and do not block the others', async () => {
  await using at = await someServices()
  mkdirSync(at.desk.home.spool, { recursive: true })
  for (const [name, text] of [
    ['000', 'not JSON'],
    ['001', '{}'],
    ['002', JSON.stringify({ delivery: 'x', agent: 'nobody', at: 1, context: nowhere, payload: {} })],
    ['003', JSON.stringify({ delivery: 'y', agent: 'claude-code', at: 1, context: nowhere, payload: null })],
    [
      '004',
      JSON.stringify({
        delivery: 'z',
        agent: 'claude-code',
        at: 1.5,
        context: nowhere,
        payload: { session_id: 's', cwd: '/p', hook_event_name: 'SessionStart' },
      }),
    ],
  ] as const) {
    writeFileSync(join(at.desk.home.spool, `${name}.json`), text)
  }
  keep(at.desk, 'd1', 1000, { hook_event_name: 'UserPromptSubmit', prompt: 'go' })
  expect(await drainSpool(at.desk)).toBe(1)
  expect(spoolSize(at.desk.home)).toBe(0)
  expect([...at.store.prompts.each(null)]).toHaveLength(1)
  expect(await notUnderstoodPayloads(at.desk)).toEqual({ count: 5, lastAt: expect.any(Number), setAside: 5 })
  expect(readdirSync(at.desk.home.spoolSetAside).sort()).toEqual(['000.json', '001.json', '002.json', '003.json', '004.json'])
})

test.each([
  ['a full disk', () => Object.assign(new Error('full'), { code: 'SQLITE_FULL' })],
  ['a damaged database', () => new CorruptDatabase('x')],
])('%s keeps every file in the spool', async (_, storeError) => {
  await using at = await someServices()
  for (const delivery of ['d1', 'd2']) keep(at.desk, delivery, 1000, { hook_event_name: 'UserPromptSubmit', prompt: delivery })
  const failing: Services = { ...at.desk, store: { ...at.store, transaction: () => Promise.reject(storeError()) } }
  await expect(drainSpool(failing)).rejects.toThrow()
  expect(spoolSize(at.desk.home)).toBe(2)
  expect(await drainSpool(at.desk)).toBe(2)
})

test('a worker that stops leaves the remaining files to the next one', async () => {
  await using at = await someServices()
  keep(at.desk, 'd1', 1000, { hook_event_name: 'UserPromptSubmit', prompt: 'go' })
  expect(await drainSpool({ ...at.desk, stopSignal: AbortSignal.abort() })).toBe(0)
  expect(spoolSize(at.desk.home)).toBe(1)
})

test('two drains at once ingest the spool once', async () => {
  await using at = await someServices()
  for (let i = 0; i < 20; i++) keep(at.desk, `d${i}`, 1000 + i, { hook_event_name: 'UserPromptSubmit', prompt: `go ${i}` })
  expect(await Promise.all([drainSpool(at.desk), drainSpool(at.desk)])).toEqual([20, 20])
  expect([...at.store.prompts.each(null)].map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, i) => `go ${i}`))
})

test('spooled events get no reply, so no injection is recorded', async () => {
  await using at = await someServices()
  const known = await addObservations(at.store, [observation({ title: 'Known', filesModified: ['a.ts'] })])
  const context = { ...nowhere, project: known.project }
  const start = { session_id: 's2', cwd: '/home/dev/app', hook_event_name: 'SessionStart', source: 'startup' }
  const read = {
    session_id: 's2',
    cwd: '/home/dev/app',
    hook_event_name: 'PostToolUse',
    tool_name: 'Read',
    tool_use_id: 't1',
    tool_input: { file_path: '/home/dev/app/a.ts' },
  }
  for (const [delivery, payload] of [
    ['d1', start],
    ['d2', read],
  ] as const) {
    keepForLater(at.desk.home, { delivery, agent: 'claude-code', at: 2000, context, payload })
  }
  await drainSpool(at.desk)
  expect(await at.store.injections.recent(null, 5)).toEqual([])
  const deliver = (payload: object, delivery: string) =>
    ingestDelivery(at.desk, { agent: claudeCode, payload, context, delivery, at: 3000 })
  expect(JSON.stringify(await deliver({ ...read, tool_use_id: 't2' }, 'd3'))).toContain('Known')
})

function keep(desk: Services, delivery: string, at: number, payload: object): void {
  keepForLater(desk.home, { delivery, agent: 'claude-code', at, context: nowhere, payload: { session_id: 's1', cwd: '/p', ...payload } })
}
