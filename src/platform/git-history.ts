import type { RepositoryCommit } from '../core/commit.ts'
import { runGit as git, gitArguments, gitOptions } from './git.ts'
import { type ProgramResult, runInChunks } from './processes.ts'

/** A part of a repository, or the reason why it cannot be read. */
export type HistoryResult<T> = { kind: 'read'; value: T } | { kind: 'not-a-repository' } | { kind: 'failed'; reason: string }

/** The commit that is checked out in a folder; null in a repository without commits. */
export async function headCommit(folder: string): Promise<HistoryResult<string | null>> {
  const found = await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
  if (found.code === 0) return { kind: 'read', value: found.stdout.trim() }
  const inside = await git(folder, ['rev-parse', '--git-dir'])
  if (inside.code === 0) return { kind: 'read', value: null }
  return /not a git repository/i.test(inside.stderr) ? { kind: 'not-a-repository' } : failure(inside)
}

/** Which commits to read: those that lead to `head` and to none of `known`, newest first. */
export type HistoryRange = { head: string; known: string[]; since: number | null }

/** How many commits a range has, counted up to a limit. */
export async function countCommits(folder: string, range: HistoryRange, limit: number): Promise<HistoryResult<number>> {
  const counted = await git(folder, ['rev-list', '--count', `--max-count=${limit}`, ...rangeArguments(range)])
  return counted.code === 0 ? { kind: 'read', value: Number(counted.stdout) } : failure(counted)
}

/** A part of a range. It reads messages and file names, never the content of files. */
export async function readCommits(
  folder: string,
  range: HistoryRange,
  part: { skip: number; limit: number },
): Promise<HistoryResult<RepositoryCommit[]>> {
  const withNames = await readLog(folder, range, part, ['-z', '--name-only', '--no-renames', '--diff-merges=off', '--no-relative'])
  // A partial clone may lack the trees that name the files, and nothing is fetched for them.
  return withNames.kind === 'failed' ? readLog(folder, range, part, ['-z', '--no-patch']) : withNames
}

/** The commits that lead to one of these heads, but to no branch, remote branch or tag, nor to what is checked out. */
export async function commitsOnNoBranch(folder: string, heads: string[], limit: number): Promise<HistoryResult<string[]>> {
  const living = ['--not', 'HEAD', '--branches', '--remotes', '--tags']
  const listed = await git(folder, ['rev-list', '--ignore-missing', `--max-count=${limit}`, ...heads, ...living])
  return listed.code === 0 ? { kind: 'read', value: listed.stdout.split('\n').filter(Boolean) } : failure(listed)
}

async function readLog(
  folder: string,
  range: HistoryRange,
  { skip, limit }: { skip: number; limit: number },
  names: string[],
): Promise<HistoryResult<RepositoryCommit[]>> {
  // Nothing in a repository can contain a word that is made up now, so no file or message looks like the start of a commit.
  const start = crypto.randomUUID()
  const parser = commitParser(start)
  const format = `--format=%x00${start}%x00%H%x00%P%x00%at%x00%an%x00%B%x00`
  const args = ['log', ...LOG_OPTIONS, format, `--skip=${skip}`, `--max-count=${limit}`, ...names, ...rangeArguments(range)]
  const ran = await runInChunks('git', gitArguments(folder, args), gitOptions(), parser.push)
  return ran.code === 0 ? { kind: 'read', value: parser.finish() } : failure(ran)
}

/** Options against configuration, a person's or a repository's, that would add to the output or make git run something. */
const LOG_OPTIONS = [
  '--no-show-signature',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-decorate',
  '--no-notes',
  '--no-mailmap',
  '--encoding=UTF-8',
]

function rangeArguments({ head, known, since }: HistoryRange): string[] {
  const before = known.length > 0 ? ['--not', ...known] : []
  return ['--ignore-missing', ...(since === null ? [] : [`--since=@${Math.floor(since / 1000)}`]), head, ...before, '--']
}

function failure({ code, stderr }: Omit<ProgramResult, 'stdout'>): { kind: 'failed'; reason: string } {
  if (code === null) return { kind: 'failed', reason: 'git could not be started; install git, or add it to PATH' }
  const line = stderr.split('\n').find((text) => text.trim() !== '') ?? `git ended with code ${code}`
  return { kind: 'failed', reason: line.replace(/^(?:fatal|error): /, '').slice(0, 300) }
}

/** A longer message is no message. Only its first line is kept: a cut could leave half a secret. */
const MAX_MESSAGE_BYTES = 64 * 1024
const MAX_FIELD_BYTES = 4096
const MAX_FILES = 50

/** Reads the fields between the NUL bytes of a log. It holds a bounded part of each commit, however large the commit is. */
function commitParser(start: string) {
  const decoder = new TextDecoder()
  const commits: RepositoryCommit[] = []
  const pending = new Uint8Array(MAX_MESSAGE_BYTES)
  let length = 0
  let isCut = false
  let fields: string[] | null = null
  let fileCount = 0
  let files: string[] = []

  const endCommit = () => {
    if (fields?.length === FIELDS) commits.push({ ...commitOf(fields), files, fileCount })
    fields = null
    files = []
    fileCount = 0
  }
  const endField = () => {
    const text = decoder.decode(pending.subarray(0, length))
    if (text === start) {
      endCommit()
      fields = []
    } else if (fields && fields.length < FIELDS) fields.push(isCut ? (text.split('\n', 1)[0] ?? '') : text)
    else if (fields) {
      const name = text.replace(/^\n/, '')
      if (name !== '') fileCount++
      if (name !== '' && !isCut && length < MAX_FIELD_BYTES && files.length < MAX_FILES) files.push(name)
    }
    length = 0
    isCut = false
  }
  return {
    push: (chunk: Uint8Array): void => {
      for (let from = 0; from < chunk.length; ) {
        const end = chunk.indexOf(0, from)
        const part = chunk.subarray(from, end < 0 ? chunk.length : end)
        const room = part.subarray(0, MAX_MESSAGE_BYTES - length)
        pending.set(room, length)
        length += room.length
        isCut ||= room.length < part.length
        if (end < 0) return
        endField()
        from = end + 1
      }
    },
    finish: (): RepositoryCommit[] => {
      if (length > 0) endField()
      endCommit()
      return commits
    },
  }
}

const FIELDS = 5

function commitOf([hash = '', parents = '', at = '', author = '', message = '']: string[]): Omit<RepositoryCommit, 'files' | 'fileCount'> {
  // A clock that was wrong can give any time.
  const time = Math.min(Math.max(0, Number(at) * 1000 || 0), Date.now())
  return { hash, message, author: author.slice(0, 200), at: time, isMerge: parents.includes(' ') }
}
