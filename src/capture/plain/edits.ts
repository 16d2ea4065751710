import type { PerformedAction } from '../../core/action.ts'
import { linesOf, shorten } from '../../core/text.ts'
import type { FinishedCommand } from './commands.ts'
import { abbreviateList, unique } from './lists.ts'
import { baseName, displayPath, type FileKind, fileKind, isThrowaway } from './paths.ts'
import { declaredName, namesAreKeys } from './symbols.ts'

/** One successful edit or write. `index` is its position among the turn's actions. */
export type TurnEdit = {
  index: number
  path: string
  created: boolean
  /** Lines that start with ' ', '+' or '-'. */
  patch: string[]
  /** The patch is one continuous piece, so a declaration above a changed line encloses it. */
  whole: boolean
  /** The lines come from the file, not from the pattern of a `sed` command. */
  verbatim: boolean
  tool: string
  at: number
}

/** The net change of one file in a turn. Edits that undo each other do not count. */
export type FileChange = {
  path: string
  kind: FileKind
  created: boolean
  added: string[]
  removed: string[]
  changed: string[]
  /** Lines that were each replaced by one other line. */
  replacedLines: { before: string; after: string }[]
  /** The first informative added or removed line, to show when no name is known. */
  sample: string | null
  /** Lines added and removed, for ordering. */
  size: number
  /** The first heading or comment of a new file. */
  introduction: string | null
}

/** Longer patches are generated. */
const MAX_PATCH_LINES = 4000

/** The successful edits of a turn. Scratch files and files of the client do not count. */
export function editsOf(actions: PerformedAction[], commands: FinishedCommand[], folder: string): TurnEdit[] {
  const byTool = actions.flatMap((use, index) => {
    const { action } = use
    if (use.failed || use.interrupted || (action.kind !== 'edit' && action.kind !== 'write')) return []
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
        tool: use.tool,
        at: use.at,
      },
    ]
  })
  return [...byTool, ...commands.flatMap((command) => editsByCommand(command, folder))].sort((a, b) => a.index - b.index)
}

/** The net change of each file: code before other kinds, then the largest change first. */
export function changesByFile(edits: TurnEdit[]): FileChange[] {
  const byPath = Map.groupBy(edits, (edit) => edit.path)
  const changes = [...byPath].map(([path, own]) => fileChange(path, own)).filter((change) => change.size > 0)
  return changes.sort((a, b) => RANK[a.kind] - RANK[b.kind] || b.size - a.size)
}

const RANK: Record<FileKind, number> = { code: 0, config: 1, docs: 2, test: 3 }

/** `added parse; changed run`; empty if no name is known. */
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
  // Replaced lines have facts of their own; a sample would repeat them.
  const names = describeNameChanges(change) || (change.replacedLines.length === 0 ? (change.sample ?? '') : '')
  const lead = change.created && change.introduction ? ` – ${change.introduction}` : ''
  return names || lead ? `${change.path}: ${names}${lead}` : change.path
}

/** The most informative replaced lines, as `before → after`. */
export function describeReplacedLines(changes: FileChange[], max: number): string[] {
  // Prefer code over tests and documents.
  const first = changes.filter((change) => change.kind === 'code' || change.kind === 'config')
  const pairs = (first.some((change) => change.replacedLines.length > 0) ? first : changes).flatMap((change) =>
    change.replacedLines.map((line) => ({ ...line, name: baseName(change.path) })),
  )
  return unique(pairs.map(({ before, after, name }) => `${name}: \`${shorten(before, 95)}\` → \`${shorten(after, 95)}\``)).slice(0, max)
}

/** Edits made without the edit tool: `cat > file <<EOF` and `sed -i s/a/b/`. */
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
    // An editor reports a saved file without its text: the file changed, and nothing says how much.
    size: edits.every(({ patch }) => patch.length === 0) ? 1 : net.size,
    introduction: created ? introductionOf(edits.findLast((e) => e.created)?.patch ?? []) : null,
  }
}

/** How often each line was added (positive) or removed (negative). A line that was added and removed again counts zero. */
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

/** The declarations that enclose changed lines: for each, the last one above it in the patch with less indentation. */
function enclosingDeclarations(edit: TurnEdit, path: string, net: NetLineCounts): string[] {
  if (!edit.whole || namesAreKeys(path)) return []
  const found: string[] = []
  const open: { name: string; indent: number }[] = []
  for (const line of edit.patch) {
    const text = line.slice(1, 400)
    if (text.trim() === '') continue
    const indent = text.length - text.trimStart().length
    if (line[0] !== ' ' && net.of(text) !== 0) {
      const enclosing = open.findLast((o) => o.indent < indent || /\.mdx?$/.test(path))
      if (enclosing) found.push(enclosing.name)
    }
    const name = line[0] === '-' ? null : declaredName(text, path)
    if (name) open.push({ name, indent })
  }
  return found
}

/** Pairs removed lines with added ones if the same number of added lines follows directly. */
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

/** Imports and comments say little about a change, and very long lines are unreadable. */
function isInformative(line: string): boolean {
  return (
    line.length >= 6 &&
    line.length <= 300 &&
    !/^(import|from|use|using|#include|require|package|\/\/|\/?\*|#(?!\w)|<!--|["']use |["'][\w./@-]+["'],?$)/.test(line) &&
    /\w/.test(line)
  )
}

/** Builds a patch for clients that send none. Common lines at both ends become context. */
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

/** The first heading or comment of a new file. Skips front matter, shebangs and licence headers. */
function introductionOf(patch: string[]): string | null {
  for (const line of patch.slice(0, 30)) {
    const text = line.slice(1, 300).trim()
    const heading = /^#\s+(.+)/.exec(text)?.[1]
    const comment = /^(?:\/\*\*?|\*|\/\/[/!]?|#|--|"""|'''|;;?)\s*(.+?)(?:\*\/|"""|''')?$/.exec(text)?.[1]
    const introduction = (heading ?? comment)?.trim()
    if (
      introduction &&
      /\s/.test(introduction) &&
      /\w{3}/.test(introduction) &&
      !/^[!@]|copyright|licen[cs]e|eslint|biome-|prettier|@ts-|yaml-language|coding:|usr\/bin/i.test(introduction)
    )
      return shorten(introduction, 110)
  }
  return null
}
