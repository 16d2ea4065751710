import { expect } from 'bun:test'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOrSkip } from '../harness/client.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { runIn } from '../harness/sandbox.ts'
import { aPerson, briefIn, type Person } from '../support/person.ts'
import { fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()
const root = join(import.meta.dir, '..', '..')

test('the client finds nothing to complain about in the plugin and in the marketplace', async () => {
  await using person = await aPerson({ init: null })
  for (const path of [join(root, 'plugin'), root]) {
    const { code, stdout, stderr } = await runIn(person, [person.claude, 'plugin', 'validate', '--strict', path])
    expect([path, code, stdout + stderr]).toEqual([path, 0, expect.stringContaining('Validation passed')])
  }
})

test('the plugin remembers like init, is updated, disabled and uninstalled, and what it remembered stays', async () => {
  await using person = await aPerson({ files: project, git: true, init: null, env: { RECOLLECT_BIN: join(root, 'bin', 'recollect') } })
  const shop = await installPlugin(person)
  const refused = await runIn(person, [join(root, 'bin', 'recollect'), 'init', '--yes'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('recollect@recollect is enabled')])
  expect(await person.recollect('doctor').catch(String)).toContain('those of the plugin recollect@recollect')

  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()
  const second = await runClaude({ sandbox: person, prompt: 'What did we do last time?', turns: ['We fixed it.'] })
  expect(briefIn(requestText(second.requests[0]))).toContain('exp * 1000')
  await person.settled()
  const remembered = (await person.rows('prompts')).length

  const manifest = join(shop, 'plugin', '.claude-plugin', 'plugin.json')
  const offers = join(shop, '.claude-plugin', 'marketplace.json')
  for (const file of [manifest, offers])
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/"version": "[^"]+"/g, '"version": "99.0.0"'))
  await claude(person, 'plugin', 'marketplace', 'update', 'recollect')
  expect(await claude(person, 'plugin', 'update', 'recollect@recollect')).toContain('99.0.0')

  await claude(person, 'plugin', 'disable', 'recollect@recollect')
  await runClaude({ sandbox: person, prompt: 'Nobody listens.', turns: ['Right.'] })
  await person.settled()
  expect(await person.rows('prompts')).toHaveLength(remembered)
  await claude(person, 'plugin', 'uninstall', 'recollect@recollect')
  expect(existsSync(join(person.home, '.recollect', 'recollect.db'))).toBe(true)
  expect(await person.rows('prompts')).toHaveLength(remembered)
})

test('with hooks of init the plugin stays silent and says why; every event is told once', async () => {
  await using person = await aPerson({ files: project, env: { RECOLLECT_BIN: join(root, 'bin', 'recollect') } })
  await installPlugin(person)
  const hook = (...args: string[]) =>
    runIn(person, [join(root, 'plugin', 'run.sh'), 'hook', 'claude-code', ...args, '--plugin'], { input: '{}' })
  expect(JSON.parse((await hook('SessionStart')).stdout).systemMessage).toContain('connected twice')
  expect((await hook('Stop')).stdout).toBe('{}')
  expect(await person.recollect('doctor').catch(String)).toContain('installed twice')
})

test('without the program a hook of the plugin says so at the start, and never fails', async () => {
  await using person = await aPerson({ init: null })
  const hook = (event: string) => runIn(person, [join(root, 'plugin', 'run.sh'), 'hook', 'claude-code', event, '--plugin'])
  expect(JSON.parse((await hook('SessionStart')).stdout).systemMessage).toContain('npm install -g recollect')
  expect(await hook('Stop')).toMatchObject({ code: 0, stdout: '{}\n' })
})

/** From a copy of the marketplace, so that a test can offer another version. */
async function installPlugin(person: Person): Promise<string> {
  const shop = join(person.root, 'shop')
  for (const folder of ['.claude-plugin', 'plugin']) cpSync(join(root, folder), join(shop, folder), { recursive: true })
  await claude(person, 'plugin', 'marketplace', 'add', shop)
  await claude(person, 'plugin', 'install', 'recollect@recollect')
  return shop
}

async function claude(person: Person, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runIn(person, [person.claude, ...args])
  if (code !== 0) throw new Error(`claude ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return stdout + stderr
}
