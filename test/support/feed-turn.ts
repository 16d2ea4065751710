import type { FeedTurn } from '../../src/wire/contract/feed.ts'

/** A turn as the feed shows it. */
export const feedTurn = (number: number, given: Partial<FeedTurn> = {}): FeedTurn => ({
  turn: number,
  promptId: number,
  origin: 'person',
  at: number,
  request: `Request ${number}`,
  outcome: '',
  isSettled: false,
  replacedBy: null,
  undoneBy: null,
  memories: [],
  moreMemories: 0,
  ...given,
})
