import { outcomeOf } from '../../retrieval/outcomes.ts'
import type { observations } from '../../wire/contract/observations.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'
import { deleteNow } from './forget.ts'

export const handlers = {
  'POST /api/observations/batch': ({ store }, { ids }) => store.observations.get(ids),
  'GET /api/observations/:id': readObservation,
  'DELETE /api/observations/:id': async (services, { id, hard }) => {
    await deleteNow(services, { ids: [`#${id}`], hard })
    return { kind: hard ? ('erased' as const) : ('forgotten' as const), id }
  },
  'POST /api/observations/:id/restore': restoreObservation,
} satisfies Handlers<typeof observations>

async function readObservation({ store }: Services, { id }: { id: number }) {
  const [observation] = await store.observations.get([id])
  const forgotten = observation ? null : await (await store.deletions()).deletedObservation(id)
  const outcome = observation ? await outcomeOf(store, { sessionId: observation.sessionId, turn: observation.promptNumber }, null) : null
  return { observation: observation ?? forgotten?.observation ?? null, forgottenAt: forgotten?.at ?? null, outcome }
}

async function restoreObservation(services: Services, { id }: { id: number }) {
  const { restore } = await import('../restore.ts')
  const { unchanged } = await restore(services, [`#${id}`], Date.now())
  const [observation] = await services.store.observations.get([id])
  if (!observation || unchanged.length > 0)
    throw new BadRequest(`observation #${id} cannot be restored: it is not forgotten, or it has been erased`)
  return { kind: 'restored' as const, observation }
}
