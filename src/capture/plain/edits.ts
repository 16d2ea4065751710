import type { PerformedAction } from '../../core/action.ts'
import { shorten } from '../../core/text.ts'
import type { FinishedCommand } from './commands.ts'
import { abbreviateList, linesOf, unique } from './lists.ts'
import { baseName, displayPath, type FileKind, fileKind, isThrowaway } from './paths.ts'
import { declaredName, namesAreKeys } from './symbols.ts'

/** One successful edit or write. `index` is its place among the turn's acts. */
export type TurnEdit = {
  index: number
  path: string
  created: boolean
  /** Lines that begin with ' ', '+' or '-'. */
  patch: string[]
  /** Whether the patch is one piece, so that a declaration above a changed line really encloses it. */
  whole: boolean
  /** Whether its lines are the file's own, rather than the pattern of a `sed` that rewrote them. */
  verbatim: boolean
  tool: string
  at: number
}

/** What became of one file over a turn, edits that undid each other left out. */
export type FileChange = {
  path: string
  kind: FileKind
  created: boolean
  added: string[]
  removed: string[]
  changed: string[]
  /** Lines that were replaced one for one. */
  replacedLines: { before: string; after: string }[]
  /** The first line put in, or taken out, that says something; what is left to show when no name is known. */
  sample: string | null
  /** Lines added and removed, for ordering. */
  size: number
  /** The first heading or comment of a new file. */
  introduction: string | null
}

/** More lines than a person's edit has; what lies beyond is generated. */
const MAX_PATCH_LINES = 4000

/** The edits of a turn that took hold. Scratch files and the client's own are not the project's history. */
export function editsOf(acts: PerformedAction[], commands: FinishedCommand[], folder: string): TurnEdit[] {
  const byTool = acts.flatMap((act, index) => {
    const { action } = act
    if (act.failed || act.interrupted || (action.kind !== 'edit' && action.kind !== 'write')) return []
    const path = displayPath(action.file, folder)
    if (path === '' || isThrowaway(path)) return []
    const created = action.kind === 'write' && action.created
    const patch =
      action.patch.length > 0
        ? action.patch
        : action.kind === 'edit'
          ? patchFrom(action.removed, action.added)
          : patchFrom('', action.content)
    return [
      {
        index,
        path,
        created,
        patch: patch.slice(0, MAX_PATCH_LINES),
        whole: action.kind === 'edit',
        verbatim: true,
        tool: act.tool,
        at: act.at,
      },
    ]
  })
  return [...byTool, ...commands.flatMap((ran) => editsByCommand(ran, folder))].sort((a, b) => a.index - b.index)
}

/** What each file came to, the ones that changed most first and tests behind the code they test. */
export function changesByFile(edits: TurnEdit[]): FileChange[] {
  const byPath = Map.groupBy(edits, (edit) => edit.path)
  const changes = [...byPath].map(([path, own]) => fileChange(path, own)).filter((change) => change.size > 0)
  return changes.sort((a, b) => RANK[a.kind] - RANK[b.kind] || b.size - a.size)
}

const RANK: Record<FileKind, number> = { code: 0, config: 1, docs: 2, test: 3 }

/** `added parse, changed run` – what happened to the names of a file; empty when no name is known. */
export function describeNameChanges(change: FileChange, max = 4): string {
  if (change.created) return change.added.length > 0 ? `new, with ${abbreviateList(change.added, max)}` : 'new'
  const parts = [
    change.added.length > 0 ? `added ${abbreviateList(change.added, max)}` : '',
    change.removed.length > 0 ? `removed ${abbreviateList(change.removed, max)}` : '',
    change.changed.length > 0 ? `changed ${abbreviateList(change.changed, max)}` : '',
  ]
  return parts.filter(Boolean).join('; ')
}

/** One line about a file for a list of facts. */
export function describeFileChange(change: FileChange): string {
  // Replaced lines are told as such; a sample of them would say it again.
  const names = describeNameChanges(change) || (change.replacedLines.length === 0 ? (change.sample ?? '') : '')
  const lead = change.created && change.introduction ? ` – ${change.introduction}` : ''
  return names || lead ? `${change.path}: ${names}${lead}` : change.path
}

/** The replaced lines that a reader learns most from, as `before → after`. */
export function describeReplacedLines(changes: FileChange[], max: number): string[] {
  // What changed in the code is the news; tests and documents follow it.
  const first = changes.filter((change) => change.kind === 'code' || change.kind === 'config')
  const pairs = (first.some((change) => change.replacedLines.length > 0) ? first : changes).flatMap((change) =>
    change.replacedLines.map((line) => ({ ...line, name: baseName(change.path) })),
  )
  return unique(pairs.map(({ before, after, name }) => `${name}: \`${shorten(before, 95)}\` → \`${shorten(after, 95)}\``)).slice(0, max)
}

/** Files written with `cat > file <<EOF` and lines replaced with `sed -i s/a/b/`: edits that went past the edit tool. */
function editsByCommand({ parts, heredocs, failed, index, tool, at }: FinishedCommand, folder: string): TurnEdit[] {
  if (failed) return []
  const edit = (file: string, patch: string[], created: boolean, verbatim = true): TurnEdit[] => {
    const path = displayPath(file, folder)
    return isThrowaway(path) || /[$*{]|^\/dev\//.test(path)
      ? []
      : [{ index, path, created, patch: patch.slice(0, MAX_PATCH_LINES), whole: false, verbatim, tool, at }]
  }
  const written = heredocs.flatMap(({ file, text, appends }) => (file === null ? [] : edit(file, patchFrom('', text), !appends)))
  const replaced = parts.flatMap((part) => {
    const script = part.words.find((word) => /^s([/|#,]).*\1.*\1[a-z]*$/.test(word))
    if (!script || part.words[0] !== 'sed' || !part.words.some((word) => /^-\w*i/.test(word))) return []
    const [, before = '', after = ''] = script.split(script[1] ?? '/')
    const files = part.words.slice(part.words.indexOf(script) + 1).filter((word) => !word.startsWith('-'))
    const isLiteral = !/[\\^$.*+?()[\]{}&]/.test(before + after)
    return files.flatMap((file) => edit(file, [`-${before}`, `+${after}`], false, isLiteral))
  })
  return [...written, ...replaced]
}

function fileChange(path: string, edits: TurnEdit[]): FileChange {
  const net = netLines(edits)
  const names = (sign: '+' | '-') => unique(edits.flatMap((e) => declarations(e, path, sign, net)))
  const plus = names('+')
  const minus = names('-')
  const created = edits.some((edit) => edit.created)
  const added = plus.filter((name) => !minus.includes(name))
  const removed = minus.filter((name) => !plus.includes(name))
  const touched = unique([...plus.filter((name) => minus.includes(name)), ...edits.flatMap((e) => enclosingDeclarations(e, path, net))])
  return {
    path,
    kind: fileKind(path),
    created,
    added,
    removed,
    changed: created ? [] : touched.filter((name) => !added.includes(name) && !removed.includes(name)),
    replacedLines: created ? [] : edits.flatMap((e) => (e.verbatim ? replacedLines(e.patch, net) : [])),
    sample: sampleOf(
      edits.filter((e) => e.verbatim),
      net,
    ),
    size: net.size,
    introduction: created ? introductionOf(edits.findLast((e) => e.created)?.patch ?? []) : null,
  }
}

/** How often each line was truly added (positive) or removed (negative): a line put in and taken out again is no change. */
function netLines(edits: TurnEdit[]): { size: number; of: (line: string) => number } {
  const counts = new Map<string, number>()
  for (const { patch } of edits) {
    for (const line of patch) {
      const text = line.slice(1).trim()
      if (text === '' || (line[0] !== '+' && line[0] !== '-')) continue
      counts.set(text, (counts.get(text) ?? 0) + (line[0] === '+' ? 1 : -1))
    }
  }
  let size = 0
  for (const n of counts.values()) size += Math.abs(n)
  return { size, of: (line) => counts.get(line.trim()) ?? 0 }
}
type NetLineCounts = ReturnType<typeof netLines>

function declarations(edit: TurnEdit, path: string, sign: '+' | '-', net: NetLineCounts): string[] {
  return edit.patch.flatMap((line) => {
    if (line[0] !== sign || (sign === '+' ? net.of(line.slice(1)) <= 0 : net.of(line.slice(1)) >= 0)) return []
    return declaredName(line.slice(1, 400), path) ?? []
  })
}

/** The declarations around the changed lines, as far as the patch shows them: the last one above that is indented less. */
function enclosingDeclarations(edit: TurnEdit, path: string, net: NetLineCounts): string[] {
  if (!edit.whole || namesAreKeys(path)) return []
  const found: string[] = []
  const open: { name: string; indent: number }[] = []
  for (const line of edit.patch) {
    const text = line.slice(1, 400)
    if (text.trim() === '') continue
    const indent = text.length - text.trimStart().length
    if (line[0] !== ' ' && net.of(text) !== 0) {
      const around = open.findLast((o) => o.indent < indent || /\.mdx?$/.test(path))
      if (around) found.push(around.name)
    }
    const name = line[0] === '-' ? null : declaredName(text, path)
    if (name) open.push({ name, indent })
  }
  return found
}

/** Runs of removed lines followed by as many added ones: each pair is one line that changed. */
function replacedLines(patch: string[], net: NetLineCounts): { before: string; after: string }[] {
  const pairs: { before: string; after: string }[] = []
  for (let i = 0; i < patch.length; ) {
    const removed = linesWithSign(patch, i, '-')
    const added = linesWithSign(patch, i + removed.length, '+')
    if (removed.length > 0 && removed.length <= 2 && removed.length === added.length) {
      for (const [n, line] of removed.entries()) {
        const before = line.trim()
        const after = added[n]?.trim() ?? ''
        if (net.of(before) < 0 && net.of(after) > 0 && isInformative(before) && isInformative(after)) pairs.push({ before, after })
      }
    }
    i += Math.max(1, removed.length + added.length)
  }
  return pairs
}

function linesWithSign(patch: string[], from: number, sign: string): string[] {
  let end = from
  while (end < patch.length && patch[end]?.[0] === sign) end++
  return patch.slice(from, end).map((line) => line.slice(1))
}

function sampleOf(edits: TurnEdit[], net: NetLineCounts): string | null {
  for (const sign of ['+', '-']) {
    for (const { patch } of edits) {
      const line = patch.find((l) => l[0] === sign && isInformative(l.slice(1).trim()) && net.of(l.slice(1)) !== 0)
      if (line) return `${sign} \`${shorten(line.slice(1).trim(), 120)}\``
    }
  }
  return null
}

/** Imports and lone comments change for the sake of other lines; a very long line is not read by anyone. */
function isInformative(line: string): boolean {
  return (
    line.length >= 6 &&
    line.length <= 300 &&
    !/^(import|from|use|using|#include|require|package|\/\/|\/?\*|#(?!\w)|<!--|["']use |["'][\w./@-]+["'],?$)/.test(line) &&
    /\w/.test(line)
  )
}

/** A patch for clients that gave none: the lines both sides share at the ends are context. */
function patchFrom(removed: string, added: string): string[] {
  const before = removed === '' ? [] : linesOf(removed)
  const after = added === '' ? [] : linesOf(added)
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return [
    ...before.slice(0, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...(tail > 0 ? before.slice(-tail) : []).map((line) => ` ${line}`),
  ]
}

/** The sentence a new file introduces itself with. Front matter, shebangs and licence headers are skipped. */
function introductionOf(patch: string[]): string | null {
  for (const line of patch.slice(0, 30)) {
    const text = line.slice(1, 300).trim()
    const heading = /^#\s+(.+)/.exec(text)?.[1]
    const comment = /^(?:\/\*\*?|\*|\/\/[/!]?|#|--|"""|'''|;;?)\s*(.+?)(?:\*\/|"""|''')?$/.exec(text)?.[1]
    const said = (heading ?? comment)?.trim()
    if (
      said &&
      /\s/.test(said) &&
      /\w{3}/.test(said) &&
      !/^[!@]|copyright|licen[cs]e|eslint|biome-|prettier|@ts-|yaml-language|coding:|usr\/bin/i.test(said)
    )
      return shorten(said, 110)
  }
  return null
}
