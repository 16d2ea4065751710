import { beforeEach, describe, expect, test } from 'bun:test'
import { pageOf } from '../../test/support/page-fetch.ts'
import type { Reply } from '../wire/call.ts'
import { dataVersion } from './live.ts'
import { forget, restoreMemory, runAction, toast, undoLastAction } from './user-actions.ts'

const answered = <T>(value: T): Promise<Reply<T>> => Promise.resolve({ kind: 'answered', value } as Reply<T>)
const refused = (status: number, reason: string): Promise<Reply<never>> =>
  Promise.resolve({ kind: 'refused', status, reason } as Reply<never>)

beforeEach(() => {
  toast.value = null
})

describe('an action', () => {
  test('that worked is reported, its answer is returned, and everything on the screen is fetched again', async () => {
    const before = dataVersion.value
    expect(await runAction(answered(3), (n) => `Moved ${n} notes.`)).toBe(3)
    expect(toast.value).toEqual({ text: 'Moved 3 notes.', isError: false, undo: null })
    expect(dataVersion.value).toBe(before + 1)
  })

  test('that failed is reported with the reason, cannot be undone, and changes nothing on the screen', async () => {
    const before = dataVersion.value
    expect(await runAction(refused(400, 'a note needs a text'), 'Saved.', () => answered(1))).toBeNull()
    expect(toast.value).toEqual({ text: 'a note needs a text', isError: true, undo: null })
    expect(dataVersion.value).toBe(before)
  })

  test('is undone once', async () => {
    let undone = 0
    await runAction(answered(1), 'Accepted.', () => answered(++undone))
    await undoLastAction()
    expect(toast.value?.text).toBe('Undone.')
    await undoLastAction()
    expect(undone).toBe(1)
  })
})

describe('forgetting', () => {
  const items = [
    { id: '#12', kind: 'observation', title: 'x', because: 'chosen' },
    { id: 'N7', kind: 'note', title: 'y', because: 'derived' },
  ]
  const done = (report: object) => ({ kind: 'done', report: { hard: false, items, ...report } })
  const lines = (...all: object[]) => new Response(all.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const request = { ids: ['#12'], fingerprint: 'f' } as Parameters<typeof forget>[0]

  test('tells how far it is, and is undone by restoring what was chosen', async () => {
    const seen: string[] = []
    using page = pageOf(({ path }) =>
      path === '/api/restore'
        ? Response.json({ restored: [], unchanged: [] })
        : lines({ kind: 'progress', done: 1, of: 2, what: 'deleting notes' }, done({})),
    )
    expect(await forget(request, '“Painted the buoy”', (text) => seen.push(text))).toBe('done')
    expect(seen).toEqual(['deleting notes'])
    expect(toast.value).toMatchObject({ text: 'Forgot “Painted the buoy”.', isError: false })
    await undoLastAction()
    expect(JSON.parse(page.requests.at(-1)?.body ?? '')).toEqual({ ids: ['#12'] })
  })

  test('for good cannot be undone, nor can a deletion whose list is not complete', async () => {
    using _hard = pageOf(() => lines(done({ hard: true })))
    await forget(request, 'it', () => {})
    expect(toast.value).toMatchObject({ text: 'Deleted it for good.', undo: null })
    using _many = pageOf(() => lines(done({ items: Array.from({ length: 500 }, (_, n) => ({ ...items[0], id: `#${n}` })) })))
    await forget(request, 'all of it', () => {})
    expect(toast.value).toMatchObject({ text: 'Forgot all of it.', undo: null })
  })

  test('is asked again if something else would be deleted by now', async () => {
    using _page = pageOf(() => Response.json({ error: 'changed' }, { status: 409 }))
    expect(await forget(request, 'it', () => {})).toBe('changed')
    expect(toast.value).toBeNull()
  })

  test('that fails, or whose worker stops in the middle, says so', async () => {
    using _failing = pageOf(() => lines({ kind: 'failed', error: 'the disk is full' }))
    expect(await forget(request, 'it', () => {})).toBe('failed')
    expect(toast.value).toMatchObject({ text: 'the disk is full', isError: true })
    using _stopping = pageOf(() => lines({ kind: 'progress', done: 1, of: 2, what: 'deleting notes' }))
    expect(await forget(request, 'it', () => {})).toBe('failed')
    expect(toast.value?.text).toContain('stopped before it was done')
  })
})

test('a change is sent with the headers that another site cannot send', async () => {
  using page = pageOf(() => Response.json({ restored: [], unchanged: [] }))
  await restoreMemory('#12', 'it')
  const [sent] = page.requests
  expect([sent?.method, sent?.headers.get('x-recollect'), sent?.headers.get('content-type')]).toEqual(['POST', '1', 'application/json'])
})
