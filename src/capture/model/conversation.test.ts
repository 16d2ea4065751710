import { expect, test } from 'bun:test'
import { asContentSessionId, asMemorySessionId } from '../../core/ids.ts'
import { type ConversationState, conversationToContinue } from './conversation.ts'

const memory = asMemorySessionId('memory-1')
const ongoing: ConversationState = {
  contentSessionId: asContentSessionId('content-1'),
  memorySessionId: memory,
  promptNumber: 2,
  seenInThisRun: memory,
  startNew: false,
}

test('a later turn continues the conversation of the worker that distilled the turn before', () => {
  expect(conversationToContinue(ongoing)).toBe(memory)
})

test.each([
  ['the session has no memory session id yet', { memorySessionId: null }],
  ['it is the first prompt', { promptNumber: 1 }],
  ['the id comes from an earlier worker', { seenInThisRun: null }],
  ['the worker has since used another id', { seenInThisRun: asMemorySessionId('memory-2') }],
  ['a new conversation is requested', { startNew: true }],
  [
    "the id is the host's own session id",
    { memorySessionId: asMemorySessionId('content-1'), seenInThisRun: asMemorySessionId('content-1') },
  ],
] as [string, Partial<ConversationState>][])('a turn starts a new conversation when %s', (_, given) => {
  expect(conversationToContinue({ ...ongoing, ...given })).toBeNull()
})
