import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CaptureRules } from '../../src/capture/capture.ts'
import type { AgentEvent, EventContext, SessionEvent } from '../../src/core/event.ts'
import { asContentSessionId, asMemorySessionId, asProjectKey } from '../../src/core/ids.ts'
import type { Observation, Prompt, Session, Summary } from '../../src/core/memory.ts'
import { asNoteId, type Note, type NoteText } from '../../src/core/note.ts'
import type { Environment } from '../../src/platform/environment.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import type { SearchHit } from '../../src/wire/contract/memories.ts'

/** Builders provide defaults, so that a test shows only the fields that matter to it. */
export function observation(given: Partial<Observation> = {}): Observation {
  return {
    id: 1,
    sessionId: 1,
    project: asProjectKey('app'),
    promptNumber: 1,
    type: 'change',
    title: 'Something changed',
    subtitle: '',
    narrative: '',
    facts: [],
    concepts: [],
    filesRead: [],
    filesModified: [],
    tool: null,
    tokens: 10,
    model: 'plain',
    at: 1000,
    ...given,
  }
}

/** A stored prompt with its answer. */
export function storedPrompt(given: Partial<Prompt> = {}): Prompt {
  return {
    id: 1,
    sessionId: 1,
    number: 1,
    origin: 'person',
    text: 'Fix the tide clock',
    answer: null,
    at: 1000,
    answeredAt: null,
    ...given,
  }
}

export function summary(given: Partial<Summary> = {}): Summary {
  return {
    id: 1,
    sessionId: 1,
    project: asProjectKey('app'),
    promptNumber: 1,
    source: 'turn',
    request: 'Do it',
    investigated: '',
    learned: '',
    completed: 'It is done',
    nextSteps: '',
    notes: '',
    model: 'plain',
    at: 1000,
    ...given,
  }
}

/** A note as it is in its file. */
export function noteText(given: Partial<NoteText> = {}): NoteText {
  return {
    id: asNoteId('01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    type: 'semantic',
    title: 'Something to know',
    namespace: 'context',
    tags: [],
    createdAt: 1000,
    updatedAt: 1000,
    machine: 'here',
    source: 'human',
    session: null,
    model: null,
    confidence: 1,
    author: null,
    supersedes: [],
    conflictOf: null,
    state: 'accepted',
    said: [],
    pinned: false,
    expiresAt: null,
    deletedAt: null,
    body: 'Something worth knowing.',
    unknown: [],
    ...given,
  }
}

export function note(given: Partial<Note> = {}): Note {
  const path = 'memory/app/01ARZ3NDEKTSV4RRFFQ69G5FAV.md'
  return { ...noteText(), scope: 'project', project: asProjectKey('app'), path, ...given }
}

/** A prompt that a search found. */
export function searchHit(part: Partial<SearchHit> = {}): SearchHit {
  return {
    kind: 'prompt',
    id: '1',
    type: '',
    title: '',
    snippet: '',
    project: asProjectKey('p'),
    sessionId: 1,
    turn: 1,
    at: 0,
    score: 1,
    signals: {},
    coverage: 0,
    matched: 0,
    unlikely: 0,
    known: { coverage: 0, matched: 0, unlikely: 0 },
    cosine: null,
    tokens: 0,
    also: [],
    outcome: null,
    agent: null,
    file: null,
    code: null,
    ...part,
  }
}

/** The memories among the items of an injection, without its lines. */
export const memoriesIn = <T extends { kind: string }>(items: T[]): T[] => items.filter((item) => item.kind !== 'line')

export function event(sessionEvent: SessionEvent, given: Partial<Omit<AgentEvent, keyof SessionEvent>> = {}): AgentEvent {
  return {
    agent: 'claude-code',
    session: asContentSessionId('s1'),
    at: 1000,
    cwd: '/home/dev/app',
    transcript: null,
    ...sessionEvent,
    ...given,
  }
}

export const prompt = (text: string, promptId: string | null = 'p1'): SessionEvent => ({
  kind: 'prompt-submitted',
  promptId,
  origin: 'person',
  text,
})

export const toolUse = (
  toolUseId: string,
  given: Partial<Extract<SessionEvent, { kind: 'tool-used' }>> = {},
): Extract<SessionEvent, { kind: 'tool-used' }> => ({
  kind: 'tool-used',
  promptId: 'p1',
  toolUseId,
  tool: 'Bash',
  input: { command: 'true' },
  output: { stdout: '' },
  error: null,
  interrupted: false,
  agentId: null,
  ...given,
})

/** A turn that fixes a login: the prompt, an edit, commands with this much output, and the answer unless it is null. */
export function loginTurn(
  number: number,
  { commands = 1, size = 2900, text: said = '', answer = 'Fixed: exp is in seconds.' }: LoginTurn = {},
): SessionEvent[] {
  const promptId = `p${number}`
  const edit = { file_path: '/home/dev/app/src/auth.ts', old_string: `exp > now + ${number}`, new_string: 'exp * 1000 > now' }
  const command = (_: unknown, n: number) => {
    const output = { stdout: `${said} line ${n} `.padEnd(size, 'so it goes on ') }
    return toolUse(`u${number}-${n}`, { promptId, input: { command: `bun test part-${n}` }, output })
  }
  return [
    prompt(`The login test fails, question ${number}. Fix it.`, promptId),
    toolUse(`e${number}`, { promptId, tool: 'Edit', input: edit, output: {} }),
    ...Array.from({ length: commands }, command),
    ...(answer === null ? [] : [{ kind: 'turn-ended' as const, promptId, answer: `${answer} ${said}`.trim() }]),
  ]
}

type LoginTurn = { commands?: number; size?: number; text?: string; answer?: string | null }

export const nowhere: EventContext = { projectFolder: null, clientPid: null, entrypoint: null }

/** Rules that accept every event. */
export function captureAll(given: Partial<CaptureRules> = {}): CaptureRules {
  return {
    isWanted: () => true,
    isSkipped: () => false,
    isExcludedInput: () => false,
    isExcludedProject: () => false,
    isInExcludedFolder: () => false,
    markers: [],
    redactPatterns: [],
    noticeText: (notice) => notice,
    compactSummary: (summary) => summary,
    confirmClaim: () => {},
    projectOf: () => ({ project: asProjectKey('app'), branch: null }),
    ...given,
  }
}

/** The environment of a process whose home folder is this folder. */
export function environment(folder: string, given: Partial<Environment> = {}): Environment {
  return {
    home: join(folder, '.recollect'),
    claudeConfig: join(folder, '.claude'),
    claudeBin: null,
    userHome: folder,
    temporaryFolder: folder,
    runtimeFolder: null,
    uid: process.getuid?.() ?? 0,
    path: '/usr/bin:/bin',
    overrides: {},
    keys: {},
    ...given,
  }
}

/** A folder that is removed at the end of the test. */
export function temporaryFolder(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'recollect-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A real database in a temporary folder. */
export async function temporaryStore(): Promise<{ store: Store; path: string; [Symbol.dispose](): void }> {
  const folder = temporaryFolder()
  const path = join(folder.path, 'recollect.db')
  const store = await openStore(path)
  return {
    store,
    path,
    [Symbol.dispose]: () => {
      store.close()
      folder[Symbol.dispose]()
    },
  }
}

export async function openSession(store: Store, contentSessionId = 's1', at = 1000, project = asProjectKey('app')): Promise<Session> {
  const { session } = await store.sessions.open({
    agent: 'claude-code',
    contentSessionId: asContentSessionId(contentSessionId),
    project,
    folder: '/home/dev/app',
    branch: null,
    transcript: null,
    clientPid: null,
    at,
  })
  return session
}

/** Adds these observations as the first turn of a new session. */
export async function addObservations(store: Store, observations: Observation[], contentSessionId = 's1'): Promise<Session> {
  const session = await openSession(store, contentSessionId)
  const memorySessionId = asMemorySessionId(`memory of ${contentSessionId}`)
  await store.sessions.setMemorySessionId(session.id, memorySessionId)
  const rows = observations.map((o, i) => ({ ...o, sessionId: session.id, key: `${contentSessionId}:${i}` }))
  await store.observations.replaceTurn({ sessionId: session.id, memorySessionId, number: 1 }, rows, '')
  return session
}
