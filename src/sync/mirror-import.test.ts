import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aMachine, runGit } from '../../test/support/machines.ts'
import { asProjectKey } from '../core/ids.ts'
import { mirrorNotes } from './mirror.ts'
import { importFromMirror } from './mirror-import.ts'

const app = asProjectKey('app')
const NOW = 5_000_000

/** A project's repository with one commit, and a person with this address. */
function aProject(email = 'ada@example.org') {
  const folder = temporaryFolder()
  const git = (...args: string[]) => runGit(folder.path, ...args)
  git('init', '--quiet', '-b', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', email)
  writeFileSync(join(folder.path, 'README.md'), '# App\n')
  git('add', '--all')
  git('commit', '--quiet', '-m', 'Begin')
  return { path: folder.path, git, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

const share = (machine: Awaited<ReturnType<typeof aMachine>>, path: string) =>
  mirrorNotes(machine.book, app, path, { fetch: false, push: false, sessions: false }, NOW)

/** Puts a note of Ada's old machine into the mirror of a project. */
async function shareNote(path: string, ...note: Parameters<Awaited<ReturnType<typeof aMachine>>['note']>) {
  using old = await aMachine('old', '')
  const id = await old.note(...note)
  await share(old, path)
  return id
}

describe('the notes of a mirror, imported into a new home', () => {
  test('are the person’s own again if they have the address of the person, also in other letters', async () => {
    using project = aProject()
    const id = await shareNote(project.path, 'Retries are off by default.', { namespace: 'decisions', tags: ['net'] })
    project.git('config', 'user.email', 'ADA@Example.org')
    using fresh = await aMachine('fresh', '')
    const { saved, copied, left, problem } = await importFromMirror(fresh.book, app, project.path, NOW)
    expect([saved.length, copied, left, problem]).toEqual([1, [], [], null])
    expect(await fresh.store.notes.get(id)).toMatchObject({
      body: 'Retries are off by default.',
      author: null,
      machine: 'old',
      namespace: 'decisions',
      tags: ['net'],
      state: 'accepted',
      source: 'human',
      scope: 'project',
    })
    expect(Object.keys(fresh.files())).toEqual([`app/${id}.md`])
    // A second import saves nothing.
    expect((await importFromMirror(fresh.book, app, project.path, NOW)).saved).toEqual([])
  })

  test('take the place of the copies that the home had until then', async () => {
    using project = aProject()
    const id = await shareNote(project.path, 'Retries are off by default.')
    using fresh = await aMachine('fresh', '')
    await share(fresh, project.path)
    expect([...fresh.store.notes.each(app)]).toMatchObject([{ author: 'Ada <ada@example.org>' }])
    await importFromMirror(fresh.book, app, project.path, NOW)
    expect([...fresh.store.notes.each(app)]).toMatchObject([{ id, author: null }])
  })

  test('leave the copy where it is if they cannot be saved', async () => {
    using project = aProject()
    const id = await shareNote(project.path, 'Retries are off by default.')
    using fresh = await aMachine('fresh', '')
    await share(fresh, project.path)
    const author = 'Ada <ada@example.org>'
    const tooLong = { id, updated: 2_000_000, deleted: null, author, type: 'semantic', body: 'x'.repeat(200_000) }
    const file = join(project.path, 'records')
    writeFileSync(file, `${JSON.stringify(tooLong)}\n`)
    project.git('notes', '--ref=mem/context', 'add', '--force', '-F', file, project.git('rev-list', '--max-parents=0', 'HEAD').trim())
    const { saved } = await importFromMirror(fresh.book, app, project.path, NOW)
    expect(saved).toMatchObject([{ receipt: { kind: 'refused' } }])
    expect([...fresh.store.notes.each(app)]).toMatchObject([{ body: 'Retries are off by default.' }])
  })

  test('are copies if another person wrote them', async () => {
    using project = aProject()
    const id = await shareNote(project.path, 'Retries are off by default.')
    project.git('config', 'user.email', 'ben@example.org')
    using ben = await aMachine('ben', '')
    const { saved, copied } = await importFromMirror(ben.book, app, project.path, NOW)
    expect([saved.length, copied.length > 0, await ben.store.notes.get(id)]).toEqual([0, true, null])
  })

  test('wait to be accepted if they are rules', async () => {
    using project = aProject()
    const id = await shareNote(project.path, 'Never use yarn.', { namespace: 'rules' })
    using fresh = await aMachine('fresh', '')
    await importFromMirror(fresh.book, app, project.path, NOW)
    expect(await fresh.store.notes.get(id)).toMatchObject({ state: 'proposed', source: 'import' })
  })
})

describe('memories that Subcog left in git notes', () => {
  const memory = (fields: string, body = 'The port is 8080.') => `---\n${fields}\n---\n\n${body}\n`
  /** The notes imported from a commit with such a memory, and why others were left out. */
  async function imported(text: string, ref = 'refs/notes/subcog') {
    using project = aProject()
    project.git('commit', '--quiet', '--allow-empty', '-m', 'Go on')
    const file = join(project.path, 'memory')
    writeFileSync(file, text)
    project.git('notes', `--ref=${ref}`, 'add', '--allow-empty', '-F', file, 'HEAD')
    using machine = await aMachine('a', '')
    const { saved, left } = await importFromMirror(machine.book, app, project.path, NOW)
    const notes = saved.flatMap(({ receipt }) => (receipt.kind === 'refused' ? [] : [receipt.note]))
    return { notes, left: left.map(({ reason }) => reason) }
  }

  test('become notes with their namespace, tags and times', async () => {
    const { notes, left } = await imported(
      memory('id: m1\nnamespace: decisions\ntags: [net, prod]\ncreated_at: 1700000000\nupdated_at: 2023-11-15T00:00:00Z'),
    )
    expect(left).toEqual([])
    expect(notes).toMatchObject([
      {
        body: 'The port is 8080.',
        namespace: 'decisions',
        tags: ['net', 'prod'],
        source: 'import',
        state: 'accepted',
        createdAt: 1_700_000_000_000,
        updatedAt: Date.UTC(2023, 10, 15),
      },
    ])
  })

  test('without readable fields are still imported, as general knowledge of now', async () => {
    const { notes } = await imported(memory('namespace: "no such/namespace"\ntags: 7\ncreated_at: yesterday'))
    expect(notes).toMatchObject([{ namespace: 'context', tags: [], createdAt: NOW, updatedAt: NOW }])
  })

  test('from before 1970 count as written now', async () => {
    const { notes } = await imported(memory('created_at: 1960-01-01T00:00:00Z\nupdated_at: -5'))
    expect(notes).toMatchObject([{ createdAt: NOW, updatedAt: NOW }])
  })

  test('without a namespace have the one of their ref', async () => {
    expect((await imported(memory('id: m1'), 'refs/notes/mem/decisions')).notes).toMatchObject([{ namespace: 'decisions' }])
  })

  test('with one id on several commits are one note', async () => {
    using project = aProject()
    for (const subject of ['Go on', 'And on']) {
      project.git('commit', '--quiet', '--allow-empty', '-m', subject)
      project.git('notes', '--ref=refs/notes/subcog', 'add', '-m', memory('id: m1\ncreated_at: 1700000000'), 'HEAD')
    }
    using machine = await aMachine('a', '')
    await importFromMirror(machine.book, app, project.path, NOW)
    expect([...machine.store.notes.each(app)]).toMatchObject([{ body: 'The port is 8080.' }])
  })

  test('of hundreds of kilobytes are left out with the reason', async () => {
    expect(await imported(memory('id: m1', 'x'.repeat(300_000)))).toEqual({ notes: [], left: ['it is larger than 256 KB'] })
  })

  test('do not include the lines of our own mirror', async () => {
    using project = aProject()
    using machine = await aMachine('a', '')
    await machine.note('Retries are off by default.')
    await share(machine, project.path)
    expect(await importFromMirror(machine.book, app, project.path, NOW)).toMatchObject({ saved: [], left: [], problem: null })
  })

  test.each([
    ['no front matter', 'it does not start with front matter between two lines of ---'],
    [memory('id: m1', ''), 'it has no text'],
    [memory('- a\n- b'), 'its front matter is not a list of fields'],
    [memory('status: deleted'), 'it is deleted in Subcog'],
    [memory('status: superseded'), 'it is superseded in Subcog'],
  ])('%p is left out with the reason', async (text, reason) => {
    expect(await imported(text)).toEqual({ notes: [], left: [reason] })
  })
})

test('a folder without a repository cannot be imported from', async () => {
  using folder = temporaryFolder()
  using machine = await aMachine('a', '')
  expect(importFromMirror(machine.book, app, folder.path, NOW)).rejects.toThrow('not a git repository')
})
