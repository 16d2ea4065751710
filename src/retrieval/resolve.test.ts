import { describe, expect, test } from 'bun:test'
import { temporaryStore } from '../../test/support/builders.ts'
import { parseQuery } from './query-parser.ts'
import { type QueryOptions, resolveQuery } from './resolve.ts'
import { describeWindow } from './time-phrases.ts'

const NOW = Date.UTC(2026, 10, 15, 12)
const day = (date: string) => Date.parse(`${date}T00:00:00Z`)

async function resolved(text: string, given: Partial<QueryOptions> = {}) {
  using t = await temporaryStore()
  const query = await resolveQuery(t.store, parseQuery(text, NOW, 'UTC'), { project: null, limit: 10, offset: 0, ...given })
  if (query.kind !== 'resolved') throw new Error('the query names an unknown project')
  return query
}

describe('a time in the text', () => {
  const mentioned = async (text: string) => {
    const { mentionedTime } = await resolved(text)
    return mentionedTime && describeWindow(mentionedTime.window, 'UTC')
  }

  test('is mentioned, also if it is open on one side', async () => {
    expect(await mentioned('heron')).toBeNull()
    expect(await mentioned('heron yesterday')).toBe('2026-11-14')
    expect(await mentioned('heron since november 10')).toBe('since 2026-11-10')
    expect(await mentioned('heron before november 10')).toBe('before 2026-11-10')
  })

  test('is mentioned only if it says more than the filters, and without what they say', async () => {
    expect(await mentioned('heron since:2026-11-10')).toBeNull()
    expect(await mentioned('heron since november 1 since:2026-11-10')).toBeNull()
    expect(await mentioned('heron before november 14 before:2026-11-12')).toBeNull()
    expect(await mentioned('heron before november 12 since:2026-11-01')).toBe('before 2026-11-12')
  })

  test('does not narrow what the filters and the caller allow', async () => {
    const { filterWindow, mentionedTime } = await resolved('heron yesterday since:2026-11-01', { before: NOW })
    expect(filterWindow).toEqual({ since: day('2026-11-01'), before: NOW })
    expect(mentionedTime?.limits).toEqual({ since: day('2026-11-14'), before: day('2026-11-15') })
  })
})

test('a filter leaves only the kinds of memories that can have it', async () => {
  const kinds = async (text: string, given: Partial<QueryOptions> = {}) => (await resolved(text, given)).kinds.toSorted()
  expect(await kinds('type:bugfix')).toEqual(['commit', 'note', 'observation'])
  expect(await kinds('path:src/a.ts kind:note')).toEqual(['note'])
  expect(await kinds('ns:decisions')).toEqual(['note'])
  expect(await kinds('tag:auth')).toEqual(['note', 'observation'])
  expect(await kinds('tag:auth', { kinds: ['prompt', 'note'] })).toEqual(['note'])
})
