import { distillTurn } from '../../src/capture/turns.ts'
import type { Change } from '../../src/core/memory.ts'
import { agents } from '../../src/integrations/agent.ts'
import { openLog } from '../../src/platform/log.ts'
import { homePaths } from '../../src/platform/paths.ts'
import { loadSettings } from '../../src/platform/settings.ts'
import { openStore } from '../../src/store/store.ts'
import { openBackgroundTeam } from '../../src/worker/background-team.ts'
import { saveEpisodeNote, saveMarkedNotes } from '../../src/worker/draft-notes.ts'
import { openEmbedding } from '../../src/worker/embedding.ts'
import { runEraseJob } from '../../src/worker/erase.ts'
import { linkReplacement } from '../../src/worker/job-runner.ts'
import { openNotebook } from '../../src/worker/notebook.ts'
import { openQueue } from '../../src/worker/queue.ts'
import { captureRulesByAgent, readActionWith, redactPatterns, type Services } from '../../src/worker/services.ts'
import { saveStatementNotes } from '../../src/worker/statement-notes.ts'
import { openStream } from '../../src/worker/stream.ts'
import { openTurnLocks } from '../../src/worker/turn-locks.ts'
import { openViewerFiles } from '../../src/worker/viewer-files.ts'
import { openVisitors } from '../../src/worker/visitors.ts'
import { environment, temporaryFolder } from './builders.ts'

/** The services of a worker without the worker: a real store, log and queue in a temporary folder, without a server. */
export async function someServices(variables: Record<string, string> = {}, prepare: (database: string) => void = () => {}) {
  const folder = temporaryFolder()
  const seen = environment(folder.path, { overrides: variables })
  const home = homePaths(seen)
  const { settings } = loadSettings(seen)
  const log = openLog(home.logs, 'worker') // makes the home too
  log.info('services for a test')
  prepare(home.database)
  const store = await openStore(home.database)
  const announced: Change[] = []
  const embedding = openEmbedding(store, () => settings.embedder, home.models, log)
  const services: Services = {
    home,
    environment: seen,
    settings,
    store,
    log,
    stream: openStream('run'),
    agents,
    rules: captureRulesByAgent(settings, seen.userHome, home),
    queue: openQueue(
      store,
      async (job) => {
        if (job.kind === 'markers') await saveMarkedNotes(services, job.payload, Date.now())
        if (job.kind === 'episode') await saveEpisodeNote(services, job.payload, Date.now())
        if (job.kind === 'statements') await saveStatementNotes(services, job.payload, Date.now())
        if (job.kind === 'replacement') await linkReplacement(services, job.payload)
        if (job.kind === 'erase') return runEraseJob(services, job)
        await store.transaction(async () => {
          if (job.kind === 'distill') await distillTurn(store, job.payload, readActionWith(agents))
          await store.jobs.complete(job.id)
        })
      },
      log,
    ),
    notebook: openNotebook(store, home, redactPatterns(settings)),
    semanticSearch: null,
    quickSemanticSearch: null,
    textModel: { kind: 'absent', reason: 'a test has none' },
    modelOpened: Promise.resolve(),
    withTurnLock: openTurnLocks(),
    stopSignal: new AbortController().signal,
    embedding,
    visitors: openVisitors(home.visitors),
    viewer: openViewerFiles(home, log),
    announce: (changes) => void announced.push(...changes),
    team: async () => openBackgroundTeam(services),
  }
  return {
    desk: services,
    store,
    folder: folder.path,
    announced,
    embedding,
    [Symbol.asyncDispose]: async () => {
      await embedding.stop()
      await services.queue.stop()
      store.close()
      folder[Symbol.dispose]()
    },
  }
}
