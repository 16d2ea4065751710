import { describe, expect, test } from 'bun:test'
import { observation, storedPrompt, summary } from '../../test/support/builders.ts'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import { MemoryPage } from './memory.tsx'
import { toast } from './user-actions.ts'

const observed = (given: object = {}, around: object = {}): WorkerAnswers => ({
  'GET /api/observations/:id': {
    observation: observation({ id: 12, title: 'Clock `fixed`', narrative: 'By *one* hour.', ...given }),
    outcome: null,
    forgottenAt: null,
    ...around,
  } as never,
})
const memory = (kind: 'prompt' | 'summary' | 'commit', stored: object | null, given: object = {}): WorkerAnswers => ({
  'GET /api/memory/:id': {
    kind,
    memory: stored,
    title: null,
    project: 'app',
    outcome: null,
    code: null,
    verified: null,
    ...given,
  } as never,
})

describe('an observation', () => {
  test('shows its text, facts, files and concepts, and where it comes from', async () => {
    const given = {
      facts: ['Brest uses `UTC`'],
      filesModified: ['src/a b.ts'],
      filesRead: ['b.ts'],
      concepts: ['tides'],
      promptNumber: 3,
      model: 'plain',
      subtitle: 'At last',
    }
    await using page = await openPage(MemoryPage, '/memory/12', observed(given))
    expect(page.texts('h1')).toEqual(['Clock fixed'])
    expect(page.texts('article em')).toEqual(['one'])
    expect(page.texts('article li')).toEqual(['Brest uses UTC', 'src/a b.ts', 'b.ts'])
    expect(page.control('src/a b.ts').getAttribute('href')).toBe('/graph/file%3Asrc/a%20b.ts?project=app')
    expect(page.control('tides').getAttribute('href')).toBe('/graph/concept%3Atides?project=app')
    expect(page.text).toContain('Written by\nrules')
    expect(page.text).toContain('Distilled from turn 3 of session 1')
  })

  test('becomes a note with e', async () => {
    await using page = await openPage(MemoryPage, '/memory/12', observed())
    await page.press('e')
    expect(page.address).toBe('/memory/new?from=12')
    expect([page.field('Title').value, page.field('Text (markdown)').value]).toEqual(['Clock `fixed`', 'By *one* hour.'])
  })

  test('that is forgotten can only be restored, with the keyboard too', async () => {
    await using page = await openPage(MemoryPage, '/memory/12', { ...observed({}, { forgottenAt: 5 }), 'POST /api/restore': {} })
    expect([page.hasControl('Forget…'), page.hasControl('Save as a note')]).toEqual([false, false])
    await page.press('e')
    expect(page.address).toBe('/memory/12')
    await page.click('Restore')
    expect([page.requestsTo('POST /api/restore')[0]?.body, toast.value?.text]).toEqual([{ ids: ['#12'] }, 'Restored #12.'])
  })

  test('whose code has changed says so, and a person can confirm it', async () => {
    await using page = await openPage(MemoryPage, '/memory/12', {
      ...observed(),
      'GET /api/memory/:id': {
        code: { state: 'changed', text: 'changed since: `tide`', isHistory: false, gone: [] },
        verified: { commit: 'abcdef0123456', at: 1 },
      } as never,
      'POST /api/verify': {},
    })
    expect(page.text).toContain('changed since: `tide`')
    expect(page.text).toContain('at commit abcdef01')
    await page.click('It still holds')
    expect(page.requestsTo('POST /api/verify')[0]?.body).toEqual({ id: '#12', verdict: 'ok' })
  })

  test('links to related memories and to where the model saw it', async () => {
    await using page = await openPage(MemoryPage, '/memory/12', {
      ...observed(),
      'GET /api/near': {
        memory: null,
        entities: [],
        items: [{ kind: 'note', ref: '01N', type: '', title: 'Harbour', relation: 'same-session', at: 1 }],
      },
      'GET /api/injections': [{ id: 8, event: 'SessionStart', at: 1 }],
    })
    expect(page.control('Harbour').getAttribute('href')).toBe('/memory/N01N')
    expect(page.text).toContain('same session')
    expect(page.control(/^At the start of a session/).getAttribute('href')).toBe('/injections/8')
  })

  test('that does not exist is missing', async () => {
    await using page = await openPage(MemoryPage, '/memory/12', {
      'GET /api/observations/:id': { observation: null, outcome: null, forgottenAt: null },
    })
    expect(page.text).toContain('Observation #12 was not found.')
  })
})

describe('a turn', () => {
  test('with a short prompt has it as its title, once', async () => {
    await using page = await openPage(
      MemoryPage,
      '/memory/P9',
      memory('prompt', storedPrompt({ id: 9, text: 'Fix the clock', answer: '**Done.**' })),
    )
    expect([page.texts('h1'), page.texts('article .verbatim')]).toEqual([['Fix the clock'], []])
    expect(page.texts('article strong')).toEqual(['Done.'])
  })

  test('with a long prompt shows it as it was written', async () => {
    const text = 'Fix the clock\n<script>alert(1)</script>'
    await using page = await openPage(
      MemoryPage,
      '/memory/P9',
      memory('prompt', storedPrompt({ id: 9, text, origin: 'machine' as never }), { title: 'The clock' }),
    )
    expect([page.texts('h1'), page.texts('article .verbatim')]).toEqual([['The clock'], [text]])
    expect(page.texts('.about .mark')).toContain('message from the client')
  })
})

describe('a summary', () => {
  test('shows the fields that it has, and a long request under a title of its own', async () => {
    await using short = await openPage(MemoryPage, '/memory/S5', memory('summary', summary({ id: 5, request: 'Fix it', learned: 'UTC' })))
    expect([short.texts('h1'), short.texts('h2.sub')]).toEqual([['Fix it'], ['Learned', 'Completed']])
    await short[Symbol.asyncDispose]()
    await using long = await openPage(MemoryPage, '/memory/S5', memory('summary', summary({ id: 5, request: 'Fix it '.repeat(40) })))
    expect([long.texts('h1'), long.texts('h2.sub')]).toEqual([['Summary'], ['Request', 'Completed']])
  })
})

describe('a commit', () => {
  const commit = {
    id: 3,
    project: 'app',
    subject: 'Fix tides',
    body: '',
    type: 'change',
    hash: 'abcdef0123456789',
    author: 'Ada',
    at: 1,
    files: ['a.ts'],
    undoneBy: null,
    abandoned: false,
  }

  test('shows its hash in short, its author and its files', async () => {
    await using page = await openPage(MemoryPage, '/memory/C3', memory('commit', commit))
    expect(page.text).toContain('Commit\nabcdef012345\nAuthor\nAda')
    expect(page.texts('.files li')).toEqual(['a.ts'])
    expect(page.texts('.notice-box')).toEqual([])
  })

  test('that was reverted says by which commit', async () => {
    await using page = await openPage(MemoryPage, '/memory/C3', memory('commit', { ...commit, undoneBy: '0123456789' }))
    expect(page.texts('.notice-box')).toEqual(['No longer in force: undone by 0123456.'])
  })
})

test('each id leads to its kind of memory, and to none a hint', async () => {
  await using page = await openPage(MemoryPage, '/memory', {})
  expect(page.text).toContain('No memory selected.')
  for (const [id, route] of [
    ['12', 'GET /api/observations/12'],
    ['S5', 'GET /api/memory/S5'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'GET /api/notes/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ] as const) {
    await page.go(`/memory/${id}`)
    expect(page.requests.some((request) => request.route === route)).toBe(true)
  }
})
