import { expect, test } from 'bun:test'
import { anonymous } from './anonymous.ts'

const ID = '4f1c2d3e-0a1b-4c2d-8e3f-5a6b7c8d9e0f'
const OTHER = '9e8d7c6b-5a4f-4e3d-9c2b-1a0f9e8d7c6b'
const scene = { root: '/tmp/recollect-x1', project: 'ledger', startsAt: Date.UTC(2026, 2, 2, 9) }
const lines = (text: string | undefined) => Bun.JSONL.parse(text ?? '') as Record<string, unknown>[]

test('paths are moved to a neutral home folder', () => {
  const [text] = anonymous(
    [
      [
        {
          type: 'user',
          cwd: '/tmp/recollect-x1/project',
          file: '/tmp/recollect-x1/home/.claude/projects/-tmp-recollect-x1-project/a.jsonl',
        },
      ],
    ],
    scene,
  )
  expect(lines(text)).toEqual([{ type: 'user', cwd: '/home/dev/ledger', file: '/home/dev/.claude/projects/-home-dev-ledger/a.jsonl' }])
})

test('ids are numbered in order, and the same id gets the same number in every file of the session', () => {
  const [main, subagent] = anonymous(
    [
      [
        { type: 'user', uuid: ID },
        { type: 'assistant', uuid: OTHER, parentUuid: ID, agentId: 'a7f00d' },
      ],
      [{ type: 'user', parentUuid: OTHER, tool: 'toolu_0123456789abcdef01234567', agentId: 'a7f00d' }],
    ],
    scene,
  )
  const [first, second] = lines(main)
  const [third] = lines(subagent)
  expect(first?.uuid).toBe('00000000-0000-4000-8000-000000000001')
  expect(second?.parentUuid).toBe(first?.uuid)
  expect(third?.parentUuid).toBe(second?.uuid)
  expect(third?.agentId).toBe(second?.agentId)
  expect(third?.tool).toMatch(/^toolu_0+\d$/)
})

test('times start at the given time and keep their intervals', () => {
  const [text] = anonymous(
    [
      [
        { type: 'user', timestamp: '2031-05-06T07:08:09.000Z' },
        { type: 'assistant', timestamp: '2031-05-06T07:08:11.250Z' },
      ],
    ],
    scene,
  )
  expect(lines(text).map((line) => line.timestamp)).toEqual(['2026-03-02T09:00:00.000Z', '2026-03-02T09:00:02.250Z'])
})

test('bookkeeping of the client is left out, but queued prompts are kept', () => {
  const [text] = anonymous(
    [
      [
        { type: 'api-request', body: 'x'.repeat(100) },
        { type: 'attachment', attachment: { type: 'prompt_snapshot' } },
        { type: 'attachment', attachment: { type: 'queued_command', prompt: 'and the docs' } },
      ],
    ],
    scene,
  )
  expect(lines(text)).toEqual([{ type: 'attachment', attachment: { type: 'queued_command', prompt: 'and the docs' } }])
})
