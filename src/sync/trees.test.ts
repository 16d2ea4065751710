import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { noteText, temporaryFolder } from '../../test/support/builders.ts'
import { runGit } from '../../test/support/machines.ts'
import { asNoteId, type NoteText } from '../core/note.ts'
import { writeNote } from '../notes/notes.ts'
import { blobId } from './commit.ts'
import { gitIn } from './git.ts'
import { differences, isFile, mergeTrees } from './trees.ts'

type Files = Record<string, string | null>

const note = (given: Partial<NoteText> = {}) =>
  writeNote(noteText({ id: asNoteId('N1'), title: 'The port', body: 'It is 8080.', ...given }))

/** A repository with a commit, and one commit of each side after it. A file that is null is removed; `->x` is a link. */
function repositoryWith(base: Files, ours: Files, theirs: Files, at = { ours: 2000, theirs: 3000 }) {
  const folder = temporaryFolder()
  const git = (...args: string[]) => runGit(folder.path, ...args).trim()
  const commit = (files: Files, seconds: number) => {
    for (const [path, text] of Object.entries(files)) {
      const full = join(folder.path, path)
      mkdirSync(dirname(full), { recursive: true })
      rmSync(full, { force: true })
      if (text?.startsWith('->')) symlinkSync(text.slice(2), full)
      else if (text !== null) writeFileSync(full, text)
    }
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', `--date=@${seconds} +0000`, '-m', 'x')
    return git('rev-parse', 'HEAD')
  }
  git('init', '--quiet', '-b', 'main')
  const from = commit(base, 1000)
  const mine = commit(ours, at.ours)
  git('checkout', '--quiet', '-b', 'theirs', from)
  const commits = { base: from, ours: mine, theirs: commit(theirs, at.theirs) }
  const repository = { folder: folder.path, ...gitIn(join(folder.path, '.git'), folder.path, 'here', 0) }
  const merge = async (pair: Parameters<typeof mergeTrees>[1] = commits) => {
    const { tree, kept } = await mergeTrees(repository, pair, join(folder.path, '.git', 'scratch'))
    const paths = git('ls-tree', '-r', '--name-only', tree).split('\n').filter(Boolean)
    return { tree, kept, files: Object.fromEntries(paths.map((path) => [path, git('show', `${tree}:${path}`)])) }
  }
  return { repository, commits, merge, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

/** The files after both sides were merged, and that the other side gets the same. */
async function merged(base: Files, ours: Files, theirs: Files, at?: { ours: number; theirs: number }) {
  using at1 = repositoryWith(base, ours, theirs, at)
  const here = await at1.merge()
  const there = await at1.merge({ base: at1.commits.base, ours: at1.commits.theirs, theirs: at1.commits.ours })
  expect(there.tree).toBe(here.tree)
  return here
}

describe('two sides of a history', () => {
  test('keep what only one of them added, changed or removed', async () => {
    const base = { 'app/a.md': 'a', 'app/b.md': 'b', 'app/c.md': 'c', 'app/d.md': 'd' }
    const { files, kept } = await merged(
      base,
      { 'app/a.md': 'a2', 'app/e.md': 'e', 'app/c.md': null },
      { 'app/b.md': 'b2', 'app/f.md': 'f', 'app/d.md': null },
    )
    expect(files).toEqual({ 'app/a.md': 'a2', 'app/b.md': 'b2', 'app/e.md': 'e', 'app/f.md': 'f' })
    expect(kept).toEqual([])
  })

  test('keep what both changed in the same way, and what one changed and the other removed', async () => {
    const base = { 'app/a.md': 'a', 'app/b.md': 'b', 'app/c.md': 'c' }
    const { files } = await merged(
      base,
      { 'app/a.md': 'same', 'app/b.md': 'b2', 'app/c.md': null },
      { 'app/a.md': 'same', 'app/b.md': null, 'app/c.md': 'c2' },
    )
    expect(files).toEqual({ 'app/a.md': 'same', 'app/b.md': 'b2', 'app/c.md': 'c2' })
  })

  test('merge a note that both changed, and keep a second version beside it if both bodies changed', async () => {
    const fields = await merged(
      { 'app/N1.md': note() },
      { 'app/N1.md': note({ title: 'Ports', updatedAt: 2000 }) },
      { 'app/N1.md': note({ pinned: true, updatedAt: 3000 }) },
    )
    expect(fields.files['app/N1.md']).toBe(note({ title: 'Ports', pinned: true, updatedAt: 3000 }).trim())
    const bodies = await merged(
      { 'app/N1.md': note() },
      { 'app/N1.md': note({ body: 'It is 1.', updatedAt: 2000 }) },
      { 'app/N1.md': note({ body: 'It is 2.', updatedAt: 3000 }) },
    )
    expect(Object.keys(bodies.files)).toHaveLength(2)
    expect(bodies.kept).toEqual(Object.keys(bodies.files).filter((path) => path !== 'app/N1.md'))
    expect(bodies.kept[0]).toStartWith('app/')
    expect(bodies.files['app/N1.md']).toContain('It is 2.')
  })

  test('keep both versions of a file that lies in no folder beside each other', async () => {
    const { files, kept } = await merged({ 'x.md': 'x' }, { 'x.md': 'one' }, { 'x.md': 'two' })
    expect(Object.values(files).sort()).toEqual(['one', 'two'])
    expect(kept).toEqual([expect.stringMatching(/^x\.[0-9a-f]{8}\.md$/)])
  })

  test('leave a second version alone that is already there: a person may have edited it', async () => {
    const [older, newer] = [note({ body: 'It is 1.', updatedAt: 2000 }), note({ body: 'It is 2.', updatedAt: 3000 })]
    const first = await merged({ 'app/N1.md': note() }, { 'app/N1.md': older }, { 'app/N1.md': newer })
    const [version = ''] = first.kept
    const again = await merged({ 'app/N1.md': note() }, { 'app/N1.md': older, [version]: 'edited' }, { 'app/N1.md': newer })
    expect(again.files).toMatchObject({ [version]: 'edited' })
    expect(again.kept).toEqual([])
  })

  test('merge a note that one moved and the other changed at its new place', async () => {
    const { files } = await merged(
      { 'app/N1.md': note() },
      { 'app/N1.md': null, 'web/N1.md': note() },
      { 'app/N1.md': note({ title: 'Ports', updatedAt: 3000 }) },
    )
    expect(files).toEqual({ 'web/N1.md': note({ title: 'Ports', updatedAt: 3000 }).trim() })
  })

  test('keep a change of a file that the other side removed, even if it changed or added a file of that name elsewhere', async () => {
    const base = { 'app/readme.md': 'app', 'web/readme.md': 'web' }
    const changed = await merged(base, { 'app/readme.md': 'app 2' }, { 'app/readme.md': null, 'web/readme.md': 'web 2' })
    expect(changed.files).toEqual({ 'app/readme.md': 'app 2', 'web/readme.md': 'web 2' })
    const added = await merged({ 'app/x.md': 'x' }, { 'app/x.md': 'x 2', 'web/x.md': 'ours' }, { 'app/x.md': null, 'web/x.md': 'theirs' })
    expect(Object.values(added.files).sort()).toEqual(['ours', 'theirs', 'x 2'])
    expect(added.files['app/x.md']).toBe('x 2')
  })

  test('take the later of two edits by hand, also when one side moved the note', async () => {
    const [byUs, byThem] = [note({ title: 'By us' }), note({ title: 'By them' })]
    const title = async (at: { ours: number; theirs: number }) => {
      const { files } = await merged({ 'app/N1.md': note() }, { 'app/N1.md': null, 'web/N1.md': byUs }, { 'app/N1.md': byThem }, at)
      return /^title: (.*)$/m.exec(files['web/N1.md'] ?? '')?.[1]
    }
    expect(await title({ ours: 2000, theirs: 3000 })).toBe('By them')
    expect(await title({ ours: 4000, theirs: 3000 })).toBe('By us')
  })

  test('agree on one of two links or other files without reading them: the one with the higher id, in every version of this program', async () => {
    const { files, kept } = await merged(
      { 'app/x.md': '->a' },
      { 'app/x.md': '->b', 'y.bin': 'one' },
      { 'app/x.md': '->c', 'y.bin': 'two' },
    )
    const higher = (one: string, two: string) => (blobId(Buffer.from(one)) > blobId(Buffer.from(two)) ? one : two)
    expect(files).toEqual({ 'app/x.md': higher('b', 'c'), 'y.bin': higher('one', 'two') })
    expect(kept).toEqual([])
  })

  test('without a common commit keep everything of both', async () => {
    using at = repositoryWith({}, { 'app/a.md': 'a' }, { 'app/b.md': 'b' })
    expect((await at.merge({ ...at.commits, base: null })).files).toEqual({ 'app/a.md': 'a', 'app/b.md': 'b' })
  })
})

test('the differences of two commits name each path with its entry on either side', async () => {
  using at = repositoryWith({ 'app/a.md': 'a', 'app/b.md': 'b' }, { 'app/a.md': 'a2', 'app/b.md': null, 'app/ü c.md': '->a.md' }, {})
  const found = await differences(at.repository, at.commits.base, at.commits.ours)
  const shape = [...found].map(([path, { before, after }]) => [path, before?.mode ?? null, after?.mode ?? null])
  expect(shape.sort()).toEqual([
    ['app/a.md', '100644', '100644'],
    ['app/b.md', '100644', null],
    ['app/ü c.md', null, '120000'],
  ])
  expect((await differences(at.repository, at.commits.ours, at.commits.ours)).size).toBe(0)
  expect([...(await differences(at.repository, null, at.commits.base)).keys()].sort()).toEqual(['app/a.md', 'app/b.md'])
})

test('only plain files are read and written', () => {
  const modes = ['100644', '100755', '120000', '160000', '040000']
  expect(modes.map((mode) => isFile({ mode, object: 'x' }))).toEqual([true, true, false, false, false])
  expect(isFile(null)).toBe(false)
})
