/** Replays the history of a clone: memories anchored at commit X, checked at X+n by the product, and what tree-sitter and git say happened. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { anchorsAt, openWorkTree } from '../../src/anchors/anchors.ts'
import { readDefinitions } from '../../src/anchors/outline.ts'
import { type Anchor, type AnchorCheck, leafOf } from '../../src/core/anchor.ts'
import { runProgram } from '../../src/platform/processes.ts'
import { type TrueDefinition, type TrueFile, type Truth, trueLanguageOf } from './truth.ts'

export type ReplayOptions = { starts: number; steps: number[]; perStart: number; onProgress: (line: string) => void }

/** What happened to a definition. `moved` says that it lives under another name or in another file. */
export type TrueFate = { state: 'same' | 'changed' | 'gone' | 'disputable'; moved: boolean }

export type Checked = {
  language: string
  repository: string
  kind: 'history' | 'reformatted'
  path: string
  name: string
  from: string
  to: string
  fate: TrueFate
  check: AnchorCheck
  anchored: string | null
}

export async function replay(clone: string, truth: Truth, options: ReplayOptions): Promise<Checked[]> {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-stale-'))
  const top = join(folder, 'clone')
  try {
    await git(folder, ['clone', '--quiet', '--shared', '--no-checkout', clone, top])
    return await replayIn(top, basename(clone) === 'repo' ? basename(join(clone, '..')) : basename(clone), truth, options)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function git(folder: string, args: string[]): Promise<string> {
  const ran = await runProgram('git', ['-C', folder, ...args], { timeoutMs: 300_000 })
  if (ran.code !== 0) throw new Error(`git ${args[0]} failed in ${folder}: ${ran.stderr.slice(0, 300)}`)
  return ran.stdout
}

async function replayIn(top: string, repository: string, truth: Truth, options: ReplayOptions): Promise<Checked[]> {
  const longest = Math.max(...options.steps)
  const commits = (await git(top, ['rev-list', '--first-parent', '--max-count=1500', 'HEAD'])).trim().split('\n').reverse()
  if (commits.length < longest + 50) throw new Error(`${repository} has ${commits.length} commits; at least ${longest + 50} are needed`)
  const span = commits.length - longest - 10
  const starts = Array.from({ length: options.starts }, (_, index) => 8 + Math.floor((index * (span - 8)) / options.starts))
  const results: Checked[] = []
  const files = fileStore(top, truth)
  for (const [number, start] of starts.entries()) {
    const from = commits[start] ?? ''
    const subjects = await chooseDefinitions(top, from, commits[start - 6] ?? '', files, options.perStart, number)
    results.push(...(await checkReformatted(top, repository, from, subjects, truth)))
    for (const step of options.steps) {
      const to = commits[start + step] ?? ''
      results.push(...(await checkPair(top, repository, from, to, subjects, files)))
    }
    options.onProgress(`${repository}: ${number + 1} of ${starts.length} starts, ${results.length} checks`)
    files.forgetOld()
  }
  return results
}

type FileStore = ReturnType<typeof fileStore>

/** Files of commits, and their true definitions by content. */
function fileStore(top: string, truth: Truth) {
  const texts = new Map<string, Promise<string | null>>()
  const parsed = new Map<string, Promise<TrueFile | null>>()
  const textOf = (commit: string, path: string): Promise<string | null> => {
    const key = `${commit}:${path}`
    const found =
      texts.get(key) ??
      runProgram('git', ['-C', top, 'cat-file', 'blob', key], { timeoutMs: 60_000 }).then((ran) => (ran.code === 0 ? ran.stdout : null))
    texts.set(key, found)
    return found
  }
  return {
    text: textOf,
    read: async (commit: string, path: string): Promise<TrueFile | null> => {
      const text = await textOf(commit, path)
      if (text === null) return null
      const key = `${path.slice(path.lastIndexOf('.'))} ${Bun.hash(text)}`
      const found = parsed.get(key) ?? truth.read(path, text)
      parsed.set(key, found)
      return found
    },
    forgetOld: () => {
      texts.clear()
      if (parsed.size > 4000) parsed.clear()
    },
  }
}

/** A definition at the start, and the product's anchor for a memory about it. */
type Subject = { path: string; text: string; definition: TrueDefinition; anchor: Anchor; language: string }

/** Definitions in the files that the last commits touched, because memories speak of code that is being worked on. */
async function chooseDefinitions(
  top: string,
  at: string,
  before: string,
  files: FileStore,
  count: number,
  seed: number,
): Promise<Subject[]> {
  const touched = (await git(top, ['diff', '--name-only', '--diff-filter=AMR', before, at])).trim().split('\n')
  const subjects: Subject[] = []
  for (const path of touched.filter((one) => trueLanguageOf(one) !== null && !IGNORED.test(one)).slice(0, 60)) {
    const [file, text] = [await files.read(at, path), await files.text(at, path)]
    if (!file || text === null) continue
    const names = Map.groupBy(file.definitions, ({ name }) => name)
    for (const definition of file.definitions) {
      // Of several with one name it is not known which is meant.
      if (definition.isBroken || names.get(definition.name)?.length !== 1) continue
      const anchor = anchorFor(path, text, definition, at)
      subjects.push({ path, text, definition, anchor, language: trueLanguageOf(path) ?? '' })
    }
  }
  return sample(subjects, count, seed)
}

const IGNORED = /(?:^|\/)(?:vendor|node_modules|third_party|dist|package-lock\.json|CHANGELOG\.md)/

/** Where the parser says where a name is written, the product has to find the definition around it; otherwise it is asked by name. */
function anchorFor(path: string, text: string, { name, nameStart, nameEnd }: TrueDefinition, commit: string): Anchor {
  const checkout = { commit, branch: null }
  const start = nameStart >= 0 ? nameStart : (readDefinitions(path, text).find((one) => one.name === name)?.start ?? -1)
  const places = start < 0 ? [] : [{ start, end: Math.max(start, nameEnd) }]
  const [anchor] = anchorsAt(path, text, places, checkout)
  return anchor ?? { path, name: null, signature: '', sketch: '', header: '', ...checkout }
}

/** The same choice in every run. */
function sample<T>(all: T[], count: number, seed: number): T[] {
  if (all.length <= count) return all
  let state = (seed + 1) * 2654435761
  const next = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) ^ Math.imul(state ^ (state >>> 12), 0x297a2d39)
    return (state >>> 0) / 2 ** 32
  }
  return all
    .map((one) => ({ one, order: next() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ one }) => one)
}

const FAR = { readMs: 1e9, searchMs: 1e9 }

async function checkPair(
  top: string,
  repository: string,
  from: string,
  to: string,
  subjects: Subject[],
  files: FileStore,
): Promise<Checked[]> {
  await git(top, ['checkout', '--quiet', '--force', '--detach', to])
  const tree = openWorkTree(top)
  const fates = await trueFates(top, from, to, subjects, files)
  const checks = await tree.check(
    subjects.map(({ anchor }) => anchor),
    FAR,
  )
  return subjects.flatMap(({ path, definition, anchor, language }, index) => {
    const fate = fates[index]
    const check = checks[index]
    if (!fate || !check) return []
    return [{ language, repository, kind: 'history' as const, path, name: definition.name, from, to, fate, check, anchored: anchor.name }]
  })
}

/** What became of each definition; null where the parser cannot tell. */
async function trueFates(top: string, from: string, to: string, subjects: Subject[], files: FileStore): Promise<(TrueFate | null)[]> {
  const changes = await changedFiles(top, from, to)
  const fates: (TrueFate | null)[] = []
  for (const subject of subjects) fates.push(await trueFate(from, to, subject, changes, files))
  return fates
}

type Changes = { renamed: Map<string, string>; changed: Set<string>; deleted: Set<string> }

async function changedFiles(top: string, from: string, to: string): Promise<Changes> {
  const fields = (await git(top, ['diff', '--name-status', '-z', '-M', '-l5000', from, to])).split('\0')
  const changes: Changes = { renamed: new Map(), changed: new Set(), deleted: new Set() }
  for (let at = 0; at < fields.length - 1; ) {
    const status = fields[at] ?? ''
    const path = fields[at + 1] ?? ''
    if (/^[RC]/.test(status)) {
      if (status.startsWith('R')) changes.renamed.set(path, fields[at + 2] ?? '')
      changes.changed.add(fields[at + 2] ?? '')
      at += 3
      continue
    }
    if (status === 'D') changes.deleted.add(path)
    else changes.changed.add(path)
    at += 2
  }
  return changes
}

async function trueFate(
  from: string,
  to: string,
  { path, definition }: Subject,
  changes: Changes,
  files: FileStore,
): Promise<TrueFate | null> {
  const place = changes.renamed.get(path) ?? (changes.deleted.has(path) ? null : path)
  if (place === path && !changes.changed.has(path)) return { state: 'same', moved: false }
  const before = await files.read(from, path)
  const file = place === null ? null : await files.read(to, place)
  if (!before || (place !== null && !file)) return null
  const named = file?.definitions.filter(({ name }) => name === definition.name) ?? []
  if (named.length > 0) {
    if (named.every(({ isBroken }) => isBroken)) return null
    return { state: named.some((one) => isSameCode(one, definition)) ? 'same' : 'changed', moved: place !== path }
  }
  if (file?.isBroken) return null
  // A key is followed only with its file: small values are alike everywhere.
  if (/^(?:JSON|YAML|TOML)$/.test(trueLanguageOf(path) ?? '')) return { state: 'gone', moved: false }
  const known = new Set(before.definitions.map(({ name }) => name))
  const inFile = likest(definition, file?.definitions.filter(({ name }) => !known.has(name)) ?? [])
  const elsewhere = await likestElsewhere(from, to, definition, path, place, changes, files)
  const best = [inFile, elsewhere.likest].filter((one) => one !== null).sort((a, b) => b.ratio - a.ratio)[0]
  if (!best && elsewhere.isUnsure) return null
  if (!best || best.ratio < 0.4) return { state: 'gone', moved: false }
  if (best.ratio < 0.6) return { state: 'disputable', moved: true }
  return { state: isSameCode(best.definition, definition) ? 'same' : 'changed', moved: true }
}

const isSameCode = (a: TrueDefinition, b: TrueDefinition) =>
  a.tokens.length === b.tokens.length && a.tokens.every((token, index) => token === b.tokens[index])

type Likest = { definition: TrueDefinition; ratio: number }

function likest(definition: TrueDefinition, others: TrueDefinition[]): Likest | null {
  let best: Likest | null = null
  for (const other of others) {
    const ratio = commonShare(definition.tokens, other.tokens)
    if (!best || ratio > best.ratio) best = { definition: other, ratio }
  }
  return best
}

/** A definition with the same last name in another file that did not have it before. */
async function likestElsewhere(
  from: string,
  to: string,
  definition: TrueDefinition,
  path: string,
  place: string | null,
  changes: Changes,
  files: FileStore,
): Promise<{ likest: Likest | null; isUnsure: boolean }> {
  const leaf = leafOf(definition.name)
  let best: Likest | null = null
  let isUnsure = false
  for (const other of changes.changed) {
    if (other === path || other === place || trueLanguageOf(other) !== trueLanguageOf(path)) continue
    if (!(await files.text(to, other))?.includes(leaf)) continue
    const now = await files.read(to, other)
    // The parser may not have seen it there.
    isUnsure ||= now?.isBroken ?? false
    const earlier = new Set((await files.read(from, other))?.definitions.map(({ name }) => name))
    const found = likest(definition, now?.definitions.filter(({ name }) => leafOf(name) === leaf && !earlier.has(name)) ?? [])
    if (found && (!best || found.ratio > best.ratio)) best = found
  }
  return { likest: best, isUnsure }
}

/** The share of runs of three tokens that two lists have in common. */
function commonShare(a: string[], b: string[]): number {
  const runs = (tokens: string[]) => tokens.map((token, index) => `${token} ${tokens[index + 1] ?? ''} ${tokens[index + 2] ?? ''}`)
  const counts = new Map<string, number>()
  const [first, second] = [runs(a), runs(b)]
  for (const run of first) counts.set(run, (counts.get(run) ?? 0) + 1)
  let common = 0
  for (const run of second) {
    const left = counts.get(run) ?? 0
    if (left > 0) common++
    counts.set(run, left - 1)
  }
  return first.length + second.length === 0 ? 1 : (2 * common) / (first.length + second.length)
}

/** Each file once with another layout: nothing has changed. */
async function checkReformatted(top: string, repository: string, at: string, subjects: Subject[], truth: Truth): Promise<Checked[]> {
  const results: Checked[] = []
  const perFile = Map.groupBy(subjects, ({ path }) => path)
  for (const [path, ofFile] of [...perFile].slice(0, 12)) {
    const [first] = ofFile
    const changed = first && (await truth.reformat(path, first.text))
    const reparsed = changed && (await truth.read(path, changed))
    if (!changed || !reparsed || reparsed.isBroken) continue
    await git(top, ['checkout', '--quiet', '--force', '--detach', at])
    await Bun.write(join(top, path), changed)
    const checks = await openWorkTree(top).check(
      ofFile.map(({ anchor }) => anchor),
      FAR,
    )
    for (const [index, { definition, anchor, language }] of ofFile.entries()) {
      const check = checks[index]
      const now = reparsed.definitions.find(({ name }) => name === definition.name)
      // The layout may have changed the code after all, for example a line that ends a statement.
      if (!check || !now || !isSameCode(now, definition)) continue
      results.push({
        language,
        repository,
        kind: 'reformatted',
        path,
        name: definition.name,
        from: at,
        to: 'other layout',
        fate: { state: 'same', moved: false },
        check,
        anchored: anchor.name,
      })
    }
  }
  return results
}
