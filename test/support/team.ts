/** A hub with a team: one member of every kind, and a project with a memory of every kind. */
import { sharedHash } from '../../src/core/shared-hash.ts'
import { type HubDatabase, initHub, openDatabase, openOperator, startHub } from '../../src/hub/hub.ts'
import type { Log } from '../../src/platform/log.ts'
import type { hub, SharedBody } from '../../src/wire/contract/hub.ts'
import type { RequestType, ResponseType } from '../../src/wire/contract/route.ts'
import type { Postgres } from './postgres.ts'

type Contract = typeof hub
export type HubRoute = Exclude<keyof Contract, 'GET /v1/stream'>

/** The two logins of a hub's database. */
export type HubLogins = { operator: HubDatabase; hub: HubDatabase; close(): Promise<void> }

export async function postgresLogins(postgres: Postgres): Promise<HubLogins & { hubUrl: string; operatorUrl: string }> {
  const name = await postgres.newDatabase()
  const operatorUrl = postgres.url(name)
  const hubUrl = postgres.url(name, 'recollect_hub')
  const operator = openDatabase(operatorUrl, 4)
  await initHub(operator, { partitions: 4, newPassword: false })
  const hubLogin = openDatabase(hubUrl, 8)
  const close = async () => void (await Promise.all([operator.close(), hubLogin.close()]))
  return { operator, hub: hubLogin, hubUrl, operatorUrl, close }
}

export type LogLine = { fact: string; numbers: Record<string, unknown> }

/** A log that a test can read. */
function collectedLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = []
  const write: Log['info'] = (fact, numbers = {}) => void lines.push({ fact, numbers })
  return { log: { info: write, warn: write }, lines }
}

export const aBody = (fields: Partial<SharedBody> = {}): SharedBody => ({
  type: 'semantic',
  namespace: 'decisions',
  title: 'Favourites are kept in SQLite',
  text: 'A JSON file would lose changes of concurrent writers.',
  tags: ['storage'],
  supersedes: [],
  confidence: 1,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  expiresAt: null,
  ...fields,
})

export const aMemory = (id: string, fields: Partial<SharedBody> = {}, base: string | null = null, kind: 'note' | 'distilled' = 'note') => ({
  id,
  kind,
  base,
  body: aBody({ title: `Memory ${id}`, ...fields }),
})
export const hashOf = (memory: { body: SharedBody | null }) => sharedHash(memory.body)

export type HubAnswer<T> = { status: number; value: T; error: string }

/** Calls a hub as a device does. */
export function hubClient(base: string, token: string | null) {
  return async <Name extends HubRoute>(
    name: Name,
    request: RequestType<Contract[Name]>,
  ): Promise<HubAnswer<ResponseType<Contract[Name]>>> => {
    const [method = '', template = ''] = name.split(' ')
    const fields = new Map(Object.entries(request))
    const path = template.replace(/:(\w+)/g, (_, field: string) => {
      const value = String(fields.get(field))
      fields.delete(field)
      return value
    })
    const query =
      method === 'GET' ? `?${new URLSearchParams(Object.fromEntries([...fields].map(([key, value]) => [key, String(value)])))}` : ''
    const response = await fetch(`${base}${path}${query}`, {
      method,
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(method === 'GET' ? {} : { body: JSON.stringify(Object.fromEntries(fields)) }),
    })
    const text = await response.text()
    const value = text === '' ? {} : JSON.parse(text)
    return { status: response.status, value, error: value.error ?? '' }
  }
}
export type HubClient = ReturnType<typeof hubClient>

export type Member = { id: string; device: string; token: string; call: HubClient }

/** A running hub whose members a test invites. */
export async function startTestHub(logins: HubLogins) {
  const { log, lines } = collectedLog()
  const running = await startHub(logins.hub, { host: '127.0.0.1', port: 0, tls: null, metrics: null }, log)
  const base = `http://127.0.0.1:${running.port}`
  const operator = openOperator(logins.operator)
  const join = async (name: string, role: 'member' | 'admin' = 'member'): Promise<Member> => {
    const { code, member } = await operator.invite({ name, role, grants: [], hours: 1, deviceOf: null })
    return enrol(code, member)
  }
  const enrol = async (code: string, id: string): Promise<Member> => {
    const { status, value, error } = await hubClient(base, null)('POST /v1/enrol', { code, device: 'laptop' })
    if (status !== 200) throw new Error(error)
    return { id, device: value.device.id, token: value.token, call: hubClient(base, value.token) }
  }
  return { base, operator, join, enrol, lines, nobody: hubClient(base, null), running, stop: () => running.stop() }
}

export type TestHub = Awaited<ReturnType<typeof startTestHub>>

/** In the order of their rights; the last three have no working token. */
export const KINDS = ['author', 'writer', 'reader', 'curator', 'admin', 'stranger', 'revoked', 'erased', 'nobody'] as const
export type Kind = (typeof KINDS)[number]

/** The memories of the project `shared`, which requires review, by what became of them. */
export const MEMORY_KINDS = ['accepted', 'proposed', 'rejected', 'deleted', 'distilled', 'kept'] as const
export type MemoryState = (typeof MEMORY_KINDS)[number]

/** A hub with a member of every kind. `author` has written one memory of every kind. */
export async function startTeam(logins: HubLogins) {
  const at = await startTestHub(logins)
  const names = KINDS.filter((kind) => kind !== 'nobody')
  const joined = new Map<Kind, Member>()
  for (const name of names) joined.set(name, await at.join(name, name === 'admin' ? 'admin' : 'member'))
  joined.set('nobody', { id: '', device: '', token: '', call: at.nobody })
  const member = (kind: Kind): Member => {
    const found = joined.get(kind)
    if (!found) throw new Error(`there is no ${kind}`)
    return found
  }
  const heir = await at.join('heir')
  const curator = member('curator')
  await expectOk(curator.call('POST /v1/projects', { key: 'shared', title: 'Shared', review: true }))
  await expectOk(curator.call('POST /v1/projects', { key: 'open', title: 'Open' }))
  for (const project of ['shared', 'open'])
    for (const [kind, may] of [
      ['author', 'write'],
      ['writer', 'write'],
      ['reader', 'read'],
      ['revoked', 'write'],
      ['erased', 'write'],
    ] as const)
      await expectOk(curator.call('PUT /v1/grants', { project, member: kind, may }))
  for (const project of ['shared', 'open']) await expectOk(curator.call('PUT /v1/grants', { project, member: 'heir', may: 'write' }))
  const author = member('author')
  const push = (memories: ReturnType<typeof aMemory>[]) => expectOk(author.call('POST /v1/push', { project: 'shared', memories }))
  const kept = aMemory('accepted', { title: 'A waiting version zebra' })
  await push(
    ['accepted', 'proposed', 'rejected', 'deleted', 'distilled'].map((id) =>
      aMemory(id, { title: `Memory ${id} zebra` }, null, id === 'distilled' ? 'distilled' : 'note'),
    ),
  )
  for (const id of ['accepted', 'deleted', 'distilled', 'rejected'])
    await expectOk(
      curator.call('POST /v1/review', {
        project: 'shared',
        id,
        hash: hashOf(aMemory(id, { title: `Memory ${id} zebra` })),
        verdict: id === 'rejected' ? 'rejected' : 'accepted',
      }),
    )
  await expectOk(author.call('POST /v1/push', { project: 'shared', memories: [{ id: 'deleted', kind: 'note', base: null, body: null }] }))
  const proposed = await push([{ ...kept, base: hashOf(aMemory('accepted', { title: 'Memory accepted zebra' })) }])
  const [waiting] = proposed.results
  const keptAs = waiting?.kind === 'proposed' ? waiting.keptAs : ''
  await at.operator.revokeDevice(member('revoked').device)
  await at.operator.erase('erased', false)
  return { ...at, member, heir, keptAs }
}
export type Team = Awaited<ReturnType<typeof startTeam>>

export async function expectOk<T>(answer: Promise<HubAnswer<T>>): Promise<T> {
  const { status, value, error } = await answer
  if (status !== 200) throw new Error(`the hub answered ${status}: ${error}`)
  return value
}
