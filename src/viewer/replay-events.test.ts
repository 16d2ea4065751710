import { expect, test } from 'bun:test'
import { observation, summary } from '../../test/support/builders.ts'
import type { SessionContents } from '../wire/contract/sessions.ts'
import { listReplayEvents, summarizeToolInput } from './replay-events.ts'

const empty = { prompts: [], toolUses: [], observations: [], summaries: [], injections: [] }

test('events are listed in the order they happened', () => {
  const prompt = { id: 1, sessionId: 1, number: 1, origin: 'person', text: 'Fix it\nplease', answer: 'Done', at: 10, answeredAt: 40 }
  const use = { id: 7, tool: 'Bash', input: '{"command":"make"}', error: null, at: 20 }
  const contents = {
    ...empty,
    prompts: [prompt],
    toolUses: [use],
    observations: [observation({ id: 3, at: 30 })],
    summaries: [summary({ at: 40 })],
  }
  expect(listReplayEvents(contents as unknown as SessionContents).map(({ kind, title }) => [kind, title])).toEqual([
    ['prompt', 'Fix it'],
    ['tool use', 'Bash make'],
    ['observation', 'Something changed'],
    ['answer', 'Done'],
    ['summary', 'Do it'],
  ])
})

test('a tool use is summarized by its main field, even if its input is cut off', () => {
  expect(summarizeToolInput('{"command":"bun test \\"a b\\"","description":"x"}')).toBe('bun test "a b"')
  expect(summarizeToolInput('{"file_path":"/a/b.ts","content":"xxx')).toBe('/a/b.ts')
  expect(summarizeToolInput('{"odd":1}')).toBe('{"odd":1}')
})
