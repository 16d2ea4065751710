/** Commits as memories: a repository's history is read once, newest first, and followed from then on. */
import { settleUndoneWork } from '../capture/turns.ts'
import { cleanText, type RedactionRules } from '../core/clean-text.ts'
import type { RepositoryCommit } from '../core/commit.ts'
import { commitType, revertTarget, splitCommitMessage } from '../core/commit-message.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Job, Jobs } from '../core/job.ts'
import { projectKey } from '../core/project.ts'
import { defaultAgent } from '../integrations/agent.ts'
import { commitsOnNoBranch, countCommits, type HistoryRange, type HistoryResult, headCommit, readCommits } from '../platform/git-history.ts'
import { findProject } from '../platform/project.ts'
import { isSilent, lookAtFolders } from '../platform/silent-folders.ts'
import type { NewCommit, Store } from '../store/store.ts'
import type { ImportCounts, ImportLine } from '../wire/contract/upkeep.ts'
import { queueGitHistory } from './automatic-jobs.ts'
import { redactPatterns, type Services } from './services.ts'

/** Older commits are read only if a person asks for them with a date. */
const MAX_COMMITS = 20_000
/** Git counts commits up to this. */
const MAX_COMMITS_SINCE = 2 ** 31 - 1
/** One run of git, and one job: other jobs wait no longer than this takes. */
const COMMITS_PER_RUN = 500
/** One transaction: hooks wait no longer than this takes. */
const COMMITS_PER_TRANSACTION = 50
/** How many positions of branches are remembered, to read only what is new and to notice what was abandoned. */
const MAX_KNOWN_HEADS = 20
const MAX_ABANDONED_COMMITS = 10_000

/** Imports a repository's commits, or those since a time. Known ones are skipped, so an interrupted import is finished by the next. */
export async function* importGitHistory(
  services: Services,
  { folder, since, project: given }: { folder: string; since: number | null; project: ProjectKey | null },
  total: ImportCounts,
): AsyncGenerator<ImportLine> {
  const project = await projectToImport(services, folder, given, 'commits')
  const head = readValue(await headCommit(folder), folder)
  if (head === null) return
  const range = { head, known: [], since }
  const limit = since === null ? MAX_COMMITS : MAX_COMMITS_SINCE
  const of = readValue(await countCommits(folder, range, limit), folder)
  for (let skip = 0; skip < of; skip += COMMITS_PER_RUN) {
    yield { kind: 'importing', what: 'commits', done: skip, of }
    const commits = readValue(await readCommits(folder, range, { skip, limit: Math.min(COMMITS_PER_RUN, of - skip) }), folder)
    total.commits += await storeCommits(services, project, commits)
  }
  await settle(services, project, folder, since === null ? head : null)
}

/** The project that a repository's memories are imported into: the given one, or the repository's own. Throws when either is excluded. */
export async function projectToImport(
  services: Services,
  folder: string,
  given: ProjectKey | null,
  what: 'commits' | 'notes',
): Promise<ProjectKey> {
  const own = await services.store.projects.currentKey(projectKey(findProject(folder)))
  const project = given ?? own
  const excluded = [own, project].find((key) => services.rules(defaultAgent).isExcludedProject(key, folder))
  if (excluded) throw new Error(`${excluded} is excluded by privacy.exclude_projects, so its ${what} are not read`)
  return project
}

function readValue<T>(result: HistoryResult<T>, folder: string): T {
  if (result.kind === 'read') return result.value
  if (result.kind === 'failed') throw new Error(`git cannot read ${folder}: ${result.reason}`)
  throw new Error(`${folder} is not in a git repository; run the command in one, or pass its folder`)
}

/** Reads the next commits that are new in a project's repository, and queues the rest. A folder without a readable repository has none. */
export async function followGitHistory(services: Services, job: Job<'git-history'>): Promise<void> {
  const { store } = services
  await lookAtFolders([job.payload.folder])
  const next = isSilent(job.payload.folder) ? null : await readNewCommits(services, job.payload)
  await store.transaction(async () => {
    await store.jobs.complete(job.id)
    const now = Date.now()
    // Due now, so it runs after every job that was due earlier.
    if (next) await queueGitHistory(store, next, now, now)
  })
}

async function readNewCommits(services: Services, payload: Jobs['git-history']): Promise<Jobs['git-history'] | null> {
  const { store, log, settings } = services
  const { folder } = payload
  const project = await store.projects.currentKey(payload.project as ProjectKey)
  if (!settings.git.history || services.rules(defaultAgent).isExcludedProject(project, folder)) return null
  const reading = payload.reading ?? (await newRange(store, project, folder))
  if (!reading) return null
  const { skip, ...range } = reading
  const limit = Math.min(COMMITS_PER_RUN, MAX_COMMITS - skip)
  const read = await readCommits(folder, { ...range, since: null }, { skip, limit })
  if (read.kind !== 'read') {
    log.warn('the commits of a project could not be read', { reason: read.kind === 'failed' ? read.reason : 'no repository any more' })
    return null
  }
  const added = await storeCommits(services, project, read.value)
  if (added > 0)
    await store.transaction(() =>
      store.audit.add({ at: Date.now(), action: 'import', subject: `git ${folder}`, details: { commits: added } }),
    )
  const done = skip + read.value.length
  if (read.value.length === limit && done < MAX_COMMITS) return { ...payload, reading: { ...range, skip: done } }
  await settle(services, project, folder, range.head)
  log.info('read commits', { added, read: done })
  return null
}

/** The range of commits that are new since the repository was last read; null if none is. */
async function newRange(
  store: Store,
  project: ProjectKey,
  folder: string,
): Promise<(Omit<HistoryRange, 'since'> & { skip: number }) | null> {
  const head = await headCommit(folder)
  if (head.kind !== 'read' || head.value === null) return null
  const known = await knownHeads(store, project)
  return known.includes(head.value) ? null : { head: head.value, known, skip: 0 }
}

const headsMark = (project: ProjectKey) => `commits read, ${project}`
const knownHeads = async (store: Store, project: ProjectKey) => (await store.audit.jsonMark<string[]>(headsMark(project))) ?? []

/** Finishes a reading: remembers the head that is now read to its end, and marks what was undone or abandoned. */
async function settle({ store, queue }: Services, project: ProjectKey, folder: string, head: string | null): Promise<void> {
  const known = await knownHeads(store, project)
  const found = known.length > 0 ? await commitsOnNoBranch(folder, known, MAX_ABANDONED_COMMITS) : null
  const abandoned = found?.kind === 'read' ? found.value : []
  // An abandoned head is read again if a branch has it again.
  const living = known.filter((one) => one !== head && !abandoned.includes(one))
  const heads = [...(head === null ? [] : [head]), ...living].slice(0, MAX_KNOWN_HEADS)
  await store.transaction(async () => {
    await store.commits.abandon(project, abandoned)
    await store.commits.settleReverts(project)
    await settleUndoneWork(store, [{ project, at: Date.now() }])
    await store.audit.setMark(headsMark(project), JSON.stringify(heads))
    const now = Date.now()
    await store.jobs.add('embed', 'waiting', {}, now, now)
  })
  queue.kick()
}

async function storeCommits({ store, settings }: Services, project: ProjectKey, commits: RepositoryCommit[]): Promise<number> {
  const rules = { redactPatterns: redactPatterns(settings) }
  const hashes = commits.map(({ hash }) => hash)
  const known = await store.transaction(() => store.commits.recognize(project, hashes))
  const unknown = commits.filter(({ hash }) => !known.has(hash))
  let added = 0
  for (let from = 0; from < unknown.length; from += COMMITS_PER_TRANSACTION) {
    const cleaned = unknown.slice(from, from + COMMITS_PER_TRANSACTION).flatMap((commit) => cleanCommit(commit, rules) ?? [])
    added += await store.transaction(() => store.commits.add(project, cleaned))
    await Bun.sleep(0)
  }
  return added
}

const MAX_SUBJECT_CHARS = 300
const MAX_BODY_CHARS = 8000
const MAX_NAME_CHARS = 300

/** Private parts and secrets are removed from the whole message, before it is split or cut. Null if nothing is left of it. */
function cleanCommit({ message, isMerge, ...commit }: RepositoryCommit, rules: RedactionRules): NewCommit | null {
  const clean = (text: string, max: number) => cleanText(text, rules, max).text
  const { subject, body } = splitCommitMessage(cleanText(message, rules).text)
  if (subject === '') return null
  const text = { subject: clean(subject, MAX_SUBJECT_CHARS), body: clean(body, MAX_BODY_CHARS) }
  const author = clean(commit.author, MAX_NAME_CHARS)
  return {
    ...commit,
    ...text,
    author,
    files: commit.files.map((file) => clean(file, MAX_NAME_CHARS)),
    type: commitType({ ...text, author, isMerge }),
    reverts: revertTarget(text),
  }
}
