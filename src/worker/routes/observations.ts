import type { observations } from '../../wire/contract/observations.ts'
import { noSuchMemory } from '../missing-memory.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'

export const handlers = {
  'POST /api/observations/batch': ({ store }, { ids }) => store.observations.get(ids),
  'GET /api/observations/:id': readObservation,
  'DELETE /api/observations/:id': forgetObservation,
  'POST /api/observations/:id/restore': restoreObservation,
} satisfies Handlers<typeof observations>

async function readObservation({ store }: Services, { id }: { id: number }) {
  const [observation] = await store.observations.get([id])
  const forgotten = observation ? null : await store.observations.getForgotten(id)
  return { observation: observation ?? forgotten?.observation ?? null, forgottenAt: forgotten?.at ?? null }
}

async function forgetObservation(services: Services, { id, hard }: { id: number; hard: boolean }) {
  const { store } = services
  const forget = async () => {
    const observation = await store.observations.forget(id, Date.now())
    // Otherwise a search for what its turn did would still find it.
    const turn = observation && (await store.prompts.byNumber(observation.sessionId, observation.promptNumber))
    if (turn) await store.prompts.setActivity(turn, '')
    const erased = hard ? await store.observations.eraseForgotten({ id }) : 0
    if (!observation && erased === 0) return false
    await store.audit.add({ at: Date.now(), action: hard ? 'erase' : 'forget', subject: `observation:${id}`, details: {} })
    return true
  }
  // Secure even when it can be restored: a later erase would not reach the copy that stays in the file.
  const isForgotten = await store.withSecureDelete(() => store.transaction(forget))
  if (!isForgotten) throw noSuchMemory('observation', id)
  services.announce([{ kind: 'observation-removed', id }])
  return { kind: hard ? ('erased' as const) : ('forgotten' as const), id }
}

async function restoreObservation(services: Services, { id }: { id: number }) {
  const { store } = services
  const observation = await store.transaction(async () => {
    const restored = await store.observations.restore(id)
    if (!restored) return null
    await store.audit.add({ at: Date.now(), action: 'restore', subject: `observation:${id}`, details: {} })
    // Distilling its turn again links it to its neighbours.
    const turn = { sessionId: restored.sessionId, number: restored.promptNumber }
    await store.jobs.add('distill', `${turn.sessionId}:${turn.number}`, turn, Date.now())
    return restored
  })
  if (!observation) throw new BadRequest(`observation #${id} cannot be restored: it is not forgotten, or it has been erased`)
  services.announce([{ kind: 'observation-added', observation }])
  services.queue.kick()
  return { kind: 'restored' as const, observation }
}
