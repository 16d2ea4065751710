import { initHub } from '../../src/hub/hub.ts'
import { openPglite } from './pglite-database.ts'
import type { HubLogins } from './team.ts'

/** A hub's database inside the test's process, with both logins. */
export async function pgliteLogins(): Promise<HubLogins> {
  const database = await openPglite()
  const operator = database.as('postgres')
  await initHub(operator, { partitions: 2, newPassword: false })
  return { operator, hub: database.as('recollect_hub'), close: () => database.close() }
}
