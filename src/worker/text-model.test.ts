import { expect, test } from 'bun:test'
import { environment, temporaryStore } from '../../test/support/builders.ts'
import { loadSettings, type Settings } from '../platform/settings.ts'
import type { FailureReason, ModelAnswer, TextModel } from '../providers/text.ts'
import { costReport } from './cost-report.ts'
import { chainModels, dayOf, type ModelChainMember } from './text-model.ts'

const never = new AbortController().signal
const PRICES = { byModel: { big: { input: 100, cached: 10, output: 500 }, small: { input: 1, cached: 0.1, output: 5 } }, problems: [] }
const question = {
  system: 's',
  messages: [{ role: 'user' as const, text: 'q'.repeat(3999) }],
  maxTokens: 1000,
  about: { purpose: 'distill', project: 'app' },
}

test('the first available model answers, and the answer names it', async () => {
  using t = await temporaryStore()
  const [one, two] = [saying('big', failing('network')), saying('small')]
  const model = chainModels([member(one), member(two)], { settings: settings(), store: t.store, prices: PRICES })
  expect(await model.ask(question, never)).toMatchObject({ kind: 'answered', by: 'small' })
})

test.each([
  ['auth', 600_000],
  ['quota', 600_000],
  ['rate', 30_000],
  ['network', 15_000],
] as [FailureReason, number][])('a model that failed (%s) is left alone for a while, then asked again', async (reason, ms) => {
  using t = await temporaryStore()
  let now = 1_000_000
  let requests = 0
  const model = chainModels(
    [member(saying('big', () => (requests++ === 0 ? failing(reason)() : ANSWER)))],
    { settings: settings(), store: t.store, prices: PRICES },
    () => now,
  )
  expect(await model.ask(question, never)).toMatchObject({ kind: 'failed', reason, retryAfterMs: ms })
  now += ms - 1
  expect(await model.ask(question, never)).toMatchObject({ kind: 'failed', retryAfterMs: 1 })
  expect([requests, model.currentProblem?.()]).toEqual([1, 'no'])
  now += 1
  expect(await model.ask(question, never)).toMatchObject({ kind: 'answered' })
  expect(model.currentProblem?.()).toBeNull()
})

test('a simple request goes to the cheaper model', async () => {
  using t = await temporaryStore()
  const model = chainModels([{ ...member(saying('big')), cheap: saying('small') }], {
    settings: settings(),
    store: t.store,
    prices: PRICES,
  })
  expect(await model.ask({ ...question, isSimple: true }, never)).toMatchObject({ by: 'small' })
  expect(await model.ask(question, never)).toMatchObject({ by: 'big' })
})

test('tokens and money are counted by day, provider, model and project', async () => {
  using t = await temporaryStore()
  const now = Date.now()
  const model = chainModels([member(saying('small'))], { settings: settings(), store: t.store, prices: PRICES })
  await model.ask(question, never)
  await model.ask(question, never)
  await model.ask({ ...question, about: { purpose: 'distill', project: 'other' } }, never)
  const { rows, today } = await costReport({ store: t.store, settings: settings() }, 30, now)
  expect(rows.map(({ project, calls, input, output }) => ({ project, calls, input, output }))).toEqual([
    { project: 'app', calls: 2, input: 2000, output: 200 },
    { project: 'other', calls: 1, input: 1000, output: 100 },
  ])
  expect(today.usd).toBeCloseTo((3000 * 1 + 300 * 5) / 1e6)
})

test('a request that could exceed the daily or monthly budget is not sent', async () => {
  using t = await temporaryStore()
  let requests = 0
  const big = saying('big', () => {
    requests++
    return ANSWER
  })
  // A thousand tokens in and out cost $0.60 at most; the answer cost $0.15.
  for (const limit of [{ RECOLLECT_MODEL_DAILY_USD: '0.7' }, { RECOLLECT_MODEL_MONTHLY_USD: '0.9' }]) {
    const model = chainModels(
      [member(big)],
      { settings: settings(limit), store: t.store, prices: PRICES },
      () => Date.now() + 700_000 * requests,
    )
    expect((await model.ask(question, never)).kind).toBe('answered')
    expect(await model.ask(question, never)).toMatchObject({ kind: 'failed', reason: 'quota', message: expect.stringContaining('budget') })
  }
  expect(requests).toBe(2)
})

test('failed requests count against the budget when they cost something or may have', async () => {
  const paid = { input: 1000, output: 800, cached: 0 }
  for (const usage of [paid, 'unknown'] as const) {
    using t = await temporaryStore()
    let requests = 0
    const empty = saying('big', () => {
      requests++
      return { kind: 'failed', reason: 'bad-answer', message: 'nothing', retryAfterMs: 0, usage }
    })
    const means = { settings: settings({ RECOLLECT_MODEL_DAILY_USD: '1' }), store: t.store, prices: PRICES }
    const model = chainModels([member(empty)], means)
    await model.ask(question, never)
    expect(await model.ask(question, never)).toMatchObject({ reason: 'quota', message: expect.stringContaining('budget') })
    const most = { input: 1001, output: 1000 }
    expect((await costReport(means, 1, Date.now())).rows).toMatchObject([{ calls: 1, failed: 1, ...(usage === paid ? paid : most) }])
    expect(requests).toBe(1)
  }
})

test('an aborted request counts with its maximum cost, and one that was never sent costs nothing', async () => {
  using t = await temporaryStore()
  const means = { settings: settings(), store: t.store, prices: PRICES }
  const stopping = new AbortController()
  const slow: TextModel = {
    name: 'big',
    ask: () => {
      stopping.abort(new Error('enough'))
      return Promise.reject(stopping.signal.reason)
    },
  }
  const model = chainModels([member(slow)], means)
  for (const _ of [1, 2]) await expect(model.ask(question, stopping.signal)).rejects.toThrow('enough')
  expect((await costReport(means, 1, Date.now())).rows).toMatchObject([{ calls: 1, failed: 1, input: 1001, output: 1000 }])
})

test('two requests at once do not spend the same dollar', async () => {
  using t = await temporaryStore()
  const slow = saying('big', () => ANSWER, 50)
  const model = chainModels([member(slow)], { settings: settings({ RECOLLECT_MODEL_DAILY_USD: '0.7' }), store: t.store, prices: PRICES })
  const both = await Promise.all([model.ask(question, never), model.ask(question, never)])
  expect(both.map(({ kind }) => kind).sort()).toEqual(['answered', 'failed'])
})

test('with a budget, a model of unknown price is not asked; a local model is free', async () => {
  using t = await temporaryStore()
  const limited = { settings: settings({ RECOLLECT_MODEL_DAILY_USD: '1' }), store: t.store, prices: PRICES }
  expect(await chainModels([member(saying('mystery'))], limited).ask(question, never)).toMatchObject({
    message: expect.stringContaining('prices.toml'),
  })
  expect(await chainModels([{ ...member(saying('mystery')), isFree: true }], limited).ask(question, never)).toMatchObject({
    kind: 'answered',
  })
})

test('the cost of a model of unknown price is unknown, and a request without an answer costs nothing', async () => {
  using t = await temporaryStore()
  const means = { settings: settings(), store: t.store, prices: PRICES }
  await chainModels([member(saying('mystery', failing('network')))], means).ask(question, never)
  expect((await costReport(means, 1, Date.now())).today).toMatchObject({ usd: 0, unpriced: 0 })
  await chainModels([member(saying('mystery'))], means).ask(question, never)
  expect((await costReport(means, 1, Date.now())).today).toMatchObject({ usd: 0, unpriced: 1 })
})

test('a request under an alias costs what the answering model costs', async () => {
  using t = await temporaryStore()
  const means = { settings: settings(), store: t.store, prices: PRICES }
  const short = saying('small', () => ({ ...ANSWER, by: 'big' }))
  expect(await chainModels([member(short)], means).ask(question, never)).toMatchObject({ by: 'big' })
  expect((await costReport(means, 1, Date.now())).today.usd).toBeCloseTo((1000 * 100 + 100 * 500) / 1e6)
})

test('days are counted in the person’s time zone', () => {
  expect(dayOf(new Date(2026, 0, 5, 23, 59).getTime())).toBe('2026-01-05')
})

const ANSWER: ModelAnswer = { kind: 'answered', text: 'yes', usage: { input: 1000, output: 100, cached: 0 }, stop: 'end' }
const failing = (reason: FailureReason) => (): ModelAnswer => ({ kind: 'failed', reason, message: 'no', retryAfterMs: null })

function saying(name: string, answer: () => ModelAnswer = () => ANSWER, ms = 0): TextModel {
  return {
    name,
    ask: async () => {
      if (ms > 0) await Bun.sleep(ms)
      return answer()
    },
  }
}

const member = (full: TextModel): ModelChainMember => ({ provider: 'test', full, cheap: null, isFree: false })
const settings = (overrides: Record<string, string> = {}): Settings => loadSettings(environment('/nowhere', { overrides })).settings
