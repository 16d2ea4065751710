import { expect } from 'bun:test'
import { browserOrSkip } from '../support/browser.ts'
import { aPerson } from '../support/person.ts'
import { view } from '../support/viewer.ts'

const test = browserOrSkip()

test('the projects page offers to join a namesake from another machine, and the join can be undone', async () => {
  await using person = await aPerson({ init: null, env: { RECOLLECT_EMBEDDER_PROVIDER: 'none' } })
  // Another machine has the same folder under its own key; its note arrived with a sync.
  await person.recollect('capture', 'Low water is at noon.', '--project', 'handbook-0a1b2c')
  await person.recollect('capture', 'High water is at six.', '--project', 'tides')
  const folder = `${person.root}/handbook`
  const payload = { session_id: 's1', cwd: folder, source: 'startup', hook_event_name: 'SessionStart' }
  const socket = `${person.home}/.recollect/run/worker.sock`
  const ask = (path: string, body: object) => fetch(`http://worker${path}`, { method: 'POST', unix: socket, body: JSON.stringify(body) })
  await ask('/hook/claude-code', payload)
  await using viewer = await view(person)
  const { page, open, until } = viewer
  await open('/projects')
  const offers = page.getByRole('region', { name: 'Projects that may be the same' })
  await offers.getByText('handbook-0a1b2c').first().waitFor()
  expect(await offers.getByRole('button', { name: /^Join/ }).count()).toBe(1)
  expect(await viewer.accessibilityProblems()).toEqual([])
  await offers.getByRole('button', { name: /^Join/ }).click()
  await offers.waitFor({ state: 'detached' })
  await person.settled()
  const keys = async () =>
    JSON.parse(await person.recollect('projects', '--json'))
      .map(({ project }: { project: string }) => project)
      .sort()
  expect(await keys()).toEqual(['handbook-0a1b2c', 'tides'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(`document.body.textContent.includes('Undone.')`)
  expect((await keys()).filter((key: string) => key.startsWith('handbook-'))).toHaveLength(2)
  expect(viewer.violations).toEqual([])
}, 300_000)
