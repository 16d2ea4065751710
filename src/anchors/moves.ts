import { type Anchor, type AnchorCheck, leafOf, UNKNOWN_CHECK } from '../core/anchor.ts'
import { filesContaining, filesInCommit, isBuiltOn, renamedSince } from '../platform/git-search.ts'
import { findWorkTreeFile, readWorkTreeFile } from '../platform/work-tree.ts'
import { codeFilePatterns, filePatterns, languageOf } from './languages.ts'
import { describeLocated, type Located, locate, lookalikes } from './locate.ts'
import { type Definition, MAX_SOURCE_CHARACTERS, readDefinitions } from './outline.ts'

/** Files with the name of a missing definition that are looked into, nearest first. */
const MAX_FILES_SEARCHED = 60

/**
 * Looks for definitions that are not where they were: in a file that git sees as renamed, under the same name in another file, or under a
 * new name in their own. Code that was already there at the anchor's commit is other code, however alike.
 */
export async function findMoved(top: string, anchors: Anchor[], isExcluded: (path: string) => boolean): Promise<AnchorCheck[]> {
  const files = fileReader(top, isExcluded)
  const history = historyReader(top)
  const checks: AnchorCheck[] = []
  for (const anchor of anchors) checks.push(await findOne(top, anchor, files, history))
  return checks
}

/** Where names are defined, for those with one definition in the work tree. */
export async function findDefined(top: string, names: string[], isExcluded: (path: string) => boolean): Promise<string[]> {
  const files = fileReader(top, isExcluded)
  const found = new Set<string>()
  for (const name of names) {
    const paths = await filesContaining(top, name, codeFilePatterns())
    if (paths === null) break // git cannot search here, whatever the name
    if (paths.length > MAX_FILES_SEARCHED) continue
    const defining: string[] = []
    for (const path of paths) {
      const defined = (await files(path))?.definitions.filter((one) => leafOf(one.name) === name) ?? []
      defining.push(...defined.map(() => path))
    }
    const [only] = defining
    if (only !== undefined && defining.length === 1) found.add(only)
  }
  return [...found]
}

type CodeFile = { text: string; definitions: Definition[] }
type ReadCode = (path: string) => Promise<CodeFile | null>

function fileReader(top: string, isExcluded: (path: string) => boolean): ReadCode {
  const read = new Map<string, Promise<CodeFile | null>>()
  const open = async (path: string): Promise<CodeFile | null> => {
    if (isExcluded(path)) return null
    const file = findWorkTreeFile(top, path, MAX_SOURCE_CHARACTERS)
    const text = file.kind === 'file' ? readWorkTreeFile(file, MAX_SOURCE_CHARACTERS) : null
    return text === null ? null : { text, definitions: readDefinitions(path, text) }
  }
  return (path) => {
    const found = read.get(path) ?? open(path)
    read.set(path, found)
    return found
  }
}

type History = {
  /** The names that a file defined at a commit; null if that is not known. */
  namesAt(commit: string, path: string): Promise<Set<string> | null>
  renamedTo(commit: string, path: string): Promise<string | null>
  isBuiltOn(commit: string): Promise<boolean>
}

function historyReader(top: string): History {
  const names = new Map<string, Promise<Set<string> | null>>()
  const renames = new Map<string, Promise<Map<string, string>>>()
  const contained = new Map<string, Promise<boolean>>()
  const once = <V>(cache: Map<string, Promise<V>>, key: string, load: () => Promise<V>): Promise<V> => {
    const found = cache.get(key) ?? load()
    cache.set(key, found)
    return found
  }
  const loadNames = async (commit: string, path: string) => {
    if (!(await once(contained, commit, () => isBuiltOn(top, commit)))) return null
    const text = (await filesInCommit(top, commit, [path])).get(path)
    return new Set(text === undefined ? [] : readDefinitions(path, text).map(({ name }) => name))
  }
  return {
    namesAt: (commit, path) => once(names, `${commit}:${path}`, () => loadNames(commit, path)),
    renamedTo: async (commit, path) => (await once(renames, commit, () => renamedSince(top, commit))).get(path) ?? null,
    isBuiltOn: (commit) => once(contained, commit, () => isBuiltOn(top, commit)),
  }
}

async function findOne(top: string, anchor: Anchor, files: ReadCode, history: History): Promise<AnchorCheck> {
  if (anchor.name === null) return UNKNOWN_CHECK
  // A value such as `true` is found everywhere, so that a key is followed only with its file.
  const isSetting = /^(?:json|yaml|toml)$/.test(languageOf(anchor.path) ?? '')
  const own = await files(anchor.path)
  const place = own ? anchor.path : anchor.commit === null ? null : await history.renamedTo(anchor.commit, anchor.path)
  const file = own ?? (place === null ? null : await files(place))
  if (file && place) {
    const inRenamed = own ? null : locate(anchor, file.definitions)
    const found = inRenamed ?? (isSetting ? null : await firstNew(anchor, lookalikes(anchor, file.definitions), anchor.path, history))
    if (found) return describeLocated(anchor, found, file.text, own ? null : place)
  }
  const elsewhere = isSetting ? null : await findElsewhere(top, anchor, files, history)
  if (elsewhere) return elsewhere
  // Another branch may be checked out, or the memory came from another machine: then nothing is known.
  if (anchor.commit !== null && !(await history.isBuiltOn(anchor.commit))) return UNKNOWN_CHECK
  return { state: 'gone', movedTo: null, renamedTo: null, newHeader: null }
}

/** The first of several definitions that was not there at the anchor's commit. Where that is not known, only equal code counts. */
async function firstNew(anchor: Anchor, found: Located[], path: string, history: History): Promise<Located | null> {
  if (found.length === 0) return null
  const before = anchor.commit === null ? null : await history.namesAt(anchor.commit, path)
  return found.find(({ definition, isSame }) => (before ? !before.has(definition.name) : isSame)) ?? null
}

/** Many classes have an `init`: in another class and another file, more of the code must be the same. */
const OTHER_CONTAINER_RATIO = 0.65

/** The definition of the same last name in another file: preferably with the same containers, then the one most like it. */
async function findElsewhere(top: string, anchor: Anchor, files: ReadCode, history: History): Promise<AnchorCheck | null> {
  const leaf = leafOf(anchor.name ?? '')
  const language = languageOf(anchor.path)
  if (language === null || leaf.length < 2 || leaf.includes('\n')) return null
  const paths = (await filesContaining(top, leaf, filePatterns(language))) ?? []
  let best: { found: Located; path: string; text: string; rank: number } | null = null
  for (const path of nearestFirst(paths, anchor.path).slice(0, MAX_FILES_SEARCHED)) {
    const file = await files(path)
    const named = file?.definitions.filter(({ name }) => leafOf(name) === leaf) ?? []
    const alike = lookalikes(anchor, named).filter(
      ({ definition, ratio }) => definition.name === anchor.name || ratio >= OTHER_CONTAINER_RATIO,
    )
    const found = file ? await firstNew(anchor, alike, path, history) : null
    if (!file || !found) continue
    const rank = Number(found.definition.name === anchor.name) * 2 + Number(found.isSame)
    if (!best || rank > best.rank) best = { found, path, text: file.text, rank }
    if (rank === 3) break
  }
  return best && describeLocated(anchor, best.found, best.text, best.path)
}

/** Files of the same name first, then those with the most folders in common. */
function nearestFirst(paths: string[], own: string): string[] {
  const folders = own.split('/')
  const base = folders.at(-1)
  const score = (path: string) => {
    const parts = path.split('/')
    const common = parts.findIndex((part, index) => part !== folders[index])
    return (parts.at(-1) === base ? 100 : 0) + (common < 0 ? parts.length : common)
  }
  return paths
    .filter((path) => path !== own)
    .map((path) => ({ path, score: score(path) }))
    .sort((a, b) => b.score - a.score)
    .map(({ path }) => path)
}
