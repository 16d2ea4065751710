/**
 * The worker: the one process that owns the database. It listens for agents, the CLI and the viewer, keeps what they report, works
 * through the jobs that follow from it, and leaves when nobody needs it. It knows every room below and is known only to `cli`.
 */
import type { Change } from '../core/memory.ts'
import { claudeCode } from '../integrations/agent.ts'
import { type Environment, readEnvironment } from '../platform/environment.ts'
import { ensurePrivateFolder, exists, readOrCreateSecret, trackFileIdentity, writeFileAtomically } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import { type Log, openLog } from '../platform/log.ts'
import { type Home, homePaths } from '../platform/paths.ts'
import { readPrices } from '../platform/prices.ts'
import { writePrivacyRules } from '../platform/privacy-rules.ts'
import { keepFilesPrivate } from '../platform/processes.ts'
import { loadSettings, NO_TEXT_MODEL_REASON } from '../platform/settings.ts'
import { VERSION } from '../platform/version.ts'
import type { OpenedTextModel } from '../providers/text.ts'
import { CorruptDatabase, holdLock, type Job, openStore, type Store, setAside } from '../store/store.ts'
import { startWorker } from '../wire/start.ts'
import { queueCatchUp, queueConsolidation } from './automatic-jobs.ts'
import { type Embedding, openEmbedding } from './embedding.ts'
import { updateHookPort } from './hook-port.ts'
import { importNativeMemory } from './import-native-memory.ts'
import type { JobRunner } from './job-runner.ts'
import { openMcpEndpoint } from './mcp-endpoint.ts'
import { followNotes, openNotebook } from './notebook.ts'
import { openQueue } from './queue.ts'
import { purgeExpired } from './retention.ts'
import { type Control, openRouter } from './router.ts'
import { openQuickSemanticSearch, openSemanticSearch } from './semantic-search.ts'
import { inProcessTransport, listen } from './server.ts'
import { captureRules, type Services } from './services.ts'
import { drainSpool } from './spool.ts'
import { openStream } from './stream.ts'
import { isLive, sweep } from './sweep.ts'
import { openTurnLocks } from './turn-locks.ts'
import { openViewerFiles } from './viewer-files.ts'
import { openVisitors } from './visitors.ts'

export { CorruptDatabase, NewerDatabase } from '../store/store.ts'
export { evaluateHome, type HomeEvaluation } from './evaluation.ts'
export { answerOffline, answerWithoutWorker, isReadOnlyRequest } from './offline-requests.ts'
export { BadRequest } from './server.ts'

/** Whoever reads that its home is gone has to end the process: nothing was closed, because closing clears away what may be another's. */
export type WorkerEnd = 'another one runs' | 'stopped' | 'its home is gone'

const ROUND_EVERY_MS = 60_000
/** How long it may go on answering for a home that was deleted, and how long what a hook left in the spool may lie there. */
const SPOOL_CHECK_EVERY_MS = 2000
const SWEEP_EVERY_MS = 5 * 60_000
const HOUR_MS = 60 * 60_000

/** Runs the worker until it is told to stop or nobody needs it. Throws when the home cannot be used. */
export async function runWorker(environment: Environment = readEnvironment()): Promise<WorkerEnd> {
  const home = homePaths(environment)
  keepFilesPrivate()
  for (const folder of [home.folder, home.run, home.spool, home.logs]) ensurePrivateFolder(folder)
  const lock = holdLock(home.lock)
  if (!lock) return 'another one runs'
  const log = openLog(home.logs, 'worker')
  const { settings, problems } = loadSettings(environment)
  for (const problem of problems) log.warn('a setting cannot be used', { problem })
  const stopped = Promise.withResolvers<void>()
  const { store, rebuild } = await openOrSetAside(home, log, stopped.resolve)
  const database = trackFileIdentity(home.database)

  const startedAt = Date.now()
  const stream = openStream(startedAt.toString(36))
  const agents = { [claudeCode.name]: claudeCode }
  const rules = captureRules(settings, claudeCode, environment.userHome, home.thinking)
  const embedding = openEmbedding(store, () => loadSettings(environment).settings.embedder, home.models, log)
  const notebook = openNotebook(store, home, rules.redactPatterns)
  const stopping = new AbortController()
  const desk: Services = {
    home,
    environment,
    settings,
    store,
    log,
    stream,
    agents,
    rules: () => rules,
    notebook,
    semanticSearch: openSemanticSearch(embedding),
    quickSemanticSearch: openQuickSemanticSearch(embedding),
    embedding,
    queue: openQueue(store, (job) => jobs.do(job), log),
    textModel: { kind: 'absent', reason: 'it is being opened' },
    modelOpened: Promise.resolve(),
    withTurnLock: openTurnLocks(),
    stopSignal: stopping.signal,
    visitors: openVisitors(home.visitors),
    viewer: openViewerFiles(home, log),
    announce: (changes) => changes.forEach((change) => void stream.publish(toStreamEvent(change))),
  }
  const jobs = lazyJobRunner(desk, embedding)

  let unstoredEvents = 0
  const control: Control = {
    port: () => listening.port,
    startedAt,
    unstoredEvents: () => unstoredEvents,
    reportEvent: (isStored) => {
      unstoredEvents = isStored ? 0 : unstoredEvents + 1
    },
    stop: stopped.resolve,
    mcp: (request) => mcp.handleRequest(request),
  }
  const router = openRouter(desk, control)
  const mcp = openMcpEndpoint(inProcessTransport(router, log), log)
  const { redact, patterns, exclude_projects: excludeProjects } = settings.privacy
  writePrivacyRules(home, { redact, patterns, excludeProjects })
  const keys = { token: readOrCreateSecret(home.token), hookToken: readOrCreateSecret(home.hookToken) }
  const listening = listen(home, settings.worker.port, keys, desk.visitors, router, log, mcp.pipes)
  writeFileAtomically(home.workerFile, `${JSON.stringify({ pid: process.pid, port: listening.port, version: VERSION, startedAt })}\n`)
  log.info('started', { pid: process.pid, port: listening.port, version: VERSION, ms: Math.round(performance.now()) })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopped.resolve())

  // A keychain or a registry may take its time; turns wait for the model on the list, hooks for nobody.
  desk.modelOpened = openModel(desk).then((model) => {
    desk.textModel = model
  })
  const following = followNotes(desk)
  const background = startBackground(desk, embedding, following.round, control, rebuild, listening.port)
  let said: string | null = null
  const sayOnce = (error: string | null) => {
    if (error && error !== said) log.warn('the spool could not be taken in', { error })
    said = error
  }
  const looking = setInterval(() => {
    if (database.isGone()) return stopped.resolve()
    // A hook does not wait for a worker that is busy: it leaves its payload, and nobody else would come for it until the next sweep.
    drainSpool(desk).then(
      () => sayOnce(null),
      (cause) => sayOnce((cause as Error).message.slice(0, 300)),
    )
  }, SPOOL_CHECK_EVERY_MS)
  await stopped.promise
  clearInterval(looking)
  clearInterval(background)
  stopping.abort(new Error('the worker stops'))
  if (database.isGone()) return 'its home is gone'
  following.stop()
  await listening.stop()
  stream.close()
  await embedding.stop()
  await desk.queue.stop()
  await jobs.stop()
  await store.transaction(async () => {}) // whatever was being written is written
  store.close()
  removeFile(home.workerFile)
  log.info('stopped', { pid: process.pid, uptimeMs: Date.now() - startedAt })
  lock.release()
  if (exists(home.damage)) startWorker()
  return 'stopped'
}

/** The jobs, loaded with the first one. */
function lazyJobRunner(desk: Services, embedding: Embedding): JobRunner {
  let opened: Promise<JobRunner> | null = null
  return {
    do: async (job: Job) => {
      opened ??= import('./job-runner.ts').then(({ openJobRunner: openJobs }) => openJobs(desk, embedding))
      await (await opened).do(job)
    },
    stop: async () => (await opened)?.stop(),
  }
}

/** The model of the settings; where none is named, nothing is loaded to find that out. */
async function openModel({ settings, environment, home, store, notebook, log }: Services): Promise<OpenedTextModel> {
  if (settings.model.provider === 'plain') return { kind: 'absent', reason: NO_TEXT_MODEL_REASON }
  try {
    const { openModels } = await import('./text-model.ts')
    const prices = readPrices(home.folder)
    return await openModels({ settings, environment, home, store, prices, clean: notebook.clean, say: (what) => log.info(what) })
  } catch (cause) {
    return { kind: 'absent', reason: (cause as Error).message.slice(0, 300) }
  }
}

/** A damaged database is moved aside, never deleted; a new one is filled again from the transcripts. */
async function openOrSetAside(home: Home, log: Log, stop: () => void): Promise<{ store: Store; rebuild: boolean }> {
  const onDamage = () => {
    log.warn('the database is damaged; starting again without it', {})
    writeFileAtomically(home.damage, '')
    stop()
  }
  try {
    if (exists(home.damage)) throw new CorruptDatabase(home.database)
    return { store: await openStore(home.database, { onDamage }), rebuild: false }
  } catch (cause) {
    if (!(cause instanceof CorruptDatabase)) throw cause
    const aside = setAside(home.database, new Date())
    removeFile(home.damage)
    log.warn('the database was damaged and has been set aside; rebuilding from transcripts', { aside })
    const store = await openStore(home.database, { onDamage })
    await store.transaction(() => store.audit.add({ at: Date.now(), action: 'rebuild', subject: home.database, details: { aside } }))
    return { store, rebuild: true }
  }
}

/** What is done beside answering: what was left over from before, then the rounds. */
function startBackground(
  desk: Services,
  embedding: Embedding,
  followNotes: () => Promise<void>,
  control: { stop(): void; startedAt: number },
  rebuild: boolean,
  port: number,
) {
  const { store, log } = desk
  let lastSweep = 0
  let lastRetain = 0
  let lastNeeded = Date.now()
  const round = async () => {
    const now = Date.now()
    desk.stream.sendHeartbeat()
    if (now - lastSweep >= SWEEP_EVERY_MS) {
      lastSweep = now
      await sweep(desk, now)
      if (desk.settings.sync.import_native) await importNativeMemory(desk, claudeCode, now)
    }
    if (now - lastRetain >= HOUR_MS) {
      lastRetain = now
      await purgeExpired(desk, now)
    }
    await followNotes()
    const open = await store.sessions.notCompleted()
    const { waiting, running } = await store.jobs.counts()
    const live = open.some((session) => isLive(session, now))
    if (await queueConsolidation(desk, now, !live)) desk.queue.kick()
    if (await embedding.queueIfWaiting()) desk.queue.kick()
    if (open.every(({ lastEventAt }) => now - lastEventAt > ROUND_EVERY_MS)) store.releaseMemory()
    if (waiting + running > 0 || desk.stream.listeners() > 0 || live) lastNeeded = now
    if (now - lastNeeded > desk.settings.worker.idle_minutes * 60_000) control.stop()
  }
  const safely = (work: Promise<unknown>, what: string) =>
    void work.catch((cause) => log.warn(what, { error: (cause as Error).message.slice(0, 300) }))
  const start = async () => {
    await store.transaction(() => store.jobs.returnRunning(Date.now()))
    if (rebuild) await store.transaction(() => store.jobs.add('rebuild', 'all', {}, Date.now()))
    safely(updateHookPort(desk, port), 'hooks could not follow the worker')
    await queueCatchUp(store)
    await round()
    desk.queue.kick()
    safely(embedding.warm(), 'vectors could not be read')
  }
  safely(start(), 'could not take up what was left over')
  return setInterval(() => safely(round(), 'a round failed'), Math.min(ROUND_EVERY_MS, desk.settings.worker.idle_minutes * 60_000))
}

/** Live events carry what a list shows, not whole texts. */
function toStreamEvent(change: Change): { type: string; data: unknown } {
  return { type: change.kind, data: change }
}
