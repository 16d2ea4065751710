import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, temporaryFolder } from '../../../test/support/builders.ts'
import { describeConnection, findConnection } from './connection.ts'
import { inspectHooks } from './install.ts'

const address = { type: 'http', url: 'http://127.0.0.1:37777/mcp' }
const ours = (...flag: string[]) => ({ command: 'recollect', args: [...flag, 'mcp'] })
const local = (server: object) => ({ projects: { [process.cwd()]: { mcpServers: { recollect: server } } } })
const user = (server: object) => ({ mcpServers: { recollect: server } })

test.each([
  ['by address, in this folder', local(address), 'claude mcp remove --scope local recollect'],
  ['by address, everywhere', user(address), 'claude mcp remove --scope user recollect'],
  ['for another home', user(ours('--home', '/elsewhere')), 'claude mcp remove --scope user recollect'],
  ['by init', user(ours()), 'recollect uninstall'],
  ['by init and by hand', { ...user(ours()), ...local(address) }, 'recollect uninstall and claude mcp remove --scope local recollect'],
])('with the plugin enabled, status says how to remove a server registered %s', (_, registered, fixCommand) => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, '.claude.json'), JSON.stringify(registered))
  const person = environment(folder.path, { userHome: folder.path, claudeConfig: join(folder.path, '.claude') })
  const inspected = { ...inspectHooks(person, folder.path), plugin: { name: 'recollect@recollect', file: 'settings.json' } }
  const { says, fix } = describeConnection(findConnection(person, inspected))
  expect(fix).toBe(`${fixCommand}, or: claude plugin disable recollect@recollect`)
  expect(says.includes(`'recollect init'`)).toBe(fixCommand.includes('uninstall'))
})
