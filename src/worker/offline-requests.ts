import { agents } from '../integrations/agent.ts'
import { type Environment, readEnvironment } from '../platform/environment.ts'
import { exists } from '../platform/files.ts'
import { homePaths } from '../platform/paths.ts'
import { loadSettings } from '../platform/settings.ts'
import { openStore } from '../store/store.ts'
import { openEmbedding } from './embedding.ts'
import { notebookOf } from './notebook.ts'
import { routes } from './routes.ts'
import { openQuickSemanticSearch, openSemanticSearch } from './semantic-search.ts'
import { BadRequest } from './server.ts'
import { captureRules, redactPatterns, type Services } from './services.ts'
import { openStream } from './stream.ts'
import { openTurnLocks } from './turn-locks.ts'
import { openViewerFiles } from './viewer-files.ts'
import { openVisitors } from './visitors.ts'

const READ_ONLY_POSTS = ['/api/context/inject', '/api/memories/batch', '/api/observations/batch', '/api/search', '/api/timeline']

/** Whether a question changes nothing, so that it can be answered without the worker. */
export function isReadOnlyRequest(method: string, path: string): boolean {
  const [name = ''] = path.split('?')
  return (method === 'GET' && name !== '/stream') || (method === 'POST' && READ_ONLY_POSTS.includes(name))
}

/**
 * Answers a question that changes nothing by the worker's own routes, on a database that is opened for reading only. For a home in which
 * no worker can be started: nothing is written, no port is opened, nobody is told. Null when there is no database.
 */
export async function answerWithoutWorker(
  path: string,
  question: { method?: string; body?: string | Uint8Array<ArrayBuffer> },
  environment: Environment = readEnvironment(),
): Promise<{ status: number; body: string } | null> {
  const home = homePaths(environment)
  if (!exists(home.database)) return null
  const { settings } = loadSettings(environment)
  const store = await openStore(home.database, { readonly: true })
  const log = { info: () => {}, warn: () => {} }
  const embedding = openEmbedding(store, () => settings.embedder, home.models, log)
  const stopping = new AbortController()
  const nothing = async () => {}
  const desk: Services = {
    home,
    environment,
    settings,
    store,
    log,
    stream: openStream('alone'),
    agents,
    rules: (agent) => captureRules(settings, agent),
    notebook: notebookOf(store, home, redactPatterns(settings), 'nobody'),
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
  }
  const control = { port: () => 0, startedAt: Date.now(), troubles: () => 0, noteTaken: () => {}, stop: () => {} }
  try {
    if (/^\/api\/(?:search|timeline)/.test(path)) await embedding.warm()
    const request = new Request(`http://worker${path}`, {
      method: question.method ?? 'GET',
      ...(question.body ? { body: question.body } : {}),
    })
    const server = { timeout: () => {} } as unknown as Parameters<ReturnType<typeof routes>>[3]
    const answer = await routes(desk, control)(request, new URL(request.url), 'owner', server)
    return answer ? { status: answer.status, body: await answer.text() } : { status: 404, body: '' }
  } catch (cause) {
    if (cause instanceof BadRequest) return { status: 400, body: JSON.stringify({ error: cause.message }) }
    throw cause
  } finally {
    await embedding.stop()
    store.close()
  }
}
