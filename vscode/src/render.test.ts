import { expect, test } from 'bun:test'
import type { CodeMemory, MemoryResponse } from '../../src/client/client.ts'
import { briefText, memoryText, plain, whyText } from './render.ts'

const memory: CodeMemory = {
  kind: 'note',
  id: 'N1',
  type: 'decisions',
  title: 'Retry 7 times',
  at: 1000,
  agent: 'claude-code',
  host: null,
  code: null,
}
const details = (body: string) =>
  new Map([
    [
      'N1',
      {
        id: 'N1',
        kind: 'note',
        title: 'Retry 7 times',
        project: 'p',
        outcome: null,
        code: null,
        verified: null,
        memory: { body },
      } as unknown as MemoryResponse,
    ],
  ])

test('recalled text becomes no picture, link, heading, command or markup', () => {
  const hostile =
    '![x](https://evil.example/a.png) [run](command:workbench.action.quit) <img src=x> # Title\n- item\n1. one\n**bold** `code`'
  const shown = plain(hostile)
  expect(shown).not.toMatch(/(?<!\\)[[\]*`#!]|<|(?:https|command):/)
  expect(shown).toContain('evil')
})

test('a memory is shown with its type, age, agent, id, words, and how its code has changed', () => {
  const changed = { ...memory, code: { state: 'changed' as const, text: 'changed since: `retry`', isHistory: false, gone: [] } }
  const text = memoryText(changed, details('The gateway drops the first calls.'), 1000, (id) => `command:open?${id}`)
  expect(text).toContain('**Retry 7 times**')
  expect(text).toContain('decisions · just now · Claude Code · [N1](command:open?N1)')
  expect(text).toContain('*changed since: \\`retry\\`*')
  expect(text).toContain('The gateway drops the first calls.')
})

test('a memory of a program without an integration is shown under the name of that program', () => {
  expect(memoryText({ ...memory, agent: 'other', host: 'VSCodium' }, new Map(), 1000, () => '')).toContain('VSCodium · N1')
})

test('the answer to “why” is grouped by definition', () => {
  const text = whyText([{ name: 'retry', firstLine: 1, lastLine: 3, memories: [memory] }], details('Because.'), 1000, () => '')
  expect(text).toStartWith('**`retry`**\n\n**Retry 7 times**')
})

test('a person reads a brief line by line, under headings and without the costs of its lines', () => {
  const brief =
    'Last session, now\n- Done: weir\nRecent work (id · age · kind · what · cost):\n#3 · now · change · weir.ts: removed weir · ~34t'
  expect(briefText(brief)).toBe('Last session, now  \n\\- Done: weir  \n\n**Recent work**  \n\\#3 · now · change · weir.ts: removed weir')
  expect(briefText('It costs ~34t (id · age).')).toBe('It costs \\~34t (id · age).')
})
