/**
 * The worker: the one process that owns the database. It answers agents, the CLI and the viewer, stores what they report, runs the jobs
 * that follow, and stops when it has been idle for a while. It may use every room below it; only `cli` uses the worker.
 */
import type { Job } from '../core/job.ts'
import { TEAM_FILE } from '../core/team.ts'
import { agents, defaultAgent } from '../integrations/agent.ts'
import { type Environment, readEnvironment } from '../platform/environment.ts'
import { ensurePrivateFolder, exists, readOrCreateSecret, trackFileIdentity, writeFileAtomically } from '../platform/files.ts'
import { foldersIn, removeFile } from '../platform/folder.ts'
import { writeLauncher } from '../platform/launcher.ts'
import { type Log, openLog } from '../platform/log.ts'
import { type Home, homePaths } from '../platform/paths.ts'
import { writePrivacyRules } from '../platform/privacy-rules.ts'
import { dropFrugalRuntime, endPrograms, keepFilesPrivate } from '../platform/processes.ts'
import { loadSettings, NO_TEXT_MODEL_REASON } from '../platform/settings.ts'
import { VERSION } from '../platform/version.ts'
import type { OpenedTextModel } from '../providers/text.ts'
import { CorruptDatabase, holdLock, openStore, type Store, setAside } from '../store/store.ts'
import { removeMarks, unmarkLate } from '../wire/absent-worker.ts'
import { startWorker } from '../wire/start.ts'
import { queueCatchUp, queueConsolidation, queueKeyRepairs } from './automatic-jobs.ts'
import type { BackgroundTeam } from './background-team.ts'
import { type Embedding, openEmbedding } from './embedding.ts'
import type { JobRunner } from './job-runner.ts'
import { openMcpEndpoint } from './mcp-endpoint.ts'
import { followNotes, openNotebook } from './notebook.ts'
import { MAX_JOB_DELAY_MS, openQueue } from './queue.ts'
import { type Control, openRouter } from './router.ts'
import { openQuickSemanticSearch, openSemanticSearch } from './semantic-search.ts'
import { inProcessTransport, listen } from './server.ts'
import { captureRulesByAgent, redactPatterns, type Services } from './services.ts'
import { openStream } from './stream.ts'
import { endDeadSessions, isLive, sweep } from './sweep.ts'
import { openTurnLocks } from './turn-locks.ts'
import { openViewerFiles } from './viewer-files.ts'
import { openVisitors } from './visitors.ts'

export { NewerDatabase } from '../store/store.ts'

/** After 'its home is gone' the caller must end the process: nothing was closed, because closing removes files that may belong to another worker. */
export type WorkerEnd = 'another one runs' | 'stopped' | 'its home is gone'

const ROUND_EVERY_MS = 60_000
/** How long a worker may answer for a deleted home, and how long a payload may wait in the spool. */
const SPOOL_CHECK_EVERY_MS = 2000
const SWEEP_EVERY_MS = 5 * 60_000
/** Whoever started the worker is waiting for an answer, and this work would delay it. */
const BACKGROUND_AFTER_MS = 100
const HOUR_MS = 60 * 60_000
const MAX_LAST_WRITE_MS = 3000

/** Runs the worker until it is stopped or idle. Throws when the home cannot be used. */
export async function runWorker(environment: Environment = readEnvironment()): Promise<WorkerEnd> {
  const home = homePaths(environment)
  keepFilesPrivate()
  dropFrugalRuntime()
  for (const folder of [home.folder, home.run, home.spool, home.logs]) ensurePrivateFolder(folder)
  const lock = holdLock(home.lock)
  if (!lock) return 'another one runs'
  const log = openLog(home.logs, 'worker')
  await finishInterruptedRestore(home, log)
  const { settings, problems } = loadSettings(environment)
  for (const problem of problems) log.warn('a setting cannot be used', { problem })
  const stopped = Promise.withResolvers<void>()
  const { store, rebuild } = await openOrSetAside(home, log, stopped.resolve)
  const database = trackFileIdentity(home.database)

  const startedAt = Date.now()
  const stream = openStream(startedAt.toString(36))
  const embedding = openEmbedding(store, () => loadSettings(environment).settings.embedder, home.models, log)
  const notebook = openNotebook(store, home, redactPatterns(settings))
  const stopping = new AbortController()
  let unstoredEvents = 0
  const team: { opened: Promise<BackgroundTeam> | null } = { opened: null }
  const services: Services = {
    home,
    environment,
    settings,
    store,
    log,
    stream,
    agents,
    rules: captureRulesByAgent(settings, environment.userHome, home),
    notebook,
    semanticSearch: openSemanticSearch(embedding),
    quickSemanticSearch: openQuickSemanticSearch(embedding),
    embedding,
    queue: openQueue(
      store,
      async (job, signal) => {
        await jobs.do(job, signal)
        unstoredEvents = 0 // the database can be written again
      },
      log,
    ),
    textModel: { kind: 'absent', reason: 'the model is still being opened' },
    modelOpened: Promise.resolve(),
    withTurnLock: openTurnLocks(),
    stopSignal: stopping.signal,
    visitors: openVisitors(home.visitors),
    viewer: openViewerFiles(home, log),
    announce: (changes) => {
      for (const change of changes) stream.publish({ type: change.kind, data: change })
      if (changes.some(({ kind }) => kind === 'note-changed')) embedding.embedSoon(services.queue.kick)
      void team.opened?.then(({ wake }) => wake())
    },
    team: () => {
      team.opened ??= import('./background-team.ts').then(({ openBackgroundTeam }) => openBackgroundTeam(services))
      return team.opened
    },
  }
  const jobs = lazyJobRunner(services, embedding)

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
  const router = openRouter(services, control)
  const mcp = openMcpEndpoint(inProcessTransport(router, log), log)
  const { redact, patterns, exclude_projects: excludeProjects } = settings.privacy
  writePrivacyRules(home, { redact, patterns, excludeProjects })
  const listening = listen(home, settings.worker.port, readOrCreateSecret(home.token), services.visitors, router, log, mcp.pipes)
  // Not flushed: after a power cut it is out of date anyway.
  const about = { pid: process.pid, port: listening.port, version: VERSION, startedAt }
  writeFileAtomically(home.workerFile, `${JSON.stringify(about)}\n`, 0o600, false)
  removeMarks(home)
  try {
    writeLauncher(environment)
  } catch (cause) {
    log.warn('the launcher of the hooks could not be written', { error: (cause as Error).message })
  }
  log.info('started', { pid: process.pid, port: listening.port, version: VERSION, ms: Math.round(performance.now()) })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopped.resolve())

  // A keychain or a registry may be slow. Turns wait for the model in the queue; hooks do not wait.
  services.modelOpened = openModel(services).then((model) => {
    services.textModel = model
  })
  if (exists(`${home.folder}/${TEAM_FILE}`)) void services.team()
  const background = startBackground(services, embedding, control, rebuild)
  let lastSpoolError: string | null = null
  const logSpoolErrorOnce = (error: string | null) => {
    if (error && error !== lastSpoolError) log.warn('the spool could not be ingested', { error })
    lastSpoolError = error
  }
  const spoolCheck = setInterval(() => {
    if (database.isGone()) return stopped.resolve()
    unmarkLate(home)
    // A hook does not wait for a busy worker: it spools its payload, which would otherwise lie there until the next sweep.
    const draining = import('./spool.ts').then(async ({ drainSpool }) => {
      if ((await drainSpool(services)) > 0) await endDeadSessions(services, Date.now())
    })
    draining.then(
      () => logSpoolErrorOnce(null),
      (cause) => logSpoolErrorOnce((cause as Error).message.slice(0, 300)),
    )
  }, SPOOL_CHECK_EVERY_MS)
  await stopped.promise
  clearInterval(spoolCheck)
  background.stop()
  stopping.abort(new Error('the worker is stopping'))
  if (database.isGone()) return 'its home is gone'
  await listening.stop()
  stream.close()
  await (await team.opened)?.stop()
  await embedding.stop()
  await services.queue.stop()
  await jobs.stop()
  endPrograms()
  // Waits for the write in progress, but not for one that hangs.
  await Promise.race([store.transaction(async () => {}), Bun.sleep(MAX_LAST_WRITE_MS)])
  store.close()
  removeFile(home.workerFile)
  log.info('stopped', { pid: process.pid, uptimeMs: Date.now() - startedAt })
  lock.release()
  if (exists(home.damage)) startWorker()
  return 'stopped'
}

/** Completes a restore whose process was killed, and removes the copies that a killed backup or restore has left. */
async function finishInterruptedRestore(home: Home, log: Log): Promise<void> {
  const hasLeftovers = foldersIn(home.run)?.some((name) => /^(?:backup|restore)-\d+$/.test(name))
  if (!hasLeftovers && !exists(home.incoming)) return
  const { finishRestore, removeLeftovers } = await import('../backup/backup.ts')
  removeLeftovers(home)
  const replaced = finishRestore(home, Date.now())
  if (replaced) log.warn('completed a restore that was interrupted', { replaced })
}

/** Loads the job runner with the first job. */
function lazyJobRunner(services: Services, embedding: Embedding): JobRunner {
  let opened: Promise<JobRunner> | null = null
  return {
    do: async (job: Job, signal: AbortSignal) => {
      opened ??= import('./job-runner.ts').then(({ openJobRunner }) => openJobRunner(services, embedding))
      await (await opened).do(job, signal)
    },
    stop: async () => (await opened)?.stop(),
  }
}

/** Opens the model that the settings name. Loads nothing when they name none. */
async function openModel({ settings, environment, home, store, notebook, log }: Services): Promise<OpenedTextModel> {
  if (settings.model.provider === 'plain') return { kind: 'absent', reason: NO_TEXT_MODEL_REASON }
  try {
    const [{ openModels }, { readPrices }] = await Promise.all([import('./text-model.ts'), import('../platform/prices.ts')])
    const prices = readPrices(home.folder)
    return await openModels({ settings, environment, home, store, prices, clean: notebook.clean, logInfo: (message) => log.info(message) })
  } catch (cause) {
    return { kind: 'absent', reason: (cause as Error).message.slice(0, 300) }
  }
}

/** A damaged database is moved aside, never deleted; a new one is filled from the transcripts. */
async function openOrSetAside(home: Home, log: Log, stop: () => void): Promise<{ store: Store; rebuild: boolean }> {
  const onDamage = () => {
    log.warn('the database is damaged; restarting with a new one', {})
    writeFileAtomically(home.damage, '')
    stop()
  }
  const options = { onDamage, startsQuickly: true }
  try {
    if (exists(home.damage)) throw new CorruptDatabase(home.database)
    return { store: await openStore(home.database, options), rebuild: false }
  } catch (cause) {
    if (!(cause instanceof CorruptDatabase)) throw cause
    const aside = setAside(home.database, new Date())
    removeFile(home.damage)
    log.warn('the database was damaged and has been set aside; rebuilding from transcripts', { aside })
    const store = await openStore(home.database, options)
    await store.transaction(() => store.audit.add({ at: Date.now(), action: 'rebuild', subject: home.database, details: { aside } }))
    return { store, rebuild: true }
  }
}

/** After a burst, about 30 MB are garbage that the runtime would collect only when it needs the memory again. */
function releaseMemory(store: Store): void {
  store.releaseMemory()
  Bun.gc(true)
}

/** Starts the work beside answering requests: first what an earlier worker left, then the regular rounds. */
function startBackground(services: Services, embedding: Embedding, control: { stop(): void; startedAt: number }, rebuild: boolean) {
  const { store, log } = services
  const stopped = Promise.withResolvers<void>()
  let notes: ReturnType<typeof followNotes> | null = null
  let rounds: ReturnType<typeof setInterval> | undefined
  // By the time since the start, which goes on when the clock is set.
  let lastSweep = Number.NEGATIVE_INFINITY
  let lastRetain = Number.NEGATIVE_INFINITY
  let lastNeeded = performance.now()
  let wasQuiet = false
  const round = async () => {
    const [now, passed] = [Date.now(), performance.now()]
    services.stream.sendHeartbeat()
    if (await store.transaction(() => store.jobs.bringForward(now, MAX_JOB_DELAY_MS))) services.queue.kick()
    if (passed - lastSweep >= SWEEP_EVERY_MS) {
      lastSweep = passed
      await sweep(services, now)
      if (loadSettings(services.environment).settings.sync.import_native) {
        const { importNativeMemory } = await import('./import-native-memory.ts')
        await importNativeMemory(services, defaultAgent, now)
      }
    } else await endDeadSessions(services, now)
    if (passed - lastRetain >= HOUR_MS) {
      lastRetain = passed
      const { purgeExpired } = await import('./retention.ts')
      await purgeExpired(services, now)
    }
    await notes?.round()
    const open = await store.sessions.notCompleted()
    const { waiting, running } = await store.jobs.counts()
    const live = open.some((session) => isLive(session, now))
    if (await queueConsolidation(services, now, !live)) services.queue.kick()
    if (await embedding.queueIfWaiting()) services.queue.kick()
    const isQuiet = waiting + running === 0 && open.every(({ lastEventAt }) => now - lastEventAt > ROUND_EVERY_MS)
    if (isQuiet && !wasQuiet) releaseMemory(store)
    wasQuiet = isQuiet
    if (waiting + running > 0 || services.stream.listeners() > 0 || live) lastNeeded = passed
    if (passed - lastNeeded > services.settings.worker.idle_minutes * 60_000) control.stop()
  }
  const logFailure = (work: Promise<unknown>, message: string) =>
    void work.catch((cause) => log.warn(message, { error: (cause as Error).message.slice(0, 300) }))
  const start = async () => {
    // Before any job can run: those of this worker must not be returned. Whoever asks for the number of waiting jobs hears of these at once.
    await store.transaction(() => store.jobs.returnRunning(Date.now()))
    if (rebuild) await store.transaction(() => store.jobs.add('rebuild', 'all', {}, Date.now()))
    await queueCatchUp(store)
    if (await Promise.race([stopped.promise.then(() => true), Bun.sleep(BACKGROUND_AFTER_MS)])) return
    notes = followNotes(services)
    rounds = setInterval(
      () => logFailure(round(), 'a round failed'),
      Math.min(ROUND_EVERY_MS, services.settings.worker.idle_minutes * 60_000),
    )
    await queueKeyRepairs(store)
    await round()
    services.queue.kick()
    logFailure(embedding.warm(), 'vectors could not be read')
  }
  logFailure(start(), 'could not resume the work of the last worker')
  return {
    stop: () => {
      stopped.resolve()
      clearInterval(rounds)
      notes?.stop()
    },
  }
}
