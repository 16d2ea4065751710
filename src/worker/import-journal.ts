import { fingerprint } from '../core/hash.ts'
import { asContentSessionId, asMemorySessionId, asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
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
import type { ImportCounts, ImportLine } from '../wire/api.ts'
import { type ExportedLine, readExportedLine } from '../wire/export-lines.ts'
import { countImportedNote } from './import-counts.ts'
import type { Services } from './services.ts'

/**
 * What claude-mem remembers, as rows of the journal: its sessions under the agent's own id, with their prompts, observations and
 * summaries; its standing rules as notes. A session whose transcript is there has its prompts from that, not from here.
 */
export async function* importClaudeMem(
  desk: Services,
  agent: Agent,
  path: string,
  project: ProjectKey | null,
  total: ImportCounts,
): AsyncGenerator<ImportLine> {
  const source = openClaudeMem(path)
  if (typeof source === 'string') throw new Error(source)
  try {
    const transcripts = new Set(
      agent
        .transcriptRoots(desk.environment.claudeConfig)
        .flatMap((root) => filesBelow(root.folder, ['.jsonl']).map((file) => nameOf(file.name))),
    )
    const named = await projectsByName(desk)
    const of = source.counts.sessions
    let done = 0
    for (const session of source.sessions()) {
      if (done++ % 20 === 0)
        yield { kind: 'importing', what: `${session.project}, ${new Date(session.startedAt).toISOString().slice(0, 10)}`, done, of }
      const key = project ?? named(session.project)
      await desk.store.transaction(() =>
        importClaudeMemSession(desk, agent, session, key, transcripts.has(session.contentSessionId), total),
      )
      await Bun.sleep(0) // hooks that came in meanwhile go first
    }
    for (const rule of source.rules()) {
      const where = rule.project === null ? GLOBAL_PROJECT : (project ?? named(rule.project))
      const id = asNoteId(ulidOf(`claude-mem rule\n${rule.content}`, rule.at))
      const draft = {
        id,
        body: rule.content,
        project: where,
        source: 'import',
        type: 'procedural',
        namespace: 'patterns',
        createdAt: rule.at,
      } as const
      const reason = countImportedNote(desk, await saveNoteUnderId(desk.notebook, { ...draft, tags: ['claude-mem'] }, Date.now()), total)
      if (reason !== null) yield { kind: 'skipped', file: path, reason }
    }
    const others = source.counts.ofOtherAgents
    if (others > 0) yield { kind: 'skipped', file: path, reason: `sessions of other agents than Claude Code (${others})` }
  } finally {
    source.close()
  }
}

const nameOf = (file: string) => file.replace(/\.jsonl$/, '')

/** claude-mem knows a project by the name of its folder. Where exactly one of ours is called so, it is that one. */
async function projectsByName(desk: Services): Promise<(name: string) => ProjectKey> {
  const known = Map.groupBy(await desk.store.sessions.projects(), ({ project }) => projectName(project))
  return (name) => {
    const called = name.toLowerCase().trim()
    const ours = known.get(called)
    return ours?.length === 1 && ours[0] ? ours[0].project : asProjectKey(called || 'global')
  }
}

async function importClaudeMemSession(
  desk: Services,
  agent: Agent,
  from: ForeignSession,
  project: ProjectKey,
  hasTranscript: boolean,
  total: ImportCounts,
): Promise<void> {
  const ends = [...from.prompts, ...from.observations, ...from.summaries].map((row) => row.at)
  const lastAt = Math.max(from.startedAt, from.endedAt ?? 0, ...ends)
  const found = await openImportedSession(desk, agent, {
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
      const said = { ...prompt, key: `claude-mem:${prompt.number}`, origin: 'person' as const, answer: null, answeredAt: null }
      if (await addPrompt(desk, session, said)) total.prompts++
    }
  }
  // Turn 0 is no turn of ours: telling a turn anew would take the place of all that stands under its number.
  const rows = from.observations
    .filter((o) => o.title.trim() !== '')
    .map((o) => ({
      ...o,
      key: `claude-mem:${from.contentSessionId}:${o.id}`,
      type: OBSERVATION_TYPES.find((type) => type === o.type) ?? 'discovery',
      promptNumber: 0,
      tool: null,
    }))
  total.observations += await addObservations(desk, session, rows)
  for (const { id, ...summary } of from.summaries) {
    const key = `claude-mem:${from.contentSessionId}:${id}`
    if (await addSummary(desk, session, key, { ...summary, promptNumber: 0, source: 'turn', model: 'claude-mem' })) total.summaries++
  }
}

/**
 * Lines that our own export wrote. Sessions first, whatever the order in the file: the rest hangs on them. Tool uses are not
 * brought back, and ids of rows are given anew; notes keep theirs.
 */
export async function* importExportedLines(desk: Services, agent: Agent, path: string, total: ImportCounts): AsyncGenerator<ImportLine> {
  const bytes = Bun.file(path).size
  const there = knownFingerprints(desk)
  let unreadable = 0
  let toolUses = 0
  let seen = 0
  for (const pass of ['sessions', 'rest'] as const) {
    let done = 0
    for await (const batch of batchesOf(path)) {
      if (pass === 'sessions') {
        const bad = batch.lines.filter((line) => line === null).length
        unreadable += bad
        seen += batch.lines.length - bad
        if (seen === 0 && unreadable > 0)
          throw new Error(`${path} is not an export of Recollect: its first lines are not JSON that 'recollect export' writes`)
      }
      const lines = batch.lines.filter((line) => line !== null)
      const rows = lines.filter((line) => (line.kind === 'session') === (pass === 'sessions') && line.kind !== 'note')
      await desk.store.transaction(async () => {
        for (const row of rows) await importRow(desk, agent, row, there, total)
      })
      if (pass === 'rest') {
        toolUses += lines.filter((line) => line.kind === 'tool-use').length
        for (const line of lines) {
          const reason = line.kind === 'note' ? countImportedNote(desk, await importNote(desk.notebook, line.note), total) : null
          if (reason !== null) yield { kind: 'skipped', file: path, reason }
        }
      }
      done += batch.bytes
      yield { kind: 'importing', what: pass === 'sessions' ? 'sessions' : 'memories', done, of: bytes }
      await Bun.sleep(0) // hooks that came in meanwhile go first
    }
  }
  if (seen + unreadable === 0) throw new Error(`${path} is empty`)
  if (unreadable > 0) yield { kind: 'skipped', file: path, reason: `${unreadable} lines that are not what 'recollect export' writes` }
  if (toolUses > 0) yield { kind: 'skipped', file: path, reason: `${toolUses} tool uses; only what was made of them comes back` }
}

const LINES_PER_BATCH = 200

async function* batchesOf(path: string): AsyncGenerator<{ lines: (ExportedLine | null)[]; bytes: number }> {
  let lines: (ExportedLine | null)[] = []
  let bytes = 0
  for await (const line of readTextLines(path)) {
    bytes += line.length + 1
    if (line.trim() === '') continue
    lines.push(readLine(line))
    if (lines.length < LINES_PER_BATCH) continue
    yield { lines, bytes }
    lines = []
    bytes = 0
  }
  if (lines.length > 0) yield { lines, bytes }
}

function readLine(text: string): ExportedLine | null {
  try {
    return readExportedLine(JSON.parse(text))
  } catch {
    return null
  }
}

async function importRow(
  desk: Services,
  agent: Agent,
  row: ExportedLine,
  there: ReturnType<typeof knownFingerprints>,
  total: ImportCounts,
): Promise<void> {
  if (row.kind === 'note' || row.kind === 'tool-use') return
  const project = asProjectKey(row.project)
  const known =
    row.kind === 'session' ? row : { ...row, folder: row.project, branch: null, title: null, startedAt: row.at, lastEventAt: row.at }
  const found = await openImportedSession(desk, agent, { ...known, project })
  if (!found) return
  const { session, opened } = found
  if (opened) total.sessions++
  switch (row.kind) {
    case 'session':
      return
    case 'prompt': {
      if (!(await there.isNew(session.id, promptFingerprint(row)))) return
      if (await addPrompt(desk, session, { ...row, key: `import:${promptFingerprint(row)}` })) total.prompts++
      return
    }
    case 'observation': {
      if (!(await there.isNew(session.id, observationFingerprint(row)))) return
      const key = `import:${row.sessionId}:${observationFingerprint(row)}`
      total.observations += await addObservations(desk, session, [{ ...row, key }])
      return
    }
    case 'summary': {
      const own =
        row.source === 'subagent' ? `subagent:${session.id}:${fingerprint(row.learned)}` : `${row.source}:${session.id}:${row.promptNumber}`
      if (await addSummary(desk, session, own, row)) total.summaries++
      return
    }
  }
}

const promptFingerprint = (row: { at: number; text: string }) => `${row.at}:${fingerprint(row.text)}`
const observationFingerprint = (row: { promptNumber: number; title: string }) => `${row.promptNumber}:${fingerprint(row.title)}`

/** What each session has already, looked up once: a home that has lived since the export has some of it under other keys. */
function knownFingerprints({ store }: Services) {
  const prints = new Map<number, Set<string>>()
  return {
    async isNew(sessionId: number, print: string): Promise<boolean> {
      let known = prints.get(sessionId)
      if (!known) {
        const prompts = await store.prompts.ofSession(sessionId)
        const observations = await store.observations.ofSession(sessionId, 100_000)
        known = new Set([...prompts.map(promptFingerprint), ...observations.map(observationFingerprint)])
        prints.set(sessionId, known)
      }
      if (known.has(print)) return false
      known.add(print)
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

/** The session of a row, opened when it is new and over when it was; null when its project is excluded. Inside a transaction. */
async function openImportedSession(
  desk: Services,
  agent: Agent,
  s: SessionToImport,
): Promise<{ session: Session; opened: boolean } | null> {
  const { store } = desk
  const contentSessionId = asContentSessionId(s.sessionId)
  const known = await store.sessions.find(agent.name, contentSessionId)
  const { project, folder } = known ?? s
  if (desk.rules(agent).isExcludedProject(project, folder)) return null
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
  if (s.title) await store.sessions.setTitle(session.id, desk.notebook.clean(s.title).slice(0, 200))
  await store.sessions.touch(session.id, { at: s.lastEventAt, transcript: null, clientPid: null })
  await store.sessions.complete(session.id, s.lastEventAt)
  return { session, opened }
}

const MAX_TEXT_CHARS = 64 * 1024

async function addPrompt(
  desk: Services,
  session: Session,
  p: { key: string; origin: 'person' | 'machine'; text: string; answer: string | null; at: number; answeredAt: number | null },
): Promise<boolean> {
  const cleaned = (text: string) => clip(desk.notebook.clean(text).trim(), MAX_TEXT_CHARS)
  const text = cleaned(p.text)
  if (text === '') return false
  const prompt = await desk.store.prompts.add(session, { key: p.key, promptId: null, uuid: null, origin: p.origin, text, at: p.at })
  if (prompt && p.answer !== null) await desk.store.prompts.setAnswer(prompt, cleaned(p.answer), p.answeredAt ?? p.at)
  return prompt !== null
}

type ObservationToImport = Omit<Observation, 'id' | 'sessionId' | 'project' | 'tokens' | 'concepts' | 'type'> & {
  key: string
  type: ObservationType
  concepts: string[]
}

async function addObservations(desk: Services, session: Session, rows: ObservationToImport[]): Promise<number> {
  if (rows.length === 0) return 0
  const { clean } = desk.notebook
  const memorySessionId = session.memorySessionId ?? asMemorySessionId(`import-${session.contentSessionId}`)
  if (!session.memorySessionId) await desk.store.sessions.setMemorySessionId(session.id, memorySessionId)
  const clipped = (text: string) => clip(clean(text), MAX_TEXT_CHARS)
  return desk.store.observations.add(
    { sessionId: session.id, memorySessionId },
    rows.map((row) => {
      const told = {
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
        ...told,
        concepts: row.concepts.filter((one): one is Concept => CONCEPTS.some((concept) => concept === one)),
        filesRead: row.filesRead,
        filesModified: row.filesModified,
        tool: row.tool,
        model: row.model,
        tokens: countTokens([told.title, told.subtitle, told.narrative, ...told.facts].join('\n')),
        at: row.at,
      }
    }),
  )
}

async function addSummary(
  desk: Services,
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
  const told = (text: string) => clip(desk.notebook.clean(text), MAX_TEXT_CHARS)
  if (await desk.store.summaries.has(key)) return false
  const { added } = await desk.store.summaries.put(key, {
    sessionId: session.id,
    project: session.project,
    promptNumber: s.promptNumber,
    source: s.source,
    request: told(s.request),
    investigated: told(s.investigated),
    learned: told(s.learned),
    completed: told(s.completed),
    nextSteps: told(s.nextSteps),
    notes: told(s.notes),
    model: s.model,
    at: s.at,
  })
  return added
}
