import type { Client, NoteWithUrn } from './client.ts'
import { RecollectError } from './error.ts'

/** The commands of the memory tool `memory_20250818`. */
export type MemoryCommand =
  | { command: 'view'; path: string; view_range?: [number, number] }
  | { command: 'create'; path: string; file_text: string }
  | { command: 'str_replace'; path: string; old_str: string; new_str?: string }
  | { command: 'insert'; path: string; insert_line: number; insert_text: string }
  | { command: 'delete'; path: string }
  | { command: 'rename'; old_path: string; new_path: string }

type CommandOf<Name extends MemoryCommand['command']> = Extract<MemoryCommand, { command: Name }>

export type MemoryTool = {
  /** Put this into the `tools` of a request. */
  definition: { type: 'memory_20250818'; name: 'memory' }
  /** Runs a command and returns the text of the tool's result. Errors that the model can correct are returned with `isError`, others are thrown. */
  run(input: MemoryCommand | Record<string, unknown>): Promise<{ text: string; isError: boolean }>
}

/** Files are the notes of this namespace; a note's title is its path below /memories. */
const FILE_NAMESPACE = 'memory-files'
const ROOT = '/memories'
const PRIVATE_PATH_MESSAGE = 'That path contains something private, or something that looks like a secret. Choose another name.'

/**
 * The memory tool of the Messages API, with notes as its files. Files are searched, shown in briefs, synced and edited like any other note. Secrets are
 * removed before a file is saved.
 */
export function memoryTool(client: Pick<Client, 'notes'>, options: { project?: string } = {}): MemoryTool {
  const files = openFiles(client, options)
  const run: MemoryTool['run'] = async (input) => {
    try {
      if (typeof input !== 'object' || input === null) refuse('The input must be an object with a command.')
      // The model may send anything; each command checks the fields that it uses.
      return { text: await runCommand(files, input as MemoryCommand), isError: false }
    } catch (cause) {
      if (!(cause instanceof ToolInputError)) throw cause
      return { text: `Error: ${cause.message}`, isError: true }
    }
  }
  // A model may send several commands at once and expects them to run in order.
  let previous: Promise<unknown> = Promise.resolve()
  return {
    definition: { type: 'memory_20250818', name: 'memory' },
    run: (input) => {
      const result = previous.then(() => run(input))
      previous = result.catch(() => {}) // the caller of `run` gets the error
      return result
    },
  }
}

function runCommand(files: MemoryFiles, input: MemoryCommand): string | Promise<string> {
  switch (input.command) {
    case 'view':
      return view(files, input)
    case 'create':
      return create(files, input)
    case 'str_replace':
      return replace(files, input)
    case 'insert':
      return insert(files, input)
    case 'delete':
      return remove(files, input)
    case 'rename':
      return rename(files, input)
    default:
      return refuse('The command must be view, create, str_replace, insert, delete or rename.')
  }
}

type MemoryFiles = ReturnType<typeof openFiles>
type FilesByName = Map<string, NoteWithUrn>

function openFiles({ notes }: Pick<Client, 'notes'>, options: { project?: string }) {
  const list = async (): Promise<FilesByName> => {
    const found = await notes.list({ ...options, namespace: FILE_NAMESPACE, limit: 1000 })
    return new Map(found.map((note) => [note.title, note]))
  }
  return {
    list,
    add: (title: string, body: string) =>
      orRefuse(notes.add({ ...options, title, body: requireText(body), namespace: FILE_NAMESPACE, apart: true })),
    setTitle: (id: string, title: string) => notes.change(id, { title }),
    forget: notes.forget,
    /** Changes the text of a file. If a person or another program changed it in the meantime, the change is made once more to the new text. */
    rewrite: async (path: string, change: (body: string) => string): Promise<void> => {
      for (const isLastTry of [false, true]) {
        const { id, title, body } = (await list()).get(parsePath(path)) ?? refuse(`There is no file ${path}.`)
        try {
          // Send the title too: a title that equals the first line would follow the body.
          await orRefuse(notes.change(id, { title, body: requireText(change(body)), bodyWas: body }))
          return
        } catch (cause) {
          if (!(cause instanceof RecollectError) || cause.status !== 409) throw cause
          if (isLastTry) refuse(`${path} was changed in the meantime. View it and try again.`)
        }
      }
    },
  }
}

async function view(files: MemoryFiles, { path, view_range }: CommandOf<'view'>): Promise<string> {
  const known = await files.list()
  const isRoot = path === ROOT || path === `${ROOT}/`
  const name = isRoot ? '' : parsePath(path)
  const file = known.get(name)
  if (file) return numberLines(file.body.split('\n'), view_range)
  const below = [...known].filter(([other]) => isRoot || other.startsWith(`${name}/`)).sort(([a], [b]) => (a < b ? -1 : 1))
  if (below.length === 0 && !isRoot) refuse(`There is no ${path}.`)
  const lines = below.map(([other, { body }]) => `${String(Buffer.byteLength(body)).padStart(7)}  ${ROOT}/${other}`)
  return [`Files below ${path}, with their size in bytes:`, ...(lines.length > 0 ? lines : ['(none yet)'])].join('\n')
}

async function create(files: MemoryFiles, { path, file_text }: CommandOf<'create'>): Promise<string> {
  const name = parsePath(path)
  const known = await files.list()
  if (known.has(name)) refuse(`${path} already exists. Change it with str_replace or insert, or delete it first.`)
  if ([...known.keys()].some((other) => other.startsWith(`${name}/`))) refuse(`${path} is a folder.`)
  refuseBelowFile(name, known)
  const { note } = await files.add(name, requireString(file_text, 'file_text'))
  if (!hasTitle(note, name)) {
    await files.forget(note.id, { hard: true })
    refuse(PRIVATE_PATH_MESSAGE)
  }
  return `Created ${path}.`
}

async function replace(files: MemoryFiles, { path, old_str, new_str }: CommandOf<'str_replace'>): Promise<string> {
  const [before, after] = [requireString(old_str, 'old_str'), requireString(new_str ?? '', 'new_str')]
  await files.rewrite(path, (body) => replaceOnce(body, before, after, path))
  return `Changed ${path}.`
}

async function insert(files: MemoryFiles, { path, insert_line, insert_text }: CommandOf<'insert'>): Promise<string> {
  const added = requireString(insert_text, 'insert_text').replace(/\n$/, '')
  await files.rewrite(path, (body) => insertLines(body.split('\n'), insert_line, added))
  return `Changed ${path}.`
}

async function remove(files: MemoryFiles, { path }: CommandOf<'delete'>): Promise<string> {
  const removed = atOrBelow(await files.list(), parsePath(path))
  if (removed.length === 0) refuse(`There is no ${path}.`)
  for (const [, note] of removed) await files.forget(note.id)
  return `Deleted ${path}.`
}

async function rename(files: MemoryFiles, { old_path, new_path }: CommandOf<'rename'>): Promise<string> {
  const [from, to] = [parsePath(old_path), parsePath(new_path)]
  const known = await files.list()
  const moved = atOrBelow(known, from)
  if (moved.length === 0) refuse(`There is no ${old_path}.`)
  if (atOrBelow(known, to).length > 0) refuse(`${new_path} already exists.`)
  if (to.startsWith(`${from}/`)) refuse('A folder cannot be moved into itself.')
  refuseBelowFile(to, known)
  const renamed = moved.map(([name, note]) => ({ note, title: parsePath(`${ROOT}/${to}${name.slice(from.length)}`) }))
  for (const { note, title } of renamed) {
    const { note: changed } = await files.setTitle(note.id, title)
    if (hasTitle(changed, title)) continue
    await files.setTitle(note.id, note.title)
    refuse(PRIVATE_PATH_MESSAGE)
  }
  return `Renamed ${old_path} to ${new_path}.`
}

const atOrBelow = (files: FilesByName, name: string) => [...files].filter(([other]) => other === name || other.startsWith(`${name}/`))

/** False when a private part or a secret was removed from the title; the file would never be found under its path again. */
const hasTitle = (note: NoteWithUrn, title: string) => note.title === title

/** An error that the model can correct. */
class ToolInputError extends Error {}

function refuse(message: string): never {
  throw new ToolInputError(message)
}

/** The worker's reason for not saving a text (too long, only private) goes to the model. */
async function orRefuse<T>(saving: Promise<T>): Promise<T> {
  try {
    return await saving
  } catch (cause) {
    if (!(cause instanceof RecollectError) || cause.status !== 400) throw cause
    return refuse(`The file was not saved: ${cause.message}.`)
  }
}

function refuseBelowFile(name: string, files: FilesByName): void {
  const file = [...files.keys()].find((other) => name.startsWith(`${other}/`))
  if (file) refuse(`${ROOT}/${file} is a file, so there can be no file below it.`)
}

const MAX_PATH_CHARS = 200

/** The path below /memories. Paths that could lead elsewhere are refused, even if they would resolve to a valid one. */
function parsePath(path: unknown): string {
  const given = requireString(path, 'path')
  const name = given.startsWith(`${ROOT}/`) ? given.slice(ROOT.length + 1).replace(/\/$/, '') : ''
  const isPlain = (part: string) => part !== '' && part !== '.' && part !== '..' && !/[\\%\p{Cc}]/u.test(part) && part.trim() === part
  // A title is one line with single spaces, and a longer one would be cut.
  if (name.length > MAX_PATH_CHARS) refuse(`A path may have at most ${MAX_PATH_CHARS} characters.`)
  if (/\s\s|[^\S ]/.test(name)) refuse('A path may contain only single spaces.')
  if (!name.split('/').every(isPlain))
    refuse(`A path is ${ROOT}/ followed by plain names, for example ${ROOT}/progress.md. ${JSON.stringify(given)} is not.`)
  return name
}

function requireString(value: unknown, name: string): string {
  return typeof value === 'string' ? value : refuse(`${name} must be a string.`)
}

const requireText = (body: string) => (body.trim() ? body : refuse('A file cannot be empty. Delete it instead.'))

function numberLines(lines: string[], range: unknown): string {
  const [from = 1, to = -1]: unknown[] = Array.isArray(range) ? range : []
  const last = to === -1 ? lines.length : to
  if (!isLineNumber(from) || !isLineNumber(last) || from < 1 || from > lines.length || last < from)
    return refuse(`view_range must be within 1 and ${lines.length}.`)
  return lines
    .slice(from - 1, last)
    .map((line, i) => `${String(from + i).padStart(6)}\t${line}`)
    .join('\n')
}

const isLineNumber = (value: unknown): value is number => Number.isInteger(value)

function insertLines(lines: string[], at: number, added: string): string {
  if (!Number.isInteger(at) || at < 0 || at > lines.length) refuse(`insert_line must be a line from 0 to ${lines.length}.`)
  return [...lines.slice(0, at), added, ...lines.slice(at)].join('\n')
}

function replaceOnce(body: string, before: string, after: string, path: string): string {
  const count = before === '' ? 0 : body.split(before).length - 1
  if (count === 0) refuse(`old_str does not occur in ${path}. Nothing was changed.`)
  if (count > 1) refuse(`old_str occurs ${count} times in ${path}. Make it longer, so that it occurs once. Nothing was changed.`)
  const at = body.indexOf(before)
  return body.slice(0, at) + after + body.slice(at + before.length)
}
