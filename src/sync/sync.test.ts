import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aMachine, aRemote, type Machine, runGit } from '../../test/support/machines.ts'
import { asProjectKey } from '../core/ids.ts'
import { asNoteId } from '../core/note.ts'
import { forgetNote, parseNote } from '../notes/notes.ts'
import { holdLock } from '../store/store.ts'
import { blobId } from './commit.ts'
import { syncNotes } from './sync.ts'

describe('two machines with one remote', () => {
  test('a note written on one is found on the other', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const id = await a.note('Deploys happen on Fridays after lunch.')
    expect(await a.sync()).toMatchObject({ outcome: 'synced', committed: [`memory/app/${id}.md`], pushed: true, received: [] })
    expect(await b.sync()).toMatchObject({ outcome: 'synced', received: [`memory/app/${id}.md`], pushed: false })
    expect(await b.find('deploys', asProjectKey('app'))).toEqual([id])
    expect(b.files()).toEqual(a.files())
    expect(a.git('log', '-1', '--format=%an %s').trim()).toBe('a 1 note (new) from a')
  })

  test('a sync with nothing to do does nothing', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    await a.note('Something.')
    await a.sync()
    const before = a.git('rev-parse', 'main')
    expect(await a.sync()).toMatchObject({ outcome: 'synced', committed: [], received: [], pushed: false })
    expect(a.git('rev-parse', 'main')).toBe(before)
    expect(a.git('status', '--porcelain')).toBe('')
  })

  test('a machine that changed nothing takes over the commits of the other as they are', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    await a.note('The port is 8080.')
    await a.sync()
    await b.sync()
    const id = await a.note('The cache lives for an hour.')
    await a.sync()
    expect(await b.sync()).toMatchObject({ outcome: 'synced', received: [`memory/app/${id}.md`], pushed: false })
    expect(b.git('rev-parse', 'main')).toBe(a.git('rev-parse', 'main'))
  })

  test('changes to different fields of a note are merged', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const id = await a.note('The port is 8080.', { tags: ['net'] })
    await a.sync()
    await b.sync()
    await a.edit(id, { body: 'The port is 9090.' })
    await b.edit(id, { tags: ['net', 'prod'] })
    await a.sync()
    expect(await b.sync()).toMatchObject({ kept: [], received: [`memory/app/${id}.md`] })
    await a.sync()
    expect(a.files()).toEqual(b.files())
    expect(await a.store.notes.get(id)).toMatchObject({ body: 'The port is 9090.', tags: ['net', 'prod'] })
  })

  test('a title edited by hand wins over one that another machine set earlier by command', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const id = await a.note('The port is 8080.', { title: 'The port' })
    await a.sync()
    await b.sync()
    await b.edit(id, { title: 'By command' }, 2_000_000)
    await b.sync()
    const file = join(a.memory, 'app', `${id}.md`)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^title: .*$/m, 'title: By hand'))
    await a.sync()
    await b.sync()
    expect(a.files()).toEqual(b.files())
    expect([await a.store.notes.get(id), await b.store.notes.get(id)]).toMatchObject([{ title: 'By hand' }, { title: 'By hand' }])
  })

  test('two different bodies are both kept, and everything else is still synced', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const id = await a.note('The port is 8080.')
    await a.sync()
    await b.sync()
    await a.edit(id, { body: 'The port is 9090.' }, 3_000_000)
    await b.edit(id, { body: 'The port is 7070.' }, 2_000_000)
    const other = await b.note('The cache lives for an hour.')
    await a.sync()
    const report = await b.sync()
    expect(report.kept).toHaveLength(1)
    expect(report.received).toEqual([`memory/app/${id}.md`])
    await a.sync()
    expect(a.files()).toEqual(b.files())
    expect([await a.body(id), (await a.conflicts())[0]?.body]).toEqual(['The port is 9090.', 'The port is 7070.'])
    expect((await a.conflicts())[0]?.conflictOf).toBe(id)
    expect(await a.body(other)).toBe('The cache lives for an hour.')
  })

  test('a file that one removed and the other changed stays; a file that was only removed is gone', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const [changed, gone] = [await a.note('Changed over there.'), await a.note('This is no longer needed.')]
    await a.sync()
    await b.sync()
    for (const id of [changed, gone]) a.remove(`memory/app/${id}.md`)
    await b.edit(changed, { body: 'Changed over here.' })
    await a.sync()
    await b.sync()
    await a.sync()
    expect(await a.body(changed)).toBe('Changed over here.')
    expect([await a.body(gone), await b.body(gone)]).toEqual([null, null])
    expect(a.files()).toEqual(b.files())
  })

  test('a note that one machine moved to another project and the other changed is moved and changed', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const id = await a.note('Belongs elsewhere.')
    await a.sync()
    await b.sync()
    await a.edit(id, { project: asProjectKey('web') })
    await b.edit(id, { body: 'Belongs elsewhere, and says more.' })
    await b.sync()
    await a.sync()
    await b.sync()
    expect(Object.keys(a.files())).toEqual([`web/${id}.md`])
    expect(a.files()).toEqual(b.files())
    expect(await b.store.notes.get(id)).toMatchObject({ project: 'web', body: 'Belongs elsewhere, and says more.' })
  })

  test('a deleted note is deleted on the other machine, and its file records that', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const id = await a.note('Not true any more.')
    await a.sync()
    await b.sync()
    await forgetNote(b.book, id, 5_000_000)
    await b.sync()
    await a.sync()
    expect((await a.store.notes.get(id))?.deletedAt).toBe(5_000_000)
  })

  test('unrelated histories are merged', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const [one, two] = [await a.note('From the first machine.'), await b.note('From the second machine.')]
    await b.sync({ remote: '' })
    await a.sync()
    await b.sync()
    await a.sync()
    expect(Object.keys(a.files()).sort()).toEqual([`app/${one}.md`, `app/${two}.md`].sort())
    expect(a.files()).toEqual(b.files())
  })

  test('a file that is not a note is kept in both versions if both changed it', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    a.write('memory/app/readme.md', 'from a\n')
    b.write('memory/app/readme.md', 'from b\n')
    await a.sync()
    await b.sync()
    await a.sync()
    expect(Object.values(a.files()).sort()).toEqual(['from a\n', 'from b\n'])
    expect(a.files()).toEqual(b.files())
  })

  test('a machine that others keep overtaking tries again, and after some attempts leaves it to the next sync', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    await a.note('The port is 8080.')
    await a.sync()
    // Before the remote takes a push, somebody else pushes.
    const hook = join(remote.path, 'hooks', 'update')
    const overtake = `git update-ref refs/heads/main $(git commit-tree "$2^{tree}" -p "$2" -m 'from elsewhere' </dev/null)`
    writeFileSync(hook, `#!/bin/sh\n${overtake}\nrm "$0"\n`, { mode: 0o755 })
    await a.note('The cache lives for an hour.')
    expect(await a.sync()).toMatchObject({ outcome: 'synced', pushed: true })
    expect(runGit(remote.path, 'log', '--format=%s', 'main')).toContain('from elsewhere')
    writeFileSync(hook, `#!/bin/sh\n${overtake}\n`, { mode: 0o755 })
    const id = await a.note('Deploys happen on Fridays after lunch.')
    const left = { outcome: 'offline', reason: expect.stringContaining('pushed at the same time'), pushed: false }
    expect(await a.sync()).toMatchObject({ ...left, committed: [`memory/app/${id}.md`] })
    rmSync(hook)
    expect(await a.sync()).toMatchObject({ outcome: 'synced', pushed: true })
    expect(runGit(remote.path, 'ls-tree', '-r', '--name-only', 'main')).toContain(id)
  })

  test('when both push at the same time, the second fetches and pushes again', async () => {
    using remote = aRemote()
    const machines = await Promise.all(['a', 'b', 'c'].map((name) => aMachine(name, remote.path)))
    for (const machine of machines) await machine.note(`Only ${machine.name} knows this.`)
    await Promise.all(machines.map((machine) => machine.sync()))
    for (const machine of [...machines, ...machines]) await machine.sync()
    for (const machine of machines) expect(Object.keys(machine.files())).toHaveLength(3)
    for (const machine of machines) machine[Symbol.dispose]()
  }, 300_000)
})

describe('files that are not synced', () => {
  test('a file with a secret is withheld and reported, and no git object contains it; the others are synced', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    const secret = `ghp_${'k3Yx9'.repeat(8).slice(0, 36)}`
    const id = await a.note('This one may travel.')
    a.write('memory/app/pasted.md', `---\nid: pasted\ntype: semantic\ntitle: Token\n---\n\nUse ${secret} for it.\n`)
    const report = await a.sync()
    expect(report.withheld).toEqual([{ path: 'memory/app/pasted.md', line: 7 }])
    expect(report.committed).toEqual([`memory/app/${id}.md`])
    for (const repository of [join(a.memory, '.git'), remote.path]) {
      const objects = runGit(repository, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)').trim().split('\n')
      for (const object of objects) expect(runGit(repository, 'cat-file', '-p', object)).not.toContain(secret)
    }
    a.write('memory/app/pasted.md', '---\nid: pasted\ntype: semantic\ntitle: Token\n---\n\nUse the one in the vault.\n')
    expect((await a.sync()).committed).toEqual(['memory/app/pasted.md'])
  })

  test('the front matter of a note is not taken for a secret', async () => {
    using a = await aMachine('workshop-3f9a', '')
    await a.note('Commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 removed the password prompt; token refresh is in src/auth.ts.', {
      session: '4a145f02-ffcd-56d1-a00c-fb38c3d4399c',
      model: 'claude-sonnet-4-5-20250929',
      tags: ['auth', 'secrets', 'api-key'],
      title: 'Password prompt: gone',
      namespace: 'security',
      supersedes: [asNoteId('01M7GWQDKG2NBVSEFFQVQTSYQ5')],
    })
    expect(await a.sync()).toMatchObject({ withheld: [], committed: [expect.any(String)] })
  })

  test('a note with a secret is not sent to other machines, and still receives their changes', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const id = await a.note('The key is in the vault.')
    await a.sync()
    await b.sync()
    const path = `memory/app/${id}.md`
    const secret = `ghp_${'k3Yx9'.repeat(8).slice(0, 36)}`
    a.write(path, `${a.read(path)}It is ${secret}.\n`)
    await b.edit(id, { tags: ['vault'] })
    await b.sync()
    expect(await a.sync()).toMatchObject({ outcome: 'synced', withheld: [{ path }] })
    expect(a.read(path)).toContain(secret)
    expect(a.read(path)).toContain('tags: [vault]')
    await b.sync()
    expect(b.read(path)).not.toContain(secret)
  })

  test('local notes, files that are not markdown, links and nested repositories are not added', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using elsewhere = temporaryFolder()
    writeFileSync(join(elsewhere.path, 'outside.md'), 'outside\n')
    await a.note('Only here.', { scope: 'local' })
    a.write('memory/app/picture.png', 'png')
    a.write('memory/app/.hidden.md', 'hidden')
    a.write('memory/.obsidian/x.md', 'hidden')
    symlinkSync(join(elsewhere.path, 'outside.md'), join(a.memory, 'app', 'link.md'))
    symlinkSync(elsewhere.path, join(a.memory, 'linked'))
    mkdirSync(join(a.memory, 'sub'))
    runGit(join(a.memory, 'sub'), 'init', '--quiet')
    a.write('memory/sub/within.md', 'within\n')
    runGit(join(a.memory, 'sub'), 'add', '.')
    runGit(join(a.memory, 'sub'), 'commit', '--quiet', '-m', 'x')
    a.write('memory/.gitignore', '*\n')
    const id = await a.note('This one.')
    await a.sync()
    expect(a.git('ls-tree', '-r', '--name-only', 'main').trim()).toBe(`app/${id}.md`)
  })

  test('a folder that was replaced by a link does not count as removed', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using elsewhere = temporaryFolder()
    const id = await a.note('Stays where it is.')
    await a.sync()
    rmSync(join(a.memory, 'app'), { recursive: true })
    symlinkSync(elsewhere.path, join(a.memory, 'app'))
    await a.sync()
    expect(a.git('ls-tree', '-r', '--name-only', 'main').trim()).toBe(`app/${id}.md`)
    expect(readdirSync(elsewhere.path)).toEqual([])
  })

  test('a link from a remote is not written to disk', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    await a.note('A note.')
    await a.sync()
    await b.sync()
    symlinkSync('/etc/passwd', join(a.memory, 'app', 'evil.md'))
    a.git('add', '-f', 'app/evil.md')
    a.git('commit', '--quiet', '-m', 'x')
    a.git('push', '--quiet', remote.path, 'main')
    await b.note('Another.')
    expect(await b.sync()).toMatchObject({ outcome: 'synced' })
    expect(existsSync(join(b.memory, 'app', 'evil.md'))).toBe(false)
    expect((await b.sync()).committed).toEqual([])
  })
})

describe('a remote', () => {
  test('that cannot be reached is not an error: notes are committed and wait', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    const id = await a.note('Written on the train.')
    const report = await a.sync({ remote: '/nowhere/notes.git' })
    expect(report).toMatchObject({ outcome: 'offline', committed: [`memory/app/${id}.md`] })
    expect(report.reason).toContain('/nowhere/notes.git')
    expect(await a.sync({ remote: '/nowhere/notes.git', push: false })).toMatchObject({ outcome: 'offline' })
    expect(await a.sync()).toMatchObject({ outcome: 'synced', pushed: true })
  })

  test('over ssh is called without prompts and with the ssh command that the person configured', async () => {
    using a = await aMachine('a', 'ssh://notes@192.0.2.1/notes.git')
    await a.sync({ remote: '' })
    const program = join(a.folder, 'my-ssh')
    writeFileSync(
      program,
      `#!/bin/sh\necho "$@" > ${a.folder}/asked\necho 'notes@192.0.2.1: Permission denied (publickey).' >&2\nexit 255\n`,
      { mode: 0o755 },
    )
    a.git('config', 'core.sshCommand', program)
    expect(await a.sync()).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('Permission denied') })
    expect(readFileSync(join(a.folder, 'asked'), 'utf8')).toContain('-oBatchMode=yes')
  })

  test('that is used for something else is left alone', async () => {
    using remote = aRemote()
    using project = temporaryFolder()
    runGit(project.path, 'init', '--quiet', '-b', 'main')
    writeFileSync(join(project.path, 'package.json'), '{}')
    runGit(project.path, 'add', '.')
    runGit(project.path, 'commit', '--quiet', '-m', 'code')
    runGit(project.path, 'push', '--quiet', remote.path, 'main')
    using a = await aMachine('a', remote.path)
    await a.note('A note.')
    const report = await a.sync()
    expect(report.outcome).toBe('refused')
    expect(report.reason).toContain('package.json')
    expect(runGit(remote.path, 'log', '--format=%s', 'main').trim()).toBe('code')
    expect(existsSync(join(a.memory, 'package.json'))).toBe(false)
    using other = aRemote()
    runGit(project.path, 'push', '--quiet', other.path, 'main:master')
    expect(await a.sync({ remote: other.path })).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('master') })
  })

  test('that was emptied or made anew gets all notes again', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    await a.note('First.')
    await a.sync()
    runGit(remote.path, 'update-ref', '-d', 'refs/heads/main')
    expect(await a.sync()).toMatchObject({ outcome: 'synced', pushed: true })
    expect(runGit(remote.path, 'rev-parse', 'main')).toBe(a.git('rev-parse', 'main'))
  })

  test('that would run a program is refused', async () => {
    using a = await aMachine('a', '')
    using folder = temporaryFolder()
    await a.note('Something to push.')
    const program = `ext::sh -c touch% ${folder.path}/ran`
    for (const remote of [program, ` ${program}`, `\u00a0${program}`, '--upload-pack=touch ran', ' --exec=touch ran', 'a\nb']) {
      const refused = { outcome: 'refused', reason: expect.stringMatching(/would run a program|is not the address|control characters/) }
      expect(await a.sync({ remote })).toMatchObject(refused)
      expect(await a.sync({ remote, fetch: false })).toMatchObject(refused)
    }
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('with hooks is used without running hooks, filters or signing of the client', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    await a.note('First.')
    await a.sync()
    const hook = join(a.memory, '.git', 'hooks', 'pre-push')
    mkdirSync(join(a.memory, '.git', 'hooks'), { recursive: true })
    writeFileSync(hook, `#!/bin/sh\ntouch ${a.folder}/ran\nexit 1\n`, { mode: 0o755 })
    for (const [key, value] of [
      ['commit.gpgsign', 'true'],
      ['core.autocrlf', 'true'],
      ['core.hooksPath', join(a.memory, '.git', 'hooks')],
    ] as const)
      a.git('config', key, value)
    a.write('memory/app/x.md', 'one\r\ntwo\r\n')
    expect(await a.sync()).toMatchObject({ outcome: 'synced', pushed: true })
    expect(existsSync(join(a.folder, 'ran'))).toBe(false)
    expect(runGit(remote.path, 'show', 'main:app/x.md')).toBe('one\r\ntwo\r\n')
  })

  test('is not fetched or pushed to if the settings say so', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    await a.note('From a.')
    await a.sync({ push: false })
    expect(await b.sync()).toMatchObject({ received: [] })
    await a.sync()
    expect(await b.sync({ fetch: false })).toMatchObject({ outcome: 'synced', received: [] })
    await b.note('From b.')
    expect(await b.sync({ fetch: false })).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('sync.fetch') })
  })
})

describe('a sync', () => {
  test('without a remote only commits', async () => {
    using a = await aMachine('a', '')
    await a.note('Something.')
    expect(await a.sync()).toMatchObject({ outcome: 'local', pushed: false, committed: [expect.any(String)] })
  })

  test('does not wait while another one runs, and reports it', async () => {
    using a = await aMachine('a', '')
    await a.sync()
    const lock = holdLock(join(a.folder, 'run', 'sync.lock'))
    expect(await a.sync()).toMatchObject({ outcome: 'busy', reason: 'another sync is running' })
    lock?.release()
    expect(await a.sync()).toMatchObject({ outcome: 'local' })
  })

  test('as a dry run reports what would happen and changes nothing', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const theirs = await a.note('From a.')
    await a.sync()
    const ours = await b.note('From b.')
    expect(await b.sync({ dryRun: true })).toMatchObject({
      committed: [`memory/app/${ours}.md`],
      received: [`memory/app/${theirs}.md`],
      pushed: true,
    })
    expect(Object.keys(b.files())).toEqual([`app/${ours}.md`])
    expect(runGit(remote.path, 'rev-list', '--count', 'main').trim()).toBe('1')
    expect(await b.sync()).toMatchObject({ committed: [`memory/app/${ours}.md`], received: [`memory/app/${theirs}.md`] })
  })

  test('cleans up after one that was killed', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    await a.note('First.')
    await a.sync()
    for (const name of ['index.lock', 'refs/heads/main.lock', 'HEAD.lock']) {
      writeFileSync(join(a.memory, '.git', name), '')
      utimesSync(join(a.memory, '.git', name), 1, 1)
    }
    writeFileSync(join(a.memory, '.git', 'recollect-index-x'), '')
    const half = join(a.memory, 'app', `N1.md.${crypto.randomUUID()}.tmp`)
    writeFileSync(half, 'half a no')
    utimesSync(half, 1, 1)
    await a.note('Second, of another kind.')
    expect(await a.sync()).toMatchObject({ outcome: 'synced', pushed: true })
    expect(readdirSync(join(a.memory, '.git')).filter((name) => name.startsWith('recollect-index'))).toEqual([])
    expect(existsSync(half)).toBe(false)
  })

  test('reads all files again if the last one ended before the database knew about its files', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    const id = await a.note('The port is 8080.')
    await a.sync()
    const clean = () => {
      throw new Error('killed here')
    }
    const before = readdirSync(b.folder)
    await expect(syncNotes({ ...b.book, clean }, { remote: remote.path, fetch: true, push: true }, Date.now())).rejects.toThrow(
      'killed here',
    )
    expect([Object.keys(b.files()), await b.body(id)]).toEqual([[`app/${id}.md`], null])
    // The files kept for the next sync are not among the person's own.
    expect(readdirSync(b.folder).filter((name) => !before.includes(name))).toEqual(['run'])
    expect(await b.sync()).toMatchObject({ outcome: 'synced', received: [] })
    expect(await b.body(id)).toBe('The port is 8080.')
  })

  test('packs the repository when it has many small files', async () => {
    using a = await aMachine('a', '')
    await a.note('The port is 8080.')
    await a.sync()
    const packs = () => readdirSync(join(a.memory, '.git', 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length
    expect(packs()).toBe(0)
    // Git spreads objects evenly over its folders, so that one of them tells how many there are.
    const folder = join(a.memory, '.git', 'objects', '17')
    mkdirSync(folder, { recursive: true })
    for (let n = 0; readdirSync(folder).length < 9; n++) {
      const text = Buffer.from(`${n}`)
      const id = blobId(text)
      if (id.startsWith('17')) writeFileSync(join(folder, id.slice(2)), deflateSync(Buffer.from(`blob ${text.length}\0${text}`)))
    }
    await a.sync()
    expect(packs()).toBe(1)
  })

  test('completes a repository whose creation was killed', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    await a.note('First.')
    mkdirSync(join(a.memory, '.git'))
    writeFileSync(join(a.memory, '.git', 'HEAD.lock'), '')
    utimesSync(join(a.memory, '.git', 'HEAD.lock'), 1, 1)
    expect(await a.sync()).toMatchObject({ outcome: 'synced', pushed: true })
  })

  test('leaves the folder alone while another branch is checked out', async () => {
    using a = await aMachine('a', '')
    await a.note('First.')
    await a.sync()
    a.git('checkout', '--quiet', '-b', 'mine')
    expect(await a.sync()).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('checkout main') })
  })

  test('keeps commits that a person made by hand', async () => {
    using remote = aRemote()
    using a = await aMachine('a', remote.path)
    using b = await aMachine('b', remote.path)
    await a.note('First.')
    await a.sync()
    a.write('memory/app/by-hand.md', '---\nid: by-hand\ntype: semantic\ntitle: By hand\n---\n\nText.\n')
    a.git('add', '.')
    a.git('commit', '--quiet', '-m', 'by hand')
    await a.sync()
    await b.sync()
    expect(parseNote(b.read('memory/app/by-hand.md') ?? '').kind).toBe('note')
    expect(readFileSync(join(a.memory, '.git', 'HEAD'), 'utf8')).toContain('main')
  })

  /** Syncs while a person commits by hand, `times` times, each just before the sync would move the branch. */
  async function syncWhileCommitting(a: Machine, times: number) {
    let made = 0
    const clean = (text: string) => {
      if (made < times) a.git('commit', '--quiet', '--allow-empty', '-m', `by hand ${++made}`)
      return text
    }
    return (await syncNotes({ ...a.book, clean }, { remote: '', fetch: true, push: true }, Date.now())).report
  }

  test('tries again when a person commits at the same time, and keeps both commits', async () => {
    using a = await aMachine('a', '')
    await a.note('First.')
    await a.sync()
    const id = await a.note('Second, of another kind.')
    expect(await syncWhileCommitting(a, 1)).toMatchObject({ outcome: 'local', committed: [`memory/app/${id}.md`] })
    expect(a.git('log', '--format=%s').trim().split('\n')).toEqual(['1 note (new) from a', 'by hand 1', '1 note (new) from a'])
  })

  test('leaves it to the next sync when another program keeps committing', async () => {
    using a = await aMachine('a', '')
    await a.note('First.')
    await a.sync()
    const id = await a.note('Second, of another kind.')
    const report = await syncWhileCommitting(a, 100)
    expect(report).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('commits to the notes at the same time'),
      committed: [],
    })
    expect(await a.sync()).toMatchObject({ outcome: 'local', committed: [`memory/app/${id}.md`] })
  })
})
