import type { Client, NoteWithUrn } from './client.ts'
import { RecollectError } from './error.ts'

/** What a model asks of the memory tool `memory_20250818`. */
export type MemoryCommand =
  | { command: 'view'; path: string; view_range?: [number, number] }
  | { command: 'create'; path: string; file_text: string }
  | { command: 'str_replace'; path: string; old_str: string; new_str?: string }
  | { command: 'insert'; path: string; insert_line: number; insert_text: string }
  | { command: 'delete'; path: string }
  | { command: 'rename'; old_path: string; new_path: string }

export type MemoryTool = {
  /** Goes into the `tools` of a request. */
  definition: { type: 'memory_20250818'; name: 'memory' }
  /** Does what the model asked and returns the text of the tool's result. What the model can put right is said to it, not thrown. */
  run(input: MemoryCommand | Record<string, unknown>): Promise<{ text: string; isError: boolean }>
}

/** Notes of this namespace are the files; the title is the path below /memories. */
const FILE_NAMESPACE = 'memory-files'
const ROOT = '/memories'
/** Titles are kept without secrets and private parts; a file that is then called otherwise would never be found again. */
const PRIVATE_PATH_MESSAGE = 'That path has something private in it, or what looks like a secret; choose another name.'

/**
 * The memory tool of the Messages API, with notes as its files: what a model writes is found by search, told in briefs, synced and can be
 * edited by a person, like any other note. Secrets are taken out before anything is kept.
 */
export function memoryTool(client: Pick<Client, 'notes'>, wish: { project?: string } = {}): MemoryTool {
  const files = async () => {
    const notes = await client.notes.list({ ...wish, namespace: FILE_NAMESPACE, limit: 1000 })
    return new Map(notes.map((note) => [note.title, note]))
  }
  const fileAt = async (path: string) => (await files()).get(parsePath(path)) ?? complain(`There is no file ${path}.`)
  /** A person or another program may write between our reading and our writing; then what is there now is changed. */
  const rewrite = async (path: string, change: (body: string) => string, isLast = false): Promise<void> => {
    const note = await fileAt(path)
    try {
      // With its title: one that is also the first line would follow the body.
      await orComplain(client.notes.change(note.id, { title: note.title, body: requireText(change(note.body)), bodyWas: note.body }))
    } catch (cause) {
      if (!(cause instanceof RecollectError) || cause.status !== 409) throw cause
      if (isLast) complain(`${path} was changed meanwhile; view it and try again.`)
      await rewrite(path, change, true)
    }
  }

  async function answer(input: MemoryCommand): Promise<string> {
    switch (input.command) {
      case 'view':
        return viewPath(await files(), input)
      case 'create': {
        const name = parsePath(input.path)
        const known = await files()
        if (known.has(name)) complain(`${input.path} is there already; change it with str_replace or insert, or delete it first.`)
        if ([...known.keys()].some((other) => other.startsWith(`${name}/`))) complain(`${input.path} is a folder.`)
        refuseBelowFile(name, known)
        const body = requireText(requireString(input.file_text, 'file_text'))
        const { note } = await orComplain(client.notes.add({ ...wish, title: name, body, namespace: FILE_NAMESPACE, apart: true }))
        if (note.title !== name) {
          await client.notes.forget(note.id, { hard: true })
          complain(PRIVATE_PATH_MESSAGE)
        }
        return `Created ${input.path}.`
      }
      case 'str_replace': {
        const [old, next] = [requireString(input.old_str, 'old_str'), requireString(input.new_str ?? '', 'new_str')]
        await rewrite(input.path, (body) => replaceOnce(body, old, next, input.path))
        return `Changed ${input.path}.`
      }
      case 'insert': {
        const added = requireString(input.insert_text, 'insert_text').replace(/\n$/, '')
        await rewrite(input.path, (body) => insertLines(body.split('\n'), input.insert_line, added))
        return `Changed ${input.path}.`
      }
      case 'delete': {
        const name = parsePath(input.path)
        const gone = [...(await files())].filter(([other]) => other === name || other.startsWith(`${name}/`))
        if (gone.length === 0) complain(`There is no ${input.path}.`)
        for (const [, note] of gone) await client.notes.forget(note.id)
        return `Deleted ${input.path}.`
      }
      case 'rename': {
        const [from, to] = [parsePath(input.old_path), parsePath(input.new_path)]
        const known = await files()
        const moved = [...known].filter(([other]) => other === from || other.startsWith(`${from}/`))
        if (moved.length === 0) complain(`There is no ${input.old_path}.`)
        if ([...known.keys()].some((other) => other === to || other.startsWith(`${to}/`))) complain(`${input.new_path} is there already.`)
        if (to.startsWith(`${from}/`)) complain('Nothing can be moved into itself.')
        refuseBelowFile(to, known)
        const renamed = moved.map(([name, note]) => ({ note, title: parsePath(`${ROOT}/${to}${name.slice(from.length)}`) }))
        for (const { note, title } of renamed) {
          const now = await client.notes.change(note.id, { title })
          if (now.note.title === title) continue
          await client.notes.change(note.id, { title: note.title })
          complain(PRIVATE_PATH_MESSAGE)
        }
        return `Renamed ${input.old_path} to ${input.new_path}.`
      }
      default:
        return complain('The command must be view, create, str_replace, insert, delete or rename.')
    }
  }

  const run: MemoryTool['run'] = async (input) => {
    try {
      if (typeof input !== 'object' || input === null) complain('The input must be an object with a command.')
      return { text: await answer(input as MemoryCommand), isError: false }
    } catch (cause) {
      if (!(cause instanceof Complaint)) throw cause
      return { text: `Error: ${cause.message}`, isError: true }
    }
  }
  // A model may ask for several commands at once, and means them in this order.
  let before: Promise<unknown> = Promise.resolve()
  return {
    definition: { type: 'memory_20250818', name: 'memory' },
    run: (input) => {
      const ran = before.then(() => run(input))
      before = ran.catch(() => {}) // told to the one who asked for it
      return ran
    },
  }
}

/** Something that the model can put right. */
class Complaint extends Error {}

function complain(message: string): never {
  throw new Complaint(message)
}

/** What the worker says of a text that it does not keep (too long, nothing but private) is for the model to hear. */
async function orComplain<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (cause) {
    if (!(cause instanceof RecollectError) || cause.status !== 400) throw cause
    return complain(`The file was not kept: ${cause.message}.`)
  }
}

function refuseBelowFile(name: string, files: Map<string, NoteWithUrn>): void {
  const file = [...files.keys()].find((other) => name.startsWith(`${other}/`))
  if (file) complain(`${ROOT}/${file} is a file; nothing can be below it.`)
}

/** The path below /memories. Everything that could mean another place is refused, also where it would come out right. */
function parsePath(path: unknown): string {
  const given = requireString(path, 'path')
  const name = given.startsWith(`${ROOT}/`) ? given.slice(ROOT.length + 1).replace(/\/$/, '') : ''
  const parts = name.split('/')
  const isPlain = (part: string) => part !== '' && part !== '.' && part !== '..' && !/[\\%\p{Cc}]/u.test(part) && part.trim() === part
  // Titles are kept on one line, with single blanks, and cut where they are longer.
  if (name.length > 200) complain('A path has at most 200 characters.')
  if (/\s\s|[^\S ]/.test(name)) complain('A path has single blanks only.')
  if (!parts.every(isPlain)) complain(`A path is ${ROOT}/ and plain names, for instance ${ROOT}/progress.md; not ${JSON.stringify(given)}.`)
  return name
}

function requireString(value: unknown, name: string): string {
  return typeof value === 'string' ? value : complain(`${name} must be a text.`)
}

const requireText = (body: string) => (body.trim() ? body : complain('A file needs some text; delete it instead.'))

function viewPath(files: Map<string, NoteWithUrn>, { path, view_range }: Extract<MemoryCommand, { command: 'view' }>): string {
  const isRoot = path === ROOT || path === `${ROOT}/`
  const name = isRoot ? '' : parsePath(path)
  const note = files.get(name)
  if (note) return numberLines(note.body.split('\n'), view_range)
  const below = [...files].filter(([other]) => isRoot || other.startsWith(`${name}/`)).sort(([a], [b]) => (a < b ? -1 : 1))
  if (below.length === 0 && !isRoot) complain(`There is no ${path}.`)
  const lines = below.map(([other, { body }]) => `${String(Buffer.byteLength(body)).padStart(7)}  ${ROOT}/${other}`)
  return [`Files below ${path}, with their size in bytes:`, ...(lines.length > 0 ? lines : ['(none yet)'])].join('\n')
}

function numberLines(lines: string[], range: unknown): string {
  const [from = 1, to = -1] = Array.isArray(range) ? (range as number[]) : []
  const last = to === -1 ? lines.length : to
  if (![from, last].every(Number.isInteger) || from < 1 || from > lines.length || last < from)
    complain(`view_range must lie within 1 and ${lines.length}.`)
  return lines
    .slice(from - 1, last)
    .map((line, i) => `${String(from + i).padStart(6)}\t${line}`)
    .join('\n')
}

function insertLines(lines: string[], at: number, added: string): string {
  if (!Number.isInteger(at) || at < 0 || at > lines.length) complain(`insert_line must be a line from 0 to ${lines.length}.`)
  return [...lines.slice(0, at), added, ...lines.slice(at)].join('\n')
}

function replaceOnce(body: string, old: string, next: string, path: string): string {
  const times = old === '' ? 0 : body.split(old).length - 1
  if (times === 0) complain(`old_str does not stand in ${path} as it is written; nothing was changed.`)
  if (times > 1) complain(`old_str stands ${times} times in ${path}; make it longer, so that it stands there once. Nothing was changed.`)
  const at = body.indexOf(old)
  return body.slice(0, at) + next + body.slice(at + old.length)
}
