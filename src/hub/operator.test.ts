import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fakeDatabase, postgresError } from '../../test/support/fake-database.ts'
import { openPglite } from '../../test/support/pglite-database.ts'
import { aMemory, expectOk, type Member, startTestHub, type TestHub } from '../../test/support/team.ts'
import { initHub, SCHEMA_VERSION } from './init.ts'
import { OperationRefused, openOperator } from './operator.ts'

const START_TIMEOUT_MS = 300_000
let database: Awaited<ReturnType<typeof openPglite>>
let at: TestHub
let ada: Member
let bob: Member

beforeAll(async () => {
  database = await openPglite()
  const superuser = database.as('postgres')
  // As on a managed service: the operator may create roles and owns the database, and is no superuser.
  await superuser.script('CREATE ROLE manager LOGIN CREATEROLE; ALTER DATABASE postgres OWNER TO manager')
  const operator = database.as('manager')
  await initHub(operator, { partitions: 2, newPassword: false })
  at = await startTestHub({ operator, hub: database.as('recollect_hub'), close: async () => {} })
  ada = await at.join('Ada')
  bob = await at.join('Bob')
  await expectOk(ada.call('POST /v1/projects', { key: 'shop', title: 'Shop' }))
  await at.operator.changeGrant('shop', 'Bob', 'write')
}, START_TIMEOUT_MS)
afterAll(async () => {
  await at?.stop()
  await database.close()
})

const push = (id: string) => expectOk(bob.call('POST /v1/push', { project: 'shop', memories: [aMemory(id)] }))

test('an operator who is no superuser gives rights and decides that a project requires review, and the audit trail names them', async () => {
  expect((await push('a')).results).toMatchObject([{ kind: 'stored', state: 'accepted' }])
  await at.operator.changeProject('shop', { review: true })
  expect((await push('b')).results).toMatchObject([{ kind: 'stored', state: 'proposed' }])
  expect(await at.operator.projects()).toMatchObject([{ key: 'shop', review: true, members: 2 }])
  const changes = (await at.operator.audit('shop', null, 10)).filter(({ action }) => action === 'project-changed')
  expect(changes).toMatchObject([{ member: null, details: { operator: 'manager', review: true } }])
})

test('before a project forgets old memories, an operator learns how many', async () => {
  await push('old')
  await database.as('postgres').query(
    `WITH t AS (SELECT set_config('session_replication_role', 'replica', true))
     UPDATE recollect.memories SET changed_at = now() - interval '31 days' FROM t WHERE id = 'old'`,
  )
  expect([await at.operator.countExpiring('shop', 30), await at.operator.countExpiring('shop', 40)]).toEqual([1, 0])
})

test('a refusal has a reason and changes no rights', async () => {
  const refused = await at.operator.changeGrant('shop', 'Carol', 'curate').catch((cause) => cause)
  expect(refused).toBeInstanceOf(OperationRefused)
  expect(refused.message).toContain('there is no member with this name')
  await expect(at.operator.changeProject('shop\0', { review: false })).rejects.toThrow(new OperationRefused('a value cannot be stored'))
  expect(await at.operator.projects()).toMatchObject([{ key: 'shop', members: 2 }])
})

test("the hub's own role may not manage the hub", async () => {
  await expect(openOperator(database.as('recollect_hub')).members()).rejects.toThrow('the role recollect_hub may not manage the hub')
})

test.each([
  ['without a hub', { role: { exists: false } }, 'this database has no hub'],
  ['without a schema', { table: { exists: false } }, 'this database has no hub'],
  ['with a newer schema', { version: { version: SCHEMA_VERSION + 1 } }, 'install a newer recollect'],
  ['with an older schema', { version: { version: SCHEMA_VERSION - 1 } }, "run 'recollect hub init"],
])('a database %s is not managed', async (_, { role, table, version }: Record<string, object>, reason) => {
  const database = fakeDatabase({
    session_user: [{ name: 'manager', exists: true, owner: true, ...role }],
    to_regclass: [{ exists: true, ...table }],
    'SELECT version': [{ version: SCHEMA_VERSION, ...version }],
  })
  await expect(openOperator(database).members()).rejects.toThrow(reason as string)
  expect(database.asked.filter((text) => text.includes('recollect.members'))).toEqual([])
})

test('a database that does not answer is not taken for a refusal', async () => {
  const fail = () => {
    throw postgresError('57P01', 'terminating connection')
  }
  await expect(openOperator(fakeDatabase({ session_user: fail })).members()).rejects.toThrow('terminating connection')
})
