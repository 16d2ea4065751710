import { PGlite } from '@electric-sql/pglite'
import type { HubDatabase } from '../../src/hub/hub.ts'

/** An empty PostgreSQL inside the test's process. It has one connection, so what happens at once is not tested with it. */
export async function openPglite() {
  const lite = await PGlite.create()
  const turn = oneAtATime()
  return { as: (role: string) => loginTo(lite, role, turn), close: () => lite.close(), [Symbol.asyncDispose]: () => lite.close() }
}

type Turn = <T>(work: () => Promise<T>) => Promise<T>

/** Lets one piece of work run after the other. */
function oneAtATime(): Turn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next.catch(() => {})
    return next
  }
}

/** PGlite has one session; changing its authorization is what logging in as another role would do. */
function loginTo(lite: PGlite, role: string, turn: Turn): HubDatabase {
  const query: HubDatabase['query'] = async (text, values = []) => (await lite.query(text, values)).rows as never
  const script: HubDatabase['script'] = async (text) => void (await lite.exec(text))
  const transaction: HubDatabase['transaction'] = (work) =>
    turn(async () => {
      await lite.exec(`SET SESSION AUTHORIZATION ${role}; BEGIN`)
      try {
        const result = await work(query, script)
        await lite.exec('COMMIT')
        return result
      } catch (cause) {
        await lite.exec('ROLLBACK')
        throw cause
      } finally {
        await lite.exec('RESET SESSION AUTHORIZATION')
      }
    })
  return {
    query: (text, values) => transaction(() => query(text, values)),
    script: (text) => transaction(() => script(text)),
    transaction,
    close: async () => {},
  }
}
