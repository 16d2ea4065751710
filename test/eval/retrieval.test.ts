import { expect, test } from 'bun:test'
import { replay, scoreBrief } from '../../eval/brief.ts'
import { hasData } from '../../eval/data.ts'
import { byDefault, byWords } from '../../eval/search-methods.ts'
import { openCommitRecall, scoreLocomo, scoreLocomoSessions } from '../../eval/sets.ts'
import { FOOTPRINT_KINDS } from '../../src/evaluate/evaluate.ts'
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
  120_000,
)

test.skipIf(!hasData)(
  'search finds the sessions that contain the answer at least as well as before',
  async () => {
    const score = await scoreLocomoSessions(byDefault, 0.2)
    expect(score['any@5']).toBeGreaterThan(0.935) // 94.7
    expect(score['frac@10']).toBeGreaterThan(0.938) // 95.0
    expect(score['any@10']).toBeGreaterThan(0.973) // 98.5
  },
  120_000,
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
  120_000,
)

test.skipIf(!hasData)(
  'the brief names more of what the next session touches than fifty observations, with a third of the tokens',
  async () => {
    const { ours, baseline } = await scoreBrief()
    for (const kind of FOOTPRINT_KINDS) expect(ours[kind]).toBeGreaterThanOrEqual(baseline[kind])
    expect(ours.names).toBeGreaterThan(1.3 * baseline.names)
    expect(ours.errors).toBeGreaterThan(2 * baseline.errors)
    expect(ours.tokens).toBeLessThan(baseline.tokens / 3)
  },
  120_000,
)

test.skipIf(!hasData)(
  'the items of a real brief add up to its tokens',
  async () => {
    await replay(async (store, project, { startedAt, items: [first] }) => {
      const { tokens, items } = await briefFor(store, { project, now: startedAt, branch: first?.branch ?? null })
      expect(items.reduce((sum, item) => sum + item.tokens, 0)).toBe(tokens)
    })
  },
  120_000,
)
