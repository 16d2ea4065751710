import { expect, test } from 'bun:test'
import { observation, storedPrompt, summary } from '../../test/support/builders.ts'
import type { Change } from '../core/memory.ts'
import type { SessionContents } from '../wire/contract/sessions.ts'
import { isSelected, listReplayEvents, memoryOf, sessionIdIn, summarizeToolInput } from './replay-events.ts'

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

test('events of the same moment follow the order of a turn, and notices and failures are named', () => {
  const prompt = { id: 1, number: 1, origin: 'machine', text: '\n  <task>', answer: 'Done', at: 10, answeredAt: null }
  const use = { id: 7, tool: 'Bash', input: '{"command":"make"}', error: 'Exit code 2', at: 10 }
  const items = [{ kind: 'line' }, { kind: 'note' }, { kind: 'prompt' }]
  const injection = { id: 2, event: 'SessionStart', items, tokens: 40, at: 10 }
  const contents = {
    ...empty,
    prompts: [prompt],
    toolUses: [use],
    injections: [injection],
    summaries: [summary({ request: '', completed: 'All of it', at: 10 })],
  }
  const events = listReplayEvents(contents as unknown as SessionContents)
  expect(events.map(({ kind, label }) => [kind, label])).toEqual([
    ['prompt', 'notice'],
    ['injection', 'injection'],
    ['tool use', 'failed'],
    ['answer', 'answer'],
    ['summary', 'summary'],
  ])
  expect(events[1]?.title).toEndWith(': 2 memories, 40 tokens')
  expect(events[4]?.title).toBe('All of it')
})

test('a tool use is summarized by its main field, even if its input is cut off', () => {
  expect(summarizeToolInput('{"command":"bun test \\"a b\\"","description":"x"}')).toBe('bun test "a b"')
  expect(summarizeToolInput('{"file_path":"/a/b.ts","content":"xxx')).toBe('/a/b.ts')
  expect(summarizeToolInput('{"odd":1}')).toBe('{"odd":1}')
})

test('a link may name an event, or only the turn that it starts', () => {
  const contents = { ...empty, prompts: [storedPrompt({ id: 9, number: 4, answer: 'Done' })], observations: [observation({ id: 3 })] }
  const selected = (wanted: string) =>
    listReplayEvents(contents as unknown as SessionContents)
      .filter(isSelected(wanted))
      .map(({ key }) => key)
  expect([selected('observation:3'), selected('turn:4'), selected('turn:9'), selected('')]).toEqual([
    ['observation:3'],
    ['prompt:9'],
    [],
    [],
  ])
})

test('an event shows a memory, unless it is a tool use or an injection', () => {
  const use = { id: 7, tool: 'Bash', input: '', error: null, at: 5 }
  const injection = { id: 2, event: 'SessionStart', items: [], tokens: 40, at: 6 }
  const contents = {
    prompts: [storedPrompt({ id: 9, answer: 'Done' })],
    toolUses: [use],
    observations: [observation({ id: 3 })],
    summaries: [summary({ id: 5 })],
    injections: [injection],
  }
  const shown = listReplayEvents(contents as unknown as SessionContents).map((event) => [event.kind, memoryOf(event)] as const)
  expect(Object.fromEntries(shown)).toEqual({
    prompt: { kind: 'prompt', id: 9 },
    answer: { kind: 'prompt', id: 9 },
    'tool use': null,
    observation: { kind: 'observation', id: 3 },
    summary: { kind: 'summary', id: 5 },
    injection: null,
  })
})

test('a live event belongs to the session whose replay it changes', () => {
  const of = (change: object | null) => sessionIdIn({ id: '1', type: 'x', change: change as Change | null })
  expect(of({ kind: 'tool-use-added', sessionId: 4 })).toBe(4)
  expect(of({ kind: 'prompt-added', prompt: storedPrompt({ sessionId: 5 }) })).toBe(5)
  expect(of({ kind: 'observation-added', observation: observation({ sessionId: 6 }) })).toBe(6)
  expect(of({ kind: 'summary-added', summary: summary({ sessionId: 7 }) })).toBe(7)
  expect([of({ kind: 'imported' }), of(null)]).toEqual([null, null])
})
