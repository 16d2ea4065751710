import { fingerprint } from '../core/hash.ts'
import type { Prompt, Session } from '../core/memory.ts'
import { asNoteId } from '../core/note.ts'
import { sentencesOf } from '../core/prose.ts'
import { ulidOf } from '../core/ulid.ts'
import { type CapturedNoteDraft, startOfDay } from './drafts.ts'
import { findTypedLines } from './typed-lines.ts'

/** A text that the person marked in a prompt. `isCut`: part of it is missing, because the prompt was too long to store in full. */
export type MarkedText = { text: string; namespace: string; scope: 'project' | 'global'; isCut: boolean }

/** A prompt with more markers is probably a pasted text about markers. */
export const MAX_MARKED_PER_PROMPT = 20

/**
 * Drafts notes from the texts that a person marked in a prompt (`[decision]`, `[remember]`, …). `before` is how often the session had the
 * same prompt before: a person who marks a sentence again after deleting its note wants it back. `leftOut` counts texts beyond the maximum.
 */
export function draftMarkedNotes(
  session: Session,
  prompt: Prompt,
  before: number,
  markers: string[],
): { drafts: CapturedNoteDraft[]; leftOut: number } {
  const promptKey = `${fingerprint(prompt.text)}:${before}`
  const all = findMarkedTexts(prompt.text, markers)
  const drafts = all.slice(0, MAX_MARKED_PER_PROMPT).map((marked): CapturedNoteDraft => {
    const name = [session.agent, session.contentSessionId, 'marker', promptKey, marked.namespace, marked.text].join('\n')
    return {
      id: asNoteId(ulidOf(name, startOfDay(prompt.at))),
      body: marked.text,
      type: 'semantic',
      namespace: marked.namespace,
      scope: marked.scope,
      project: session.project,
      source: 'human',
      session: session.contentSessionId,
      confidence: 1,
      tags: [],
      createdAt: prompt.at,
      ...(marked.isCut ? { isCut: true } : {}),
    }
  })
  return { drafts, leftOut: all.length - drafts.length }
}

/**
 * The marked texts of a prompt. A marker applies to the sentence that contains it, or to the sentence before if it follows one at the end of
 * a line. `[remember]` before a text applies to the rest of the paragraph. `[global]`, alone or with other markers, makes the note apply to
 * every project. Markers in code, quotes, links and checkbox lists are ignored.
 */
export function findMarkedTexts(text: string, markers: string[]): MarkedText[] {
  const names = markers.map((name) => name.toLowerCase().replace(/^\[|\]$/g, '')).filter((name) => /^[a-z0-9][a-z0-9-]*$/.test(name))
  if (names.length === 0 || !text.includes('[')) return []
  const mark = new RegExp(`\\[(${names.join('|')})\\]`, 'gi')
  if (text.search(mark) < 0) return []
  const found = new Map<string, { marks: Set<string>; isCut: boolean }>()
  const lines = text.split(/\r?\n/)
  const cutRow = lines.findIndex((line) => CLIP_NOTICE.test(line))
  const open = findTypedLines(lines)
  for (const [row, line] of lines.entries()) {
    if (!open[row]) continue
    const runs = findMarkerRuns(line, mark)
    if (runs.length === 0) continue
    const sentences = locateSentences(line, mark)
    // One long sentence may have many markers: tidy it only once.
    const tidied = new Map<string, { kept: string; isCut: boolean }>()
    for (const [n, run] of runs.entries()) {
      const next = runs[n + 1]?.from ?? line.length
      const wholeParagraph = run.names.includes('remember') || run.names.every((name) => name === 'global')
      const rest = line.slice(run.to, next)
      const marked =
        wholeParagraph && hasWords(rest)
          ? [rest, ...(next === line.length ? paragraphAfter(lines, open, row, mark) : [])].join('\n')
          : sentenceAround(sentences, run)
      const tidyMarked = () => ({
        kept: tidy(marked.replace(mark, ' ')),
        isCut: cutRow >= 0 && isCutByClip(cutRow - row, line.trim(), marked.trim()),
      })
      const { kept, isCut } = tidied.get(marked) ?? tidyMarked()
      tidied.set(marked, { kept, isCut })
      if (!hasWords(kept)) continue
      const marks = found.get(kept)?.marks ?? new Set()
      for (const name of run.names) marks.add(name)
      found.set(kept, { marks, isCut })
    }
  }
  return [...found].flatMap(([kept, { marks, isCut }]) => toMarkedTexts(kept, marks, isCut))
}

/** The line that `clip` puts in place of the middle of a text. */
const CLIP_NOTICE = /^… \d+ characters left out …$/

/** Whether a marked text contains the clip notice or is next to it. `rows` is how many lines below `line` the notice is. */
function isCutByClip(rows: number, line: string, marked: string): boolean {
  if (rows === 1 && line.endsWith(marked)) return true
  if (rows === -1 && line.startsWith(marked)) return true
  return CLIP_NOTICE.test(marked.split('\n')[rows] ?? '')
}

function toMarkedTexts(text: string, marks: Set<string>, isCut: boolean): MarkedText[] {
  const scope = marks.has('global') ? 'global' : 'project'
  const kinds = [...marks].filter((name) => name !== 'global')
  return (kinds.length > 0 ? kinds : ['remember']).map((name) => ({ text, namespace: NAMESPACE_OF[name] ?? name, scope, isCut }))
}

/** A marker that is not listed here is its own namespace. */
const NAMESPACE_OF: Record<string, string> = {
  decision: 'decisions',
  learned: 'learnings',
  blocker: 'blockers',
  progress: 'progress',
  remember: 'context',
}

type MarkerRun = { names: string[]; from: number; to: number }

/** The markers of a line. Adjacent markers form one run. */
function findMarkerRuns(line: string, mark: RegExp): MarkerRun[] {
  const code = codeSpans(line)
  const runs: MarkerRun[] = []
  for (const match of line.matchAll(mark)) {
    const from = match.index
    const to = from + match[0].length
    if (code.some((span) => from >= span.from && from < span.to) || isNotMarker(line, from, to, mark)) continue
    const last = runs.at(-1)
    const name = (match[1] ?? '').toLowerCase()
    if (last && /^[\s,+&]*$/.test(line.slice(last.to, from))) {
      last.names.push(name)
      last.to = to
    } else runs.push({ names: [name], from, to })
  }
  return runs
}

/** A link, an image, an array index, an escaped bracket, or a marker mentioned in quotes. */
function isNotMarker(line: string, from: number, to: number, mark: RegExp): boolean {
  const before = line.slice(Math.max(0, from - 1), from)
  const after = line.slice(to, to + 60)
  if (/[\p{L}\p{N}_!\\$]$/u.test(before) || /^\(|^[\p{L}\p{N}_]/u.test(after)) return true
  if (/^:\s*(?:https?:|<|\/)/.test(after)) return true
  // `[decision][1]` is a reference; `[decision][global]` is two markers.
  if (after.startsWith('[')) return after.search(mark) !== 0
  return /["'“‘«]/.test(before) && /^["'”’»]/.test(after)
}

/** Code spans start and end with the same number of backticks. */
function codeSpans(line: string): { from: number; to: number }[] {
  const ticks = [...line.matchAll(/`+/g)].map((match) => ({ from: match.index, to: match.index + match[0].length }))
  const spans: { from: number; to: number }[] = []
  for (let n = 0; n < ticks.length; n++) {
    const opening = ticks[n] as { from: number; to: number }
    let closing = n + 1
    while (closing < ticks.length && lengthOf(ticks[closing]) !== lengthOf(opening)) closing++
    if (closing === ticks.length) continue
    spans.push({ from: opening.from, to: ticks[closing]?.to ?? opening.to })
    n = closing
  }
  return spans
}

const lengthOf = (span: { from: number; to: number } | undefined) => (span ? span.to - span.from : 0)

type PlacedSentence = { text: string; from: number; to: number; saysSomething: boolean }

function locateSentences(line: string, mark: RegExp): PlacedSentence[] {
  let at = 0
  return sentencesOf(line).map((text) => {
    const from = line.indexOf(text, at)
    at = from + text.length
    return { text, from, to: at, saysSomething: hasWords(text.replace(mark, ' ')) }
  })
}

function sentenceAround(sentences: PlacedSentence[], run: MarkerRun): string {
  const index = sentences.findIndex((sentence) => run.from >= sentence.from && run.from < sentence.to)
  const own = sentences[index]
  // If the sentence contains only markers, they apply to the one before: `Use tabs. [decision]`.
  return own?.saysSomething ? own.text : (sentences[index - 1]?.text ?? '')
}

/** The rest of a paragraph. It ends at a blank line, code, a quote or another marker. */
function paragraphAfter(lines: string[], open: boolean[], row: number, mark: RegExp): string[] {
  const rest = lines.slice(row + 1)
  const end = rest.findIndex((line, n) => line.trim() === '' || !open[row + 1 + n] || findMarkerRuns(line, mark).length > 0)
  return end < 0 ? rest : rest.slice(0, end)
}

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text)

/** Removes the gap that a marker left, and the list mark or colon before it. */
function tidy(text: string): string {
  return text
    .split('\n')
    .map((line, n) => (n === 0 ? line.replace(/^\s*(?:(?:[-*+•]|\d+[.)])\s+)?[\s:,;–—-]*/, '') : line).trimEnd())
    .join('\n')
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/ +([.,;:!?])(?=\s|$)/g, '$1')
}
