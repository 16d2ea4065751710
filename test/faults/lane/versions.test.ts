import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../../src/platform/version.ts'
import { SCHEMA_VERSION } from '../../../src/store/schema-version.ts'
import { isAtRest } from '../../support/at-rest.ts'
import { temporaryFolder } from '../../support/builders.ts'
import { makeOlderHome, OLDER_TEXTS } from '../../support/older-home.ts'
import { copyProgram } from '../../support/program-copy.ts'
import { aHome, type FaultyHome } from '../home.ts'
import { aClient } from './client.ts'
import { expectHealthy, expectJournalIsTranscript, recover } from './recovery.ts'

const SETTINGS = { RECOLLECT_GIT_HISTORY: 'false', RECOLLECT_RETENTION_TOOL_USES_DAYS: '36500' }
const turn = (n: number) => ({ prompt: `Question ${n} about tides`, commands: [`echo ${n}`], answer: `Answer ${n} about tides.` })

test('a newer program that is installed during a session replaces the worker; hooks of both are served, and nothing is lost', async () => {
  using newer = aNewerProgram({ schema: SCHEMA_VERSION })
  await using at = aHome(SETTINGS)
  mkdirSync(join(at.folder, 'project'))
  const [old, fresh] = [aClient(at, 'old'), aClient(at, 'fresh', { program: newer.hook })]
  await at.run('', 'start')
  await old.start()
  await old.turn(turn(1))
  expect(await workerVersion(at)).toBe(VERSION)
  await newer.run(at, 'start')
  expect(await workerVersion(at)).toBe(newer.version)
  await fresh.start()
  for (const n of [2, 3]) await Promise.all([old.turn(turn(n)), fresh.turn(turn(n))])
  // The older program does not take the worker back.
  await old.hook('SessionStart', { source: 'resume' })
  expect(await workerVersion(at)).toBe(newer.version)
  await old.end()
  await fresh.end()
  await recover(at)
  await expectJournalIsTranscript(at, [old, fresh])
  await expectHealthy(at)
}, 300_000)

test('an older program refuses the home of a newer one and says so, spools its events, and the newer one stores them', async () => {
  using newer = aNewerProgram({ schema: SCHEMA_VERSION + 1 })
  await using at = aHome(SETTINGS)
  mkdirSync(join(at.folder, 'project'))
  const first = aClient(at, 'first', { program: newer.hook })
  await newer.run(at, 'start')
  await first.start()
  await first.turn(turn(1))
  await first.end()
  await newer.run(at, 'stop')
  const refused = await at.run('', 'start')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr + refused.stdout).toContain('newer Recollect')
  const { findings } = await at.doctor()
  expect(
    findings
      .filter(({ state }) => state === 'broken')
      .map(({ says, fix }) => `${says} ${fix}`)
      .join('\n'),
  ).toContain('newer')
  const second = aClient(at, 'second')
  await second.start()
  await second.turn(turn(2))
  await second.end()
  expect(await newer.run(at, 'start')).toMatchObject({ code: 0 })
  for (const until = Date.now() + 60_000; Date.now() < until; await Bun.sleep(100)) {
    if (isAtRest(JSON.parse((await newer.run(at, 'status', '--json')).stdout))) break
  }
  const rows = Bun.JSONL.parse((await newer.run(at, 'export', '--json', '--kind', 'prompts')).stdout) as {
    sessionId: string
    text: string
    answer: string
  }[]
  expect(rows.map(({ sessionId, text, answer }) => `${sessionId}: ${text} → ${answer}`).sort()).toEqual(
    [...first.truth.prompts, ...second.truth.prompts].sort(),
  )
  expect([...first.failures, ...second.failures]).toEqual([])
  await newer.run(at, 'stop')
}, 300_000)

test.each([1, 10, 21, SCHEMA_VERSION - 1])(
  'a home of schema version %i opens with this program, complete and healthy',
  async (version) => {
    await using at = aHome(SETTINGS)
    makeOlderHome(at.home.folder, version)
    await recover(at)
    expect((await at.rows('prompts')).map(({ text }) => text)).toEqual(OLDER_TEXTS.prompts)
    expect((await at.rows('tool-uses')).map(({ toolUseId }) => toolUseId)).toEqual(['t1', 't2'])
    expect((await at.rows('notes')).map(({ body }) => body)).toContain(OLDER_TEXTS.note)
    const found = JSON.parse((await at.run('', 'search', 'ferry clock', '--json', '--all')).stdout) as { hits: unknown[] }
    expect(JSON.stringify(found.hits)).toContain('Fix the ferry clock')
    await expectHealthy(at)
  },
  300_000,
)

const workerVersion = async (at: FaultyHome) => (JSON.parse(readFileSync(at.home.workerFile, 'utf8')) as { version: string }).version

/** A copy of this program that calls itself newer, and may have one more table in its schema. */
function aNewerProgram({ schema }: { schema: number }) {
  const folder = temporaryFolder()
  const { command, bun } = copyProgram(folder.path)
  const version = VERSION.replace(/^(\d+)/, (major) => String(Number(major) + 1))
  const edit = (file: string, from: string | RegExp, to: string) => {
    const path = join(folder.path, file)
    const text = readFileSync(path, 'utf8')
    if (text.replace(from, to) === text) throw new Error(`${file} does not contain ${from}`)
    writeFileSync(path, text.replace(from, to))
  }
  edit('package.json', `"version": "${VERSION}"`, `"version": "${version}"`)
  if (schema > SCHEMA_VERSION) {
    edit('src/store/schema-version.ts', `SCHEMA_VERSION = ${SCHEMA_VERSION}`, `SCHEMA_VERSION = ${schema}`)
    edit('src/store/schema.ts', 'SCHEMA = `', 'SCHEMA = `\n  CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;')
  }
  return {
    version,
    hook: [bun, '--no-env-file', '--config=/dev/null', join(folder.path, 'src', 'hooks', 'main.ts')],
    run: async (at: FaultyHome, ...args: string[]) => {
      const child = Bun.spawn([command, ...args], { env: at.env, cwd: at.folder, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
      const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      return { stdout, stderr, code }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
