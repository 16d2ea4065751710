import type { Observation } from '../core/memory.ts'
import { countTokens } from '../core/tokens.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { WithBranch } from '../store/store.ts'
import { type BriefPart, lineItem } from './page.ts'

/** Work on the session's own branch counts this much more. */
const BRANCH_WORTH_FACTOR = 2

/** The files that recent work changed most, grouped by folder so that each costs few tokens. Null if there are none. */
export function recentFilesPart(newestFirst: WithBranch<Observation>[], branch: string | null, tokens: number): BriefPart | null {
  const worth = new Map<string, number>()
  for (const [position, o] of newestFirst.entries()) {
    const amount = (branch !== null && o.branch === branch ? BRANCH_WORTH_FACTOR : 1) / (1 + position / 12)
    for (const path of new Set(o.filesModified)) if (isShowablePath(path)) worth.set(path, (worth.get(path) ?? 0) + amount)
  }
  const files = [...worth].sort(([, a], [, b]) => b - a).map(([path]) => path)
  const folders = new Map<string, string[]>()
  let cost = countTokens(FILES_HEADING)
  let shown = 0
  for (const path of files) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const folder = path.slice(0, path.length - name.length)
    cost += countTokens(folders.has(folder) ? `, ${name}` : ` ${path}`) + 1
    if (cost > tokens) break
    shown++
    folders.set(folder, [...(folders.get(folder) ?? []), name])
  }
  if (shown === 0) return null
  const parts = [...folders].map(([folder, names]) => (names.length > 1 ? `${folder}{${names.join(', ')}}` : folder + names[0]))
  return {
    of: lineItem('files', `${shown} of ${files.length} changed files, by amount and recency`),
    lines: [FILES_HEADING + neutralizeText(parts.join(' '))],
  }
}

const FILES_HEADING = 'Files changed most: '

const isShowablePath = (path: string) => !OUTSIDE_PROJECT.test(path) && path.length <= MAX_PATH_CHARACTERS
/** A longer path would leave no room for others. */
const MAX_PATH_CHARACTERS = 200
/** Paths outside the project, and redacted ones. */
const OUTSIDE_PROJECT = /^(?:[/~]|\.\.|[a-z]:)|REDACTED/i
