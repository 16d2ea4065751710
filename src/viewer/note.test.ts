import { describe, expect, test } from 'bun:test'
import { note } from '../../test/support/builders.ts'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import type { Note } from '../core/note.ts'
import { MemoryPage } from './memory.tsx'
import { toast, undoLastAction } from './user-actions.ts'

const ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const PAGE = `/memory/N${ID}`
const full = (given: Partial<Note> = {}) => ({
  ...note({ title: 'Harbour hours', body: 'Closes at *dusk*.', ...given }),
  supersededBy: [] as string[],
})
/** A worker with one note, which requests can change. */
function oneNote(given: Partial<Note> = {}): WorkerAnswers {
  let stored: object = full(given)
  return {
    'GET /api/notes/:id': () => stored,
    'PATCH /api/notes/:id': ({ body }) => {
      stored = { ...stored, ...body }
      return stored
    },
  }
}

describe('a note', () => {
  test('is shown with its formatted text once, its tags and what is known about it', async () => {
    await using page = await openPage(MemoryPage, PAGE, oneNote({ tags: ['port'], model: null, confidence: 0.8, machine: 'laptop' }))
    expect(page.texts('h1')).toEqual(['Harbour hours'])
    expect(page.texts('.prose em')).toEqual(['dusk'])
    expect(page.control('port').getAttribute('href')).toBe('/search?q=tag%3Aport')
    expect(page.texts('.facts dt')).not.toContain('Written by')
    expect(page.text).toContain('Confidence\n0.8')
  })

  test('whose text is only its title is not shown twice', async () => {
    await using page = await openPage(MemoryPage, PAGE, oneNote({ title: 'Use tabs.', body: 'Use\ntabs.' }))
    expect(page.texts('.prose')).toEqual([])
  })

  test('is pinned and unpinned with p, and undone', async () => {
    await using page = await openPage(MemoryPage, PAGE, oneNote())
    await page.press('p')
    expect(toast.value?.text).toBe('Pinned. Every brief will contain it.')
    expect(page.hasControl('Unpin')).toBe(true)
    await undoLastAction()
    await page.settle()
    expect(page.hasControl('Pin')).toBe(true)
    expect(page.requestsTo('PATCH /api/notes/:id').map(({ body }) => body)).toEqual([{ pinned: true }, { pinned: false }])
  })

  test('that is proposed is accepted with full confidence, and undoing gives it back its doubts', async () => {
    await using page = await openPage(MemoryPage, PAGE, oneNote({ state: 'proposed', confidence: 0.6 }))
    await page.press('a')
    expect(page.hasControl('Accept')).toBe(false)
    await page.press('a')
    await undoLastAction()
    expect(page.requestsTo('PATCH /api/notes/:id').map(({ body }) => body)).toEqual([
      { state: 'accepted', confidence: 1 },
      { state: 'proposed', confidence: 0.6 },
    ])
  })

  test('that is forgotten says so and can be restored, not forgotten again', async () => {
    await using page = await openPage(MemoryPage, PAGE, oneNote({ deletedAt: 5, state: 'proposed' }))
    expect(page.text).toContain('Forgotten. It no longer appears in search or briefs until you restore it.')
    expect([page.hasControl('Restore'), page.hasControl('Forget…'), page.hasControl('Accept')]).toEqual([true, false, false])
    for (const key of ['a', 'x']) await page.press(key)
    expect(page.requestsTo('PATCH /api/notes/:id')).toEqual([])
  })

  test('that was superseded leads to the newer one', async () => {
    await using page = await openPage(MemoryPage, PAGE, { 'GET /api/notes/:id': { ...full(), supersededBy: ['01NEW'] } })
    expect(page.control('show it').getAttribute('href')).toBe('/memory/N01NEW')
  })

  test('that does not exist is reported as missing, and one that cannot be loaded is not', async () => {
    await using missing = await openPage(MemoryPage, PAGE, { 'GET /api/notes/:id': () => Response.json({ error: 'no' }, { status: 404 }) })
    expect(missing.text).toContain(`Note ${ID} was not found.`)
  })

  test('shows where it was said, and how it changed', async () => {
    await using page = await openPage(MemoryPage, PAGE, {
      ...oneNote({ said: ['2026-11-02 agent-1:3'] as never }),
      'GET /api/notes/:id/history': {
        versions: [{ title: 'Harbour', body: 'Closes at dawn.', at: 1 }],
        older: [{ id: '01OLD', title: 'Older', body: 'Always open.', at: 0 }],
      },
    })
    expect(page.texts('.diff')[0]).toBe('- Closes at dawn.\n+ Closes at *dusk*.')
    expect(page.text).toContain('title was “Harbour”')
    expect(page.text).toContain('Replaces Older')
  })
})

describe('editing a note', () => {
  test('saves what was changed, and is undone', async () => {
    await using page = await openPage(MemoryPage, PAGE, oneNote())
    await page.press('e')
    await page.fill('Text (markdown)', 'Closes at ten.')
    await page.fill('Tags', ' port,, night ')
    await page.click('Save')
    expect(page.requestsTo('PATCH /api/notes/:id')[0]?.body).toMatchObject({
      body: 'Closes at ten.',
      tags: ['port', 'night'],
      title: 'Harbour hours',
    })
    expect(page.text).toContain('Closes at ten.')
    await undoLastAction()
    await page.settle()
    expect(page.requestsTo('PATCH /api/notes/:id')[1]?.body).toMatchObject({ body: 'Closes at *dusk*.', tags: [] })
  })

  test('is left with Escape without a change', async () => {
    await using page = await openPage(MemoryPage, PAGE, oneNote())
    await page.press('e')
    await page.fill('Title', 'Something else')
    await page.press('Escape')
    expect(page.texts('h1')).toEqual(['Harbour hours'])
    expect(page.requestsTo('PATCH /api/notes/:id')).toEqual([])
  })

  test('keeps the tags that are still being typed when it is saved with Ctrl and Enter', async () => {
    await using page = await openPage(MemoryPage, PAGE, oneNote({ tags: ['port'] }))
    await page.press('e')
    await page.typeInto('Tags', 'port, night')
    await page.press('Enter', { ctrlKey: true })
    expect(page.requestsTo('PATCH /api/notes/:id')[0]?.body.tags).toEqual(['port', 'night'])
  })

  test('keeps the text on the screen when the worker does not take it', async () => {
    await using page = await openPage(MemoryPage, PAGE, {
      ...oneNote(),
      'PATCH /api/notes/:id': () => Response.json({ error: 'the disk is full' }, { status: 500 }),
    })
    await page.press('e')
    await page.fill('Text (markdown)', 'A long text that took an hour to write')
    await page.click('Save')
    expect(toast.value).toMatchObject({ text: 'the disk is full', isError: true })
    expect(page.field('Text (markdown)').value).toBe('A long text that took an hour to write')
  })
})

describe('a new note', () => {
  const saved = (kind: 'saved' | 'same') => ({ kind, note: { id: '01NEW' } }) as never

  test('belongs to the project in the address and opens when it is saved', async () => {
    await using page = await openPage(MemoryPage, '/memory/new?project=app', { 'POST /api/notes': saved('saved') })
    await page.fill('Title', 'Hours')
    await page.fill('Text (markdown)', 'Ten to six')
    await page.click('Save')
    expect(page.requestsTo('POST /api/notes')[0]?.body).toMatchObject({
      title: 'Hours',
      body: 'Ten to six',
      project: 'app',
      scope: 'project',
    })
    expect([page.address, toast.value?.text]).toEqual(['/memory/N01NEW', 'Note saved.'])
  })

  test('that says what another one says leads to that one', async () => {
    await using page = await openPage(MemoryPage, '/memory/new', { 'POST /api/notes': saved('same') })
    await page.click('Save')
    expect([page.address, toast.value?.text]).toEqual(['/memory/N01NEW', 'A note already says this. Here it is.'])
  })

  test('that is refused stays in its form', async () => {
    await using page = await openPage(MemoryPage, '/memory/new', {
      'POST /api/notes': () => Response.json({ error: 'a note needs a text' }, { status: 400 }),
    })
    await page.fill('Title', 'Hours')
    await page.click('Save')
    expect([page.address, page.field('Title').value]).toEqual(['/memory/new', 'Hours'])
  })

  test('starts with the note that it supersedes', async () => {
    await using page = await openPage(MemoryPage, `/memory/new?supersedes=${ID}`, {
      ...oneNote({ project: 'shop' as never }),
      'POST /api/notes': saved('saved'),
    })
    expect(page.field('Text (markdown)').value).toBe('Closes at *dusk*.')
    await page.click('Save')
    expect(page.requestsTo('POST /api/notes')[0]?.body).toMatchObject({ supersedes: [ID], project: 'shop' })
    expect(toast.value?.text).toBe('Saved. It supersedes the older note.')
  })
})
