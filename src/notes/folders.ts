import { join } from 'node:path'
import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import type { NoteScope } from '../core/note.ts'
import { fileKindAt } from '../platform/files.ts'

/** Synced notes are in the folder `memory` of the home, the others in `local`, which git never sees. */
export const SYNCED_FOLDER = 'memory'
export const LOCAL_FOLDER = 'local'

/** The path of a note's file, relative to the home. The file name is the note's id, so two machines that create the same note create the same file. */
export function pathOf(note: { id: string; scope: NoteScope; project: ProjectKey }): string {
  const top = note.scope === 'local' ? LOCAL_FOLDER : SYNCED_FOLDER
  return `${top}/${folderOf(note.scope === 'global' ? GLOBAL_PROJECT : note.project)}/${note.id}.md`
}

/** The scope and project of a note, from the path of its file; null if the path is not inside a notes folder. */
export function noteLocation(path: string): { scope: NoteScope; project: ProjectKey } | null {
  const [top, folder, ...rest] = path.split('/')
  if ((top !== SYNCED_FOLDER && top !== LOCAL_FOLDER) || !folder || rest.length === 0 || folder.startsWith('.')) return null
  if (rest.some((part) => part.startsWith('.')) || !path.endsWith('.md')) return null
  const project = projectIn(folder)
  return { scope: top === LOCAL_FOLDER ? 'local' : project === GLOBAL_PROJECT ? 'global' : 'project', project }
}

/** Whether a file, or a folder on its path, is a symbolic link, which could lead anywhere. */
export function hasLinkInPath(home: string, path: string): boolean {
  const parts = path.split('/')
  return parts.some((_, index) => fileKindAt(join(home, ...parts.slice(0, index + 1))) === 'link')
}

const MAX_FILE_NAME_CHARS = 255

/** Whether notes of a project can be files here: a key of somebody else may be longer than a name of a folder can be. */
export const canHaveFolder = (project: ProjectKey): boolean => folderOf(project).length <= MAX_FILE_NAME_CHARS

/** A project key as a folder name: a slash becomes `~`, and other special characters are percent-encoded. */
function folderOf(project: ProjectKey): string {
  const name = [...project].map((c) => (/[a-z0-9_.-]/.test(c) ? c : c === '/' ? '~' : encoded(c))).join('')
  return name.startsWith('.') ? `%2e${name.slice(1)}` : name
}

function projectIn(folder: string): ProjectKey {
  const slashed = folder.replaceAll('~', '/')
  try {
    return asProjectKey(decodeURIComponent(slashed).toLowerCase())
  } catch {
    return asProjectKey(slashed.toLowerCase())
  }
}

const encoded = (char: string) => [...new TextEncoder().encode(char)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
