import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { filesBelow, filesIn, freeBytes, removeFile, removeOwnFiles } from './folder.ts'

test('the files of a folder are sorted by name, without folders and other suffixes', () => {
  using folder = temporaryFolder()
  for (const name of ['b.json', 'a.json', 'c.txt', 'd.json.tmp']) writeFileSync(join(folder.path, name), 'xy')
  mkdirSync(join(folder.path, 'e.json'))
  symlinkSync('gone', join(folder.path, 'f.json'))
  expect(filesIn(folder.path, '.json').map(({ name, bytes }) => [name, bytes])).toEqual([
    ['a.json', 2],
    ['b.json', 2],
  ])
})

test('a missing folder has no files', () => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'file'), '')
  expect(filesIn(join(folder.path, 'none'), '.json')).toEqual([])
  expect(filesIn(join(folder.path, 'file'), '.json')).toEqual([])
  expect(filesBelow(join(folder.path, 'none'), ['.json'])).toEqual([])
  expect(filesBelow(join(folder.path, 'file', 'below'), ['.json'])).toEqual([])
})

test('files are found at any depth, and a named file is found itself', () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, 'a', 'b'), { recursive: true })
  for (const name of ['one.jsonl', 'a/two.jsonl.gz', 'a/b/three.jsonl', 'a/b/notes.md']) writeFileSync(join(folder.path, name), '')
  const found = filesBelow(folder.path, ['.jsonl', '.jsonl.gz']).map((file) => file.path.slice(folder.path.length + 1))
  expect(found.sort()).toEqual(['a/b/three.jsonl', 'a/two.jsonl.gz', 'one.jsonl'])
  expect(filesBelow(join(folder.path, 'one.jsonl'), ['.jsonl'])).toHaveLength(1)
  expect(filesBelow(join(folder.path, 'a/b/notes.md'), ['.jsonl'])).toEqual([])
})

test('links below the folder are not followed, but a named link is', () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, 'real'))
  writeFileSync(join(folder.path, 'real', 'x.jsonl'), '')
  symlinkSync('..', join(folder.path, 'real', 'up'))
  symlinkSync('real', join(folder.path, 'link'))
  expect(filesBelow(folder.path, ['.jsonl'])).toHaveLength(1)
  expect(filesBelow(join(folder.path, 'link'), ['.jsonl'])).toHaveLength(1)
})

test('removing a missing file does not fail', () => {
  using folder = temporaryFolder()
  removeFile(join(folder.path, 'none'))
  expect(removeOwnFiles(join(folder.path, 'none'), ['x'])).toBe(true)
  expect(freeBytes(folder.path)).toBeGreaterThan(0)
})

test('only our own files are removed from a folder with others', () => {
  using folder = temporaryFolder()
  const home = join(folder.path, 'home')
  mkdirSync(join(home, 'run'), { recursive: true })
  for (const name of ['recollect.db', 'recollect.db-wal', 'important.txt', 'running.txt']) writeFileSync(join(home, name), 'x')
  expect(removeOwnFiles(home, ['recollect.db', 'run'])).toBe(false)
  expect(filesIn(home, '').map((file) => file.name)).toEqual(['important.txt', 'running.txt'])
})
