import { expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { note as aNote, event, nowhere, openSession, prompt, toolUse } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { take } from '../capture/capture.ts'
import { asProjectKey } from '../core/ids.ts'
import { asNoteId } from '../core/note.ts'
import { claudeCode } from '../integrations/agent.ts'
import { forgetNote, putNote } from '../notes/notes.ts'
import type { CleanUpReport } from '../wire/contract/upkeep.ts'
import { cleanUp, purgeExpired } from './retention.ts'
import type { Services } from './services.ts'

const DAY = 24 * 60 * 60_000
const app = asProjectKey('app')

async function cleaned(desk: Services, now: number, dryRun = false): Promise<CleanUpReport> {
  const lines = await Array.fromAsync(cleanUp(desk, now, dryRun))
  const last = lines.at(-1)
  if (last?.kind !== 'done') throw new Error(JSON.stringify(last))
  return last.report
}

const rows = (report: CleanUpReport) =>
  Object.fromEntries(report.kinds.filter((kind) => kind.rows > 0).map((kind) => [kind.kind, kind.rows]))

test('tool uses expire after the configured days, or never', async () => {
  for (const [days, left] of [
    ['1', 0],
    ['0', 1],
  ] as const) {
    await using at = await someServices({ RECOLLECT_RETENTION_TOOL_USES_DAYS: days })
    await take(at.store, event(prompt('go')), nowhere, at.desk.rules(claudeCode))
    await take(at.store, event(toolUse('t')), nowhere, at.desk.rules(claudeCode))
    await at.store.receipts.add('d', 1)
    await purgeExpired(at.desk, Date.now())
    expect([...at.store.toolUses.each(null)]).toHaveLength(1)
    await purgeExpired(at.desk, Date.now() + 2 * DAY)
    expect([...at.store.toolUses.each(null)]).toHaveLength(left)
    expect(await at.store.receipts.has('d')).toBe(false)
  }
})

test('the oldest tool uses are removed when all together are too large, except those of the last hour', async () => {
  await using at = await someServices({ RECOLLECT_RETENTION_TOOL_USES_MB: '0.01', RECOLLECT_RETENTION_TOOL_USES_DAYS: '0' })
  await take(at.store, event(prompt('go')), nowhere, at.desk.rules(claudeCode))
  for (let i = 0; i < 10; i++) {
    await take(at.store, event(toolUse(`t${i}`, { output: { stdout: 'abc '.repeat(500) } })), nowhere, at.desk.rules(claudeCode))
  }
  expect(rows(await cleaned(at.desk, Date.now()))).toEqual({})
  const later = Date.now() + 2 * 60 * 60_000
  const planned = await cleaned(at.desk, later, true)
  expect([...at.store.toolUses.each(null)]).toHaveLength(10)
  expect(rows(planned)).toEqual({ 'tool uses by size': 5 })
  expect(rows(await cleaned(at.desk, later))).toEqual(rows(planned))
  expect([...at.store.toolUses.each(null)].map((use) => use.toolUseId)).toEqual(['t5', 't6', 't7', 't8', 't9'])
})

test('a forgotten note is deleted with its file after the configured days; other hidden notes stay', async () => {
  await using at = await someServices()
  const { notebook } = at.desk
  const now = Date.now()
  const keep = (id: string, given = {}) =>
    at.store.transaction(() =>
      putNote(notebook, aNote({ id: asNoteId(id), path: `memory/app/${id}.md`, createdAt: 1, updatedAt: 1, ...given })),
    )
  await keep('gone')
  await keep('old')
  await keep('new', { supersedes: [asNoteId('old')] })
  await keep('expired', { expiresAt: 5 })
  await forgetNote(notebook, asNoteId('gone'), now)
  await purgeExpired(at.desk, now + 29 * DAY)
  expect(await at.store.notes.get(asNoteId('gone'))).not.toBeNull()
  await purgeExpired(at.desk, now + 31 * DAY)
  expect(await at.store.notes.get(asNoteId('gone'))).toBeNull()
  expect(existsSync(join(at.desk.home.folder, 'memory/app/gone.md'))).toBe(false)
  for (const id of ['old', 'new', 'expired']) expect(existsSync(join(at.desk.home.folder, `memory/app/${id}.md`))).toBe(true)
  expect(at.announced).toContainEqual({ kind: 'note-removed', id: asNoteId('gone') })
})

test('a dry run counts by kind, and the real run removes exactly that', async () => {
  await using at = await someServices()
  const now = Date.now()
  const session = await openSession(at.store, 's1', now)
  const injection = { sessionId: session.id, project: app, event: 'SessionStart', text: 'x'.repeat(100), tokens: 1, items: [], at: now }
  await at.store.injections.add(injection)
  await at.store.audit.add({ at: now, action: 'test', subject: 'x', details: {} })
  await at.store.receipts.add('d', now)
  const plan = { kind: 'consolidate' as const, project: app, fingerprint: 'f', content: {}, plannedAt: now }
  await (await at.store.plans()).put(plan)
  const applied = await (await at.store.plans()).put({ ...plan, project: null })
  await (await at.store.plans()).setApplied(applied, {}, [], now)
  expect(rows(await cleaned(at.desk, now, true))).toEqual({})
  expect(rows(await cleaned(at.desk, now + 2 * DAY, true))).toEqual({ plans: 1 })
  const report = await cleaned(at.desk, now + 400 * DAY, true)
  expect(rows(report)).toEqual({ injections: 1, audit: 1, receipts: 1, plans: 2 })
  expect(report.kinds.find(({ kind }) => kind === 'injections')?.bytes).toBeGreaterThan(99)
  expect(rows(await cleaned(at.desk, now + 400 * DAY))).toEqual(rows(report))
  expect(rows(await cleaned(at.desk, now + 400 * DAY))).toEqual({})
  expect(await (await at.store.plans()).get(applied)).toBeNull()
})

test('free space is returned to the disk, and the report shows what uses the rest', async () => {
  await using at = await someServices({ RECOLLECT_RETENTION_TOOL_USES_DAYS: '1' })
  const session = await openSession(at.store)
  const use = {
    sessionId: session.id,
    promptNumber: 1,
    promptId: null,
    tool: 'Bash',
    input: '{}',
    error: null,
    interrupted: false,
    agentId: null,
    cwd: null,
    at: 1,
  }
  await at.store.transaction(async () => {
    for (let i = 0; i < 400; i++) await at.store.toolUses.add({ ...use, toolUseId: `t${i}`, output: 'y'.repeat(60_000) })
  })
  const parts = at.store.space.parts(Date.now()) ?? []
  expect(parts[0]).toMatchObject({ name: 'tool uses' })
  const sum = parts.reduce((all, { bytes }) => all + bytes, 0)
  expect(Math.abs(sum - at.store.space.usage().bytes)).toBeLessThan(64 * 1024)
  const report = await cleaned(at.desk, Date.now() + 2 * DAY)
  expect(rows(report)).toEqual({ 'tool uses by age': 400 })
  expect(report.bytesBefore).toBeGreaterThan(24_000_000)
  expect(report.bytesAfter).toBeLessThan(10 * 1024 * 1024)
  expect(report.freeBytes).toBeLessThanOrEqual(8 * 1024 * 1024)
  at.store.checkpoint()
  expect(statSync(at.desk.home.database).size).toBeLessThan(12_000_000)
})
