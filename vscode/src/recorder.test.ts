import { expect, test } from 'bun:test'
import { RecollectError } from '../../src/client/client.ts'
import { until } from '../../test/support/until.ts'
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

test('a prompt is the turn of the reports after it, also after a question; the question is reported when that work ends', async () => {
  const { calls, session } = listener()
  const one = recorder(session, { idleMs: 30 })
  one.prompt('Fix the tides')
  one.report(save)
  one.prompt('@recollect /standup', 'Summed up.')
  one.report(save)
  await Bun.sleep(80)
  one.report(save)
  await one.close()
  const names = ['open', 'prompt', 'toolUse', 'toolUse', 'answer', 'prompt', 'answer', 'toolUse', 'end']
  expect(calls.map(([name]) => name)).toEqual(names)
  expect(calls.filter(([name]) => name === 'prompt').map(([, text]) => text)).toEqual(['Fix the tides', '@recollect /standup'])
  expect(uses(calls).map(({ newTurn }) => newTurn)).toEqual([false, false, true])
})

test('work with another name ends the work before it; the end of the window reports the last questions', async () => {
  const { calls, session } = listener()
  const one = recorder(session)
  one.prompt('Fix the tides')
  one.prompt('/recollect search tides', '')
  one.prompt('Fix the weir')
  one.prompt('/recollect search weir', '')
  await one.close()
  expect(calls.filter(([name]) => name === 'prompt').map(([, text]) => text)).toEqual([
    'Fix the tides',
    '/recollect search tides',
    'Fix the weir',
    '/recollect search weir',
  ])
  expect(calls.at(-1)).toEqual(['end', 'exit'])
})

test('a question outside of named work is over with its answer', async () => {
  const { calls, session } = listener()
  const one = recorder(session)
  one.report(save)
  one.prompt('@recollect /standup', 'Summed up.')
  one.report(save)
  await one.close()
  expect(calls.map(([name]) => name)).toEqual(['open', 'toolUse', 'prompt', 'answer', 'toolUse', 'end'])
  expect(uses(calls).map(({ newTurn }) => newTurn)).toEqual([true, true])
})

test('a prompt is stored once, even if its answer has to be sent again', async () => {
  let late = 1
  const { calls, session } = listener((name) => {
    if (name === 'answer' && late-- > 0) throw new RecollectError('late', 'busy')
  })
  const one = recorder(session)
  one.prompt('@recollect /standup', 'Summed up.')
  await Bun.sleep(60)
  await one.close()
  expect(calls.map(([name]) => name)).toEqual(['open', 'prompt', 'answer', 'end'])
})

test('a turn ends when nothing happens for a while', async () => {
  const { calls, session } = listener()
  const one = recorder(session, { idleMs: 20 })
  one.report(save)
  await until(() => calls.at(-1)?.[0] === 'answer')
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
  await until(() => calls.length === 3)
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
  await until(() => one.state() === 'agent')
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

test('a burst of a thousand reports arrives whole', async () => {
  const { calls, session } = listener()
  const one = recorder(session)
  for (let n = 0; n < 1000; n++) one.report(save)
  await one.close()
  expect(uses(calls)).toHaveLength(1000)
})

test('of more than two thousand reports, or of very large ones, the last ones wait', async () => {
  const waited = async (count: number, content: string) => {
    let isAway = true
    const { calls, session } = listener(() => {
      if (isAway) throw new RecollectError('late', 'busy')
    })
    const one = recorder(session, { retryMs: 20 })
    for (let n = 0; n < count; n++) one.report({ ...save, input: { n, content } })
    await Bun.sleep(5)
    isAway = false
    await Bun.sleep(100)
    await one.close()
    expect(calls[0]?.[0]).toBe('open')
    expect(calls.at(-1)).toEqual(['end', 'exit'])
    return uses(calls).map((use) => (use as unknown as { input: { n: number } }).input.n)
  }
  const many = await waited(3000, '')
  expect(many.length).toBeLessThanOrEqual(2000)
  expect(many.at(-1)).toBe(2999)
  const large = await waited(100, 'x'.repeat(500_000))
  expect(large.length).toBeLessThan(40)
  expect(large.at(-1)).toBe(99)
})

test('the project of a session that is not stored is excluded, until a report is stored', async () => {
  let isExcluded = true
  const { session } = listener((name) => {
    if (name === 'open') return { sessionDbId: null }
    if (name === 'toolUse' && isExcluded) return { status: 'skipped', reason: 'private' }
  })
  const one = recorder(session)
  one.report(save)
  await Bun.sleep(10)
  expect(one.state()).toBe('excluded')
  isExcluded = false
  one.report(save)
  await one.close()
  expect(one.states).toEqual(['excluded', 'recording'])
})
