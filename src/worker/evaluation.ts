import { type Evaluation, evaluate } from '../evaluate/evaluate.ts'
import { agents } from '../integrations/agent.ts'
import { type Environment, readEnvironment } from '../platform/environment.ts'
import { exists } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import { homePaths } from '../platform/paths.ts'
import { keepFilesPrivate } from '../platform/processes.ts'
import { loadSettings } from '../platform/settings.ts'
import { openStore } from '../store/store.ts'
import { openEmbedding } from './embedding.ts'
import { resolveProject } from './request-params.ts'
import { openSemanticSearch } from './semantic-search.ts'
import { readActionWith } from './services.ts'

export { CorruptDatabase, NewerDatabase } from '../store/store.ts'
export { BadRequest } from './server.ts'

/** The measurements and the embedder used; null without an embedder, or when queries would have to leave the machine. */
export type HomeEvaluation = Evaluation & { embedder: string | null }

/**
 * Measures the memory of a home in a process of its own, so no hook waits for it. The home's database is opened for reading only; the
 * evaluation modifies a copy. Null when there is no database.
 */
export async function* evaluateHome(
  options: { project: string | undefined; limit: number },
  environment: Environment = readEnvironment(),
): AsyncGenerator<{ done: number; of: number; what: string }, HomeEvaluation | null> {
  const home = homePaths(environment)
  if (!exists(home.database)) return null
  keepFilesPrivate()
  const { embedder } = loadSettings(environment).settings
  const store = await openStore(home.database, { readonly: true })
  try {
    const project = await resolveProject({ store }, options.project)
    yield { done: 0, of: 1, what: 'copying the database' }
    const copy = await openUnlinkedCopy(store, `${home.run}/eval-${process.pid}.db`)
    const embedding = openEmbedding(store, () => embedder, home.models, { info: () => {}, warn: () => {} })
    try {
      if (embedder.provider !== 'http') await embedding.warm()
      const opened = embedder.provider === 'http' ? null : await embedding.state()
      const meaning = opened?.kind === 'ready' ? openSemanticSearch(embedding) : null
      const measured = yield* evaluate(store, copy, { ...options, project }, { readAction: readActionWith(agents), meaning })
      return { ...measured, embedder: meaning ? embedder.provider : null }
    } finally {
      await embedding.stop()
      copy.close()
    }
  } finally {
    store.close()
  }
}

/** Opens a copy and deletes its files at once, so nothing is left on the disk even after a crash. */
async function openUnlinkedCopy(store: Awaited<ReturnType<typeof openStore>>, path: string) {
  try {
    store.space.copyTo(path)
    return await openStore(path)
  } finally {
    for (const suffix of ['', '-wal', '-shm']) removeFile(path + suffix)
  }
}
