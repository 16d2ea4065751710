import { type Evaluation, evaluate } from '../evaluate/evaluate.ts'
import { claudeCode } from '../integrations/agent.ts'
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

/** What was measured, and by which embedder; null where questions would have to be sent over the network, or there is none. */
export type HomeEvaluation = Evaluation & { embedder: string | null }

/**
 * Measures the memory of a home beside its worker, in a process of its own: nobody's hook waits for it. The database is opened for reading;
 * what has to be taken apart is a copy in the home. Null when there is no database.
 */
export async function* evaluateHome(
  wish: { project: string | undefined; limit: number },
  environment: Environment = readEnvironment(),
): AsyncGenerator<{ done: number; of: number; what: string }, HomeEvaluation | null> {
  const home = homePaths(environment)
  if (!exists(home.database)) return null
  keepFilesPrivate()
  const { embedder } = loadSettings(environment).settings
  const store = await openStore(home.database, { readonly: true })
  try {
    const project = await resolveProject({ store }, wish.project)
    yield { done: 0, of: 1, what: 'copying the database' }
    const copy = await openUnlinkedCopy(store, `${home.run}/eval-${process.pid}.db`)
    const embedding = openEmbedding(store, () => embedder, home.models, { info: () => {}, warn: () => {} })
    try {
      if (embedder.provider !== 'http') await embedding.warm()
      const opened = embedder.provider === 'http' ? null : await embedding.state()
      const meaning = opened?.kind === 'ready' ? openSemanticSearch(embedding) : null
      const measured = yield* evaluate(store, copy, { ...wish, project }, { readAction: claudeCode.readAction, meaning })
      return { ...measured, embedder: meaning ? embedder.provider : null }
    } finally {
      await embedding.stop()
      copy.close()
    }
  } finally {
    store.close()
  }
}

/** A copy that loses its name as soon as it is open: however this ends, nothing of it is left on the disk. */
async function openUnlinkedCopy(store: Awaited<ReturnType<typeof openStore>>, path: string) {
  try {
    store.space.copyTo(path)
    return await openStore(path)
  } finally {
    for (const suffix of ['', '-wal', '-shm']) removeFile(path + suffix)
  }
}
