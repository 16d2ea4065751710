import { NO_WORDS, type Prompt, type Session } from '../../core/memory.ts'
import { asNoteId, type Note, parsePlace } from '../../core/note.ts'
import { conclusionOf, isSettling } from '../../core/outcome.ts'
import { subjectStems } from '../../core/subject.ts'
import { shorten } from '../../core/text.ts'
import { outcomeOf } from '../../retrieval/outcomes.ts'
import { describeHit } from '../../retrieval/search.ts'
import type { DocumentLocation, Store } from '../../store/store.ts'
import type { FeedDay, FeedDays, FeedMemory, FeedNote, FeedSession, FeedTurn, feed } from '../../wire/contract/feed.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import { resolveProject } from '../request-params.ts'
import type { Services } from '../services.ts'
import { isLive } from '../sweep.ts'

/** The newest days with what their sessions did. */
export async function readFeedDays({ store }: Services, request: ParsedRequest<typeof feed, 'GET /api/feed/days'>): Promise<FeedDays> {
  const { agent, before, shift, limit } = request
  const documentFeed = await store.feed()
  const upTo = await documentFeed.lastId()
  const range = {
    project: await resolveProject({ store }, request.project),
    kinds: ['prompt', 'observation', 'summary', 'note'] as DocumentLocation['kind'][],
    types: [],
    agent: agent ?? null,
    since: 0,
    before,
    after: 0,
    upTo,
  }
  const dayOf = (at: number) => new Date(at + shift * 60_000).toISOString().slice(0, 10)
  const startOf = (day: string) => Date.parse(day) - shift * 60_000
  const { documents, next } = await newestDays((offset) => documentFeed.page(range, DOCUMENTS_PER_READ, offset), limit, dayOf, startOf)
  const byDay = Map.groupBy(documents, ({ at }) => dayOf(at))
  const days = await Promise.all([...byDay].map(([day, ofDay]) => describeDay(store, day, ofDay)))
  return { days: days.filter(({ sessions, notes }) => sessions.length + notes.length > 0), next, upTo }
}

const DOCUMENTS_PER_READ = 300
/** A day may have any number of memories; a page ends here in any case, and the next one continues the day. */
const MAX_DOCUMENTS = 3000

type DocumentsOfDays = { documents: DocumentLocation[]; next: number | null }

/** Documents of whole days, newest first, until they belong to at least this many sessions. */
export async function newestDays(
  read: (offset: number) => Promise<DocumentLocation[]>,
  minSessions: number,
  dayOf: (at: number) => string,
  startOf: (day: string) => number,
): Promise<DocumentsOfDays> {
  const documents: DocumentLocation[] = []
  for (;;) {
    const batch = await read(documents.length)
    documents.push(...batch)
    const last = documents.at(-1)
    if (!last || batch.length < DOCUMENTS_PER_READ) return { documents, next: null }
    // The last day may go on in the next batch.
    const whole = documents.filter(({ at }) => dayOf(at) !== dayOf(last.at))
    const sessions = new Set(whole.map(({ at, sessionId }) => `${dayOf(at)} ${sessionId}`))
    const lastWhole = whole.at(-1)
    if (lastWhole && sessions.size >= minSessions) return { documents: whole, next: startOf(dayOf(lastWhole.at)) }
    if (documents.length >= MAX_DOCUMENTS) {
      const earlier = documents.filter(({ at }) => at > last.at)
      return earlier.length > 0 ? { documents: earlier, next: last.at + 1 } : { documents, next: last.at }
    }
  }
}

async function describeDay(store: Store, day: string, documents: DocumentLocation[]): Promise<FeedDay> {
  const ofSessions = Map.groupBy(
    documents.filter(({ sessionId }) => sessionId !== null),
    ({ sessionId }) => sessionId as number,
  )
  const sessions = await Promise.all([...ofSessions].map(([id, ofSession]) => describeSession(store, id, ofSession)))
  const notes = await Promise.all(documents.filter(({ kind }) => kind === 'note').map(({ ref }) => describeNote(store, ref)))
  return { day, sessions: sessions.filter((session) => session !== null), notes: notes.filter((note) => note !== null) }
}

/** A day of work may have more turns; the page of the session has all of them. */
const MAX_TURNS_PER_SESSION = 8

async function describeSession(store: Store, id: number, documents: DocumentLocation[]): Promise<FeedSession | null> {
  const session = await store.sessions.get(id)
  if (!session) return null
  const byTurn = [...Map.groupBy(documents, ({ turn }) => turn ?? 0)].sort(([a], [b]) => a - b)
  const notes = (await store.notes.saidIn([session.contentSessionId])).filter(({ deletedAt }) => deletedAt === null)
  const prompts = new Map((await store.prompts.ofSession(id)).map((prompt) => [prompt.number, prompt]))
  const shown = newestTurns(byTurn, (turn) => prompts.get(turn)?.origin === 'machine')
  const turns = await Promise.all(
    shown.map(([turn, ofTurn]) => describeTurn(store, session, turn, prompts.get(turn) ?? null, ofTurn, notes)),
  )
  const times = documents.map(({ at }) => at)
  const firstRequest = turns.find(({ origin }) => origin === 'person')?.request ?? ''
  return {
    sessionId: id,
    title: session.title ?? (firstRequest ? shorten(firstRequest, MAX_TITLE_CHARACTERS) : `Session ${id}`),
    project: session.project,
    agent: session.agent,
    host: session.host,
    branch: session.branch,
    live: isLive(session, Date.now()),
    from: Math.min(...times),
    to: Math.max(...times),
    turns,
    earlierTurns: byTurn.length - shown.length,
  }
}

/** The last turns of a person, with the machine's turns among and after them. */
function newestTurns<T>(turns: [number, T][], isMachine: (turn: number) => boolean): [number, T][] {
  const ofPerson = turns.filter(([turn]) => !isMachine(turn))
  const first = ofPerson.at(-MAX_TURNS_PER_SESSION)?.[0] ?? 0
  return turns.filter(([turn]) => turn >= first)
}

const MAX_TITLE_CHARACTERS = 90
const MAX_REQUEST_CHARACTERS = 400
const MAX_OUTCOME_CHARACTERS = 420
const MAX_MEMORIES_PER_TURN = 6

async function describeTurn(
  store: Store,
  session: Session,
  turn: number,
  prompt: Prompt | null,
  documents: DocumentLocation[],
  notes: Note[],
): Promise<FeedTurn> {
  const summary = documents.find(({ kind }) => kind === 'summary')
  const observed = documents.filter(({ kind }) => kind === 'observation').sort((a, b) => a.at - b.at)
  const said = notes.filter((note) => note.said.some((place) => isSaidIn(place, session, turn))).map(memoryOfNote)
  const room = Math.max(0, MAX_MEMORIES_PER_TURN - said.length)
  const observations = await Promise.all(observed.slice(0, room).map((location) => memoryOf(store, location)))
  const outcome = prompt && (await outcomeOf(store, { sessionId: session.id, turn }, null))
  return {
    turn,
    promptId: prompt?.id ?? null,
    origin: prompt?.origin ?? 'person',
    at: prompt?.at ?? Math.min(...documents.map(({ at }) => at)),
    request: shorten(prompt && prompt.text !== NO_WORDS ? await requestOf(store, prompt) : '', MAX_REQUEST_CHARACTERS),
    outcome: prompt?.answer
      ? conclusionOf(prompt.answer, [...subjectStems(prompt.text)], MAX_OUTCOME_CHARACTERS)
      : await summaryText(store, summary),
    isSettled: prompt?.answer ? isSettling(prompt.answer) : false,
    replacedBy: outcome?.of === 'newer work' ? outcome.id : null,
    undoneBy: prompt?.undoneBy ?? null,
    memories: [...said, ...observations.filter((memory) => memory !== null)],
    moreMemories: Math.max(0, observed.length - room),
  }
}

const isSaidIn = (place: string, session: Session, turn: number): boolean => {
  const said = parsePlace(place)
  return said.session === session.contentSessionId && said.turn === turn
}

/** A notice of the client is described instead of quoted: its text is written for a model. */
async function requestOf(store: Store, prompt: Prompt): Promise<string> {
  if (prompt.origin === 'person') return prompt.text
  const location = await store.documents.locationOf('prompt', String(prompt.id))
  return (location && (await describeHit(store, location)))?.title ?? prompt.text
}

/** The result of a turn according to its summary, for turns whose answer is unknown. */
async function summaryText(store: Store, location: DocumentLocation | undefined): Promise<string> {
  const summary = location ? await store.summaries.get(Number(location.ref)) : null
  return shorten(summary?.completed || summary?.learned || summary?.investigated || '', MAX_OUTCOME_CHARACTERS)
}

async function memoryOf(store: Store, location: DocumentLocation): Promise<FeedMemory | null> {
  const hit = await describeHit(store, location)
  return hit && { kind: hit.kind, id: hit.id, type: hit.type, title: hit.title }
}

const memoryOfNote = ({ id, namespace, title }: Note): FeedMemory => ({ kind: 'note', id, type: namespace, title })

/** Null for notes that the card of their session stands for. */
async function describeNote(store: Store, ref: string): Promise<FeedNote | null> {
  const note = await store.notes.get(asNoteId(ref))
  if (!note) return null
  const place = note.said.at(-1)
  const session = place ? parsePlace(place).session : note.type === 'episodic' ? note.session : null
  if (session && (await store.sessions.withIdPrefix(session, 1)).length > 0) return null
  return { ...memoryOfNote(note), text: shorten(note.body, MAX_OUTCOME_CHARACTERS), project: note.project, at: note.updatedAt }
}
