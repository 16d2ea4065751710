import { expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { aTestHome } from '../../test/support/test-home.ts'

test('a clone of a local clone is one project to every command, also before its first session', async () => {
  await using at = await aTestHome()
  // The key of a project is in lower case, so only such a path can be mistaken for the folder that is there.
  const origin = `${tmpdir()}/rc-origin-${process.pid}`
  mkdirSync(origin)
  using _ = { [Symbol.dispose]: () => rmSync(origin, { recursive: true }) }
  Bun.spawnSync(['git', 'init', '-q', origin])
  Bun.spawnSync(['git', '-C', origin, 'remote', 'add', 'origin', 'https://example.com/tides/harbour.git'])
  Bun.spawnSync(['git', 'init', '-q', at.project])
  Bun.spawnSync(['git', '-C', at.project, 'remote', 'add', 'origin', origin])

  await at.run('capture', 'Tides are stored in UTC.')
  expect(await at.run('search', 'tides')).not.toContain('Nothing from this project')
  expect(await at.run('projects')).not.toContain('both called')
  expect(await at.run('inject')).toContain('Tides are stored in UTC')

  await at.hook({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'Add a harbour', prompt_id: 'p1' })
  await at.settled()
  const [note] = JSON.parse(await at.run('notes', '--json')).notes
  expect(note.project).toBe(origin)
}, 300_000)
