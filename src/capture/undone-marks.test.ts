import { expect, test } from 'bun:test'
import { captureAll, event, nowhere, prompt, temporaryStore, toolUse } from '../../test/support/builders.ts'
import type { SessionEvent } from '../core/event.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import { claudeCode } from '../integrations/agent.ts'
import { search } from '../retrieval/search.ts'
import type { Store } from '../store/store.ts'
import { take } from './capture.ts'
import { distillTurn, settleUndoneWork } from './turns.ts'

const app = asProjectKey('app')

test('the observation whose change was taken back is reported as changed and is found with its mark, and so is the redo', async () => {
  using t = await temporaryStore()
  await aTurn(t.store, 1, [edit('return total', 'return total * 1.19')])
  const [work] = await t.store.observations.ofTurn(1, 1)
  const undone = await aTurn(t.store, 2, [run('git restore src/cart.ts')])
  expect(marksIn(undone)).toEqual([[work?.id, 'P2']])
  expect(await foundTypes(t.store)).toContain('undone')
  const redone = await aTurn(t.store, 3, [edit('return total', 'return total * 1.19')])
  expect(marksIn(redone)).toContainEqual([work?.id, undefined])
  expect(await foundTypes(t.store)).not.toContain('undone')
})

test('a change is not undone while its code is still there', async () => {
  using t = await temporaryStore()
  await aTurn(t.store, 1, [edit('return total', 'return total * 1.19'), edit('# Prices', '# Prices and tax', 'docs/prices.md')])
  await aTurn(t.store, 2, [run('git restore docs/prices.md')])
  expect((await t.store.observations.ofTurn(1, 1)).map(({ undoneBy }) => undoneBy)).toEqual([undefined])
})

test('turns that are settled together get the marks that they get one by one, however far apart they are', async () => {
  using t = await temporaryStore()
  const turns = 140
  for (let number = 1; number <= turns; number++) {
    const file = `src/part${Math.floor(number / 2)}.ts`
    await aTurn(t.store, number, [number % 4 === 1 ? run(`git restore ${file}`) : edit('return total', `return total * ${number}`, file)])
  }
  const work = await t.store.turnWork()
  const stored = () => work.around(app, 0, { before: 0, after: turns })
  const marks = async () => (await stored()).map(({ undoneBy }) => undoneBy)
  const oneByOne = await marks()
  expect([oneByOne[3], oneByOne[135]]).toEqual(['P5', 'P137'])

  for (const { id } of await stored()) await work.markTurn(id, null)
  // One replay does not reach from the first of these to the second.
  await settleUndoneWork(t.store, [5, 137].map(placeOf))
  expect([(await marks())[3], (await marks())[135]]).toEqual(['P5', 'P137'])
  await settleUndoneWork(
    t.store,
    oneByOne.map((_, n) => placeOf(n + 1)),
  )
  expect(await marks()).toEqual(oneByOne)
})

const placeOf = (number: number) => ({ project: app, at: 1000 * number })

/** Captures a turn of one session, distills it and returns what changed. */
async function aTurn(store: Store, number: number, does: SessionEvent[]): Promise<Change[]> {
  const promptId = `p${number}`
  const uses = does.map((use, n) => ({ ...use, promptId, toolUseId: `${promptId}-${n}` }))
  const events: SessionEvent[] = [prompt('Go on with the cart.', promptId), ...uses, { kind: 'turn-ended', promptId, answer: 'Done.' }]
  for (const [n, one] of events.entries()) await take(store, event(one, { at: 1000 * number + n }), nowhere, captureAll())
  return distillTurn(store, { sessionId: 1, number }, claudeCode.readAction)
}

const edit = (old_string: string, new_string: string, file = 'src/cart.ts'): SessionEvent =>
  toolUse('', { tool: 'Edit', input: { file_path: `/home/dev/app/${file}`, old_string, new_string }, output: {} })
const run = (command: string): SessionEvent => toolUse('', { tool: 'Bash', input: { command }, output: { stdout: '' } })

/** The observations of turn 1 among the changes, with their marks. */
const marksIn = (changes: Change[]) =>
  changes.flatMap((change) =>
    change.kind === 'observation-added' && change.observation.promptNumber === 1
      ? [[change.observation.id, change.observation.undoneBy]]
      : [],
  )

const foundTypes = async (store: Store) => (await search(store, 'cart total', { project: app })).map(({ type }) => type)
