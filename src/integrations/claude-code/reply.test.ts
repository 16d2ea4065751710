import { expect, test } from 'bun:test'
import { hostReply } from './reply.ts'

test('context for the model has the shape that the client reads', () => {
  for (const event of ['SessionStart', 'UserPromptSubmit', 'PostToolUse']) {
    expect(hostReply(event, { context: 'remembered' })).toEqual({
      hookSpecificOutput: { hookEventName: event, additionalContext: 'remembered' },
    })
  }
})

test('a message for the person works with and without context', () => {
  expect(hostReply('SessionStart', { message: 'recalled 3' })).toEqual({ systemMessage: 'recalled 3' })
  expect(hostReply('SessionStart', { context: 'c', message: 'm' })).toEqual({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'c' },
    systemMessage: 'm',
  })
})

test('an empty reply is an empty object', () => {
  expect(hostReply('SessionStart', {})).toEqual({})
  expect(hostReply('UserPromptSubmit', { context: '', message: '' })).toEqual({})
})

test('a refusal is an answer of its own, before the tool runs only', () => {
  expect(hostReply('PreToolUse', { refusal: 'It failed before.' })).toEqual({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'It failed before.' },
  })
  expect(hostReply('PostToolUse', { refusal: 'It failed before.' })).toEqual({})
})

test('events that take no context get an empty object', () => {
  const silent = ['Stop', 'StopFailure', 'SubagentStop', 'PreCompact', 'PostCompact', 'SessionEnd', 'PostToolBatch', 'Notification', '']
  for (const event of silent) expect(hostReply(event, { context: 'c', message: 'm' })).toEqual({})
})

test('context stays below the client’s limit, and no character is cut in half', () => {
  const sent = (context: string) => {
    const { hookSpecificOutput } = hostReply('SessionStart', { context }) as { hookSpecificOutput: { additionalContext: string } }
    return hookSpecificOutput.additionalContext
  }
  expect(sent('a'.repeat(9_000))).toHaveLength(9_000)
  expect(sent('a'.repeat(20_000))).toHaveLength(9_000)
  expect(sent(`${'a'.repeat(8_999)}😀`)).toBe('a'.repeat(8_999))
})
