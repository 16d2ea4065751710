import { installWeights, knownEmbedders, removeWeights } from '../../providers/known-embedders.ts'
import type { EmbedderList, embedder } from '../../wire/contract/embedder.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'

export const handlers = {
  'GET /api/embedder': listEmbedders,
  'POST /api/embedder/weights': async (services, { tarball }) => {
    const reason = await installWeights(services.home.models, tarball)
    if (reason !== null) throw new BadRequest(reason)
    return reload(services)
  },
  'POST /api/embedder/remove': (services) => {
    removeWeights(services.home.models)
    return reload(services)
  },
  'POST /api/embedder/reload': reload,
} satisfies Handlers<typeof embedder>

async function listEmbedders({ embedding, home }: Services): Promise<EmbedderList> {
  return { inUse: await embedding.report(), known: await knownEmbedders(home.models) }
}

/** Opens the embedder with the current settings and weights. */
async function reload(services: Services): Promise<EmbedderList> {
  await services.embedding.reload()
  services.queue.kick()
  return listEmbedders(services)
}
