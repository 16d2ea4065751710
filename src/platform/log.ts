import { appendFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePrivateFolder, exists, fileSizeBytes } from './files.ts'

/** A log line is a fact and its numbers. Prompts, tool output and note text are never logged. */
export type Log = {
  info(fact: string, numbers?: LogFields): void
  warn(fact: string, numbers?: LogFields): void
}

type LogFields = Record<string, string | number | boolean | null | undefined>

const MAX_LOG_BYTES = 2_000_000
const MAX_OLD_LOGS = 3

/** A log in `folder/name.log`, rotated at 2 MB, with three old files. A failure to write is ignored. */
export function openLog(folder: string, name: string): Log {
  const path = join(folder, `${name}.log`)
  let size = -1
  const write = (level: string, fact: string, numbers: LogFields = {}) => {
    const line = `${JSON.stringify({ at: new Date().toISOString(), level, fact, ...numbers })}\n`
    try {
      if (size < 0) {
        ensurePrivateFolder(folder)
        size = fileSizeBytes(path)
      }
      if (size + line.length > MAX_LOG_BYTES) {
        for (let i = MAX_OLD_LOGS - 1; i >= 1; i--) moveIfThere(`${path}.${i}`, `${path}.${i + 1}`)
        moveIfThere(path, `${path}.1`)
        size = 0
      }
      appendFileSync(path, line, { mode: 0o600 })
      size += line.length
    } catch {
      size = -1 // The disk may be full or read-only; the next line tries again.
    }
  }
  return {
    info: (fact, numbers) => write('info', fact, numbers),
    warn: (fact, numbers) => write('warn', fact, numbers),
  }
}

function moveIfThere(from: string, to: string): void {
  if (exists(from)) renameSync(from, to)
}
