import { describe, expect, test } from 'bun:test'
import { type OpenedPage, openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import type { ForgetPreview } from '../wire/contract/forget.ts'
import { askToForget, askToForgetMemory, askToForgetSession, ForgetDialog } from './forget.tsx'
import { toast } from './user-actions.ts'

const NO_COUNTS = { sessions: 0, prompts: 0, toolUses: 0, observations: 0, summaries: 0, notes: 0, commits: 0, injections: 0 }
const preview = (given: Partial<ForgetPreview> = {}): ForgetPreview => ({
  hard: false,
  counts: { ...NO_COUNTS, prompts: 1, observations: 1 },
  items: [
    { kind: 'prompt', id: 'P7', title: 'Paint the buoy', project: 'app', at: 1, because: 'chosen' },
    { kind: 'observation', id: '#12', title: '', project: 'app', at: 1, because: 'derived' },
  ],
  rewritten: [],
  remaining: [],
  fingerprint: 'first',
  ...given,
})
const done = (hard: boolean) => new Response(`${JSON.stringify({ kind: 'done', report: { ...preview(), hard } })}\n`)

async function openDialog(answers: WorkerAnswers, ask = () => askToForgetMemory('prompt', 7)): Promise<OpenedPage> {
  const page = await openPage(ForgetDialog, '/feed', {
    'POST /api/forget/preview': preview(),
    'POST /api/forget': () => done(false),
    ...answers,
  })
  ask()
  await page.settle()
  return page
}

describe('the dialog that forgets', () => {
  test('shows everything that goes before anything is deleted', async () => {
    await using page = await openDialog({ 'POST /api/forget/preview': preview({ rewritten: [{ id: 'N1', title: 'Harbour' }] }) })
    expect(page.texts('h2')).toEqual(['Forget prompt P7?'])
    expect(page.text).toContain('This deletes 1 prompt, 1 observation.')
    expect(page.texts('.goes li')).toEqual(['promptPaint the buoy', 'observation#12made from it'])
    expect(page.text).toContain('Written again without it: Harbour.')
    expect(page.requestsTo('POST /api/forget')).toEqual([])
    await page.click('Cancel')
    expect([page.text, page.requestsTo('POST /api/forget').length]).toEqual(['', 0])
  })

  test('says how much more goes than it lists', async () => {
    const items = Array.from({ length: 60 }, () => preview().items[0] as ForgetPreview['items'][number])
    await using page = await openDialog({
      'POST /api/forget/preview': preview({ items, counts: { ...NO_COUNTS, prompts: 51, toolUses: 900 } }),
    })
    expect(page.texts('.goes li')).toHaveLength(51)
    expect(page.text).toContain('and 1 more memory')
  })

  test('forgets exactly what was shown, by its fingerprint', async () => {
    await using page = await openDialog({})
    await page.click('Forget')
    expect(page.requestsTo('POST /api/forget').map(({ body }) => body)).toEqual([{ ids: ['P7'], hard: false, fingerprint: 'first' }])
    expect([page.text, toast.value?.text]).toEqual(['', 'Forgot prompt P7.'])
  })

  test('asks again if something else would be deleted by now', async () => {
    let fingerprint = 'first'
    await using page = await openDialog({
      'POST /api/forget/preview': () => preview({ fingerprint }),
      'POST /api/forget': ({ body }) =>
        body.fingerprint === 'second' ? done(false) : Response.json({ error: 'changed' }, { status: 409 }),
    })
    fingerprint = 'second'
    await page.click('Forget')
    expect(page.texts('[role="alert"]')).toEqual(['Memories have changed since this was shown. Look at the new list and confirm again.'])
    await page.click('Forget')
    expect([page.text, toast.value?.text]).toEqual(['', 'Forgot prompt P7.'])
  })

  test('deletes for good only after the word was typed, and names the copies that stay', async () => {
    const remaining = [{ what: 'the transcript', where: '/home/you/a.jsonl', how: 'Delete it yourself.' }]
    await using page = await openDialog({
      'POST /api/forget/preview': ({ body }) => preview({ hard: body.hard === true, remaining: body.hard ? remaining : [] }),
      'POST /api/forget': () => done(true),
    })
    expect(page.text).not.toContain('Copies that stay elsewhere')
    await page.check(/^Delete for good/)
    expect(page.text).toContain('the transcript: /home/you/a.jsonl Delete it yourself.')
    for (const word of ['', 'no', 'Delete']) {
      await page.typeInto('Type “delete” to confirm', word)
      await page.click('Delete for good')
    }
    expect(page.requestsTo('POST /api/forget')).toEqual([])
    await page.typeInto('Type “delete” to confirm', ' delete ')
    await page.click('Delete for good')
    expect(page.requestsTo('POST /api/forget').map(({ body }) => body.hard)).toEqual([true])
    expect(toast.value?.text).toBe('Deleted prompt P7 for good.')
  })

  test('has nothing to confirm when nothing matches', async () => {
    await using page = await openDialog({ 'POST /api/forget/preview': preview({ counts: NO_COUNTS, items: [] }) }, () =>
      askToForget('everything with “x”', { query: 'x' }),
    )
    expect(page.text).toContain('No memories match, so there is nothing to forget.')
    expect(page.hasControl('Forget')).toBe(false)
  })

  test('does not offer what it could not look up', async () => {
    await using page = await openDialog({ 'POST /api/forget/preview': () => Response.json({ error: 'the disk is full' }, { status: 500 }) })
    expect(page.text).toContain('the disk is full')
    await page.click('Forget')
    expect(page.requestsTo('POST /api/forget')).toEqual([])
  })
})

test('after a session was forgotten, its page is left; after a failure it is not', async () => {
  const left: string[] = []
  const session = { id: 3, contentSessionId: 'agent-3' as never, title: 'Tides' }
  const ask = () => askToForgetSession(session, () => void left.push('left'))
  await using failing = await openDialog({ 'POST /api/forget': () => Response.json({ error: 'no' }, { status: 500 }) }, ask)
  expect(failing.texts('h2')).toEqual(['Forget session “Tides”?'])
  await failing.click('Forget')
  expect([left, toast.value?.text]).toEqual([[], 'no'])
  await failing[Symbol.asyncDispose]()
  await using page = await openDialog({}, ask)
  await page.click('Forget')
  expect([left, page.requestsTo('POST /api/forget')[0]?.body.ids]).toEqual([['left'], ['agent-3']])
})
