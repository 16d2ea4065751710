import { join } from 'node:path'
import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import type { NoteScope } from '../core/note.ts'
import { fileKindAt } from '../platform/files.ts'

/** Synced notes stand in one folder of the home, the others in another; git never sees the second. */
export const SYNCED_FOLDER = 'memory'
export const LOCAL_FOLDER = 'local'

/** The file of a note, relative to the home. Its name is its id, so that two machines that make the same note make the same file. */
export function pathOf(note: { id: string; scope: NoteScope; project: ProjectKey }): string {
  const top = note.scope === 'local' ? LOCAL_FOLDER : SYNCED_FOLDER
  return `${top}/${folderOf(note.scope === 'global' ? GLOBAL_PROJECT : note.project)}/${note.id}.md`
}

/** What the folder of a file says of its note; null when the file is not where notes are. */
export function noteLocation(path: string): { scope: NoteScope; project: ProjectKey } | null {
  const [top, folder, ...rest] = path.split('/')
  if ((top !== SYNCED_FOLDER && top !== LOCAL_FOLDER) || !folder || rest.length === 0 || folder.startsWith('.')) return null
  if (rest.some((part) => part.startsWith('.')) || !path.endsWith('.md')) return null
  const project = projectIn(folder)
  return { scope: top === LOCAL_FOLDER ? 'local' : project === GLOBAL_PROJECT ? 'global' : 'project', project }
}

/** Whether a file, or a folder on the way to it, is a link: it could lead anywhere. */
export function hasLinkInPath(home: string, path: string): boolean {
  const parts = path.split('/')
  return parts.some((_, index) => fileKindAt(join(home, ...parts.slice(0, index + 1))) === 'link')
}

/** A project key as the name of one folder: a slash becomes `~`, what no file system may hold is written in hex. */
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
