/** The memories about the definitions of one file, for an editor. Loaded with the first such request. */
import { isAbsolute, relative, resolve } from 'node:path'
import { definedLines } from '../anchors/anchors.ts'
import type { ProjectKey } from '../core/ids.ts'
import { NO_WORDS, type Session } from '../core/memory.ts'
import { shortMemoryId } from '../core/memory-kinds.ts'
import { asNoteId } from '../core/note.ts'
import { asksRecollect } from '../core/small-talk.ts'
import { findWorkTreeFile, readWorkTreeFile, workTreeTop } from '../platform/work-tree.ts'
import { describeHit } from '../retrieval/search.ts'
import type { DocumentRef } from '../store/store.ts'
import type { CodeMemoriesResponse, CodeMemory, code } from '../wire/contract/code.ts'
import type { ParsedRequest } from '../wire/contract/route.ts'
import { BadRequest } from '../wire/requests.ts'
import { excludedPaths, isLasting, marksOf } from './code-check.ts'
import { folderFromProjectName, resolveProject } from './request-params.ts'
import type { Services } from './services.ts'

const MAX_FILE_BYTES = 512 * 1024
/** Anchors of one file that are read: those of a few hundred sessions. */
const MAX_ANCHORS = 400
/** A person waits for a hover. */
const WAIT = { readMs: 200, searchMs: 50 }

export async function codeMemories(
  services: Services,
  { project: name, path: file, limit }: ParsedRequest<typeof code, 'GET /api/code/memories'>,
): Promise<CodeMemoriesResponse> {
  const folder = folderFromProjectName(name)
  const project = await resolveProject(services, name)
  if (folder === null || project === null) throw new BadRequest(`${name.slice(0, 80)} is not a folder of this machine`)
  const top = workTreeTop(folder)
  const path = pathInTree(top, resolve(folder, file))
  const empty = { project, definitions: [], others: [] }
  if (path === null || excludedPaths(services.settings, services.environment.userHome, top)(path)) return { ...empty, path: null }
  const found = await (await services.store.anchors()).inFile(project, path, MAX_ANCHORS)
  if (found.length === 0) return { ...empty, path }
  const source = findWorkTreeFile(top, path, MAX_FILE_BYTES)
  const text = source.kind === 'file' ? readWorkTreeFile(source, MAX_FILE_BYTES) : null
  const lines = text === null ? [] : definedLines(path, text)
  const memories = openMemories(services, project, folder, limit)
  const byName = Map.groupBy(found, (one) => one.name)
  const definitions = []
  for (const definition of lines) {
    const about = byName.get(definition.name)
    if (about) definitions.push({ ...definition, memories: await memories(about) })
  }
  const defined = new Set(lines.map((one) => one.name))
  const others = await memories(found.filter((one) => one.name === null || !defined.has(one.name)))
  return { project, path, definitions: definitions.filter((one) => one.memories.length > 0), others }
}

function pathInTree(top: string, file: string): string | null {
  const path = relative(top, file)
  return path === '' || path.startsWith('..') || isAbsolute(path) ? null : path
}

type Found = DocumentRef & { at: number }

/** Describes memories; each turn speaks once: by its notes and observations, or else by its summary or its prompt. */
function openMemories(services: Services, project: ProjectKey, folder: string, limit: number) {
  const { store } = services
  return async (found: Found[]): Promise<CodeMemory[]> => {
    const described: (CodeMemory & Found & { turn: string; session: number | null; isLasting: boolean })[] = []
    for (const one of found) {
      const location = await store.documents.locationOf(one.kind, one.ref)
      const hit = location && (await describeHit(store, location))
      if (
        !location ||
        !hit ||
        isWithoutReason(one.kind, hit.title) ||
        (await isHidden(services, one)) ||
        location.project !== project ||
        described.some(({ kind, ref }) => kind === one.kind && ref === one.ref)
      )
        continue
      const session = await sessionOf(services, one, hit.sessionId)
      described.push({
        ...one,
        id: shortMemoryId(one.kind, one.ref),
        type: hit.type,
        title: hit.title,
        agent: session?.agent ?? null,
        host: session?.host ?? null,
        code: null,
        turn: `${location.sessionId}:${location.turn}`,
        session: session?.id ?? null,
        isLasting: await isLasting(store, one),
      })
    }
    const isMain = ({ kind }: Found) => kind === 'note' || kind === 'observation'
    const explained = new Set(described.filter(isMain).map(({ turn }) => turn))
    const summarized = new Set(described.filter(({ kind }) => kind === 'summary').map(({ turn }) => turn))
    const chosen = described
      .filter((one) => isMain(one) || (!explained.has(one.turn) && (one.kind === 'summary' || !summarized.has(one.turn))))
      // The note of a whole session says again what the others of that session say.
      .filter((one) => one.type !== SESSION_NOTES || !described.some((other) => other !== one && other.session === one.session))
      .sort((a, b) => Number(b.isLasting) - Number(a.isLasting) || b.at - a.at)
      .filter((one, place, all) => all.findIndex((other) => isSameTitle(other, one)) === place)
      .slice(0, limit)
    const marks = await marksOf(services, folder, chosen, WAIT)
    return chosen.map(({ kind, ref, id, type, title, at, agent, host }) => ({
      kind,
      id,
      type,
      title,
      at,
      agent,
      host,
      code: marks.get(`${kind}:${ref}`) ?? null,
    }))
  }
}

/** Whether a prompt says nothing about the code that was changed after it: it has no words, or it asked the memory itself. */
const isWithoutReason = (kind: string, title: string) => kind === 'prompt' && (title === NO_WORDS || asksRecollect(title))

/** The namespace of the notes that are made of whole sessions. */
const SESSION_NOTES = 'sessions'

/** A decision is often both a note and an observation. */
const isSameTitle = (a: { title: string }, b: { title: string }) => lettersOf(a.title) === lettersOf(b.title)
const lettersOf = (title: string) => title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The session that a memory comes from; a note names it by the agent's id. */
async function sessionOf({ store }: Services, { kind, ref }: DocumentRef, id: number | null): Promise<Session | null> {
  if (id !== null) return store.sessions.get(id)
  const said = kind === 'note' ? (await store.notes.get(asNoteId(ref)))?.session : null
  return said ? ((await store.sessions.withIdPrefix(said, 1))[0] ?? null) : null
}

/** A note that was replaced, has expired or was forgotten is not shown with code. */
const isHidden = async ({ store }: Services, { kind, ref }: DocumentRef): Promise<boolean> =>
  kind === 'note' && (await store.notes.getVisible(asNoteId(ref), Date.now())) === null
