import { basename } from 'node:path'
import { LOCAL_FOLDER, SYNCED_FOLDER } from '../notes/notes.ts'
import type { StoredAmounts } from '../store/store.ts'

/** The first file of every backup. `format` is raised when an older program could no longer restore it. */
export type BackupHeader = { format: number; version: string; madeAt: number; machine: string; stored: StoredAmounts }

export const BACKUP_FORMAT = 1
export const HEADER_FILE = 'backup.json'
export const DATABASE_FILE = 'recollect.db'
/** The history of the notes as a git bundle: unlike a copy of `.git`, it carries no settings or hooks that could run a program. */
export const HISTORY_FILE = 'memory.bundle'
/** The settings, and the files that a person may add to the home. */
export const SETTINGS_FILES = ['config.toml', 'prices.toml', 'questions.jsonl']
export const SETTINGS_FOLDER = 'modes'
export const NOTE_FOLDERS = [SYNCED_FOLDER, LOCAL_FOLDER]
/** Payloads that were not stored yet. */
export const SPOOL_FOLDER = 'spool'

const SINGLE_FILES = [HEADER_FILE, DATABASE_FILE, HISTORY_FILE, ...SETTINGS_FILES]
const FOLDERS = [...NOTE_FOLDERS, SETTINGS_FOLDER]
const MAX_PATH_BYTES = 1000
const MAX_DEPTH = 32

/** Whether a backup may contain a file of this path. Everything else is refused, above all paths that lead out of the home. */
export function isBackupPath(path: string): boolean {
  const parts = path.split('/')
  const [top = '', ...below] = parts
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || parts.length > MAX_DEPTH || /[\p{Cc}\\]/u.test(path)) return false
  if (below.length === 0) return SINGLE_FILES.includes(top)
  if (top === SPOOL_FOLDER) return below.length === 1 && /^[\w-]+\.json$/.test(basename(path))
  return FOLDERS.includes(top) && below.every((part) => part !== '' && part !== '.' && part !== '..' && !isGitFolder(part))
}

/** Git would take settings and hooks from it. Some file systems ignore case, and dots or spaces at the end. */
export const isGitFolder = (name: string): boolean => /^(?:\.git|git~1)[. ]*$/i.test(name.normalize('NFKC').replace(/\p{Cf}/gu, ''))

/** The header, or null when the text is not one. Numbers that are missing count as 0. */
export function parseHeaderFile(text: string): BackupHeader | null {
  let value: Partial<Record<keyof BackupHeader, unknown>>
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || !isCount(value.format) || value.format < 1) return null
  const stored = (typeof value.stored === 'object' && value.stored !== null ? value.stored : {}) as Record<string, unknown>
  const count = (key: keyof StoredAmounts) => (isCount(stored[key]) ? stored[key] : 0)
  return {
    format: value.format,
    version: printableWord(value.version),
    madeAt: isCount(value.madeAt) ? value.madeAt : 0,
    machine: printableWord(value.machine),
    stored: {
      sessions: count('sessions'),
      prompts: count('prompts'),
      observations: count('observations'),
      summaries: count('summaries'),
      notes: count('notes'),
    },
  }
}

/** A terminal would execute control characters. */
const printableWord = (value: unknown): string =>
  (typeof value === 'string' ? value.replace(/[^\w.+-]/g, '').slice(0, 100) : '') || 'unknown'

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
