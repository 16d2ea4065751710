import { expect, test } from 'bun:test'
import { RecollectError } from '../../src/client/client.ts'
import { openRecorder, type RecorderOptions } from './recorder.ts'

type Call = [name: string, value?: unknown]

/** A session that writes down its calls; `answer` may throw or answer something else. */
function listener(answer: (name: string, use: { name?: string }) => unknown = () => undefined) {
  const calls: Call[] = []
  const tell = (name: string) => async (value?: unknown) => {
    const given = answer(name, (value ?? {}) as { name?: string })
    calls.push(value === undefined ? [name] : [name, value])
    return given ?? { status: 'queued' }
  }
  const session = Object.fromEntries(
    ['open', 'prompt', 'toolUse', 'answer', 'end'].map((name) => [name, tell(name)]),
  ) as unknown as RecorderOptions['session']
  return { calls, session }
}

function recorder(session: RecorderOptions['session'], more: Partial<RecorderOptions> = {}) {
  const states: string[] = []
  const failures: string[] = []
  const options = {
    pid: 7,
    changed: (state: string) => states.push(state),
    failed: (reason: string) => failures.push(reason),
    wake: async () => {},
    idleMs: 60_000,
    retryMs: 5,
  }
  return { ...openRecorder({ session, ...options, ...more }), states, failures }
}

const save = { name: 'FileSave', input: { path: 'a' } }
const uses = (calls: Call[]) =>
  calls.filter(([name]) => name === 'toolUse').map(([, use]) => use as { id: string; newTurn: boolean; unlessAgent: boolean })

test('a session is opened, the first report starts a turn, and the end is the last report', async () => {
  const { calls, session } = listener()
  const one = recorder(session)
  one.report(save)
  one.report(save)
  await one.close()
  expect(calls.map(([name]) => name)).toEqual(['open', 'toolUse', 'toolUse', 'end'])
  expect(calls[0]).toEqual(['open', { pid: 7 }])
  expect(uses(calls).map(({ newTurn, unlessAgent }) => [newTurn, unlessAgent])).toEqual([
    [true, true],
    [false, true],
  ])
  expect(new Set(uses(calls).map(({ id }) => id)).size).toBe(2)
})

test('a prompt is the turn of the reports after it; a turn with its answer is over', async () => {
  const { calls, session } = listener()
  const one = recorder(session)
  one.prompt('Fix the tides')
  one.report(save)
  one.prompt('@recollect /standup', 'Summed up.')
  one.report(save)
  await one.close()
  expect(calls.map(([name]) => name)).toEqual(['open', 'prompt', 'toolUse', 'prompt', 'answer', 'toolUse', 'end'])
  expect(uses(calls).map(({ newTurn }) => newTurn)).toEqual([false, true])
})

test('a turn ends when nothing happens for a while', async () => {
  const { calls, session } = listener()
  const one = recorder(session, { idleMs: 20 })
  one.report(save)
  await Bun.sleep(80)
  expect(calls.at(-1)).toEqual(['answer', ''])
  one.report(save)
  await one.close()
  expect(uses(calls).map(({ newTurn }) => newTurn)).toEqual([true, true])
})

test('reports wait while the worker is away, and arrive in their order with the same ids', async () => {
  let isAway = true
  const { calls, session } = listener(() => {
    if (isAway) throw new RecollectError('unreachable', 'no worker')
  })
  let woken = 0
  const one = recorder(session, {
    wake: async () => {
      woken++
      if (woken > 2) isAway = false
    },
  })
  one.report(save)
  one.report({ ...save, name: 'Bash' })
  await Bun.sleep(80)
  expect(calls.map(([name]) => name)).toEqual(['open', 'toolUse', 'toolUse'])
  expect(one.states).toEqual(['away', 'recording'])
  await one.close()
})

test('a refused report is dropped, and the next one is sent', async () => {
  const { calls, session } = listener((_, use) => {
    if (use.name === 'Bad') throw new RecollectError('refused', 'too long', 400)
  })
  const one = recorder(session)
  one.report({ ...save, name: 'Bad' })
  one.report(save)
  await one.close()
  expect(uses(calls)).toHaveLength(1)
  expect(one.failures).toEqual(['too long'])
})

test('while an agent works, reports are skipped and start no turn', async () => {
  let isAtWork = true
  const { calls, session } = listener((name) =>
    name === 'toolUse' && isAtWork ? { status: 'skipped', reason: 'agent_at_work' } : undefined,
  )
  const one = recorder(session)
  one.report(save)
  await Bun.sleep(10)
  expect(one.state()).toBe('agent')
  isAtWork = false
  one.report(save)
  await one.close()
  expect(uses(calls).map(({ newTurn }) => newTurn)).toEqual([true, true])
  expect(one.states).toEqual(['agent', 'recording'])
})

test('closing does not wait for a worker that hangs', async () => {
  const { session } = listener(() => new Promise(() => {}))
  const hanging = { ...session, open: () => new Promise<never>(() => {}) }
  const one = recorder(hanging)
  one.report(save)
  const started = performance.now()
  await one.close()
  expect(performance.now() - started).toBeLessThan(3000)
})

test('at most two hundred reports wait', async () => {
  const { calls, session } = listener(() => {
    if (calls.length === 0 && isAway) throw new RecollectError('late', 'busy')
  })
  let isAway = true
  const one = recorder(session, { retryMs: 100_000 })
  for (let n = 0; n < 300; n++) one.report(save)
  await Bun.sleep(10)
  isAway = false
  await one.close()
  expect(uses(calls).length).toBeLessThanOrEqual(200)
})
