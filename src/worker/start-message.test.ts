import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openSession } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { type InjectedBrief, OPEN_END_REASON, OPEN_PROMPT_REASON, RULE_REASON } from '../inject/brief.ts'
import { startMessage } from './start-message.ts'

const item = (kind: 'note' | 'prompt' | 'summary', why: string, n = 1): InjectedBrief['items'][number] => ({
  kind,
  id: `${kind}${n}`,
  why,
  tokens: 5,
})
const brief = (given: Partial<InjectedBrief>): InjectedBrief => ({ text: 'x', tokens: 727, items: [], leftOut: 0, left: [], ...given })

async function messageFor(given: InjectedBrief, port: number | null = null): Promise<string> {
  await using at = await someServices()
  const session = await openSession(at.store)
  if (port !== null) {
    mkdirSync(dirname(at.desk.home.workerFile), { recursive: true })
    writeFileSync(at.desk.home.workerFile, JSON.stringify({ pid: 1, port }))
  }
  return startMessage(at.desk, session, 'startup', given)
}

test('the person sees one line that says what was recalled and where the viewer is', async () => {
  const items = [1, 2, 3].map((n) => item('note', RULE_REASON, n))
  const message = await messageFor(brief({ items, last: { title: 'cache WIP', failing: 2 } }), 37777)
  expect(message).toMatch(
    /^Recollect: last: cache WIP, 2 tests failing · 3 rules · 727 tokens · viewer: \S+ view \(http:\/\/127\.0\.0\.1:37777\)$/,
  )
})

test('open ends, notes and a prompt without an answer are counted apart from rules', async () => {
  const items = [item('note', OPEN_END_REASON), item('note', 'pinned', 2), item('note', RULE_REASON, 3), item('prompt', OPEN_PROMPT_REASON)]
  expect(await messageFor(brief({ items }))).toStartWith(
    'Recollect: a prompt without an answer · 1 rule · 1 open · 1 note · 727 tokens · viewer: ',
  )
})

test('a long title is shortened, and a brief of other work still says something', async () => {
  expect(await messageFor(brief({ last: { title: 'word '.repeat(40), failing: 1 } }))).toMatch(
    /^Recollect: last: [word ]{40,60}…, 1 test failing · /,
  )
  expect(await messageFor(brief({ items: [item('prompt', 'recent work')] }))).toStartWith('Recollect: earlier work · 727 tokens')
})
