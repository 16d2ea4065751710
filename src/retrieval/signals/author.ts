import type { DocumentLocation, Store } from '../../store/store.ts'

/**
 * Who wrote a prompt, in a conversation where each prompt starts with a name: the prompts before and after it do too, and the names differ.
 * Not a `RankingSignal`, because it needs the text: the search applies its weight to the documents that it reads.
 */
export async function authorOf(store: Store, { kind, sessionId, turn }: DocumentLocation, title: string): Promise<string | null> {
  const author = kind === 'prompt' ? signatureOf(title) : null
  if (author === null || sessionId === null || turn === null) return null
  const neighbours = await Promise.all([turn - 1, turn + 1].map((number) => store.prompts.byNumber(sessionId, number)))
  const others = neighbours.flatMap((prompt) => (prompt ? [signatureOf(prompt.text)] : []))
  return others.some((other) => other !== author) && !others.includes(null) ? author : null
}

const signatureOf = (text: string): string | null => {
  const name = text.match(/^(\p{L}+):/u)?.[1]?.toLowerCase()
  return name === undefined || NON_AUTHOR_WORDS.has(name) ? null : name
}

/** First words of pastes, instructions and commit subjects. */
const NON_AUTHOR_WORDS = new Set(
  `answer bug build chore context docs error example exception failed feat feature fix goal hint idea important info input issue message
  note output plan problem question refactor result step style summary task test todo traceback update warning`.split(/\s+/),
)
