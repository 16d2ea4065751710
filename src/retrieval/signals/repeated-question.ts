import type { Prompt } from '../../core/memory.ts'
import { queryWords } from '../query-words.ts'
import type { RankingSignal } from '../ranking.ts'
import type { ScoredDocument } from '../scores.ts'
import { WEIGHTS } from '../weights.ts'

/** Turns that asked the same and got no answer sink if another turn has one: they contain every word of the query, and say nothing. */
export const repeatedQuestion: RankingSignal = async ({ store, scores, text }) => {
  const asked = queryWords(text)
  if (asked.length < 2 || asked.length > MAX_QUESTION_WORDS) return
  const turns: { turn: ScoredDocument; prompt: Prompt }[] = []
  for (const turn of scores.ranked().slice(0, MAX_CHECKED_DOCUMENTS)) {
    const { kind, sessionId, turn: number } = turn.location
    const isTurn = (kind === 'prompt' || kind === 'summary') && sessionId !== null && number !== null
    const prompt = isTurn ? await store.prompts.byNumber(sessionId, number) : null
    if (prompt) turns.push({ turn, prompt })
  }
  if (!turns.some(({ prompt }) => repeats(prompt.text, asked))) return
  const { isBareRemark } = await import('../../core/outcome.ts')
  const isAnswered = ({ answer }: Prompt) => !isBareRemark(answer?.trim() ?? '')
  if (!turns.some(({ prompt }) => isAnswered(prompt) && contains(prompt, asked))) return
  for (const { turn, prompt } of turns)
    if (repeats(prompt.text, asked) && !isAnswered(prompt))
      scores.give(turn.location, 'question', turn.score * (WEIGHTS.repeatedQuestion - 1))
}

const contains = ({ text, answer }: Prompt, asked: string[]) => {
  const lower = `${text} ${answer}`.toLowerCase()
  return asked.every((word) => lower.includes(word))
}

/** Whether a prompt has all words of the query, and hardly any others. */
function repeats(prompt: string, asked: string[]): boolean {
  if (prompt.length > MAX_PROMPT_CHARACTERS) return false
  const words = new Set(queryWords(prompt))
  return words.size <= asked.length + 1 && asked.every((word) => words.has(word))
}

/** Enough for the first page. */
const MAX_CHECKED_DOCUMENTS = 20
/** A longer text is not asked twice in the same words. */
const MAX_QUESTION_WORDS = 12
const MAX_PROMPT_CHARACTERS = 300
