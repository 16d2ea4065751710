import { describe, expect, test } from 'bun:test'
import { PageEvent } from '../../test/support/page/document.ts'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import { GraphPage } from './graph.tsx'

const memory = { kind: 'observation' as const, ref: '12', type: 'bugfix', title: 'Clock `fixed`', project: 'app', sessionId: 1, at: 1 }
const neighbour = (ref: string, side: 'before' | 'after', given: object = {}) => ({
  ...memory,
  ref,
  title: `Memory ${ref}`,
  relation: 'same-files',
  origin: 'a.ts',
  side,
  ...given,
})
const near = (given: object): WorkerAnswers => ({ 'GET /api/near': { memory, items: [], entities: [], ...given } })

describe('the graph of a memory', () => {
  test('has its causes on one side and its effects on the other, each by session', async () => {
    const items = [
      neighbour('1', 'before'),
      neighbour('2', 'after', { sessionId: 2 }),
      neighbour('3', 'after', { sessionId: null, kind: 'note', title: '', relation: 'same-session' }),
    ]
    await using page = await openPage(GraphPage, '/graph/observation:12', near({ items, entities: [{ kind: 'file', name: 'a b.ts' }] }))
    expect(page.requestsTo('GET /api/near')[0]?.query).toMatchObject({ kind: 'observation', name: '12' })
    expect(page.texts('.causes .node')).toEqual(['bugfixMemory 1same files: a.ts'])
    expect(page.texts('.effects .node')).toEqual(['bugfixMemory 2same files: a.ts', 'notenotesame session'])
    expect(page.texts('.node-group p')).toEqual(['Session 1', 'Session 2'])
    expect(page.text).toContain('3 neighbours')
    expect(page.control('a b.ts').getAttribute('href')).toBe('/graph/file%3Aa%20b.ts?project=app')
  })

  test('without causes is called related, and without anything says so', async () => {
    await using page = await openPage(GraphPage, '/graph/observation:12', near({ items: [neighbour('2', 'after')] }))
    expect(page.texts('h2.sub')).toEqual(['Related'])
    await page[Symbol.asyncDispose]()
    await using alone = await openPage(GraphPage, '/graph/file:src/a:b.ts', near({ memory: null }))
    expect(alone.requestsTo('GET /api/near')[0]?.query).toMatchObject({ kind: 'file', name: 'src/a:b.ts' })
    expect(alone.text).toContain('No related memories yet.')
  })

  test('that no longer exists leads back to the topics', async () => {
    await using page = await openPage(GraphPage, '/graph/observation:12', {
      'GET /api/near': () => Response.json({ error: 'no' }, { status: 404 }),
    })
    expect(page.text).toContain('This memory no longer exists.')
    expect(page.control('All topics').getAttribute('href')).toBe('/graph')
  })
})

describe('the topics of a project', () => {
  const topic = (given: object = {}) => ({
    name: 'src/tides/clock.ts, tide',
    entities: [{ kind: 'file', name: 'src/tides/clock.ts' }],
    observations: 2,
    since: 0,
    until: 0,
    newest: [memory],
    ...given,
  })
  const topics = (...items: object[]): WorkerAnswers => ({ 'GET /api/graph': { ask: 'topics', project: 'app', items } as never })

  test('are named by what their observations share, in short, or else by the newest', async () => {
    await using page = await openPage(GraphPage, '/graph?project=app', topics(topic(), topic({ name: '' })))
    expect(page.texts('.panel > h2')).toEqual(['tides/clock.ts, tide', 'Clock `fixed`'])
    expect(page.control('Clock `fixed`').getAttribute('href')).toBe('/graph/observation%3A12')
    expect(page.control('tides/clock.ts').getAttribute('title')).toBe('src/tides/clock.ts')
  })

  test('do not exist without a project or before there are observations', async () => {
    await using page = await openPage(GraphPage, '/graph?project=app', topics())
    expect(page.text).toContain('No topics yet.')
  })

  test('are left for a file or a symbol that the person names', async () => {
    await using page = await openPage(GraphPage, '/graph?project=app', topics(topic()))
    const submit = async (name: string) => {
      await page.typeInto('File or symbol', name)
      page.document.querySelector('form')?.dispatchEvent(new PageEvent('submit'))
      await page.settle()
    }
    await submit('   ')
    expect(page.address).toBe('/graph?project=app')
    await submit(' clock.ts ')
    expect(page.address).toBe('/graph/file%3Aclock.ts?project=app')
    await page.go('/graph?project=app')
    await submit('tideOf')
    expect(page.address).toBe('/graph/symbol%3AtideOf?project=app')
  })
})
