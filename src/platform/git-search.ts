import { isCommitHash } from '../core/anchor.ts'
import { runGit } from './git.ts'

/** Longer searches are given up: what they look for counts as not found. */
const SEARCH_TIMEOUT_MS = 5000

/** The files of a work tree that contain a name, tracked or not yet, as paths relative to its top. Null if git cannot say. */
export async function filesContaining(top: string, name: string, patterns: string[]): Promise<string[] | null> {
  const wanted = [...(/^\w+$/.test(name) ? ['-w'] : []), '-e', name]
  const args = ['grep', '-l', '-z', '-I', '-F', '--untracked', '--no-color', '--no-textconv', '--no-recurse-submodules', ...wanted]
  const ran = await runGit(top, [...args, '--', ...patterns.map((pattern) => `:(glob)**/${pattern}`)], { timeoutMs: SEARCH_TIMEOUT_MS })
  return ran.code === 0 ? splitNames(ran.stdout) : ran.code === 1 ? [] : null
}

/** The texts of files in a commit, by path. Files that it does not have are left out; all are, if the commit is not here. */
export async function filesInCommit(top: string, commit: string, paths: string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  if (!isCommitHash(commit) || paths.some((path) => path.includes('\n'))) return texts
  for (const path of paths) {
    const ran = await runGit(top, ['cat-file', 'blob', `${commit}:${path}`], { timeoutMs: SEARCH_TIMEOUT_MS })
    if (ran.code === 0) texts.set(path, ran.stdout)
  }
  return texts
}

/** Where files of a commit are now, for those that git sees as renamed. */
export async function renamedSince(top: string, commit: string): Promise<Map<string, string>> {
  const renamed = new Map<string, string>()
  if (!isCommitHash(commit)) return renamed
  const args = [
    'diff',
    '--name-status',
    '-z',
    '-M',
    '--diff-filter=R',
    '--no-ext-diff',
    '--no-textconv',
    '--ignore-submodules',
    commit,
    '--',
  ]
  const ran = await runGit(top, args, { timeoutMs: SEARCH_TIMEOUT_MS })
  const fields = ran.code === 0 ? splitNames(ran.stdout) : []
  for (let at = 0; at + 2 < fields.length; at += 3) renamed.set(fields[at + 1] ?? '', fields[at + 2] ?? '')
  return renamed
}

/** Whether what is checked out builds on a commit. False too if the commit is not in the repository. */
export async function isBuiltOn(top: string, commit: string): Promise<boolean> {
  if (!isCommitHash(commit)) return false
  const ran = await runGit(top, ['merge-base', '--is-ancestor', commit, 'HEAD'], { timeoutMs: SEARCH_TIMEOUT_MS })
  return ran.code === 0
}

const splitNames = (text: string): string[] => text.split('\0').filter((name) => name !== '')
