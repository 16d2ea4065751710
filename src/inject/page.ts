import type { CodeMark } from '../core/code-mark.ts'
import { countTokens } from '../core/tokens.ts'
import type { InjectedItem } from '../store/store.ts'
import { repeatsText } from './repeated-text.ts'

export type InjectedBrief = {
  /** Empty if there is nothing worth showing. */
  text: string
  tokens: number
  /** The memories in the text. Every line belongs to one of them, and their tokens add up to `tokens`. */
  items: InjectedItem[]
  /** How many observations did not fit. */
  leftOut: number
  /** Memories that were considered and left out, with the reason. */
  left: ReasonedItem[]
  /** The last session, if the text is about it: what it was about, and how many tests it left failing. */
  last?: { title: string; failing: number }
}

/** A memory, or a line that combines many, and why it is shown or left out. */
export type ReasonedItem = Omit<InjectedItem, 'tokens'>

/** Lines of text and the item they belong to. */
export type BriefPart = { of: ReasonedItem; lines: string[] }

/** Compares memories with the code: what is to be said about each, by kind and id. Most need no mark. */
export type CheckCode = (memories: MemoryRef[]) => Promise<ReadonlyMap<string, CodeMark>>
export type MemoryRef = { kind: Exclude<InjectedItem['kind'], 'line'>; ref: string }
/** Adds marks to the parts of a page, and keeps those that belong at its end. `write` adds parts if they fit. */
export type PageMarks = {
  add(parts: BriefPart[], write: (parts: BriefPart[]) => boolean): boolean
  /** The parts that wait for the end of the page. */
  waiting(): BriefPart[]
  close(write: (parts: BriefPart[]) => boolean): void
}

/** New marks for each page: a page may be written several times. */
export type OpenMarks = () => PageMarks

export type Budget = { tokens: number; characters: number }

/** An agent may replace anything over 10,000 characters with a short preview. */
export const BRIEF_BUDGET: Budget = { tokens: 2000, characters: 9000 }

export const EMPTY_BRIEF: InjectedBrief = { text: '', tokens: 0, items: [], leftOut: 0, left: [] }

/** Why a prompt without an answer is shown. Other prompts in a brief are results. */
export const OPEN_PROMPT_REASON = 'the last prompt, still without an answer'

export const RULE_REASON = 'a standing rule of the person'
export const OPEN_END_REASON = 'a session left it open'

export type BriefPage = ReturnType<typeof openPage>

/** For a line that belongs to no single memory. */
export const lineItem = (id: string, why: string): ReasonedItem => ({ kind: 'line', id, why })

/** Lines that every page has, whatever it shows. */
export const framePart = (...lines: string[]): BriefPart => ({
  of: lineItem('frame', 'opens and closes the block, and explains it'),
  lines,
})

/** A page that accepts whole parts as long as they fit, with room reserved for its last line. Descriptions of code that is gone come last. */
export function openPage(firstLine: string, lastLine: string, budget: Budget, openMarks: OpenMarks | null = null) {
  const marks = openMarks?.() ?? null
  const written = [framePart(firstLine)]
  let tokens = countTokens(firstLine) + countTokens(lastLine) + 2
  let characters = firstLine.length + lastLine.length + 2
  const costOf = (parts: BriefPart[]) => {
    const text = parts.flatMap(({ lines }) => lines).join('\n')
    return { tokens: countTokens(text) + 1, characters: text.length + 1 }
  }
  const write = (parts: BriefPart[]): boolean => {
    const cost = costOf(parts)
    if (tokens + cost.tokens > budget.tokens || characters + cost.characters > budget.characters) return false
    tokens += cost.tokens
    characters += cost.characters
    written.push(...parts)
    return true
  }
  const all = () => [...written, ...(marks?.waiting() ?? [])]
  return {
    /** Adds all of these parts, or returns false and adds none. */
    add: (...parts: BriefPart[]): boolean => (marks ? marks.add(parts, write) : write(parts)),
    /** Why `add` refused these parts. */
    whyNoRoom(...parts: BriefPart[]): string {
      const cost = costOf(parts)
      return tokens + cost.tokens > budget.tokens
        ? `no room: needs ${cost.tokens} tokens, ${Math.max(0, budget.tokens - tokens)} left`
        : `no room: needs ${cost.characters} characters, ${Math.max(0, budget.characters - characters)} left`
    },
    has: (kind: InjectedItem['kind'], id: number | string): boolean => all().some(({ of }) => of.kind === kind && of.id === id),
    /** Whether one of its lines says the same as a text. */
    says: (text: string): boolean => all().some(({ lines }) => lines.some((line) => repeatsText(line, text))),
    /** How many memories it shows. */
    memoryCount: (): number => new Set(all().flatMap(({ of }) => (of.kind === 'line' ? [] : [`${of.kind} ${of.id}`]))).size,
    close: (): Pick<InjectedBrief, 'text' | 'tokens' | 'items'> => {
      marks?.close(write)
      return withItemTokens([...written, framePart(lastLine)])
    },
  }
}

/** A part costs what the whole text grows by. Counting parts alone would be wrong where a token spans two lines. */
function withItemTokens(parts: BriefPart[]): Pick<InjectedBrief, 'text' | 'tokens' | 'items'> {
  const items = new Map<string, InjectedItem>()
  let text = ''
  let tokens = 0
  for (const { of, lines } of parts) {
    for (const line of lines) text += text === '' ? line : `\n${line}`
    const total = countTokens(text)
    const key = `${of.kind} ${of.id}`
    items.set(key, { ...of, ...items.get(key), tokens: (items.get(key)?.tokens ?? 0) + total - tokens })
    tokens = total
  }
  return { text, tokens, items: [...items.values()] }
}

/** The room that one kind of part has on a page. */
export type Share = ReturnType<ReturnType<typeof openShares>['of']>

/** Shares of a page for kinds of parts, and spare room that all of them may use when their own is spent. */
export function openShares(tokens: number, spare: number) {
  let shared = spare
  let isCut = false
  return {
    of(portion: number) {
      let own = Math.floor(tokens * portion)
      return {
        fits(cost: number): boolean {
          const fits = cost <= own + shared
          isCut ||= !fits
          return fits
        },
        take(cost: number): void {
          shared -= Math.max(0, cost - own)
          own = Math.max(0, own - cost)
        },
        left: (): number => own + shared,
      }
    },
    /** Whether something did not fit its share. */
    isCut: (): boolean => isCut,
  }
}
