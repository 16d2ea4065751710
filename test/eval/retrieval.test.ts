import { expect, test } from 'bun:test'
import { replay, scoreBrief } from '../../eval/brief.ts'
import { hasData } from '../../eval/data.ts'
import { scoreDecisions } from '../../eval/decisions.ts'
import { byDefault, byWords } from '../../eval/search-methods.ts'
import { openCommitRecall, scoreLocomo, scoreLocomoSessions } from '../../eval/sets.ts'
import { briefFor } from '../../src/inject/brief.ts'

if (!hasData) console.warn('Retrieval scores are not checked: ../shared/eval does not exist.')

// Every run asks the same questions, so the scores are reproducible. Each limit is 1 to 1.5 points below the score of 2026-11-16, which is in
// the comment behind it. To take well under a minute, most checks use a sample of the questions of `npm run eval`, so their scores differ from
// docs/evaluation.md; only LoCoMo's turns with the default method use all questions.
test.skipIf(!hasData)(
  'search finds the turns that answer a question at least as well as before',
  async () => {
    const byWordsAlone = await scoreLocomo(byWords, 0.2)
    expect(byWordsAlone['any@5']).toBeGreaterThan(0.735) // 74.8
    expect(byWordsAlone['any@10']).toBeGreaterThan(0.812) // 82.4
    const score = await scoreLocomo(byDefault)
    expect(score['any@5']).toBeGreaterThan(0.775) // 78.8
    expect(score['frac@10']).toBeGreaterThan(0.789) // 80.0
    expect(score['any@10']).toBeGreaterThan(0.857) // 86.8
  },
  300_000,
)

test.skipIf(!hasData)(
  'search finds the sessions that contain the answer at least as well as before',
  async () => {
    const score = await scoreLocomoSessions(byDefault, 0.2)
    expect(score['any@5']).toBeGreaterThan(0.935) // 94.7
    expect(score['frac@10']).toBeGreaterThan(0.938) // 95.0
    expect(score['any@10']).toBeGreaterThan(0.973) // 98.5
  },
  300_000,
)

test.skipIf(!hasData)(
  'search finds the session that made a commit at least as well as before',
  async () => {
    using commits = await openCommitRecall()
    const byWordsAlone = await commits.score(byWords, 0.5)
    expect(byWordsAlone.sessions['any@5']).toBeGreaterThan(0.709) // 72.1
    expect(byWordsAlone.sessions['any@10']).toBeGreaterThan(0.763) // 77.6
    expect(byWordsAlone.sessions.mrr).toBeGreaterThan(0.623) // .635
    const { sessions, rows } = await commits.score(byDefault, 0.5)
    expect(sessions['any@5']).toBeGreaterThan(0.722) // 73.5
    expect(sessions['any@10']).toBeGreaterThan(0.756) // 76.9
    expect(sessions.mrr).toBeGreaterThan(0.624) // .637
    expect(rows['any@10']).toBeGreaterThan(0.709) // 72.1
  },
  300_000,
)

test.skipIf(!hasData)(
  'sessions use what they were shown at least as often as before, and for far fewer tokens than fifty observations',
  async () => {
    const { brief, recall, baseline, chance } = await scoreBrief()
    expect(brief.used / brief.lines).toBeGreaterThan(0.08) // 9.3; fifty observations 4.6
    expect(brief.coverage).toBeGreaterThan(0.07) // 8.7
    expect(recall.used / recall.lines).toBeGreaterThan(0.2) // 24.2
    expect(brief.used / brief.lines).toBeGreaterThan((2.5 * chance.used) / chance.lines) // 1.1
    expect(brief.tokens).toBeLessThan(baseline.tokens / 15)
  },
  300_000,
)

test.skipIf(!hasData)(
  'what was settled is shown with its values, the newest first, and nothing where nothing was settled',
  async () => {
    const { settled, amended, history, absent } = await scoreDecisions()
    expect(settled.words).toBeGreaterThanOrEqual(0.8) // 80.6
    expect(settled.numbers).toBeGreaterThanOrEqual(0.95) // 100
    expect(settled.tokens).toBeLessThanOrEqual(300) // 228
    expect(settled.silent).toBeLessThanOrEqual(1) // 0
    expect([amended.newerFirst, amended.marked, amended.silent]).toEqual([amended.asked, amended.asked, 0])
    expect(history.words).toBeGreaterThan(0.8) // 85.5
    expect(absent.silent).toBeGreaterThanOrEqual(12) // 13
  },
  300_000,
)

test.skipIf(!hasData)(
  'the items of a real brief add up to its tokens',
  async () => {
    await replay(async (store, project, { startedAt, items: [first] }) => {
      const { tokens, items } = await briefFor(store, { project, now: startedAt, branch: first?.branch ?? null })
      expect(items.reduce((sum, item) => sum + item.tokens, 0)).toBe(tokens)
    })
  },
  300_000,
)
