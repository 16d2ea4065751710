import { describe, expect, test } from 'bun:test'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import { ProjectsPage } from './projects.tsx'
import { toast, undoLastAction } from './user-actions.ts'

const project = (name: string, given: object = {}) => ({
  project: `host/${name}`,
  name,
  sessions: 2,
  prompts: 1,
  observations: 0,
  notes: 3,
  commits: 0,
  lastAt: null,
  ...given,
})
const worker = (...projects: object[]): WorkerAnswers => ({
  'GET /api/projects': projects,
  'GET /api/projects/offers': [],
  'POST /api/projects/rename': {},
  'POST /api/projects/wipe': {},
})

describe('a project', () => {
  test('shows what it has, and nothing that it does not have', async () => {
    await using page = await openPage(ProjectsPage, '/projects', worker(project('tidepool'), project('x', { project: 'x' })))
    expect(page.text).toContain('2 projects')
    expect(page.text).toContain('tidepool\nhost/tidepool\n2 sessions · 1 prompt · 3 notes')
    expect(page.texts('.mono')).toEqual(['host/tidepool'])
    expect(page.control('tidepool').getAttribute('href')).toBe('/feed?project=host%2Ftidepool')
  })

  test('is renamed, and back', async () => {
    await using page = await openPage(ProjectsPage, '/projects', worker(project('tidepool')))
    await page.click('Actions for tidepool')
    await page.click('Rename…')
    expect(page.control('Rename').disabled).toBe(true)
    await page.typeInto('New name', ' rockpool ')
    await page.click('Rename')
    expect(toast.value?.text).toBe('Renamed tidepool to rockpool.')
    await undoLastAction()
    expect(page.requestsTo('POST /api/projects/rename').map(({ body }) => body)).toEqual([
      { from: 'host/tidepool', to: 'rockpool', merge: false },
      { from: 'rockpool', to: 'host/tidepool', merge: true },
    ])
  })

  test('is joined into another one, which takes more than one project', async () => {
    await using alone = await openPage(ProjectsPage, '/projects', worker(project('tidepool')))
    await alone.click('Actions for tidepool')
    expect(alone.hasControl('Join into another…')).toBe(false)
    await alone[Symbol.asyncDispose]()
    await using page = await openPage(ProjectsPage, '/projects', worker(project('a'), project('b'), project('c')))
    await page.click('Actions for b')
    await page.click('Join into another…')
    expect(page.texts('option')).toEqual(['a (host/a)', 'c (host/c)'])
    await page.fill('Into', 'host/c')
    await page.click('Join')
    expect(page.requestsTo('POST /api/projects/rename').map(({ body }) => body)).toEqual([{ from: 'host/b', to: 'host/c', merge: true }])
    expect(toast.value?.undo).toBeNull()
  })

  test('is wiped only after its name was typed', async () => {
    await using page = await openPage(ProjectsPage, '/projects', worker(project('Tidepool')))
    await page.click('Actions for Tidepool')
    await page.click('Wipe…')
    expect(page.text).toContain('This deletes 2 sessions, 1 prompt, 0 observations, 3 notes and 0 commits permanently.')
    await page.click('Wipe project')
    await page.typeInto('Type Tidepool to confirm', 'tide')
    await page.click('Wipe project')
    expect(page.requestsTo('POST /api/projects/wipe')).toEqual([])
    await page.typeInto('Type Tidepool to confirm', 'tidepool ')
    await page.click('Wipe project')
    expect(page.requestsTo('POST /api/projects/wipe').map(({ body }) => body)).toEqual([
      { project: 'host/Tidepool', confirm: 'host/Tidepool' },
    ])
  })
})

describe('the list of projects', () => {
  test('is fetched again when a session starts or projects change, and not for other events', async () => {
    await using page = await openPage(ProjectsPage, '/projects', worker(project('a')))
    const fetched = () => page.requestsTo('GET /api/projects').length
    const before = fetched()
    await page.send('tool-use-added', { sessionId: 1 })
    expect(fetched()).toBe(before)
    for (const type of ['session-opened', 'projects-changed', 'imported']) await page.send(type)
    expect(fetched()).toBe(before + 3)
  })

  test('says how the first project comes about', async () => {
    await using page = await openPage(ProjectsPage, '/projects', worker())
    expect(page.text).toContain('No projects yet.\nA project appears with its first session or note.')
  })
})

describe('two keys that may be one project', () => {
  const offer = { name: 'tidepool', from: '/old/tidepool', into: 'host/tidepool', memories: 1 }
  const answers = {
    ...worker(project('tidepool')),
    'GET /api/projects/offers': [offer],
    'POST /api/projects/join': {},
    'POST /api/projects/split': {},
    'POST /api/projects/apart': {},
  }

  test('are joined, and separated again', async () => {
    await using page = await openPage(ProjectsPage, '/projects', answers)
    expect(page.text).toContain('tidepool has two keys: /old/tidepool and host/tidepool. 1 memory came from an import or another machine.')
    await page.click('Join /old/tidepool and host/tidepool')
    await undoLastAction()
    expect(page.requestsTo('POST /api/projects/join')[0]?.body).toEqual({ from: '/old/tidepool', into: 'host/tidepool' })
    expect(page.requestsTo('POST /api/projects/split')[0]?.body).toEqual({ project: '/old/tidepool' })
  })

  test('are kept apart', async () => {
    await using page = await openPage(ProjectsPage, '/projects', answers)
    await page.click('Keep apart /old/tidepool and host/tidepool')
    expect(page.requestsTo('POST /api/projects/apart')[0]?.body).toEqual({ a: '/old/tidepool', b: 'host/tidepool' })
  })
})

describe('the menu of a project', () => {
  test('is operated with the keyboard and gives the focus back', async () => {
    await using page = await openPage(ProjectsPage, '/projects', worker(project('a'), project('b')))
    await page.click('Actions for a')
    const focused = () => page.document.activeElement?.textContent
    const seen = [focused()]
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp']) {
      await page.press(key)
      seen.push(focused())
    }
    expect(seen).toEqual(['Rename…', 'Join into another…', 'Wipe…', 'Rename…', 'Wipe…'])
    await page.press('Escape')
    expect([page.hasControl('Wipe…'), page.document.activeElement === page.control('Actions for a')]).toEqual([false, true])
  })
})
