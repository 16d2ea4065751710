import { isDeletedEvent, isOfDeletedTurn } from '../capture/capture.ts'
import { cleanJson, type RedactionRules } from '../core/clean-text.ts'
import { fingerprint } from '../core/hash.ts'
import { asContentSessionId, asMemorySessionId, asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { MAX_STORED_CHARS } from '../core/limits.ts'
import { CONCEPTS, type Concept, OBSERVATION_TYPES, type Observation, type ObservationType, type Session } from '../core/memory.ts'
import { asNoteId } from '../core/note.ts'
import { projectName } from '../core/project.ts'
import { clip } from '../core/text.ts'
import { countTokens } from '../core/tokens.ts'
import { ulidOf } from '../core/ulid.ts'
import type { Agent } from '../integrations/agent.ts'
import { importNote, saveNoteUnderId } from '../notes/notes.ts'
import { filesBelow } from '../platform/folder.ts'
import { readTextLines } from '../platform/text-lines.ts'
import { type ForeignSession, openClaudeMem } from '../store/store.ts'
import type { ImportCounts, ImportLine } from '../wire/contract/upkeep.ts'
import { type ExportedLine, readExportedLine } from '../wire/export-lines.ts'
import { countImportedNote } from './import-counts.ts'
import type { Services } from './services.ts'

/**
 * Imports the database of claude-mem: its sessions under the agent's own ids, with their prompts, observations and summaries, and its
 * standing rules as notes. If the transcript of a session exists, its prompts come from there instead.
 */
export async function* importClaudeMem(
  services: Services,
  agent: Agent,
  path: string,
  project: ProjectKey | null,
  total: ImportCounts,
): AsyncGenerator<ImportLine> {
  const source = await openClaudeMem(path)
  if (typeof source === 'string') throw new Error(source)
  try {
    const transcripts = new Set(
      agent
        .transcriptRoots(agent.configFolder(services.environment))
        .flatMap((root) => filesBelow(root.folder, ['.jsonl']).map((file) => nameOf(file.name))),
    )
    const named = await projectsByName(services)
    const of = source.counts.sessions
    let done = 0
    for (const raw of source.sessions()) {
      const session = cleanJson(raw, services.rules(agent))
      if (done++ % 20 === 0)
        yield { kind: 'importing', what: `${session.project}, ${new Date(session.startedAt).toISOString().slice(0, 10)}`, done, of }
      const key = project ?? named(session.project)
      await services.store.transaction(() =>
        importClaudeMemSession(services, agent, session, key, transcripts.has(session.contentSessionId), total),
      )
      await Bun.sleep(0) // let hooks that arrived meanwhile go first
    }
    for (const rule of source.rules()) {
      const ruleProject = rule.project === null ? GLOBAL_PROJECT : (project ?? named(rule.project))
      const id = asNoteId(ulidOf(`claude-mem rule\n${rule.content}`, rule.at))
      const draft = {
        id,
        body: rule.content,
        project: ruleProject,
        source: 'import',
        type: 'procedural',
        namespace: 'patterns',
        createdAt: rule.at,
      } as const
      const reason = countImportedNote(
        services,
        await saveNoteUnderId(services.notebook, { ...draft, tags: ['claude-mem'] }, Date.now()),
        total,
      )
      if (reason !== null) yield { kind: 'skipped', file: path, reason }
    }
    const others = source.counts.ofOtherAgents
    if (others > 0) yield { kind: 'skipped', file: path, reason: `sessions of agents other than ${agent.title} (${others})` }
  } finally {
    source.close()
  }
}

const nameOf = (file: string) => file.replace(/\.jsonl$/, '')

/** claude-mem identifies a project by the name of its folder. If exactly one of our projects has that name, it is that project. */
async function projectsByName(services: Services): Promise<(name: string) => ProjectKey> {
  const known = Map.groupBy(await services.store.sessions.projects(), ({ project }) => projectName(project))
  return (name) => {
    const lowerName = name.toLowerCase().trim()
    const ours = known.get(lowerName)
    return ours?.length === 1 && ours[0] ? ours[0].project : asProjectKey(lowerName || 'global')
  }
}

async function importClaudeMemSession(
  services: Services,
  agent: Agent,
  from: ForeignSession,
  project: ProjectKey,
  hasTranscript: boolean,
  total: ImportCounts,
): Promise<void> {
  const ends = [...from.prompts, ...from.observations, ...from.summaries].map((row) => row.at)
  const lastAt = Math.max(from.startedAt, from.endedAt ?? 0, ...ends)
  const found = await openImportedSession(services, agent, {
    sessionId: from.contentSessionId,
    project,
    folder: project,
    branch: null,
    title: from.title,
    startedAt: from.startedAt,
    lastEventAt: lastAt,
  })
  if (!found) return
  const { session, opened } = found
  if (opened) total.sessions++
  if (!hasTranscript && session.transcript === null) {
    for (const prompt of from.prompts) {
      const row = { ...prompt, key: `claude-mem:${prompt.number}`, origin: 'person' as const, answer: null, answeredAt: null }
      if (await addPrompt(services, session, row)) total.prompts++
    }
  }
  // Turn 0 does not exist in our sessions. Distilling a turn again replaces all rows of its number, and must not replace these.
  const rows = from.observations
    .filter((o) => o.title.trim() !== '')
    .map((o) => ({
      ...o,
      key: `claude-mem:${from.contentSessionId}:${o.id}`,
      type: OBSERVATION_TYPES.find((type) => type === o.type) ?? 'discovery',
      promptNumber: 0,
      tool: null,
    }))
  total.observations += await addObservations(services, session, rows)
  for (const { id, ...summary } of from.summaries) {
    const key = `claude-mem:${from.contentSessionId}:${id}`
    if (await addSummary(services, session, key, { ...summary, promptNumber: 0, source: 'turn', model: 'claude-mem' })) total.summaries++
  }
}

/**
 * Imports the lines of our own export: first all sessions, wherever they are in the file, because the other rows refer to them. Tool uses
 * are not imported. Rows get new ids; notes keep theirs.
 */
export async function* importExportedLines(
  services: Services,
  agent: Agent,
  path: string,
  total: ImportCounts,
): AsyncGenerator<ImportLine> {
  const bytes = Bun.file(path).size
  const existing = knownFingerprints(services)
  let unreadable = 0
  let toolUses = 0
  let seen = 0
  for (const pass of ['sessions', 'rest'] as const) {
    let done = 0
    for await (const batch of batchesOf(path, services.rules(agent))) {
      if (pass === 'sessions') {
        const bad = batch.lines.filter((line) => line === null).length
        unreadable += bad
        seen += batch.lines.length - bad
        if (seen === 0 && unreadable > 0)
          throw new Error(`${path} is not an export of Recollect: its first lines are not JSON that 'recollect export' writes`)
      }
      const lines = batch.lines.filter((line) => line !== null)
      const rows = lines.filter((line) => (line.kind === 'session') === (pass === 'sessions') && line.kind !== 'note')
      await services.store.transaction(async () => {
        for (const row of rows) await importRow(services, agent, row, existing, total)
      })
      if (pass === 'rest') {
        toolUses += lines.filter((line) => line.kind === 'tool-use').length
        for (const line of lines) {
          const reason = line.kind === 'note' ? countImportedNote(services, await importNote(services.notebook, line.note), total) : null
          if (reason !== null) yield { kind: 'skipped', file: path, reason }
        }
      }
      done += batch.bytes
      yield { kind: 'importing', what: pass === 'sessions' ? 'sessions' : 'memories', done, of: bytes }
      await Bun.sleep(0) // let hooks that arrived meanwhile go first
    }
  }
  if (seen + unreadable === 0) throw new Error(`${path} is empty`)
  if (unreadable > 0) yield { kind: 'skipped', file: path, reason: `${unreadable} lines that are not what 'recollect export' writes` }
  if (toolUses > 0)
    yield { kind: 'skipped', file: path, reason: `${toolUses} tool uses, which are not imported; the memories made from them are` }
}

const LINES_PER_BATCH = 200

async function* batchesOf(path: string, rules: RedactionRules): AsyncGenerator<{ lines: (ExportedLine | null)[]; bytes: number }> {
  let lines: (ExportedLine | null)[] = []
  let bytes = 0
  for await (const line of readTextLines(path)) {
    bytes += line.length + 1
    if (line.trim() === '') continue
    lines.push(readLine(line, rules))
    if (lines.length < LINES_PER_BATCH) continue
    yield { lines, bytes }
    lines = []
    bytes = 0
  }
  if (lines.length > 0) yield { lines, bytes }
}

function readLine(text: string, rules: RedactionRules): ExportedLine | null {
  try {
    return cleanJson(readExportedLine(JSON.parse(text)), rules)
  } catch {
    return null
  }
}

async function importRow(
  services: Services,
  agent: Agent,
  row: ExportedLine,
  existing: ReturnType<typeof knownFingerprints>,
  total: ImportCounts,
): Promise<void> {
  if (row.kind === 'note' || row.kind === 'tool-use' || row.kind === 'commit') return
  const project = asProjectKey(row.project)
  const known =
    row.kind === 'session' ? row : { ...row, folder: row.project, branch: null, title: null, startedAt: row.at, lastEventAt: row.at }
  const found = await openImportedSession(services, agent, { ...known, project })
  if (!found) return
  const { session, opened } = found
  if (opened) total.sessions++
  switch (row.kind) {
    case 'session':
      return
    case 'prompt': {
      if (!(await existing.isNew(session.id, promptFingerprint(row)))) return
      if (await addPrompt(services, session, { ...row, key: `import:${promptFingerprint(row)}` })) total.prompts++
      return
    }
    case 'observation': {
      if (!(await existing.isNew(session.id, observationFingerprint(row)))) return
      const key = `import:${row.sessionId}:${observationFingerprint(row)}`
      total.observations += await addObservations(services, session, [{ ...row, key }])
      return
    }
    case 'summary': {
      const own =
        row.source === 'subagent' ? `subagent:${session.id}:${fingerprint(row.learned)}` : `${row.source}:${session.id}:${row.promptNumber}`
      if (await addSummary(services, session, own, row)) total.summaries++
      return
    }
  }
}

const promptFingerprint = (row: { at: number; text: string }) => `${row.at}:${fingerprint(row.text)}`
const observationFingerprint = (row: { promptNumber: number; title: string }) => `${row.promptNumber}:${fingerprint(row.title)}`

/** What each session already has, looked up once. A home that was used since the export has some rows under other keys. */
function knownFingerprints({ store }: Services) {
  const fingerprints = new Map<number, Set<string>>()
  return {
    async isNew(sessionId: number, rowFingerprint: string): Promise<boolean> {
      let known = fingerprints.get(sessionId)
      if (!known) {
        const prompts = await store.prompts.ofSession(sessionId)
        const observations = await store.observations.ofSession(sessionId, 100_000)
        known = new Set([...prompts.map(promptFingerprint), ...observations.map(observationFingerprint)])
        fingerprints.set(sessionId, known)
      }
      if (known.has(rowFingerprint)) return false
      known.add(rowFingerprint)
      return true
    },
  }
}

type SessionToImport = {
  sessionId: string
  project: ProjectKey
  folder: string
  branch: string | null
  title: string | null
  startedAt: number
  lastEventAt: number
}

/** The session of a row, stored as completed when it is new; null when its project is excluded or it was deleted. Call inside a transaction. */
async function openImportedSession(
  services: Services,
  agent: Agent,
  s: SessionToImport,
): Promise<{ session: Session; opened: boolean } | null> {
  const { store } = services
  const contentSessionId = asContentSessionId(s.sessionId)
  const deleted = await store.tombstones.ofSession(agent.name, contentSessionId)
  if (deleted.some(({ kind, at }) => kind === 'session' && s.lastEventAt <= at)) return null
  const known = await store.sessions.find(agent.name, contentSessionId)
  const { project, folder } = known ?? s
  if (services.rules(agent).isExcludedProject(project, folder)) return null
  if (known) return { session: known, opened: false }
  const { session, opened } = await store.sessions.open({
    agent: agent.name,
    contentSessionId,
    project,
    folder,
    branch: s.branch,
    transcript: null,
    clientPid: null,
    at: s.startedAt,
  })
  if (s.title) await store.sessions.setTitle(session.id, services.notebook.clean(s.title).slice(0, 200))
  await store.sessions.touch(session.id, { at: s.lastEventAt, transcript: null, clientPid: null })
  await store.sessions.complete(session.id, s.lastEventAt)
  return { session, opened }
}

async function addPrompt(
  services: Services,
  session: Session,
  p: { key: string; origin: 'person' | 'machine'; text: string; answer: string | null; at: number; answeredAt: number | null },
): Promise<boolean> {
  const cleaned = (text: string) => clip(services.notebook.clean(text).trim(), MAX_STORED_CHARS)
  const text = cleaned(p.text)
  if (text === '') return false
  const { agent, contentSessionId } = session
  const event = { kind: 'prompt-submitted', promptId: null, origin: p.origin, text, agent, session: contentSessionId } as const
  if (await isDeletedEvent(services.store, { ...event, at: p.at, cwd: null, transcript: null }, () => text, null)) return false
  const prompt = await services.store.prompts.add(session, { key: p.key, promptId: null, uuid: null, origin: p.origin, text, at: p.at })
  if (prompt && p.answer !== null) await services.store.prompts.setAnswer(prompt, cleaned(p.answer), p.answeredAt ?? p.at)
  return prompt !== null
}

type ObservationToImport = Omit<Observation, 'id' | 'sessionId' | 'project' | 'tokens' | 'concepts' | 'type'> & {
  key: string
  type: ObservationType
  concepts: string[]
}

async function addObservations(services: Services, session: Session, rows: ObservationToImport[]): Promise<number> {
  const of = { agent: session.agent, session: session.contentSessionId }
  const kept: ObservationToImport[] = []
  for (const row of rows) if (!(await isOfDeletedTurn(services.store, of, row))) kept.push(row)
  if (kept.length === 0) return 0
  const { clean } = services.notebook
  const memorySessionId = session.memorySessionId ?? asMemorySessionId(`import-${session.contentSessionId}`)
  if (!session.memorySessionId) await services.store.sessions.setMemorySessionId(session.id, memorySessionId)
  const clipped = (text: string) => clip(clean(text), MAX_STORED_CHARS)
  return services.store.observations.add(
    { sessionId: session.id, memorySessionId },
    kept.map((row) => {
      const text = {
        title: clean(row.title).slice(0, 500),
        subtitle: clipped(row.subtitle),
        narrative: clipped(row.narrative),
        facts: row.facts.map(clipped),
      }
      return {
        key: row.key,
        sessionId: session.id,
        project: session.project,
        promptNumber: row.promptNumber,
        type: row.type,
        ...text,
        concepts: row.concepts.filter((one): one is Concept => CONCEPTS.some((concept) => concept === one)),
        filesRead: row.filesRead,
        filesModified: row.filesModified,
        tool: row.tool,
        model: row.model,
        tokens: countTokens([text.title, text.subtitle, text.narrative, ...text.facts].join('\n')),
        at: row.at,
      }
    }),
  )
}

async function addSummary(
  services: Services,
  session: Session,
  key: string,
  s: {
    promptNumber: number
    source: 'turn' | 'compact' | 'subagent'
    request: string
    investigated: string
    learned: string
    completed: string
    nextSteps: string
    notes: string
    model: string
    at: number
  },
): Promise<boolean> {
  const cleaned = (text: string) => clip(services.notebook.clean(text), MAX_STORED_CHARS)
  if (await services.store.summaries.has(key)) return false
  if (await isOfDeletedTurn(services.store, { agent: session.agent, session: session.contentSessionId }, s)) return false
  const stored = await services.store.summaries.put(key, {
    sessionId: session.id,
    project: session.project,
    promptNumber: s.promptNumber,
    source: s.source,
    request: cleaned(s.request),
    investigated: cleaned(s.investigated),
    learned: cleaned(s.learned),
    completed: cleaned(s.completed),
    nextSteps: cleaned(s.nextSteps),
    notes: cleaned(s.notes),
    model: s.model,
    at: s.at,
  })
  return stored?.added ?? false
}
