import { SERVED_AGENTS } from '../../core/agent.ts'
import { defaultAgent } from '../../integrations/agent.ts'
import { freeBytes } from '../../platform/folder.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import type { upkeep } from '../../wire/contract/upkeep.ts'
import { parseRequestTime, resolveProject } from '../request-params.ts'
import { cleanUp } from '../retention.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'
import { withFailure } from './lines.ts'

export const handlers = {
  'POST /api/gc': (services, { dryRun }) => withFailure(services, 'a clean-up failed', cleanUp(services, Date.now(), dryRun)),
  'POST /api/consolidate': (services, request) => consolidate(services, 'consolidate', request),
  'POST /api/reflect': (services, request) => consolidate(services, 'reflect', request),
  'POST /api/redistill': redistillTurns,
  'POST /api/import': importFrom,
  'POST /api/capture/transcript': async (services, { path, source }) => {
    const { captureTranscript } = await import('../capture-transcript.ts')
    return captureTranscript(services, defaultAgent, path, source)
  },
  'GET /api/export': exportRows,
  'POST /api/jobs/retry': retryJobs,
  'GET /api/audit': ({ store }, { since, limit }) => store.audit.recent(limit, parseRequestTime(since) ?? 0),
  'GET /api/cost': async (services, { days }) => {
    const { costReport } = await import('../cost-report.ts')
    return costReport(services, days, Date.now())
  },
  'GET /api/economy': readEconomy,
} satisfies Handlers<typeof upkeep>

async function consolidate(
  services: Services,
  kind: 'consolidate' | 'reflect',
  { apply, undo, project: name }: ParsedRequest<typeof upkeep, 'POST /api/consolidate'>,
) {
  const project = await resolveProject(services, name ?? undefined)
  const { runConsolidation, undoConsolidation } = await import('../consolidation.ts')
  // Before the first line, so that a plan that cannot be undone is answered with 400.
  if (undo !== false) return [{ kind: 'undone' as const, report: await undoConsolidation(services, kind, undo === true ? null : undo) }]
  return withFailure(services, 'a consolidation failed', runConsolidation(services, kind, { apply, project }))
}

async function redistillTurns(services: Services, request: ParsedRequest<typeof upkeep, 'POST /api/redistill'>) {
  const project = await resolveProject(services, request.project ?? undefined)
  const since = parseRequestTime(request.since)
  const { redistill } = await import('../redistill.ts')
  return withFailure(services, 'distilling turns again failed', redistill(services, { ...request, since, project }))
}

async function importFrom(
  services: Services,
  { from, agents, paths, since, project: name }: ParsedRequest<typeof upkeep, 'POST /api/import'>,
) {
  if (from === 'transcripts') {
    const { importTranscripts } = await import('../import-transcripts.ts')
    const lines = importTranscripts(services, { agents: agents ?? SERVED_AGENTS, paths, since: parseRequestTime(since), project: name })
    return withFailure(services, 'an import failed', lines)
  }
  const project = await resolveProject(services, name ?? undefined)
  const { importMemories } = await import('../import-memories.ts')
  return withFailure(
    services,
    'an import failed',
    importMemories(services, defaultAgent, { from, paths, project, since: parseRequestTime(since) }),
  )
}

async function exportRows(services: Services, { kind, project: name, format }: ParsedRequest<typeof upkeep, 'GET /api/export'>) {
  if (format === 'markdown' && kind !== 'notes') throw new BadRequest('only notes can be exported as markdown; use kind=notes')
  const project = await resolveProject(services, name)
  const { exportLines, noteFiles } = await import('../export.ts')
  return format === 'markdown' ? noteFiles(services.store, project) : exportLines(services.store, kind, project)
}

async function retryJobs({ store, queue }: Services, { id }: { id?: number | undefined }) {
  const revived = await store.transaction(async () =>
    id === undefined ? store.jobs.reviveDead(Date.now()) : Number(await store.jobs.revive(id, Date.now())),
  )
  queue.kick()
  return { revived }
}

const ECONOMY_PERIOD_MS = 30 * 24 * 60 * 60_000

async function readEconomy({ store, home }: Services) {
  const since = Date.now() - ECONOMY_PERIOD_MS
  return {
    since,
    shown: await store.injections.totals(since),
    observations: await store.observations.totals(),
    toolUseBytes: (await store.toolUses.countPurgeable(Number.MAX_SAFE_INTEGER)).bytes,
    freeBytes: freeBytes(home.folder),
  }
}
