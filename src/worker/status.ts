import { projectNames } from '../core/project-names.ts'
import { TEAM_FILE, type TeamState } from '../core/team.ts'
import { exists } from '../platform/files.ts'
import { readPrices } from '../platform/prices.ts'
import { loadSettings, patternProblem } from '../platform/settings.ts'
import { VERSION } from '../platform/version.ts'
import { listSetAside } from '../store/store.ts'
import { syncState } from '../sync/sync.ts'
import type { WorkerStatus } from '../wire/contract/status.ts'
import { spoolSize } from '../wire/spool.ts'
import { loadMode } from './background-distiller.ts'
import { syncSettings } from './background-sync.ts'
import { notUnderstoodPayloads } from './not-understood.ts'
import type { Control } from './router.ts'
import type { Services } from './services.ts'
import { isLive } from './sweep.ts'

export async function workerStatus(
  services: Services,
  control: Pick<Control, 'port' | 'startedAt' | 'unstoredEvents'>,
): Promise<WorkerStatus> {
  const { store, settings, home } = services
  const now = Date.now()
  const projects = await store.sessions.projects()
  const names = projectNames(projects)
  const open = await store.sessions.notCompleted()
  return {
    version: VERSION,
    pid: process.pid,
    port: control.port(),
    wantedPort: settings.worker.port,
    startedAt: control.startedAt,
    home: home.folder,
    databaseBytes: store.bytes(),
    databaseParts: store.space.parts(now),
    setAside: listSetAside(home.database),
    memoryBytes: process.memoryUsage.rss(),
    sessions: {
      live: open.filter((session) => isLive(session, now)).length,
      open: open.length,
      all: projects.reduce((sum, p) => sum + p.sessions, 0),
    },
    projects: projects.slice(0, 20).map((one) => ({ ...one, name: names.get(one.project) ?? one.project })),
    notes: {
      ...(await store.notes.counts(now)),
      problems: (await store.notes.problems()).slice(0, 20).map(({ path, problem }) => ({ path, problem: problem ?? '' })),
    },
    sync: await syncState(services.notebook, syncSettings(services).remote),
    team: await stateOfTeam(services),
    textModel: modelState(services),
    jobs: await store.jobs.counts(),
    deadJobs: (await store.jobs.dead(10)).map(({ id, kind, key, attempts, error }) => ({ id, kind, key, attempts, error })),
    spooled: spoolSize(home),
    lastEventAt: projects[0]?.lastAt ?? null,
    unstoredEvents: control.unstoredEvents(),
    notUnderstood: await notUnderstoodPayloads(services),
    embedder: await services.embedding.report(),
    problems: [
      ...loadSettings(services.environment).problems,
      ...settings.privacy.patterns.flatMap(brokenPattern),
      ...modelProblems(services),
    ],
  }
}

/** Loads nothing for a home that has not joined a team. */
async function stateOfTeam({ home, store, environment }: Services): Promise<TeamState> {
  const { url } = loadSettings(environment).settings.team
  if (!exists(`${home.folder}/${TEAM_FILE}`)) return { kind: 'none', url }
  const { teamState } = await import('../team/team.ts')
  return teamState(home, store, url)
}

function modelState({ textModel }: Services): WorkerStatus['textModel'] {
  if (textModel.kind === 'absent') return { absent: textModel.reason }
  return { name: textModel.model.name, problem: textModel.model.currentProblem?.() ?? null }
}

/** A mode or a price file with an error is ignored, so its problem has to be reported. */
function modelProblems(services: Services): string[] {
  if (services.settings.model.provider === 'plain') return []
  const mode = loadMode(services.home, services.settings)
  return [...(typeof mode === 'string' ? [mode] : []), ...readPrices(services.home.folder).problems]
}

/** A pattern with an error hides nothing, so its problem has to be reported. */
function brokenPattern(text: string): string[] {
  const problem = patternProblem(text)
  return problem ? [`${problem}, so it hides nothing; correct it`] : []
}
