import type { CommitType } from './commit-message.ts'
import type { ProjectKey } from './ids.ts'

/** A commit of a project's repository, as git has it. */
export type RepositoryCommit = {
  hash: string
  /** Subject and body. */
  message: string
  /** The first of the files it changed, and how many they are. */
  files: string[]
  fileCount: number
  author: string
  at: number
  isMerge: boolean
}

/** A commit as a memory: cleaned, and compared with the commits that came after it. */
export type GitCommit = Omit<RepositoryCommit, 'message' | 'isMerge'> & {
  id: number
  project: ProjectKey
  subject: string
  body: string
  type: CommitType
  /** The hash of the commit that reverted it; null while it holds. */
  undoneBy: string | null
  /** On no branch any more: amended, rebased away or deleted. */
  abandoned: boolean
}

/** A hash as people write it. */
export const shortHash = (hash: string) => hash.slice(0, 7)

/** Why a commit no longer holds; empty while it does. */
export function commitMark({ undoneBy, abandoned }: Pick<GitCommit, 'undoneBy' | 'abandoned'>): string {
  if (undoneBy !== null) return `undone by ${shortHash(undoneBy)}`
  return abandoned ? 'abandoned, on no branch' : ''
}
