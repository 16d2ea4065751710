import { expect, test } from 'bun:test'
import { qwen } from './qwen.ts'

test('the prompt that is repeated without its text for every request says nothing', () => {
  const payload = { session_id: 's', cwd: '/p', prompt_id: 's########0', hook_event_name: 'UserPromptSubmit' }
  expect(qwen.parsePayload({ ...payload, prompt: 'Do it', submitted_prompt: 'Do it' }, { at: 1 })).toMatchObject([
    { kind: 'prompt-submitted', text: 'Do it', promptId: null },
  ])
  for (const prompt of ['', '  ', undefined])
    expect(qwen.parsePayload({ ...payload, prompt }, { at: 1 })).toMatchObject([{ kind: 'ignored' }])
})

test('a tool use has the id that the transcript knows', () => {
  const used = { session_id: 's', cwd: '/p', hook_event_name: 'PostToolUse', tool_name: 'read_file', tool_input: { file_path: '/p/a' } }
  const payload = { ...used, tool_use_id: 'toolu_1', tool_call_id: 'call_1', tool_response: { llmContent: 'text' } }
  expect(qwen.parsePayload(payload, { at: 1 })).toMatchObject([{ toolUseId: 'call_1', output: 'text' }])
  expect(qwen.parsePayload({ ...payload, hook_event_name: 'PostToolBatch', tool_calls: [payload] }, { at: 1 })).toMatchObject([
    { kind: 'ignored' },
  ])
})
