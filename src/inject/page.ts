import { countTokens } from '../core/tokens.ts'
import type { InjectedItem } from '../store/store.ts'

export type InjectedBrief = {
  /** Empty when there is nothing worth saying. */
  text: string
  tokens: number
  /** Every line of the text belongs to one of these, and their tokens add up to its own. */
  items: InjectedItem[]
  /** How many observations were left out for lack of room. */
  leftOut: number
  /** What was looked at and is not in the text, and why. */
  left: ReasonedItem[]
}

/** A memory, or a line that is gathered from many, and why it is told or is not. */
export type ReasonedItem = Omit<InjectedItem, 'tokens'>

/** Lines, and what they belong to. */
export type BriefPart = { of: ReasonedItem; lines: string[] }

export type Budget = { tokens: number; characters: number }

export const EMPTY_BRIEF: InjectedBrief = { text: '', tokens: 0, items: [], leftOut: 0, left: [] }

export type BriefPage = ReturnType<typeof openPage>

/** A line that stands for no single memory. */
export const lineItem = (id: string, why: string): ReasonedItem => ({ kind: 'line', id, why })

/** What is said on every page, whatever it tells. */
export const framePart = (...lines: string[]): BriefPart => ({
  of: lineItem('frame', 'opens and closes the block, and says how to read it'),
  lines,
})

/** A page that takes whole parts while they fit, and can always be closed. */
export function openPage(head: string, foot: string, budget: Budget) {
  const written = [framePart(head)]
  let tokens = countTokens(head) + countTokens(foot) + 2
  let characters = head.length + foot.length + 2
  const costOf = (parts: BriefPart[]) => {
    const text = parts.flatMap(({ lines }) => lines).join('\n')
    return { tokens: countTokens(text) + 1, characters: text.length + 1 }
  }
  return {
    /** All of these or none. */
    add(...parts: BriefPart[]): boolean {
      const cost = costOf(parts)
      if (tokens + cost.tokens > budget.tokens || characters + cost.characters > budget.characters) return false
      tokens += cost.tokens
      characters += cost.characters
      written.push(...parts)
      return true
    },
    /** Why these were not taken. */
    whyNoRoom(...parts: BriefPart[]): string {
      const cost = costOf(parts)
      return tokens + cost.tokens > budget.tokens
        ? `no room: needs ${cost.tokens} tokens, ${Math.max(0, budget.tokens - tokens)} left`
        : `no room: needs ${cost.characters} characters, ${Math.max(0, budget.characters - characters)} left`
    },
    has: (kind: InjectedItem['kind'], id: number | string): boolean => written.some(({ of }) => of.kind === kind && of.id === id),
    /** How many memories it tells. */
    memoryCount: (): number => new Set(written.flatMap(({ of }) => (of.kind === 'line' ? [] : [`${of.kind} ${of.id}`]))).size,
    close: (): Pick<InjectedBrief, 'text' | 'tokens' | 'items'> => withItemTokens([...written, framePart(foot)]),
  }
}

/** A part costs what the text grows by, so that nothing is lost or counted twice where a token is made of two lines. */
function withItemTokens(parts: BriefPart[]): Pick<InjectedBrief, 'text' | 'tokens' | 'items'> {
  const items = new Map<string, InjectedItem>()
  let text = ''
  let tokens = 0
  for (const { of, lines } of parts) {
    for (const one of lines) text += text === '' ? one : `\n${one}`
    const until = countTokens(text)
    const key = `${of.kind} ${of.id}`
    items.set(key, { ...of, ...items.get(key), tokens: (items.get(key)?.tokens ?? 0) + until - tokens })
    tokens = until
  }
  return { text, tokens, items: [...items.values()] }
}
