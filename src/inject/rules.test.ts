import { describe, expect, test } from 'bun:test'
import { memoriesIn, note } from '../../test/support/builders.ts'
import { aNotebook } from '../../test/support/notebook.ts'
import { asProjectKey, GLOBAL_PROJECT } from '../core/ids.ts'
import type { Note } from '../core/note.ts'
import { saveNote } from '../notes/notes.ts'
import { openPage, openShares, type ReasonedItem } from './page.ts'
import { addRules, rulesFor, type StandingRule } from './rules.ts'

const app = asProjectKey('app')
const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 17)

describe('the rules of a person', () => {
  const given = async () => {
    const t = await aNotebook()
    const keep = async (body: string, daysAgo: number, more = {}) => {
      const rule = { body, project: app, source: 'human' as const, namespace: 'rules', ...more }
      const { receipt } = await saveNote(t.book, rule, NOW - daysAgo * DAY)
      if (receipt.kind === 'refused') throw new Error(receipt.reason)
      return receipt.note.id
    }
    const replaced = async () => (await rulesFor(t.store, app, NOW)).map((rule) => [rule.text, rule.replaced?.body ?? null])
    return { ...t, keep, replaced, [Symbol.dispose]: () => t[Symbol.dispose]() }
  }

  test('are those of the project and of all projects, the latest first', async () => {
    using t = await given()
    await t.keep('Use tabs', 3)
    await t.keep('Never use yarn', 1, { project: GLOBAL_PROJECT })
    await t.keep('Deploys run at night', 2, { project: asProjectKey('other') })
    await t.keep('The ledger numbers invoices', 2, { namespace: 'context' })
    expect((await rulesFor(t.store, app, NOW)).map(({ text }) => text)).toEqual(['Never use yarn', 'Use tabs'])
  })

  test('say for a month which rule held before, if one did', async () => {
    using t = await given()
    const older = await t.keep('Use four spaces', 20)
    await t.keep('Use tabs', 3, { supersedes: [older] })
    expect(await t.replaced()).toEqual([['Use tabs', 'Use four spaces']])
    const forgotten = await t.keep('Never use npm', 60)
    await t.keep('Never use yarn', 50, { supersedes: [forgotten] })
    expect((await t.replaced())[1]).toEqual(['Never use yarn', null])
  })

  test('of several replaced rules the latest is named', async () => {
    using t = await given()
    const [oldest, older] = [await t.keep('Use two spaces', 25), await t.keep('Use four spaces', 20)]
    await t.keep('Use tabs', 3, { supersedes: [older, oldest] })
    expect(await t.replaced()).toEqual([['Use tabs', 'Use four spaces']])
  })
})

describe('rules on a page', () => {
  const rule = (id: string, text: string, given: Partial<StandingRule> = {}): StandingRule => ({
    note: note({ id: id as Note['id'] }),
    text,
    lastSaidAt: NOW,
    timesSaid: 1,
    replaced: null,
    ...given,
  })
  function page(rules: StandingRule[], shareTokens = 500, pageTokens = 2000) {
    const left: ReasonedItem[] = []
    const open = openPage('<first>', '<last>', { tokens: pageTokens, characters: 9000 })
    addRules(open, rules, openShares(shareTokens, 0).of(1), left)
    const { text, items } = open.close()
    return { lines: text.split('\n').slice(1, -1), memories: memoriesIn(items).map(({ id }) => id), left: left.map(({ why }) => why) }
  }
  const HEADING = "The person's standing rules, in their words, latest first:"

  test('are quoted with their day under one heading, and with the rule that held before', () => {
    const replaced = note({ id: 'n3' as Note['id'], body: 'Use four spaces', updatedAt: NOW - 9 * DAY })
    const { lines, memories } = page([rule('n1', 'Use tabs', { replaced }), rule('n2', 'Never use yarn', { timesSaid: 3 })])
    expect(lines).toEqual([
      HEADING,
      '- "Use tabs" (2026-11-17)',
      '  No longer: "Use four spaces" (2026-11-08)',
      '- "Never use yarn" (2026-11-17, said 3 times)',
    ])
    expect(memories).toEqual(['n1', 'n3', 'n2'])
  })

  test('that do not fit their share or the page are left out with the reason, and shorter ones are still shown', () => {
    const long = rule('n1', 'Never, under no circumstances, '.repeat(8))
    const { lines, left } = page([long, rule('n2', 'Use tabs')], 30)
    expect(lines).toEqual([HEADING, '- "Use tabs" (2026-11-17)'])
    expect(left).toEqual(['no room: 30 tokens left for rules'])
    expect(page([long], 500, 30).left).toEqual([expect.stringMatching(/^no room: needs \d+ tokens, \d+ left$/)])
  })
})
