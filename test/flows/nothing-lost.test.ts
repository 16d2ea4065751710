import { expect } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../../bench/sample-store.ts'
import { clientOrSkip } from '../harness/client.ts'
import { runClaude } from '../harness/run-claude.ts'
import { journal, transcriptTruth } from '../support/journal.ts'
import { aPerson, type Person } from '../support/person.ts'
import { bash } from '../support/scripts.ts'

const test = await clientOrSkip()

const TOOL_USES = 14
const steps = Array.from({ length: TOOL_USES }, (_, i) => bash(`echo step ${i}; sleep 0.05`))
const busy = [...steps, 'All steps are done and written down.']

test('killing the worker at random moments of a busy session loses nothing, duplicates nothing and mixes no turns', async () => {
  await using person = await aPerson({ git: true })
  let kills = 0
  const random = seededRandom(24)
  for (const round of [1, 2, 3, 4]) {
    const session = runClaude({
      sandbox: person,
      prompt: `Do the steps of round ${round}.`,
      turns: [...steps, `Round ${round} is done.`],
      args: round > 1 ? ['--continue'] : [],
    })
    let isOver = false
    const killer = (async () => {
      while (!isOver) {
        await Bun.sleep(50 + random() * 700)
        kills += Number(killWorker(person))
      }
    })()
    expect((await session).code).toBe(0)
    isOver = true
    await killer
  }
  expect(kills).toBeGreaterThan(2)
  await person.recollect('start')
  await person.settled()
  const [stored, truth] = [await journal(person), await transcriptTruth(person)]
  expect(stored.toolUses).toEqual(truth.toolUses)
  expect(stored.toolUses).toHaveLength(4 * TOOL_USES)
  expect(stored.prompts).toEqual(truth.prompts)
  expect(stored.prompts).toHaveLength(4)
  expect(stored.summaries).toHaveLength(4)
  const prompts = await person.rows('prompts')
  expect(prompts.map(({ text, answer }) => [text, answer])).toEqual(
    [1, 2, 3, 4].map((round) => [`Do the steps of round ${round}.`, `Round ${round} is done.`]),
  )
  const turns = (await person.rows('tool-uses')).map(({ promptNumber }) => promptNumber).sort()
  expect(turns).toEqual([1, 2, 3, 4].flatMap((number) => Array(TOOL_USES).fill(number)))
})

test('a session without a worker is complete once a worker runs', async () => {
  await using person = await aPerson({ git: true })
  await person.recollect('stop')
  // Hold the worker's lock, so that no worker can start.
  const holder = Bun.spawn(
    [
      process.execPath,
      '-e',
      `const { holdLock } = await import(${JSON.stringify(join(import.meta.dir, '../../src/store/lock.ts'))}); globalThis.lock = holdLock(${JSON.stringify(join(person.home, '.recollect/run/worker.lock'))}); console.log(lock !== null); setInterval(() => {}, 1000)`,
    ],
    { stdout: 'pipe' },
  )
  for await (const _ of holder.stdout) break
  const ran = await runClaude({ sandbox: person, prompt: 'Do the steps.', turns: busy })
  expect(ran.code).toBe(0)
  holder.kill('SIGKILL')
  await holder.exited
  await person.recollect('start')
  await person.settled()
  const [stored, truth] = [await journal(person), await transcriptTruth(person)]
  expect(stored.toolUses).toEqual(truth.toolUses)
  expect(stored.prompts).toEqual(truth.prompts)
  expect(stored.summaries).toHaveLength(1)
})

function killWorker(person: Person): boolean {
  const file = join(person.home, '.recollect/run/worker.json')
  if (!existsSync(file)) return false
  try {
    process.kill((JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}
