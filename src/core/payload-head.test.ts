import { expect, test } from 'bun:test'
import { eventNameIn, headFields } from './payload-head.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('the name of the event is read from either of the two fields that agents use', () => {
  expect(eventNameIn(bytes('{"hook_event_name": "Stop", "hook": "other"}'))).toBe('Stop')
  expect(eventNameIn(bytes('{"hook":"before_tool"}'))).toBe('before_tool')
  expect(eventNameIn(bytes('{"prompt":"x"}'))).toBe('')
})

test('the head names the session, its folder and its transcript, and contains no text of the person', () => {
  const payload = { session_id: 's', transcript_path: '/t.jsonl', cwd: '/a "b"', hook_event_name: 'UserPromptSubmit', prompt: 'secret' }
  expect(headFields(bytes(JSON.stringify(payload)))).toEqual({
    session_id: 's',
    transcript_path: '/t.jsonl',
    cwd: '/a "b"',
    hook_event_name: 'UserPromptSubmit',
  })
})

test('a field far behind the start is not read: a tool could have written it', () => {
  expect(headFields(bytes(`{"a":"${'x'.repeat(9000)}","session_id":"s"}`))).toEqual({})
})

test('a broken escape is no value', () => {
  expect(headFields(bytes('{"session_id":"\\q","cwd":"/a"}'))).toEqual({ cwd: '/a' })
})
