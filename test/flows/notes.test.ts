import { expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Note } from '../../src/core/note.ts'
import { clientOrSkip } from '../harness/client.ts'
import { requestText, type Script } from '../harness/fake-anthropic.ts'
import { type PrintRun, runClaude } from '../harness/run-claude.ts'
import { aPerson, type Person } from '../support/person.ts'
import { bash, fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()

test('a sentence marked as a decision becomes a note, and the same request confirms it', async () => {
  await using person = await aPerson({ files: project, git: true })
  const run = await runClaude({
    sandbox: person,
    prompt: "Let's use PostgreSQL [decision] because of JSONB support. Say ok.",
    turns: ['Ok.'],
  })
  const [note] = (await notesOf(person)).filter((one) => one.namespace === 'decisions')
  expect(note).toMatchObject({ body: "Let's use PostgreSQL because of JSONB support.", source: 'human', session: sessionOf(run) })
  expect(requestText(run.requests[0])).toContain(
    `Saved as N${note?.id.slice(10, 18)} (decisions): Let's use PostgreSQL because of JSONB support.`,
  )
  expect(existsSync(join(person.home, '.recollect', note?.path ?? 'nowhere'))).toBe(true)
  // The transcript contains the same prompt again.
  await person.recollect('import')
  expect((await notesOf(person)).filter((one) => one.namespace === 'decisions')).toHaveLength(1)
})

test('decisions before a compaction become notes', async () => {
  await using person = await aPerson({ files: project, git: true })
  await runClaude({
    sandbox: person,
    prompt: 'We decided to keep sessions in SQLite instead of Redis because it needs no server. Look around.',
    args: ['--autocompact', '100k'],
    turns: {
      main: [bash('ls'), { ...bash('ls src'), usage: { input_tokens: 99_000 } }, 'Looked around.'],
      compact: ['<analysis>x</analysis>\n<summary>The person looks around.</summary>'],
    } satisfies Script,
  })
  await person.settled()
  const stated = (await notesOf(person)).filter((note) => note.type === 'semantic')
  expect(stated).toMatchObject([
    {
      namespace: 'decisions',
      source: 'session-end',
      body: 'We decided to keep sessions in SQLite instead of Redis because it needs no server.',
    },
  ])
})

test('the same applies to /compact, a turn that no hook announces', async () => {
  await using person = await aPerson({ files: project, git: true })
  const prompt = 'We decided to keep sessions in SQLite instead of Redis because it needs no server. Say ok.'
  const first = await runClaude({ sandbox: person, prompt, turns: ['Ok.'] })
  await runClaude({ sandbox: person, prompt: '/compact', args: ['--resume', sessionOf(first)], turns: ['<summary>SQLite.</summary>'] })
  await person.settled()
  const stated = (await notesOf(person)).filter((note) => note.type === 'semantic')
  expect(stated).toMatchObject([{ namespace: 'decisions', body: expect.stringContaining('SQLite instead of Redis') }])
})

test('a session has one note after its end, and still one after a resume', async () => {
  await using person = await aPerson({ files: project, git: true })
  const first = await runClaude({
    sandbox: person,
    prompt: 'The login test fails. Find out why and fix it.',
    turns: fixTheTest(person.project),
  })
  await person.settled()
  const [note] = (await notesOf(person)).filter((one) => one.type === 'episodic')
  expect(note).toMatchObject({ title: 'The login test fails. Find out why and fix it.', session: sessionOf(first), namespace: 'sessions' })
  expect(note?.body).toMatch(/\*\*Files touched \(1\):\*\*\n- \S+/)
  await runClaude({
    sandbox: person,
    prompt: 'Tell me once more what it was.',
    args: ['--resume', sessionOf(first)],
    turns: ['It was the unit of exp: seconds, not milliseconds, as the specification of tokens says.'],
  })
  await person.settled()
  const after = (await notesOf(person)).filter((one) => one.type === 'episodic')
  expect(after.map((one) => one.id)).toEqual([note?.id as never])
  expect(after[0]?.body).toContain('seconds, not milliseconds')
})

async function notesOf(person: Person): Promise<Note[]> {
  return Bun.JSONL.parse(await person.recollect('export', '--json', '--kind', 'notes')) as Note[]
}

const sessionOf = (run: PrintRun) => String(run.events.find((event) => event.session_id)?.session_id)
