import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { note as aNote } from '../../test/support/builders.ts'
import { aModelServer } from '../../test/support/model-server.ts'
import { someServices } from '../../test/support/services.ts'
import { asProjectKey } from '../core/ids.ts'
import { asNoteId, type Note } from '../core/note.ts'
import { changeNote, putNote, saveNote } from '../notes/notes.ts'
import { openTextModel } from '../providers/text.ts'
import type { ConsolidationLine } from '../wire/contract/upkeep.ts'
import { queueConsolidation } from './automatic-jobs.ts'
import { runConsolidateJob, runConsolidation, undoConsolidation } from './consolidation.ts'
import type { Services } from './services.ts'

const app = asProjectKey('app')
const HOUR = 3_600_000

async function saveTestNote(desk: Services, given: Omit<Partial<Note>, 'id'> & { id: string }): Promise<Note> {
  const id = asNoteId(given.id)
  const note = aNote({ ...given, id, path: `memory/app/${id}.md`, createdAt: Date.now(), updatedAt: Date.now() })
  await desk.store.transaction(() => putNote(desk.notebook, note))
  return note
}

async function ended(desk: Services, options: { apply?: boolean } = {}, kind: 'consolidate' | 'reflect' = 'consolidate') {
  const lines: ConsolidationLine[] = []
  for await (const line of runConsolidation(desk, kind, { apply: false, project: app, ...options })) lines.push(line)
  const last = lines.at(-1)
  if (last?.kind !== 'done') throw new Error(JSON.stringify(last))
  return last.report
}

const visible = (desk: Services) =>
  desk.store.notes.list({ project: app, now: Date.now(), limit: 99 }).then((notes) => notes.map(({ id }) => id as string).sort())

test('the plan that was shown is applied, and undo restores the notes', async () => {
  await using at = await someServices()
  await saveTestNote(at.desk, { id: 'A', body: 'Same.' })
  await saveTestNote(at.desk, { id: 'B', body: 'same' })
  const shown = await ended(at.desk)
  expect(shown).toMatchObject({ outcome: 'planned', groups: [{ how: 'same', stays: { id: 'B' }, hides: [{ id: 'A' }], refused: null }] })
  expect(await visible(at.desk)).toEqual(['A', 'B'])
  // A note that came since is not part of it.
  await saveTestNote(at.desk, { id: 'C', body: 'SAME' })
  expect(await ended(at.desk, { apply: true })).toMatchObject({ plan: shown.plan, outcome: 'applied', groups: shown.groups })
  expect(await visible(at.desk)).toEqual(['B', 'C'])
  expect((await at.store.audit.recent(1))[0]).toMatchObject({ action: 'consolidate', details: { groups: 1, notes: 1 } })
  expect(await undoConsolidation(at.desk, 'consolidate', null)).toEqual({ plan: shown.plan, restored: 1, edited: [] })
  expect(await visible(at.desk)).toEqual(['A', 'B', 'C'])
})

test('a plan whose notes have changed is made again and shown, not applied', async () => {
  await using at = await someServices()
  await saveTestNote(at.desk, { id: 'A', body: 'Same.' })
  await saveTestNote(at.desk, { id: 'B', body: 'same' })
  const shown = await ended(at.desk)
  await changeNote(at.desk.notebook, asNoteId('A'), { pinned: true }, Date.now())
  const anew = await ended(at.desk, { apply: true })
  expect(anew).toMatchObject({ outcome: 'replanned', groups: [{ stays: { id: 'A' }, hides: [{ id: 'B' }] }] })
  expect(anew.plan).not.toBe(shown.plan)
  expect(await visible(at.desk)).toEqual(['A', 'B'])
  expect((await ended(at.desk, { apply: true })).plan).toBe(anew.plan)
  expect(await visible(at.desk)).toEqual(['A'])
})

test('a file edited by hand after the plan was shown is not overwritten', async () => {
  await using at = await someServices()
  await saveTestNote(at.desk, { id: 'A', body: 'Same.' })
  const b = await saveTestNote(at.desk, { id: 'B', body: 'same' })
  await ended(at.desk)
  const path = join(at.desk.home.folder, b.path)
  writeFileSync(path, (await Bun.file(path).text()).replace('same', 'same, or not'))
  expect(await ended(at.desk, { apply: true })).toMatchObject({ outcome: 'replanned', groups: [] })
  expect(await Bun.file(path).text()).toContain('same, or not')
})

test('a group is checked again before it is applied', async () => {
  await using at = await someServices()
  await saveTestNote(at.desk, { id: 'A', title: 'Zebra', body: 'Say zebra.' })
  await saveTestNote(at.desk, { id: 'B', title: 'Horse', body: 'say zebra' })
  await ended(at.desk)
  for (let i = 0; i < 6; i++) await saveTestNote(at.desk, { id: `X${i}`, title: `Zebra ${i}`, body: `Zebra kind ${'abcdef'[i]}` })
  writeFileSync(join(at.desk.home.folder, 'questions.jsonl'), '{"question": "zebra", "note": "A"}\nnonsense\n')
  const report = await ended(at.desk, { apply: true })
  expect(report.groups[0]?.refused).toContain('zebra')
  expect(report.messages).toContainEqual(expect.stringContaining('line 2 of questions.jsonl'))
  expect(await visible(at.desk)).toContain('A')
})

test('a configured model that cannot be used is reported', async () => {
  await using at = await someServices({ RECOLLECT_MODEL_PROVIDER: 'openai' })
  const desk: Services = { ...at.desk, textModel: { kind: 'absent', reason: 'model.name does not name a model' } }
  expect((await ended(desk, {}, 'reflect')).messages).toContain('model.name does not name a model')
})

test('consolidation runs after enough notes or while idle, and never when it is switched off', async () => {
  for (const [variables, notes, isIdle, later, due] of [
    [{}, 49, false, 0, false],
    [{}, 50, false, 0, true],
    [{}, 1, true, 0, true],
    [{ RECOLLECT_CONSOLIDATE_AFTER_CAPTURES: '0' }, 60, true, 0, false],
    [{ RECOLLECT_CONSOLIDATE_AFTER_CAPTURES: '2' }, 2, false, 0, true],
  ] as const) {
    await using at = await someServices(variables)
    await at.desk.queue.stop()
    for (let i = 0; i < notes; i++) await saveNote(at.desk.notebook, { body: `Fact ${i}`, project: app, source: 'human' }, Date.now())
    expect(await queueConsolidation(at.desk, Date.now() + 10 + later, isIdle)).toBe(due)
    // Once queued, it waits for new notes.
    expect(await queueConsolidation(at.desk, Date.now() + 7 * HOUR, isIdle)).toBe(false)
  }
})

test('in the background only duplicates are merged, without the model', async () => {
  using server = aModelServer(() => ({ text: '<nothing/>' }))
  await using at = await someServices()
  const desk = { ...at.desk, textModel: modelAt(server) }
  await aboutTheQueue(desk)
  const job = await dueJob(desk)
  await runConsolidateJob(desk, job)
  expect(server.asked).toEqual([])
  expect(await visible(desk)).toEqual(['B', 'Q1', 'Q2', 'S'])
  expect(await desk.store.jobs.counts()).toMatchObject({ waiting: 0, running: 0 })
  expect(at.announced.map((change) => change.kind)).toContain('note-changed')
  expect(await undoConsolidation(desk, 'consolidate', null)).toMatchObject({ restored: 1 })
})

test('with auto_model the background run asks the model too, also about sessions', async () => {
  using server = aModelServer(() => ({ text: '<nothing/>' }))
  await using at = await someServices({ RECOLLECT_CONSOLIDATE_AUTO_MODEL: 'true', RECOLLECT_MODEL_MAX_INPUT_RATIO: '10' })
  const desk = { ...at.desk, textModel: modelAt(server) }
  await aboutTheQueue(desk)
  await runConsolidateJob(desk, await dueJob(desk))
  expect(server.asked).toHaveLength(2)
  expect((await desk.store.notes.get(asNoteId('S')))?.tags).toEqual(['reflected'])
})

test('a background plan does not replace the plan that a person saw', async () => {
  await using at = await someServices()
  await aboutTheQueue(at.desk)
  const shown = await ended(at.desk)
  await runConsolidateJob(at.desk, await dueJob(at.desk))
  expect(await (await at.store.plans()).open('consolidate', app)).toMatchObject({ id: shown.plan })
  expect(await ended(at.desk, { apply: true })).toMatchObject({ outcome: 'replanned', groups: [] })
})

async function aboutTheQueue(desk: Services): Promise<void> {
  await saveTestNote(desk, { id: 'A', body: 'Same.' })
  await saveTestNote(desk, { id: 'B', body: 'same' })
  const long = 'It is looked at again and again, and people ask about it every other week.'
  await saveTestNote(desk, { id: 'Q1', title: 'One', body: `\`src/queue.ts\` and \`backoffMs\` wait. ${long}` })
  await saveTestNote(desk, { id: 'Q2', title: 'Two', body: `\`backoffMs\` in \`src/queue.ts\` doubles. ${long}` })
  await saveTestNote(desk, { id: 'S', type: 'episodic', title: 'Session', body: `We looked at the queue. ${long}` })
}

async function dueJob(desk: Services) {
  await desk.store.transaction(() => desk.store.jobs.add('consolidate', 'all', {}, Date.now()))
  const job = await desk.store.transaction(() => desk.store.jobs.claim(Date.now()))
  if (job?.kind !== 'consolidate') throw new Error('no consolidation is due')
  return job
}

function modelAt(server: ReturnType<typeof aModelServer>) {
  const settings = { provider: 'openai' as const, name: 'm', base_url: server.openai, api_key_file: '' }
  return openTextModel(settings, { RECOLLECT_MODEL_API_KEY: server.key }, (text) => text)
}
