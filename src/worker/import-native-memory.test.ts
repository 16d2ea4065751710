import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { someServices } from '../../test/support/services.ts'
import { claudeCode } from '../integrations/agent.ts'
import { changeNote, forgetNote } from '../notes/notes.ts'
import type { Store } from '../store/store.ts'
import { importNativeMemory } from './import-native-memory.ts'

const fact = (name: string, type: string, body: string) =>
  `---\nname: ${name}\ndescription: About ${name}\nmetadata:\n  type: ${type}\n---\n\n${body}\n`

test('the client’s own memories become notes of their project, by kind', async () => {
  await using at = await aPlace()
  at.put('real-db.md', fact('real-db', 'feedback', 'Tests hit a real database.\n**Why:** mocks hid a failure.'))
  at.put('role.md', fact('role', 'user', 'The person writes Go.'))
  at.put('old.md', '# Deploying\n\nDeploy from the bastion host.')
  at.put('MEMORY.md', '# Memory\n\n- [Real db](real-db.md) — tests\n- [Role](role.md) — go')
  expect(await at.look()).toMatchObject({ added: 3, left: [] })
  expect((await at.notes()).map((n) => [n.title, n.type, n.namespace, n.source, n.project, n.tags.join()]).sort()).toEqual([
    ['About real-db', 'procedural', 'patterns', 'import', 'app-of-the-test', 'native,feedback'],
    ['About role', 'semantic', 'context', 'import', 'app-of-the-test', 'native,user'],
    ['Deploying', 'semantic', 'context', 'import', 'app-of-the-test', 'native'],
  ])
  expect(await at.look()).toMatchObject({ added: 0, updated: 0, forgotten: 0 })
})

test('a MEMORY.md with text of its own becomes a note, without its list of files', async () => {
  await using at = await aPlace()
  at.put('MEMORY.md', '# Project\n\nThe API runs on port 4000.\n\n- [Role](role.md) — go')
  await at.look()
  expect((await at.notes())[0]?.body).toBe('# Project\n\nThe API runs on port 4000.')
})

test('a note follows its file: it changes, is forgotten and is restored with it', async () => {
  await using at = await aPlace()
  at.put('a.md', fact('a', 'project', 'First'))
  await at.look()
  at.put('a.md', fact('a', 'project', 'Second, longer'))
  expect(await at.look()).toMatchObject({ updated: 1 })
  expect((await at.notes()).map((note) => note.body)).toEqual(['Second, longer'])
  rmSync(at.path('a.md'))
  expect(await at.look()).toMatchObject({ forgotten: 1 })
  expect(await at.look()).toMatchObject({ forgotten: 0 })
  expect(await at.notes()).toEqual([])
  at.put('a.md', fact('a', 'project', 'Third time'))
  await at.look()
  expect((await at.notes()).map((note) => note.body)).toEqual(['Third time'])
})

test('a person’s changes to an imported note stay, and so does forgetting it', async () => {
  await using at = await aPlace()
  at.put('a.md', fact('a', 'project', 'First'))
  at.put('b.md', fact('b', 'project', 'Other'))
  await at.look()
  const [a, b] = (await at.notes()).sort((x, y) => x.title.localeCompare(y.title))
  if (!a || !b) throw new Error('not imported')
  await changeNote(at.desk.notebook, a.id, { body: 'Mine' }, Date.now())
  await forgetNote(at.desk.notebook, b.id, Date.now())
  at.put('a.md', fact('a', 'project', 'Second, longer'))
  at.put('b.md', fact('b', 'project', 'Other, longer'))
  await at.look()
  expect((await at.notes()).map((note) => note.body)).toEqual(['Mine'])
  rmSync(at.path('b.md'))
  await at.look()
  at.put('b.md', fact('b', 'project', 'Back again, longer still'))
  await at.look()
  expect(await at.notes()).toHaveLength(1)
})

test('a missing client folder forgets no notes, and unusable files are reported', async () => {
  await using at = await aPlace()
  at.put('a.md', fact('a', 'project', 'First'))
  at.put('big.md', 'x'.repeat(200_000))
  writeFileSync(at.path('binary.md'), Buffer.from([0xff, 0xfe, 0x00, 0x80]))
  symlinkSync('/etc/hostname', at.path('link.md'))
  const { left, added } = await at.look()
  expect(added).toBe(1)
  expect(left.map(({ reason }) => reason).sort()).toEqual(['it cannot be read (it is not UTF-8)', 'it is larger than 100 KB'])
  rmSync(at.desk.environment.claudeConfig, { recursive: true })
  expect(await at.look()).toMatchObject({ forgotten: 0 })
  expect(await at.notes()).toHaveLength(1)
})

test('a description that is not valid YAML is still read', async () => {
  await using at = await aPlace()
  at.put('a.md', '---\nname: a\ndescription: ports: 80 and "443\nmetadata:\n  type: feedback\n---\nUse them.')
  await at.look()
  expect(await at.notes()).toMatchObject([{ title: 'ports: 80 and "443', type: 'procedural', body: 'Use them.' }])
})

test('secrets are redacted, excluded and unknown projects are skipped, and the client’s folder stays unchanged', async () => {
  await using at = await aPlace({ RECOLLECT_PRIVACY_EXCLUDE_PROJECTS: 'app-of-the-test' })
  at.put('a.md', fact('a', 'project', 'First'))
  expect((await at.look()).left).toHaveLength(1)
  expect(await at.notes()).toEqual([])
  await using other = await aPlace()
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  other.put('a.md', fact('a', 'project', `The token is ${secret}`))
  const before = [readdirSync(dirname(other.path('x'))), statSync(other.path('a.md')).mtimeMs]
  await other.look()
  expect((await other.notes())[0]?.body).not.toContain(secret)
  expect([readdirSync(dirname(other.path('x'))), statSync(other.path('a.md')).mtimeMs]).toEqual(before)
})

/** A client's folder with one project in it, whose sessions say where it stands. */
async function aPlace(variables: Record<string, string> = {}) {
  const at = await someServices(variables)
  const project = join(at.folder, 'work')
  mkdirSync(join(project, '.recollect'), { recursive: true })
  writeFileSync(join(project, '.recollect', 'project'), 'app-of-the-test\n')
  const folder = join(at.desk.environment.claudeConfig, 'projects', '-home-dev-work')
  const path = (name: string) => join(folder, 'memory', name)
  mkdirSync(join(folder, 'memory'), { recursive: true })
  const line = {
    type: 'user',
    sessionId: 's1',
    uuid: 'u1',
    cwd: project,
    timestamp: '2026-01-01T00:00:00Z',
    message: { role: 'user', content: 'Hi' },
  }
  writeFileSync(join(folder, 's1.jsonl'), `${JSON.stringify(line)}\n`)
  let clock = 1_700_000_000
  return {
    ...at,
    path,
    put: (name: string, text: string) => {
      writeFileSync(path(name), text)
      clock += 10
      utimesSync(path(name), clock, clock)
    },
    look: () => importNativeMemory(at.desk, claudeCode, Date.now()),
    notes: () => notesOf(at.store),
  }
}

const notesOf = (store: Store) => store.notes.list({ project: null, now: Date.now(), limit: 100 })
