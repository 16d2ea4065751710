import { expect, test } from 'bun:test'
import { observation, summary } from '../../test/support/builders.ts'
import type { WholeSession } from '../wire/view.ts'
import { gist, momentsOf } from './moments.ts'

const nothing = { prompts: [], toolUses: [], observations: [], summaries: [], injections: [] }

test('a session is told in the order it happened', () => {
  const prompt = { id: 1, sessionId: 1, number: 1, origin: 'person', text: 'Fix it\nplease', answer: 'Done', at: 10, answeredAt: 40 }
  const use = { id: 7, tool: 'Bash', input: '{"command":"make"}', error: null, at: 20 }
  const whole = {
    ...nothing,
    prompts: [prompt],
    toolUses: [use],
    observations: [observation({ id: 3, at: 30 })],
    summaries: [summary({ at: 40 })],
  }
  expect(momentsOf(whole as unknown as WholeSession).map(({ kind, title }) => [kind, title])).toEqual([
    ['prompt', 'Fix it'],
    ['tool use', 'Bash make'],
    ['observation', 'Something changed'],
    ['answer', 'Done'],
    ['summary', 'Do it'],
  ])
})

test('a tool use says what it was about, even when it was cut off', () => {
  expect(gist('{"command":"bun test \\"a b\\"","description":"x"}')).toBe('bun test "a b"')
  expect(gist('{"file_path":"/a/b.ts","content":"xxx')).toBe('/a/b.ts')
  expect(gist('{"odd":1}')).toBe('{"odd":1}')
})
