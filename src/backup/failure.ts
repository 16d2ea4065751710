/** An expected failure. The message is a complete sentence for a person: what was wrong, and what to do. */
export class BackupFailure extends Error {}

/** The reason of a failed disk operation, in words for a person; null for other errors. */
export function diskProblem(cause: unknown): string | null {
  if (cause instanceof BackupFailure) return null
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL') return 'there is no space left on the disk'
    if (code === 'EFBIG') return 'the disk does not accept a file of this size'
    if (code === 'EACCES' || code === 'EPERM') return 'the permission is missing'
    if (code === 'EROFS') return 'the disk is read-only'
    if (code === 'ENOENT') return 'it does not exist'
    if (code === 'EEXIST' || code === 'ENOTDIR') return 'another file is in its place'
    if (/^E[A-Z]+$/.test(code)) return error.message
  }
  return null
}
