import { expect } from 'bun:test'
import { join } from 'node:path'
import { pages, type ShellCommand, shellCommands } from '../docs/pages.ts'
import { type Answer, typeCommand } from '../docs/terminal.ts'
import { aPerson, type Person } from '../support/person.ts'
import { closedPort } from '../support/ports.ts'
import { postgresOrSkip, startPostgres } from '../support/postgres.ts'
import { endProcesses } from '../support/team-flow.ts'

/** Types the commands of the guides to teams and hubs, in their order, on a PostgreSQL and with a home for each of the people in them. */
const test = postgresOrSkip()
const program = join(import.meta.dir, '..', '..', 'bin')

test('the commands of docs/guide/team.md work, one block after the other', async () => {
  await using team = await aTeam()
  const [operator, you, colleague, desktop] = [await team.join(), await team.join(), await team.join(), await team.join()]
  const blocks = blocksOf('docs/guide/team.md')
  expect(blocks).toHaveLength(5)
  const [running = [], sharing = [], joining = [], first = [], second = []] = blocks

  const names = { '<you>': 'ada', '<colleague>': 'ben' }
  const codes: string[] = []
  for (const line of running) codes.push(...codesIn(await team.type(operator, line, names)))
  expect(codes).toHaveLength(2)
  await you.recollect('capture', 'Prices are kept in cents.', '--project', 'shop')
  for (const line of sharing) await team.type(you, line, { ...names, '<code>': codes[0] ?? '' })
  for (const line of joining) await team.type(colleague, line, { ...names, '<code>': codes[1] ?? '' })
  await colleague.recollect('team', 'sync')
  expect(await colleague.recollect('search', 'how are prices kept', '--project', 'shop')).toContain('Prices are kept in cents')

  const outputs: string[] = []
  for (const line of first) outputs.push(await team.type(you, line))
  const [code = ''] = codesIn(outputs[0] ?? '')
  const phrase = /(?:[a-z]+ +){16}[a-z]+/.exec((outputs[1] ?? '').replace(/\s+/g, ' '))?.[0] ?? ''
  for (const line of second) await team.type(desktop, line, { '<url>': team.url, '<code>': code }, [[/Recovery phrase:/g, phrase]])
  await you.recollect('team', 'sync')
  await desktop.recollect('team', 'sync')
  expect(await desktop.recollect('notes', '--all')).toContain('Prices are kept in cents')
}, 300_000)

test('the commands of docs/guide/hub.md work', async () => {
  await using team = await aTeam()
  const operator = await team.join()
  const made = await typeCommand(
    operator.env,
    'openssl req -x509 -newkey rsa:2048 -nodes -keyout hub.key -out hub.pem -days 1 -subj /CN=localhost',
    operator.project,
  )
  expect(made.code).toBe(0)
  const outputs: string[] = []
  for (const line of blocksOf('docs/guide/hub.md').flat()) outputs.push(await team.type(operator, line))
  expect(outputs.flatMap(codesIn)).toHaveLength(1)
}, 120_000)

/** The commands of each `sh` block of a page. */
function blocksOf(path: string): ShellCommand[][] {
  const page = pages().find((candidate) => candidate.path === path)
  const blocks: ShellCommand[][] = []
  for (const command of page ? shellCommands(page) : []) {
    const last = blocks.at(-1)
    if (last && (last.at(-1)?.line ?? 0) + 1 === command.line) last.push(command)
    else blocks.push([command])
  }
  return blocks
}

/** The codes that work once in an output. */
const codesIn = (output: string) => [...output.matchAll(/\b[0-9A-Z]{4,}(?:-[0-9A-Z]{4,})+\b/g)].map(([code]) => code)

async function aTeam() {
  const postgres = await startPostgres()
  const port = closedPort()
  const people: Person[] = []
  const servers: ReturnType<typeof Bun.spawn>[] = []
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    join: async () => {
      const person = await aPerson({ init: null, files: { '.recollect/project': 'shop\n' } })
      Object.assign(person.env, {
        PATH: `${program}:${person.env.PATH}`,
        PGHOST: '127.0.0.1',
        PGPORT: String(postgres.port),
        PGUSER: 'postgres',
      })
      people.push(person)
      return person
    },
    /** Types one line of a page, with the addresses of this test, and returns what it prints. */
    type: async (person: Person, { page, line, command }: ShellCommand, examples: Record<string, string> = {}, answers: Answer[] = []) => {
      const typed = Object.entries(examples)
        .reduce((text, [example, real]) => text.replaceAll(example, real), command)
        .replace(/postgres:\/\/[^/ ]+\/(\w+)/, (_, name) => postgres.url(name))
        .replace('http://127.0.0.1:7077', url)
      const setting = /^export (\w+)=(.*)$/.exec(typed)
      if (setting) {
        person.env[setting[1] ?? ''] = setting[2] ?? ''
        return ''
      }
      if (typed.startsWith('recollect hub start')) {
        const { RECOLLECT_HUB_DATABASE: _, ...env } = person.env
        servers.push(Bun.spawn(['bash', '-c', `${typed} --port ${port}`], { env, cwd: person.project, stdout: 'ignore', stderr: 'ignore' }))
        await ready(typed.includes('--cert') ? url.replace('http:', 'https:') : url)
        return ''
      }
      const { code, output } = await typeCommand(person.env, typed, person.project, answers)
      expect([`${page}:${line}`, typed, code === 0 ? 'works' : output]).toEqual([`${page}:${line}`, typed, 'works'])
      return output
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await endProcesses(server)
      for (const person of people) await person[Symbol.asyncDispose]()
      await postgres.remove()
    },
  }
}

async function ready(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${url}/ready`, { tls: { rejectUnauthorized: false } }).catch(() => null)
    if (answer?.ok) return
    if (tries > 200) throw new Error('the hub does not start')
    await Bun.sleep(100)
  }
}
