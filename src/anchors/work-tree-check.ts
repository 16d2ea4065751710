import { type Anchor, type AnchorCheck, UNKNOWN_CHECK } from '../core/anchor.ts'
import { isBuiltOn } from '../platform/git-search.ts'
import { findWorkTreeFile, readWorkTreeFile, realTop } from '../platform/work-tree.ts'
import { languageOf } from './languages.ts'
import { describeLocated, locate } from './locate.ts'
import { findMoved } from './moves.ts'
import { type Definition, MAX_SOURCE_CHARACTERS, readDefinitions } from './outline.ts'

/** A work tree whose code is compared with memories. Results are kept as long as a file has the same size and time of change. */
export type WorkTree = {
  readonly top: string
  /**
   * Compares anchors with the files. What is not read within `readMs` is unknown. Where missing code went is looked for during `searchMs`; a
   * search that takes longer goes on, and the next check has its result.
   */
  check(anchors: Anchor[], wait: CheckWait): Promise<AnchorCheck[]>
  /** Whether what is checked out builds on a commit. */
  contains(commit: string): Promise<boolean>
}

export type CheckWait = { readMs: number; searchMs: number }

/** More results than a few screens of memories need. */
const MAX_CACHED_RESULTS = 4000
/** A search for moved code is repeated after this time: the code may have come back. */
const SEARCH_VALID_MS = 60_000

export function openWorkTree(top: string, isExcluded: (path: string) => boolean = () => false): WorkTree {
  const results = new Map<string, { stamp: string; check: AnchorCheck | 'missing' }>()
  const searches = new Map<string, { at: number; found: Promise<AnchorCheck>; done: AnchorCheck | null }>()

  const search = (missing: Anchor[]) => {
    const fresh = missing.filter((anchor) => !(performance.now() - (searches.get(keyOf(anchor))?.at ?? -Infinity) < SEARCH_VALID_MS))
    if (fresh.length === 0) return
    const all = findMoved(top, fresh, isExcluded)
    for (const [index, anchor] of fresh.entries()) {
      const entry: { at: number; found: Promise<AnchorCheck>; done: AnchorCheck | null } = {
        at: performance.now(),
        found: all.then((checks) => {
          entry.done = checks[index] ?? UNKNOWN_CHECK
          return entry.done
        }),
        done: null,
      }
      remember(searches, keyOf(anchor), entry)
    }
  }

  const contained = new Map<string, { at: number; found: Promise<boolean> }>()
  return {
    top,
    contains: (commit) => {
      const known = contained.get(commit)
      if (known && performance.now() - known.at < SEARCH_VALID_MS) return known.found
      const found = isBuiltOn(top, commit)
      remember(contained, commit, { at: performance.now(), found })
      return found
    },
    check: async (anchors, { readMs, searchMs }) => {
      const until = performance.now() + readMs
      const files = new Map<string, ExaminedFile>()
      const root = realTop(top)
      const lookAt = (path: string) => {
        const known = files.get(path) ?? examineFile(top, path, isExcluded, root)
        files.set(path, known)
        return known
      }
      const first = anchors.map((anchor) => (performance.now() < until ? checkInFile(results, anchor, lookAt) : UNKNOWN_CHECK))
      const missing = anchors.filter((_, index) => first[index] === 'missing')
      if (missing.length === 0) return first.map((check) => (check === 'missing' ? UNKNOWN_CHECK : check))
      search(missing)
      await before(performance.now() + searchMs, Promise.all(missing.map((anchor) => searches.get(keyOf(anchor))?.found)), null)
      // A definition that is not where it was is gone from there, also while the search for its new place goes on.
      return first.map((check, index) => {
        const anchor = anchors[index]
        return check === 'missing' && anchor ? (searches.get(keyOf(anchor))?.done ?? GONE) : check === 'missing' ? UNKNOWN_CHECK : check
      })
    },
  }
}

const GONE: AnchorCheck = { state: 'gone', movedTo: null, renamedTo: null, newHeader: null }

const keyOf = ({ path, name, signature, commit }: Anchor) => `${path}\0${name}\0${signature}\0${commit}`

function remember<V>(cache: Map<string, V>, key: string, value: V): void {
  cache.delete(key)
  cache.set(key, value)
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_CACHED_RESULTS) return
    cache.delete(oldest)
  }
}

/** A file of the work tree; its definitions are read when the first anchor needs them. */
type ExaminedFile = { stamp: string; content: () => { text: string; definitions: Definition[] } | null } | 'missing' | 'refused'

function examineFile(top: string, path: string, isExcluded: (path: string) => boolean, root: string | null): ExaminedFile {
  if (isExcluded(path)) return 'refused'
  const file = findWorkTreeFile(top, path, MAX_SOURCE_CHARACTERS, root)
  if (file.kind !== 'file') return file.kind
  let content: { text: string; definitions: Definition[] } | null | undefined
  const read = () => {
    const text = readWorkTreeFile(file, MAX_SOURCE_CHARACTERS)
    return text === null ? null : { text, definitions: readDefinitions(path, text) }
  }
  return {
    stamp: `${file.size} ${file.changedAt}`,
    content: () => {
      content = content === undefined ? read() : content
      return content
    },
  }
}

function checkInFile(
  results: Map<string, { stamp: string; check: AnchorCheck | 'missing' }>,
  anchor: Anchor,
  lookAt: (path: string) => ExaminedFile,
): AnchorCheck | 'missing' {
  if (anchor.name === null || languageOf(anchor.path) === null) return UNKNOWN_CHECK
  const file = lookAt(anchor.path)
  if (file === 'refused') return UNKNOWN_CHECK
  if (file === 'missing') return 'missing'
  const known = results.get(keyOf(anchor))
  if (known?.stamp === file.stamp) return known.check
  const content = file.content()
  if (content === null) return UNKNOWN_CHECK
  const located = locate(anchor, content.definitions)
  const check = located ? describeLocated(anchor, located, content.text) : 'missing'
  remember(results, keyOf(anchor), { stamp: file.stamp, check })
  return check
}

/** The value of a promise, or another one if the time comes first. */
async function before<T, U>(until: number, promise: Promise<T>, otherwise: U): Promise<T | U> {
  const left = until - performance.now()
  if (left <= 0) return otherwise
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<U>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), Math.min(left, 2 ** 30))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
