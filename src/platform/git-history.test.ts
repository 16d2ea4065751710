import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aRepository } from '../../test/support/repository.ts'
import { commitsOnNoBranch, countCommits, headCommit, readCommits } from './git-history.ts'

const all = async (folder: string, part = { skip: 0, limit: 100 }) => {
  const head = await headCommit(folder)
  if (head.kind !== 'read' || head.value === null) return head
  const read = await readCommits(folder, { head: head.value, known: [], since: null }, part)
  return read.kind === 'read' ? read.value : read
}

describe('a repository', () => {
  test('is read newest first, with messages, authors, times and names of files', async () => {
    using at = temporaryFolder()
    const repository = aRepository(at.path)
    repository.addCommits([
      { message: 'first\n\nwith a body', files: ['a.txt', 'src/b c.ts'], at: 1_700_000_000 },
      { message: 'zweiter ✓ 第二', author: 'Zoë' },
    ])
    expect(await all(at.path)).toMatchObject([
      { message: 'zweiter ✓ 第二', author: 'Zoë', isMerge: false },
      { message: 'first\n\nwith a body', author: 'Ada', at: 1_700_000_000_000, files: ['a.txt', 'src/b c.ts'], fileCount: 2 },
    ])
    expect(await all(at.path, { skip: 1, limit: 1 })).toMatchObject([{ author: 'Ada' }])
  })

  test('without commits, a bare one, and a folder without one are distinguished', async () => {
    using at = temporaryFolder()
    const [empty, bare, none] = ['empty', 'bare', 'none'].map((name) => join(at.path, name)) as [string, string, string]
    for (const folder of [empty, bare, none]) mkdirSync(folder)
    aRepository(empty)
    expect(await headCommit(empty)).toEqual({ kind: 'read', value: null })
    aRepository(bare, { bare: true }).addCommits([{ message: 'in a bare one' }])
    expect(await all(bare)).toMatchObject([{ message: 'in a bare one' }])
    expect(await headCommit(none)).toEqual({ kind: 'not-a-repository' })
  })

  test('that is a shallow clone is read as far as it goes', async () => {
    using at = temporaryFolder()
    mkdirSync(join(at.path, 'full'))
    aRepository(join(at.path, 'full')).addCommits([{ message: 'one' }, { message: 'two' }, { message: 'three' }])
    Bun.spawnSync(['git', 'clone', '--quiet', '--depth=2', `file://${at.path}/full`, `${at.path}/clone`])
    expect(await all(join(at.path, 'clone'))).toMatchObject([{ message: 'three' }, { message: 'two' }])
  })

  test('can contain broken text, odd names, a message without end and a commit of many files', async () => {
    using at = temporaryFolder()
    const repository = aRepository(at.path)
    const files = Array.from({ length: 300 }, (_, n) => `f${n}`)
    repository.addCommits([
      { message: 'many', files },
      { message: `long\n\n${'x'.repeat(3_000_000)}` },
      { message: 'odd', files: ['"quo\\"te\\n-- a"', '--output=evil'] },
    ])
    repository.git(['commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '-F', '-'], new Uint8Array([0x61, 0xff, 0xfe, 0x62]))
    const [broken, odd, long, many] = (await all(at.path)) as { message: string; files: string[]; fileCount: number }[]
    expect(broken?.message).toMatch(/^a.+b$/)
    expect(odd?.files.toSorted()).toEqual(['--output=evil', 'quo"te\n-- a'])
    expect(long?.message).toBe('long')
    expect(many).toMatchObject({ fileCount: 300 })
    expect(many?.files.length).toBeLessThan(100)
  })

  test('says which commits are new, how many there are, and which are on no branch any more', async () => {
    using at = temporaryFolder()
    const repository = aRepository(at.path)
    const first = repository.commit('first')
    const second = repository.commit('second')
    repository.git(['commit', '--quiet', '--amend', '-m', 'second, amended'])
    const head = repository.git(['rev-parse', 'HEAD'])
    const range = { head, known: [first, '0'.repeat(40)], since: null }
    expect(await countCommits(at.path, { ...range, known: [] }, 10)).toEqual({ kind: 'read', value: 2 })
    expect(await countCommits(at.path, { ...range, known: [], since: Date.now() + 86_400_000 }, 10)).toEqual({ kind: 'read', value: 0 })
    expect(await readCommits(at.path, range, { skip: 0, limit: 10 })).toMatchObject({ value: [{ message: 'second, amended\n' }] })
    expect(await commitsOnNoBranch(at.path, [first, second], 10)).toEqual({ kind: 'read', value: [second] })
  })
})

test('the configuration of a hostile repository runs nothing', async () => {
  using at = temporaryFolder()
  const repository = aRepository(at.path)
  writeFileSync(join(at.path, '.gitattributes'), '* diff=evil filter=evil\n')
  repository.commit('a commit')
  const [trap, program] = [join(at.path, 'sprung'), join(at.path, 'program.sh')]
  writeFileSync(program, `#!/bin/sh\ntouch '${trap}'\n`)
  chmodSync(program, 0o755)
  for (const name of TRAPS) repository.git(['config', name, program])
  repository.git(['config', 'log.showSignature', 'true'])
  repository.git(['config', 'format.pretty', 'format:nothing'])
  repository.git(['config', 'remote.origin.promisor', 'true'])
  repository.git(['config', 'remote.origin.url', `ext::${program}`])
  repository.git(['config', 'protocol.ext.allow', 'always'])
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
    writeFileSync(join(at.path, '.git/hooks', hook), `#!/bin/sh\ntouch '${trap}'\n`)
    chmodSync(join(at.path, '.git/hooks', hook), 0o755)
  }
  const head = repository.git(['rev-parse', 'HEAD'])
  expect(await all(at.path)).toMatchObject([{ message: 'a commit\n' }])
  await countCommits(at.path, { head, known: [], since: null }, 10)
  await commitsOnNoBranch(at.path, [head, '1'.repeat(40)], 10)
  // The trees of the commit are gone, as in a partial clone: git must not fetch them from the remote above.
  const tree = repository.git(['rev-parse', 'HEAD^{tree}'])
  Bun.spawnSync(['rm', '-f', join(at.path, '.git/objects', tree.slice(0, 2), tree.slice(2))])
  expect(await all(at.path)).toMatchObject([{ message: 'a commit\n', files: [] }])
  expect(existsSync(trap)).toBe(false)
})

const TRAPS = [
  'core.fsmonitor',
  'core.pager',
  'pager.log',
  'core.editor',
  'core.sshCommand',
  'core.gitProxy',
  'core.alternateRefsCommand',
  'gpg.program',
  'gpg.ssh.program',
  'diff.external',
  'diff.evil.command',
  'diff.evil.textconv',
  'filter.evil.clean',
  'filter.evil.smudge',
  'filter.evil.process',
  'credential.helper',
  'uploadpack.packObjectsHook',
  'alias.log',
  'alias.rev-list',
]
