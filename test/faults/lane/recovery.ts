import { expect } from 'bun:test'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { WorkerStatus } from '../../../src/wire/contract/status.ts'
import { isAtRest } from '../../support/at-rest.ts'
import type { FaultyHome } from '../home.ts'
import type { Client } from './client.ts'

type Row = Record<string, unknown>

/** Starts a worker where none runs, and waits until it has nothing left to do. The worker may be killed meanwhile. */
export async function recover(at: FaultyHome): Promise<void> {
  let last = ''
  for (const until = Date.now() + 200_000; Date.now() < until; await Bun.sleep(50)) {
    const { code, stdout, stderr } = await at.run('', 'status', '--json')
    const status = code === 0 ? (JSON.parse(stdout) as WorkerStatus) : null
    last = status ? JSON.stringify(status.jobs) : stderr
    if (status && isAtRest(status)) return
    if (!status) await at.run('', 'start')
  }
  throw new Error(`the worker did not finish its jobs: ${last}\n${at.log().slice(-2000)}`)
}

/** Waits until a session whose end could not be stored is completed: the worker notices within a minute that its client is gone. */
export async function waitForEnd(at: FaultyHome, { session }: Client): Promise<void> {
  for (const until = Date.now() + 280_000; Date.now() < until; await Bun.sleep(500)) {
    await recover(at)
    const row = (await at.rows('sessions')).find(({ contentSessionId }) => contentSessionId === session)
    if (row?.status === 'completed') return recover(at)
  }
  throw new Error(`the session did not end\n${at.log().slice(-2000)}`)
}

/** Recovers, and replaces the traced worker by an ordinary one. Returns when the traced one has ended, perhaps while it was stopping. */
export async function replaceTraced(at: FaultyHome, traced: { exited: Promise<unknown> }): Promise<void> {
  await recover(at)
  await at.run('', 'stop')
  await traced.exited
  await recover(at)
}

/** The journal contains what the transcripts contain, once; each turn has one summary, and each session that ended has one note. */
export async function expectJournalIsTranscript(at: FaultyHome, clients: Client[]): Promise<void> {
  const sessions = clients.map(({ session }) => session)
  const ours = (rows: Row[]) => rows.filter((row) => sessions.includes(String(row.sessionId)))
  const prompts = ours(await at.rows('prompts')).map((row) => `${row.sessionId}: ${row.text} → ${row.answer}`)
  const toolUses = ours(await at.rows('tool-uses')).map((row) => `${row.sessionId} ${row.toolUseId}`)
  const summaries = ours(await at.rows('summaries')).filter(({ source }) => source === 'turn')
  expect(prompts.sort()).toEqual(clients.flatMap(({ truth }) => truth.prompts).sort())
  expect(toolUses.sort()).toEqual(clients.flatMap(({ truth }) => truth.toolUses).sort())
  expect(new Set(summaries.map((row) => `${row.sessionId} ${row.promptNumber}`)).size).toBe(summaries.length)
  expect(summaries).toHaveLength(prompts.length)
  expect(clients.flatMap(({ failures }) => failures)).toEqual([])
}

/** Nothing is broken, waits, was left behind or still runs. Stops the worker. */
export async function expectHealthy(at: FaultyHome): Promise<void> {
  const { findings } = await at.doctor()
  // No hooks and no MCP server are installed in a home of a test.
  const broken = findings.filter(({ state, what }) => state === 'broken' && !['Hooks', 'MCP server', 'Claude Code'].includes(what))
  expect(broken).toEqual([])
  const { jobs, spooled } = await at.status()
  expect({ ...jobs, spooled }).toMatchObject({ waiting: 0, running: 0, dead: 0, spooled: 0 })
  await at.run('', 'stop')
  const left = readdirSync(at.seen(at.home.folder), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.tmp$|\.git\/.*\.lock$/.test(path),
  )
  expect(left).toEqual([])
  expect(await processesOf(at)).toEqual([])
}

/** The processes that run with this home, such as a worker or a git that it started. A process that was just ended may need a moment. */
export async function processesOf(at: FaultyHome, attempts = 50): Promise<string[]> {
  for (let attempt = 0; ; attempt++) {
    const found = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .flatMap((pid) => describeIfOurs(pid, at.folder))
    if (found.length === 0 || attempt >= attempts) return found
    await Bun.sleep(100)
  }
}

function describeIfOurs(pid: string, folder: string): string[] {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
    if (!environment.includes(`HOME=${folder}`) && !readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return []
    return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`]
  } catch {
    return [] // it has ended, or it is a zombie
  }
}
