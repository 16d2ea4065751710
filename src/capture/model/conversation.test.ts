import { expect, test } from 'bun:test'
import { asContentSessionId, asMemorySessionId } from '../../core/ids.ts'
import { type ConversationState, conversationToContinue } from './conversation.ts'

const memory = asMemorySessionId('memory-1')
const going: ConversationState = {
  contentSessionId: asContentSessionId('content-1'),
  memorySessionId: memory,
  promptNumber: 2,
  seenInThisRun: memory,
  forceInit: false,
}

test('a later turn of a session that this run has told before goes on where it was', () => {
  expect(conversationToContinue(going)).toBe(memory)
})

test.each([
  ['there is no memory id yet', { memorySessionId: null }],
  ['it is the first prompt', { promptNumber: 1 }],
  ['the id is left over from a worker that is gone', { seenInThisRun: null }],
  ['this run has seen another id since', { seenInThisRun: asMemorySessionId('memory-2') }],
  ['somebody wants it told from the beginning', { forceInit: true }],
  ['the id is the one of the host', { memorySessionId: asMemorySessionId('content-1'), seenInThisRun: asMemorySessionId('content-1') }],
] as [string, Partial<ConversationState>][])('a turn begins anew when %s', (_, given) => {
  expect(conversationToContinue({ ...going, ...given })).toBeNull()
})
