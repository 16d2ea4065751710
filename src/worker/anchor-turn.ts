/** Ties the memories of a turn to the code they speak of, right after the turn was distilled. */
import { isAbsolute, relative, resolve } from 'node:path'
import { anchorsAt, anchorsNamed, type EditedPlace, findDefined, languageOf } from '../anchors/anchors.ts'
import type { PerformedAction } from '../core/action.ts'
import { type Anchor, leafOf } from '../core/anchor.ts'
import { entitiesIn } from '../core/entities.ts'
import type { TurnRef } from '../core/job.ts'
import type { Observation, Prompt, Session, Summary } from '../core/memory.ts'
import type { Note } from '../core/note.ts'
import { setNoteAnchors } from '../notes/notes.ts'
import { findProject } from '../platform/project.ts'
import { isSilent, lookAtFolders } from '../platform/silent-folders.ts'
import { checkedOutCommit, findWorkTreeFile, readWorkTreeFile, workTreeTop } from '../platform/work-tree.ts'
import type { DocumentRef } from '../store/store.ts'
import { MAX_ANCHORED_AGE_MS } from './automatic-jobs.ts'
import { excludedPaths } from './code-check.ts'
import { readActionWith, type Services } from './services.ts'

/** Files of a turn whose definitions are looked at. */
const MAX_FILES = 12
const MAX_FILE_BYTES = 512 * 1024
/** Anchors that a turn keeps, those of its edits first. */
const MAX_ANCHORS_PER_TURN = 12

export async function anchorTurn(services: Services, { sessionId, number }: TurnRef, now: number): Promise<void> {
  const { store } = services
  const session = await store.sessions.get(sessionId)
  const prompt = await store.prompts.byNumber(sessionId, number)
  if (!session || !prompt) return
  await lookAtFolders([session.folder])
  if (isSilent(session.folder)) return
  const memories = await memoriesOfTurn(services, prompt)
  const anchors = withoutSecrets(
    services,
    (await knownAnchors(services, prompt)) ?? (await findAnchors(services, session, prompt, memories, now)),
  )
  if (anchors.length === 0) return
  const statements = await store.anchors()
  await store.transaction(async () => {
    await statements.set(promptRef(prompt), anchors)
    for (const memory of memories) await statements.set(memory.ref, anchorsFor(memory, anchors))
  })
}

/** The title of a test, for example, may contain one. */
const withoutSecrets = ({ notebook }: Services, anchors: Anchor[]): Anchor[] =>
  anchors.filter(({ path, name }) => notebook.clean(`${path} ${name ?? ''}`) === `${path} ${name ?? ''}`)

const promptRef = (prompt: Prompt): DocumentRef => ({ kind: 'prompt', ref: String(prompt.id) })

/** Anchors from an earlier distilling of the turn: they show the code as it was then. */
async function knownAnchors({ store }: Services, prompt: Prompt): Promise<Anchor[] | null> {
  const ref = promptRef(prompt)
  return (await (await store.anchors()).of([ref])).get(`${ref.kind}:${ref.ref}`) ?? null
}

type TurnMemory = { ref: DocumentRef; text: string; files: string[] }

async function memoriesOfTurn({ store }: Services, prompt: Prompt): Promise<TurnMemory[]> {
  const refs = await store.links.documentsOfTurn(prompt.sessionId, prompt.number)
  const ids = (kind: DocumentRef['kind']) => refs.filter((ref) => ref.kind === kind).map(({ ref }) => Number(ref))
  const observations = await store.observations.get(ids('observation'))
  const summaries = (await Promise.all(ids('summary').map((id) => store.summaries.get(id)))).filter((one) => one !== null)
  return [...observations.map(observationMemory), ...summaries.map(summaryMemory)]
}

const observationMemory = (o: Observation): TurnMemory => ({
  ref: { kind: 'observation', ref: String(o.id) },
  text: [o.title, o.subtitle, o.narrative, ...o.facts].join('\n'),
  files: [...o.filesModified, ...o.filesRead],
})

const summaryMemory = (s: Summary): TurnMemory => ({
  ref: { kind: 'summary', ref: String(s.id) },
  text: [s.request, s.investigated, s.learned, s.completed, s.nextSteps, s.notes].join('\n'),
  files: [],
})

/** Of a turn's anchors, those in the files of a memory, or whose names its text contains. */
function anchorsFor({ text, files }: TurnMemory, anchors: Anchor[]): Anchor[] {
  const named = anchors.filter(({ name }) => name !== null && hasWord(text, leafOf(name)))
  const inFiles = anchors.filter(({ path }) =>
    files.some((file) => file === path || path.endsWith(`/${file}`) || file.endsWith(`/${path}`)),
  )
  return named.length > 0 ? named : inFiles
}

const hasWord = (text: string, word: string) =>
  word.length > 2 && new RegExp(`(?<![\\w$])${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`).test(text)

/** Ties new notes to the code that their words name: code of their session, and definitions in the files that they mention. */
export async function anchorNotes(services: Services, notes: Note[], folder: string, sessionId: number | null): Promise<void> {
  const ofSession = sessionId === null ? [] : await (await services.store.anchors()).ofSession(sessionId, MAX_SESSION_ANCHORS)
  for (const note of notes) {
    const text = `${note.title}\n${note.body}`
    const named = ofSession.filter(({ name }) => name !== null && hasWord(text, leafOf(name)))
    const code = openCode(services, folder)
    const mentioned = entitiesIn(text).flatMap(({ kind, name }) => (kind === 'file' ? (code.inTree(name) ?? []) : []))
    const inFiles: Anchor[] = []
    for (const path of [...new Set([...mentioned, ...(await code.filesNamedIn(text))])].slice(0, MAX_FILES)) {
      const source = await code.read(path)
      if (source !== null) inFiles.push(...anchorsNamed(path, source, (name) => hasWord(text, name), code.checkout))
    }
    const anchors = distinct([...named, ...inFiles])
    if (anchors.length > 0) await setNoteAnchors(services.notebook, note.id, anchors)
  }
}

/** Names of a text that are searched for in the work tree. */
const MAX_NAMES_SEARCHED = 6
/** More than the notes of a session name. */
const MAX_SESSION_ANCHORS = 200

const distinct = (anchors: Anchor[]): Anchor[] =>
  [...new Map(anchors.map((anchor) => [`${anchor.path} ${anchor.name}`, anchor])).values()].slice(0, MAX_ANCHORS_PER_TURN)

/** The code around a folder, as far as the person's settings allow to read it. */
function openCode(services: Services, folder: string) {
  const top = workTreeTop(folder)
  const isExcluded = excludedPaths(services.settings, services.environment.userHome, top)
  return {
    /** The files that define the names in a text, wherever they are. */
    filesNamedIn: (text: string) => {
      const names = entitiesIn(text).flatMap(({ kind, name }) => (kind === 'symbol' ? [leafOf(name.replace(/\(.*$/, ''))] : []))
      return findDefined(top, [...new Set(names)].filter((name) => /^[\w$]{4,80}$/.test(name)).slice(0, MAX_NAMES_SEARCHED), isExcluded)
    },
    checkout: { commit: checkedOutCommit(top), branch: findProject(top).branch },
    inTree: (file: string) => treePath(top, folder, file),
    read: async (path: string): Promise<string | null> => {
      if (languageOf(path) === null || isExcluded(path)) return null
      const file = findWorkTreeFile(top, path, MAX_FILE_BYTES)
      return file.kind === 'file' ? readWorkTreeFile(file, MAX_FILE_BYTES) : null
    },
  }
}

async function findAnchors(services: Services, session: Session, prompt: Prompt, memories: TurnMemory[], now: number): Promise<Anchor[]> {
  if (now - (prompt.answeredAt ?? prompt.at) > MAX_ANCHORED_AGE_MS) return []
  const { checkout, filesNamedIn, inTree, read } = openCode(services, session.folder)
  const edits = editsByFile(await actionsOf(services, session, prompt), inTree)
  const text = [prompt.origin === 'person' ? prompt.text : '', prompt.answer ?? '', ...memories.map((one) => one.text)].join('\n')
  const mentioned = entitiesIn(text).flatMap(({ kind, name }) => (kind === 'file' ? (inTree(name) ?? []) : []))
  const touched = memories.flatMap(({ files }) => files.flatMap((file) => inTree(file) ?? []))
  const anchors: Anchor[] = []
  for (const path of [...new Set([...edits.keys(), ...mentioned, ...touched, ...(await filesNamedIn(text))])].slice(0, MAX_FILES)) {
    const source = await read(path)
    if (source === null) continue
    const edited = edits.get(path)
    if (edited) anchors.push(...anchorsAt(path, source, placesOf(source, edited), checkout))
    anchors.push(...anchorsNamed(path, source, (name) => hasWord(text, name), checkout))
  }
  return distinct(anchors)
}

async function actionsOf(
  { store, agents }: Services,
  session: Session,
  prompt: Prompt,
): Promise<Pick<PerformedAction, 'failed' | 'action'>[]> {
  const readAction = readActionWith(agents)
  const uses = await store.toolUses.ofTurn(session.id, prompt.number)
  return Promise.all(uses.map(async (use) => ({ failed: use.error !== null, action: await readAction(use, session.agent) })))
}

/** The texts that were written into each file. A whole new file speaks of nothing in particular. */
function editsByFile(
  actions: Pick<PerformedAction, 'failed' | 'action'>[],
  inTree: (file: string) => string | null,
): Map<string, string[]> {
  const edits = new Map<string, string[]>()
  for (const { failed, action } of actions) {
    if (failed || (action.kind !== 'edit' && action.kind !== 'write')) continue
    const path = inTree(action.file)
    if (path === null) continue
    const added = action.kind === 'edit' ? [action.added] : addedLines(action.patch)
    edits.set(path, [...(edits.get(path) ?? []), ...added])
  }
  return edits
}

const addedLines = (patch: string[]): string[] => patch.filter((line) => line.startsWith('+')).map((line) => line.slice(1))

/** Where added texts are now. What a later edit has changed again is found by its first line of some length. */
function placesOf(source: string, added: string[]): EditedPlace[] {
  return added.flatMap((text) => {
    const start = text.trim() === '' ? -1 : source.indexOf(text)
    if (start >= 0) return changedLines(text).map((offset) => ({ start: start + offset, end: start + offset }))
    const line = text
      .split('\n')
      .find((one) => one.trim().length >= MIN_LINE_CHARACTERS)
      ?.trim()
    const at = line === undefined ? -1 : source.indexOf(line)
    return at < 0 ? [] : [{ start: at, end: at + (line?.length ?? 0) }]
  })
}

const MIN_LINE_CHARACTERS = 12
/** A long text that was added may contain many definitions; its first lines show what they are. */
const MAX_LINES_LOOKED_AT = 200

/** The places in a text where its lines begin, without their indentation. */
function changedLines(text: string): number[] {
  const places: number[] = []
  for (let at = 0; at < text.length && places.length < MAX_LINES_LOOKED_AT; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? undefined : end)
    if (line.trim() !== '') places.push(at + line.search(/\S/))
    if (end < 0) break
    at = end + 1
  }
  return places
}

/** A path relative to the top of the work tree; null if it is outside. */
function treePath(top: string, folder: string, file: string): string | null {
  const path = relative(top, isAbsolute(file) ? file : resolve(folder, file))
  return path === '' || path.startsWith('..') || isAbsolute(path) ? null : path
}
