import { expect, test } from 'bun:test'
import { aMachine } from '../../test/support/machines.ts'
import { noteAt, noteHistory } from './history.ts'

test('the history of a note shows when it changed, on which machine, and its text', async () => {
  using a = await aMachine('a', '')
  const id = await a.note('The port is 8080.')
  const before = Math.floor(Date.now() / 1000) * 1000
  await a.sync()
  await a.edit(id, { body: 'The port is 9090.' })
  await a.sync()
  const versions = await noteHistory(a.book, `memory/app/${id}.md`)
  expect(versions).toMatchObject([
    { machine: 'a', subject: '1 note (changed) from a' },
    { machine: 'a', subject: '1 note (new) from a' },
  ])
  for (const { at } of versions) expect(at >= before && at <= Date.now()).toBe(true)
  expect(await noteAt(a.book, `memory/app/${id}.md`, versions[1]?.commit ?? '')).toContain('8080')
  for (const path of ['memory/../config.toml', 'local/app/x.md', 'memory/.git/config']) expect(await noteHistory(a.book, path)).toEqual([])
})

test('a file that is not a note has no history here, even if a person committed it by hand', async () => {
  using a = await aMachine('a', '')
  const path = 'memory/app/.drafts/x.md'
  a.write(path, 'Only a draft.\n')
  await a.sync()
  a.git('add', '--force', 'app/.drafts/x.md')
  a.git('commit', '--quiet', '-m', 'by hand')
  expect(await noteHistory(a.book, path)).toEqual([])
  expect(await noteAt(a.book, path, a.git('rev-parse', 'HEAD').trim())).toBeNull()
})
