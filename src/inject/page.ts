import { countTokens } from '../core/tokens.ts'
import type { InjectedItem } from '../store/store.ts'

export type Brief = {
  /** Empty when there is nothing worth saying. */
  text: string
  tokens: number
  items: InjectedItem[]
  /** How many observations were left out for lack of room. */
  leftOut: number
  /** What was looked at and is not in the text, and why. */
  left: LeftOut[]
}

export type LeftOut = Pick<InjectedItem, 'kind' | 'id' | 'why'>

export type Budget = { tokens: number; characters: number }

export const NOTHING: Brief = { text: '', tokens: 0, items: [], leftOut: 0, left: [] }

export type Page = ReturnType<typeof openPage>

/** A page that takes whole groups of lines while they fit, and can always be closed. */
export function openPage(head: string, foot: string, budget: Budget) {
  const lines = [head]
  let tokens = countTokens(head) + countTokens(foot) + 2
  let characters = head.length + foot.length + 2
  return {
    items: [] as InjectedItem[],
    add(...group: string[]): boolean {
      const text = group.join('\n')
      const cost = countTokens(text) + 1
      if (tokens + cost > budget.tokens || characters + text.length + 1 > budget.characters) return false
      tokens += cost
      characters += text.length + 1
      lines.push(text)
      return true
    },
    close: () => [...lines, foot].join('\n'),
  }
}
