import { expect, test } from 'bun:test'
import { replay, scoreBrief } from '../../eval/brief.ts'
import { hasData } from '../../eval/data.ts'
import { scoreCommitRecall, scoreLocomo } from '../../eval/sets.ts'
import { TOUCHED } from '../../src/evaluate/evaluate.ts'
import { briefFor } from '../../src/inject/brief.ts'

if (!hasData) console.warn('The gate on retrieval is skipped: ../shared/eval is not here.')
const words = async () => null

// A little below what `npm run eval` printed when this was written: what falls under it got worse.
test.skipIf(!hasData)(
  'search finds the turns that answer, at least as well as before',
  async () => {
    const score = await scoreLocomo(words, 0.2)
    expect(score['any@5']).toBeGreaterThan(0.7)
    expect(score['any@10']).toBeGreaterThan(0.81)
  },
  120_000,
)

test.skipIf(!hasData)(
  'search finds the session that made a commit, at least as well as before',
  async () => {
    const { sessions, rows } = await scoreCommitRecall(words)
    expect(sessions['any@5']).toBeGreaterThan(0.73)
    expect(sessions['any@10']).toBeGreaterThan(0.775)
    expect(sessions.mrr).toBeGreaterThan(0.63)
    expect(rows['any@10']).toBeGreaterThan(0.74)
  },
  120_000,
)

test.skipIf(!hasData)(
  'the brief names more of what the next session touches than fifty observations do, at a third of the tokens',
  async () => {
    const { ours, baseline } = await scoreBrief()
    for (const kind of TOUCHED) expect(ours[kind]).toBeGreaterThanOrEqual(baseline[kind])
    expect(ours.names).toBeGreaterThan(1.3 * baseline.names)
    expect(ours.errors).toBeGreaterThan(2 * baseline.errors)
    expect(ours.tokens).toBeLessThan(baseline.tokens / 3)
  },
  120_000,
)

test.skipIf(!hasData)(
  'what the brief of a real project told is accounted for, line by line and to the last token',
  async () => {
    await replay(async (store, project, { startedAt, items: [first] }) => {
      const { tokens, items } = await briefFor(store, { project, now: startedAt, branch: first?.branch ?? null })
      expect(items.reduce((sum, item) => sum + item.tokens, 0)).toBe(tokens)
    })
  },
  120_000,
)
