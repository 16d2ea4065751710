import { expect, test } from 'bun:test'
import { replay, scoreBrief } from '../../eval/brief.ts'
import { hasData } from '../../eval/data.ts'
import { openCommitRecall, scoreLocomo, scoreLocomoSessions } from '../../eval/sets.ts'
import { byDefault, byWords } from '../../eval/ways.ts'
import { FOOTPRINT_KINDS } from '../../src/evaluate/evaluate.ts'
import { briefFor } from '../../src/inject/brief.ts'

if (!hasData) console.warn('The gate on retrieval is skipped: ../shared/eval is not here.')

// The same is asked in every run, so the scores are the same too. Each number stands 1 to 1.5 points below what these questions scored on
// 2026-11-16: what falls under it got worse. They are a part of what `npm run eval` asks, so that this takes well under a minute; their
// scores stand behind the numbers, and differ from those in README.md, except LoCoMo's turns by default, of which all are asked.
test.skipIf(!hasData)(
  'search finds the turns that answer, at least as well as before',
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
  'search finds the sessions in which it was said, at least as well as before',
  async () => {
    const score = await scoreLocomoSessions(byDefault, 0.2)
    expect(score['any@5']).toBeGreaterThan(0.935) // 94.7
    expect(score['frac@10']).toBeGreaterThan(0.938) // 95.0
    expect(score['any@10']).toBeGreaterThan(0.973) // 98.5
  },
  120_000,
)

test.skipIf(!hasData)(
  'search finds the session that made a commit, at least as well as before',
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
  'the brief names more of what the next session touches than fifty observations do, at a third of the tokens',
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
  'what the brief of a real project told is accounted for, line by line and to the last token',
  async () => {
    await replay(async (store, project, { startedAt, items: [first] }) => {
      const { tokens, items } = await briefFor(store, { project, now: startedAt, branch: first?.branch ?? null })
      expect(items.reduce((sum, item) => sum + item.tokens, 0)).toBe(tokens)
    })
  },
  120_000,
)
