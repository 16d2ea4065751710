import { mkdirSync } from 'node:fs'
import { aHome, type FaultyHome, type Ran } from './home.ts'

/** A payload and the arguments after `recollect`. */
export type Delivery = { stdin: string | Uint8Array<ArrayBuffer>; args: string[] }

/** A way in which hook payloads reach the memory. A new one is a row in `ENTRANCES`; every case runs through each row. */
export type Entrance = { name: string; deliver(at: FaultyHome, deliveries: Delivery[]): Promise<Ran[]> }

export const ENTRANCES: Entrance[] = [
  {
    name: 'over the socket',
    deliver: async (at, deliveries) => {
      await at.run('', 'start')
      return inOrder(at, deliveries)
    },
  },
  {
    name: 'through the spool',
    deliver: async (at, deliveries) => {
      for (const folder of [at.home.folder, at.home.run]) mkdirSync(folder, { recursive: true, mode: 0o700 })
      const lock = at.holdWorkerBack()
      const ran = await inOrder(at, deliveries)
      lock.release()
      await at.run('', 'start')
      await at.settled()
      return ran
    },
  },
]

/** Delivers through one entrance to a home of its own. */
export async function deliverThrough(entrance: Entrance, deliveries: Delivery[]): Promise<{ at: FaultyHome; ran: Ran[] }> {
  const at = aHome()
  return { at, ran: await entrance.deliver(at, deliveries) }
}

async function inOrder(at: FaultyHome, deliveries: Delivery[]): Promise<Ran[]> {
  const ran: Ran[] = []
  for (const { stdin, args } of deliveries) ran.push(await at.run(stdin, ...args))
  return ran
}
