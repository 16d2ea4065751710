import { agents } from '../integrations/agent.ts'
import { type Environment, readEnvironment } from '../platform/environment.ts'
import { exists, fileSizeBytes } from '../platform/files.ts'
import { homePaths } from '../platform/paths.ts'
import { loadSettings } from '../platform/settings.ts'
import { checkDatabase, openStore } from '../store/store.ts'
import type { HttpRequest } from '../wire/call.ts'
import { openEmbedding } from './embedding.ts'
import { notebookOf } from './notebook.ts'
import { type Control, findRoute, openRouter } from './router.ts'
import { openQuickSemanticSearch, openSemanticSearch } from './semantic-search.ts'
import { inProcessTransport } from './server.ts'
import { captureRules, redactPatterns, type Services } from './services.ts'
import { openStream } from './stream.ts'
import { openTurnLocks } from './turn-locks.ts'
import { openViewerFiles } from './viewer-files.ts'
import { openVisitors } from './visitors.ts'

export { NewerDatabase } from '../store/store.ts'

/** Whether a request changes nothing, so that it can be answered without the worker. */
export function isReadOnlyRequest(method: string, path: string): boolean {
  const [name = ''] = path.split('?')
  return findRoute(method, name)?.route.readOnly === true
}

export { newerDatabaseProblem } from '../store/store.ts'

/** The first problem of a database that no worker uses; null when it is intact, does not exist, or cannot be read at all. */
export function findDatabaseDamage(path: string): string | null {
  if (!exists(path)) return null
  // SQLite takes an empty file for a new database.
  if (fileSizeBytes(path) === 0) return 'the file is empty'
  try {
    return checkDatabase(path)[0] ?? null
  } catch {
    return null
  }
}

/** Whether a database that no worker uses can be opened; true if there is none yet. */
export async function canOpenDatabase(path: string): Promise<boolean> {
  if (!exists(path)) return true
  try {
    await (await openStore(path, { readonly: true })).close()
    return true
  } catch {
    return false
  }
}

/**
 * Answers a read-only request with the worker's own routes on a database that is opened read-only, for a home where no worker can start.
 * Writes nothing and opens no port. Null when there is no database.
 */
export async function answerOffline(request: HttpRequest, environment: Environment = readEnvironment()): Promise<Response | null> {
  const home = homePaths(environment)
  if (!exists(home.database)) return null
  const { settings } = loadSettings(environment)
  const store = await openStore(home.database, { readonly: true })
  const log = { info: () => {}, warn: () => {} }
  const embedding = openEmbedding(store, () => settings.embedder, home.models, log)
  const stopping = new AbortController()
  const nothing = async () => {}
  const services: Services = {
    home,
    environment,
    settings,
    store,
    log,
    stream: openStream('offline'),
    agents,
    rules: (agent) => captureRules(settings, agent),
    notebook: notebookOf(store, home, redactPatterns(settings), 'offline'),
    semanticSearch: openSemanticSearch(embedding),
    quickSemanticSearch: openQuickSemanticSearch(embedding),
    embedding,
    queue: { kick: () => {}, takeBack: nothing, isBusy: () => false, drained: nothing, stop: nothing },
    modelOpened: Promise.resolve(),
    withTurnLock: openTurnLocks(),
    visitors: openVisitors(home.visitors),
    viewer: openViewerFiles(home, log),
    textModel: { kind: 'absent', reason: 'the worker does not run' },
    stopSignal: stopping.signal,
    announce: () => {},
    team: async () => {
      throw new Error('without a worker there is no exchange with the hub')
    },
  }
  const control: Control = {
    port: () => 0,
    startedAt: Date.now(),
    unstoredEvents: () => 0,
    reportEvent: () => {},
    stop: () => {},
    mcp: async () => new Response(null, { status: 503 }),
  }
  try {
    if (/^\/api\/(?:search|timeline)/.test(request.path)) await embedding.warm()
    const response = await inProcessTransport(openRouter(services, control), null)(request)
    // Read to the end: the store is closed before the caller reads.
    return new Response(await response.text(), { status: response.status, headers: response.headers })
  } finally {
    await embedding.stop()
    store.close()
  }
}
