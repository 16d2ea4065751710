/**
 * `npm run failover`: two PostgreSQL servers under Patroni with etcd, a hub process, and laptops that push and pull. The leader is killed with -9. Afterwards every
 * memory that was answered must be there, once, in the feed that the laptops followed. Debian packages: postgresql patroni etcd-server. It prints
 * what happened and how long it took, and exits with 1 if something was lost.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Socket, Subprocess } from 'bun'
import { openDatabase } from '../../src/hub/hub.ts'
import { runHubCommand, startHubProcess } from '../support/hub-process.ts'
import { closedPort } from '../support/ports.ts'
import { findPrograms } from '../support/postgres.ts'
import { aMemory, expectOk, type HubClient, hubClient } from '../support/team.ts'

const LAPTOPS = 4
const BATCH = 5
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

type Node = { name: string; port: number; api: number; data: string; config: string; process: Subprocess }

/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0

const programs = findPrograms()
for (const [program, found] of [
  ['postgresql', programs],
  ['patroni', Bun.which('patroni')],
  ['etcd-server', Bun.which('etcd')],
] as const)
  if (!found) {
    console.error(`${program} is not installed; on Debian: apt-get install postgresql patroni etcd-server`)
    process.exit(1)
  }

const folder = mkdtempSync(join(tmpdir(), 'recollect-failover-'))
const started: Subprocess[] = []
const nodes: Node[] = []
let failed = true
try {
  failed = !(await failover())
} finally {
  for (const child of started.toReversed()) child.kill('SIGTERM')
  await Promise.race([Promise.all(started.map(({ exited }) => exited)), Bun.sleep(15_000)])
  for (const child of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)

async function failover(): Promise<boolean> {
  await startCluster()
  const leader = await waitForLeader()
  await waitFor(
    'a synchronous replica',
    async () =>
      (await sqlOnLeader(leader, `SELECT count(*)::int AS n FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')`)) > 0,
  )
  // Stands for HAProxy or a managed service's address: new connections reach the server that Patroni calls the leader.
  const address = followLeader()
  const home = mkdtempSync(join(tmpdir(), 'recollect-failover-home-'))
  const operatorUrl = `postgres://postgres@127.0.0.1:${address}/postgres`
  const init = await runHubCommand(home, ['init', '--database', operatorUrl])
  if (init.code !== 0) throw new Error(init.stderr)
  const hub = await startHubProcess(`postgres://recollect_hub@127.0.0.1:${address}/postgres`)
  const invite = async (args: string[]): Promise<HubClient> => {
    const { code }: { code: string } = JSON.parse(
      (await runHubCommand(home, ['invite', ...args, '--json'], { RECOLLECT_HUB_DATABASE: operatorUrl })).stdout,
    )
    const { token } = await expectOk(hubClient(hub.base, null)('POST /v1/enrol', { code, device: 'laptop' }))
    return hubClient(hub.base, token)
  }
  const first = await invite(['ann'])
  await expectOk(first('POST /v1/projects', { key: 'p', title: '' }))
  const laptops = [first]
  while (laptops.length < LAPTOPS) laptops.push(await invite(['--device-of', 'ann']))

  const work = startLaptops(laptops)
  await Bun.sleep(5000)
  const before = work.answered.length
  const postmaster = Number(readFileSync(join(leader.data, 'postmaster.pid'), 'utf8').split('\n')[0])
  const killedAt = performance.now()
  leader.process.kill('SIGKILL')
  process.kill(postmaster, 'SIGKILL')
  console.log(`killed the leader ${leader.name} (Patroni and PostgreSQL) after ${before} memories were stored`)
  await waitFor('pushes after the failover', async () => work.lastAnswerAt > killedAt + 1000)
  const outage = work.lastAnswerAt - killedAt
  await Bun.sleep(5000)
  await work.stop()

  const successor = await waitForLeader()
  const fed = await feedOf(first)
  const lost = work.answered.filter((id) => !fed.includes(id))
  const twice = fed.length - new Set(fed).size
  const unseen = fed.filter((id) => !work.followed.has(id))
  console.log(
    `${new Date().toISOString().slice(0, 10)}, PostgreSQL ${await serverVersion(successor)}, Patroni, synchronous replication, ${LAPTOPS} laptops`,
  )
  console.log(`leader before ${leader.name}, after ${successor.name}; writes went on ${seconds(outage)} after the kill`)
  console.log(
    `${work.answered.length} memories answered (${work.answered.length - before} after the kill), ${work.retries} requests repeated`,
  )
  console.log(
    `lost ${lost.length}, stored twice ${twice}, missed by the laptop that followed the feed ${unseen.length}, received twice ${work.repeated}`,
  )
  await hub.stop()
  rmSync(home, { recursive: true, force: true })
  return lost.length + twice + unseen.length + work.repeated === 0 && successor.name !== leader.name
}

async function startCluster(): Promise<void> {
  await own(folder)
  const [client, peer] = [closedPort(), closedPort()]
  const urls = { client: `http://127.0.0.1:${client}`, peer: `http://127.0.0.1:${peer}` }
  run(
    `etcd --data-dir ${folder}/etcd --listen-client-urls ${urls.client} --advertise-client-urls ${urls.client} --listen-peer-urls ${urls.peer} ` +
      `--initial-advertise-peer-urls ${urls.peer} --initial-cluster default=${urls.peer}`,
    'etcd',
  )
  await waitFor('etcd', async () => (await fetch(`${urls.client}/health`)).ok)
  for (const name of ['n1', 'n2']) {
    const node = { name, port: closedPort(), api: closedPort(), data: join(folder, name), config: join(folder, `${name}.yml`) }
    writeFileSync(node.config, patroniConfig(node, client))
    await own(node.config)
    nodes.push({ ...node, process: run(`patroni ${node.config}`, name) })
    // The first one must have created the cluster, or both would try.
    if (name === 'n1') await waitForLeader()
  }
}

function patroniConfig({ name, port, api, data }: Omit<Node, 'process'>, etcd: number): string {
  return `
scope: recollect
name: ${name}
restapi: {listen: '127.0.0.1:${api}', connect_address: '127.0.0.1:${api}'}
etcd3: {host: '127.0.0.1:${etcd}'}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 4
    synchronous_mode: true
    postgresql: {use_pg_rewind: true, parameters: {max_connections: 60}}
  initdb: [{encoding: UTF8}, {auth: trust}]
  pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']
postgresql:
  listen: '127.0.0.1:${port}'
  connect_address: '127.0.0.1:${port}'
  data_dir: ${data}
  bin_dir: ${programs}
  authentication: {superuser: {username: postgres}, replication: {username: postgres}, rewind: {username: postgres}}
  parameters: {unix_socket_directories: '${folder}'}
`
}

async function own(path: string): Promise<void> {
  if (isRoot) await Bun.spawn(['chown', 'postgres', path]).exited
  else chmodSync(path, 0o700)
}

function run(command: string, name: string): Subprocess {
  const words = command.split(' ')
  const log = Bun.file(join(folder, `${name}.log`))
  // `setpriv` becomes the program, so that its pid is the one we kill; `runuser` would stay between.
  const child = Bun.spawn(isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...words] : words, {
    cwd: folder,
    stdin: 'ignore',
    stdout: log,
    stderr: log,
    env: { PATH: process.env.PATH ?? '', HOME: folder },
  })
  started.push(child)
  return child
}

async function findLeader(): Promise<Node | null> {
  for (const node of nodes) {
    const answer = await fetch(`http://127.0.0.1:${node.api}/leader`, { signal: AbortSignal.timeout(2000) }).catch(() => null)
    if (answer?.status === 200) return node
  }
  return null
}

async function waitForLeader(): Promise<Node> {
  let leader: Node | null = null
  await waitFor('a leader', async () => {
    leader = await findLeader()
    return leader !== null
  })
  return leader as unknown as Node
}

async function waitFor(what: string, isThere: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 120_000
  while (performance.now() < until) {
    if (await isThere().catch(() => false)) return
    await Bun.sleep(200)
  }
  throw new Error(
    `no ${what} within two minutes; ${nodes.map(({ name }) => readFileSync(join(folder, `${name}.log`), 'utf8').slice(-600)).join('\n')}`,
  )
}

async function sqlOnLeader(leader: Node, text: string): Promise<number> {
  const database = openDatabase(`postgres://postgres@127.0.0.1:${leader.port}/postgres`, 1)
  try {
    return (await database.query<{ n: number }>(text))[0]?.n ?? 0
  } finally {
    await database.close()
  }
}
function serverVersion(leader: Node): Promise<number> {
  return sqlOnLeader(leader, `SELECT (current_setting('server_version_num')::int / 10000)::int AS n`)
}

type Pair = { other: Socket<Pair> | null; waiting: Uint8Array[] }

/** Passes connections on to the leader. Connections to a leader that is gone end with it. */
function followLeader(): number {
  const listener = Bun.listen<Pair>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: async (client) => {
        client.data = { other: null, waiting: [] }
        const leader = await findLeader()
        try {
          if (!leader) throw new Error('there is no leader')
          const server = await Bun.connect<Pair>({
            hostname: '127.0.0.1',
            port: leader.port,
            data: { other: client, waiting: [] },
            socket: {
              data: (server, bytes) => void server.data.other?.write(bytes),
              close: (server) => void server.data.other?.end(),
              error: (server) => void server.data.other?.end(),
            },
          })
          client.data.other = server
          for (const bytes of client.data.waiting) server.write(bytes)
        } catch {
          client.end()
        }
      },
      data: (client, bytes) => {
        if (client.data.other) client.data.other.write(bytes)
        else client.data.waiting.push(Uint8Array.from(bytes))
      },
      close: (client) => void client.data?.other?.end(),
      error: (client) => void client.data?.other?.end(),
    },
  })
  return listener.port
}

/** Laptops push small batches and repeat each until it is answered; one of them also follows the feed. */
function startLaptops(laptops: HubClient[]) {
  const state = {
    answered: [] as string[],
    followed: new Set<string>(),
    repeated: 0,
    retries: 0,
    lastAnswerAt: 0,
    isDone: false,
    isQuiet: false,
  }
  const pushing = laptops.map(async (laptop, l) => {
    for (let i = 0; !state.isDone; i++) {
      const memories = Array.from({ length: BATCH }, (_, j) => aMemory(`l${l}-${i}-${j}`))
      while (
        (await laptop('POST /v1/push', { project: 'p', memories }).then(
          ({ status }) => status,
          () => 0,
        )) !== 200
      ) {
        state.retries++
        await Bun.sleep(250)
      }
      state.answered.push(...memories.map(({ id }) => id))
      state.lastAnswerAt = performance.now()
      await Bun.sleep(20)
    }
  })
  const following = (async () => {
    let cursor = 0
    for (let isLast = false; !isLast; ) {
      isLast = state.isQuiet
      const page = await laptops[0]?.('GET /v1/pull', { project: 'p', after: cursor, limit: 500 }).catch(() => null)
      if (page?.status === 200) {
        for (const { id } of page.value.memories) {
          if (state.followed.has(id)) state.repeated++
          state.followed.add(id)
        }
        cursor = page.value.more ? (page.value.memories.at(-1)?.seq ?? cursor) : page.value.head
        if (page.value.more) isLast = false
      } else isLast = false
      await Bun.sleep(100)
    }
  })()
  return Object.assign(state, {
    stop: async () => {
      state.isDone = true
      await Promise.all(pushing)
      state.isQuiet = true
      await following
    },
  })
}

async function feedOf(laptop: HubClient): Promise<string[]> {
  const ids: string[] = []
  for (let after = 0, more = true; more; ) {
    const page = await expectOk(laptop('GET /v1/pull', { project: 'p', after, limit: 500 }))
    ids.push(...page.memories.map(({ id }) => id))
    after = page.memories.at(-1)?.seq ?? page.head
    more = page.more
  }
  return ids
}
