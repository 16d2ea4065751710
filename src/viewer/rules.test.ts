import { describe, expect, test } from 'bun:test'
import { note } from '../../test/support/builders.ts'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import { asNoteId, type Note } from '../core/note.ts'
import { RulesPage } from './rules.tsx'
import { toast, undoLastAction } from './user-actions.ts'

const statement = (id: string, given: Partial<Note> = {}) =>
  note({ id: asNoteId(id), title: `Rule ${id}`, body: `Rule ${id}`, state: 'proposed', confidence: 0.7, ...given })
/** A worker with these statements. Hidden ones come only when they are asked for, together with the others. */
const statements = (holding: Note[], hidden: Note[] = []): WorkerAnswers => ({
  'GET /api/notes': ({ query }) => ({ notes: query.hidden ? [...holding, ...hidden] : holding }),
  'PATCH /api/notes/:id': {},
  'DELETE /api/notes/:id': {},
  'POST /api/notes/:id/restore': {},
})
const shown = '.statement blockquote'

describe('statements', () => {
  test('that wait for a person come first; with none, those that were accepted', async () => {
    const accepted = statement('A', { state: 'accepted' })
    await using waiting = await openPage(RulesPage, '/rules', statements([accepted, statement('B')]))
    expect(waiting.texts(shown)).toEqual(['Rule B'])
    expect(waiting.text).toContain('Proposed 1\nAccepted 1\nReplaced or rejected 0')
    await waiting[Symbol.asyncDispose]()
    await using done = await openPage(RulesPage, '/rules', statements([accepted]))
    expect(done.texts(shown)).toEqual(['Rule A'])
  })

  test('of each kind are fetched on their own, and an unknown kind means rules', async () => {
    await using page = await openPage(RulesPage, '/rules?kind=nonsense&state=accepted', statements([]))
    expect(page.requestsTo('GET /api/notes')[0]?.query).toMatchObject({ namespace: 'rules' })
    await page.click('Open ends')
    expect(page.address).toBe('/rules?kind=open-ends')
    expect(page.requestsTo('GET /api/notes').at(-1)?.query).toMatchObject({ namespace: 'open-ends' })
    expect(page.text).toContain('Nothing is waiting for you.')
    await page.click('Accepted 0')
    expect(page.text).toContain('Nothing accepted yet.')
  })

  test('that no longer hold say whether they were rejected or replaced, and by what', async () => {
    const newer = statement('NEW', { supersedes: [asNoteId('OLD')], state: 'accepted' })
    await using page = await openPage(
      RulesPage,
      '/rules?state=gone',
      statements([newer], [statement('OLD'), statement('NO', { deletedAt: 5 })]),
    )
    expect(page.texts(shown)).toEqual(['Rule OLD', 'Rule NO'])
    expect(page.control('replaced by a newer one').getAttribute('href')).toBe('/memory/NNEW')
    expect(page.text).toContain('rejected')
    await page.click('Restore')
    expect(page.requestsTo('POST /api/notes/:id/restore').map(({ path }) => path)).toEqual(['/api/notes/OLD/restore'])
    await undoLastAction()
    expect(page.requestsTo('DELETE /api/notes/:id').map(({ path }) => path)).toEqual(['/api/notes/OLD'])
  })

  test('are text, whatever they contain', async () => {
    const hostile = '<script>alert(1)</script> [go](javascript:alert(1))'
    await using page = await openPage(RulesPage, '/rules', statements([statement('A', { body: hostile })]))
    expect(page.texts(shown)).toEqual([hostile])
    expect(page.document.querySelectorAll('script')).toEqual([])
  })

  test('name the first and the last place where they were said', async () => {
    const said = ['2026-11-02 agent-1:3', '2026-11-03 agent-2:1', '2026-11-09 agent-3:2'] as Note['said']
    await using page = await openPage(RulesPage, '/rules', {
      ...statements([statement('A', { said }), statement('B', { createdAt: Date.UTC(2026, 9, 1) })]),
    })
    expect(page.texts('.about > span').filter((text) => text.includes(' in '))).toEqual([
      expect.stringContaining('2026-11-02 in session'),
      expect.stringContaining('2026-11-09 in session'),
    ])
    expect(page.text).toContain('said 3 times')
    expect(page.text).toContain('written on 2026-10-01')
  })
})

describe('with the keyboard', () => {
  test('a person moves through the list, accepts and rejects, and each is undone', async () => {
    await using page = await openPage(RulesPage, '/rules', statements([statement('A'), statement('B'), statement('C')]))
    for (const key of ['j', 'j', 'j', 'k', 'a']) await page.press(key)
    expect(toast.value?.text).toBe('Accepted.')
    await undoLastAction()
    await page.press('x')
    expect(toast.value?.text).toBe('Rejected. It will not come back by itself.')
    await undoLastAction()
    expect(
      page.requests.filter(({ route }) => !route.startsWith('GET')).map(({ route, path, body }) => [route, path.split('/')[3], body]),
    ).toEqual([
      ['PATCH /api/notes/:id', 'B', { state: 'accepted', confidence: 1 }],
      ['PATCH /api/notes/:id', 'B', { state: 'proposed', confidence: 0.7 }],
      ['DELETE /api/notes/:id', 'B', {}],
      ['POST /api/notes/:id/restore', 'B', {}],
    ])
  })

  test('nothing happens to statements that no longer hold', async () => {
    await using page = await openPage(RulesPage, '/rules?state=gone', statements([], [statement('OLD')]))
    for (const key of ['a', 'e', 'x']) await page.press(key)
    expect(page.requests.filter(({ route }) => !route.startsWith('GET'))).toEqual([])
    expect(page.texts('textarea')).toEqual([])
  })
})

describe('a statement in a person’s own words', () => {
  test('is accepted at once, and undoing gives back the words and the doubts', async () => {
    await using page = await openPage(RulesPage, '/rules', statements([statement('A')]))
    await page.press('e')
    await page.typeInto('Text', 'Never on Fridays')
    await page.press('Enter', { ctrlKey: true })
    await undoLastAction()
    expect(page.requestsTo('PATCH /api/notes/:id').map(({ body }) => body)).toEqual([
      { body: 'Never on Fridays', state: 'accepted', confidence: 1 },
      { body: 'Rule A', state: 'proposed', confidence: 0.7 },
    ])
  })

  test('cannot be empty, and Escape gives it up', async () => {
    await using page = await openPage(RulesPage, '/rules', statements([statement('A')]))
    await page.press('e')
    await page.typeInto('Text', '  ')
    expect(page.control('Save and accept').disabled).toBe(true)
    await page.press('Enter', { ctrlKey: true })
    await page.press('Escape')
    expect(page.texts(shown)).toEqual(['Rule A'])
    expect(page.requestsTo('PATCH /api/notes/:id')).toEqual([])
  })

  test('stays on the screen when the worker does not take it', async () => {
    await using page = await openPage(RulesPage, '/rules', {
      ...statements([statement('A')]),
      'PATCH /api/notes/:id': () => Response.json({ error: 'the disk is full' }, { status: 500 }),
    })
    await page.press('e')
    await page.typeInto('Text', 'Never on Fridays, and here is why')
    await page.click('Save and accept')
    expect(toast.value?.text).toBe('the disk is full')
    expect(page.field('Text').value).toBe('Never on Fridays, and here is why')
  })
})
