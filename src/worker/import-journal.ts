import { isDeletedEvent, isOfDeletedTurn } from '../capture/capture.ts'
import { cleanJson, type RedactionRules } from '../core/clean-text.ts'
import { fingerprint } from '../core/hash.ts'
import { asContentSessionId, asMemorySessionId, asProjectKey, type ProjectKey } from '../core/ids.ts'
import { MAX_STORED_CHARS } from '../core/limits.ts'
import { CONCEPTS, type Concept, type Observation, type ObservationType, type Prompt, type Session, type Summary } from '../core/memory.ts'
import { clip } from '../core/text.ts'
import { countTokens } from '../core/tokens.ts'
import type { Agent } from '../integrations/agent.ts'
import { importNote } from '../notes/notes.ts'
import { readTextLines } from '../platform/text-lines.ts'
import type { ImportCounts, ImportLine } from '../wire/contract/upkeep.ts'
import { type ExportedLine, readExportedLine } from '../wire/export-lines.ts'
import { countImportedNote, zeroImportCounts } from './import-counts.ts'
import type { Services } from './services.ts'

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
        for (const row of rows) await importRow(services, row, existing, total)
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

/** Imports the lines of one session. What is known already, or was deleted here, is left alone. */
export async function importSessionLines(services: Services, lines: ExportedLine[]): Promise<void> {
  const existing = knownFingerprints(services)
  const total = zeroImportCounts()
  const isSession = (line: ExportedLine) => line.kind === 'session'
  await services.store.transaction(async () => {
    for (const line of [...lines.filter(isSession), ...lines.filter((one) => !isSession(one))])
      await importRow(services, line, existing, total)
  })
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

export function readLine(text: string, rules: RedactionRules): ExportedLine | null {
  try {
    return cleanJson(readExportedLine(JSON.parse(text)), rules)
  } catch {
    return null
  }
}

async function importRow(
  services: Services,
  row: ExportedLine,
  existing: ReturnType<typeof knownFingerprints>,
  total: ImportCounts,
): Promise<void> {
  if (row.kind === 'note' || row.kind === 'tool-use' || row.kind === 'commit') return
  const project = asProjectKey(row.project)
  const known =
    row.kind === 'session' ? row : { ...row, folder: row.project, branch: null, title: null, startedAt: row.at, lastEventAt: row.at }
  const found = await openImportedSession(services, await services.agents[row.agent](), { ...known, project })
  if (!found) return
  const { session, opened } = found
  if (opened) total.sessions++
  switch (row.kind) {
    case 'session':
      return
    case 'prompt': {
      if (!(await existing.isNew(session.id, promptFingerprint(row)))) return addAnswer(services, session, row)
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

/** A prompt that was exported before its turn had ended gets its answer. */
async function addAnswer(
  { store, notebook }: Services,
  { id }: Session,
  row: { at: number; text: string; answer: string | null; answeredAt: number | null },
) {
  if (row.answer === null) return
  const wanted = promptFingerprint(row)
  const known = (await store.prompts.ofSession(id)).find((prompt) => prompt.answer === null && promptFingerprint(prompt) === wanted)
  if (known) await store.prompts.setAnswer(known, clip(notebook.clean(row.answer).trim(), MAX_STORED_CHARS), row.answeredAt ?? row.at)
}

export const promptFingerprint = (row: { at: number; text: string }) => `${row.at}:${fingerprint(row.text)}`
export const observationFingerprint = (row: { promptNumber: number; title: string }) => `${row.promptNumber}:${fingerprint(row.title)}`

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
  host?: string | null
}

/** The session of a row, stored as completed when it is new; null when its project is excluded or it was deleted. Call inside a transaction. */
export async function openImportedSession(
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
    host: s.host ?? null,
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

export async function addPrompt(
  services: Services,
  session: Session,
  p: { key: string; origin: 'person' | 'machine'; text: string; answer: string | null; at: number; answeredAt: number | null },
): Promise<Prompt | null> {
  const cleaned = (text: string) => clip(services.notebook.clean(text).trim(), MAX_STORED_CHARS)
  const text = cleaned(p.text)
  if (text === '') return null
  const { agent, contentSessionId } = session
  const event = { kind: 'prompt-submitted', promptId: null, origin: p.origin, text, agent, session: contentSessionId } as const
  if (await isDeletedEvent(services.store, { ...event, at: p.at, cwd: null, transcript: null }, () => text, null)) return null
  const prompt = await services.store.prompts.add(session, { key: p.key, promptId: null, uuid: null, origin: p.origin, text, at: p.at })
  if (prompt && p.answer !== null) await services.store.prompts.setAnswer(prompt, cleaned(p.answer), p.answeredAt ?? p.at)
  return prompt
}

type ObservationToImport = Omit<Observation, 'id' | 'sessionId' | 'project' | 'tokens' | 'concepts' | 'type'> & {
  key: string
  type: ObservationType
  concepts: string[]
}

export async function addObservations(services: Services, session: Session, rows: ObservationToImport[]): Promise<number> {
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
        tags: row.tags ?? [],
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

export async function addSummary(
  services: Services,
  session: Session,
  key: string,
  s: Omit<Summary, 'id' | 'sessionId' | 'project'>,
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
