import { expect, test } from 'bun:test'
import { note, observation, storedPrompt, summary } from '../../test/support/builders.ts'
import type { CodeMark } from '../core/code-mark.ts'
import { asProjectKey } from '../core/ids.ts'
import { likelyShown, writeWithMarks } from './code-marks.ts'
import { type BriefPart, framePart, type MemoryRef, openPage } from './page.ts'

const changed: CodeMark = { state: 'changed', text: 'changed since: `wait`', isHistory: false, gone: [] }
const gone: CodeMark = { state: 'gone', text: 'gone: `retry`', isHistory: true, gone: ['retry'] }
const part = (id: number, ...lines: string[]): BriefPart => ({ of: { kind: 'observation', id, why: 'a test' }, lines })

/** Writes these groups of parts, and says which memories were compared with the code, round by round. */
async function written(groups: BriefPart[][], marks: Record<string, CodeMark>, likely: MemoryRef[] = [], characters = 10_000) {
  const rounds: string[][] = []
  const check = async (memories: MemoryRef[]) => {
    const keys = memories.map(({ kind, ref }) => `${kind}:${ref}`)
    rounds.push(keys)
    return new Map(keys.flatMap((key) => (marks[key] ? [[key, marks[key]] as const] : [])))
  }
  const { text } = await writeWithMarks(
    (open) => {
      const page = openPage('<first>', '<last>', { tokens: 1000, characters }, open)
      for (const parts of groups) page.add(...parts)
      return page.close()
    },
    check,
    likely,
  )
  return { lines: text.split('\n').slice(1, -1), rounds }
}

test('a memory whose code has changed says so in its first line', async () => {
  const { lines } = await written([[part(1, 'one', 'two')], [part(2, 'three')]], { 'observation:1': changed })
  expect(lines).toEqual(['one [changed since: `wait`]', 'two', 'three'])
})

test('every memory on the page is compared with the code once, and lines of no memory never', async () => {
  const likely: MemoryRef[] = [{ kind: 'observation', ref: '1' }]
  const { rounds } = await written([[framePart('Recent work:'), part(1, 'one')], [part(2, 'two')]], { 'observation:2': changed }, likely)
  expect(rounds).toEqual([['observation:1'], ['observation:2']])
})

test('without a way to read the code the page is written once and has no marks', async () => {
  let times = 0
  const page = await writeWithMarks(
    (marks) => ({ items: [{ kind: 'observation', id: 1, why: '', tokens: 1 }], marks, time: ++times }),
    null,
  )
  expect(page).toMatchObject({ marks: null, time: 1 })
})

test('memories of code that is gone move to the end, and their heading stays with what follows it', async () => {
  const { lines } = await written([[framePart('Recent work:'), part(1, 'calls retry')], [part(2, 'two')]], { 'observation:1': gone })
  expect(lines).toEqual(['Recent work:', 'two', 'History, no longer true of the code:', 'calls retry [gone: `retry`]'])
})

test('a heading is written once, with the first part that stays', async () => {
  const marks = { 'observation:1': gone }
  const { lines } = await written([[framePart('Recent work:'), part(1, 'one')], [part(2, 'two')], [part(3, 'three')]], marks)
  expect(lines.filter((line) => line === 'Recent work:')).toHaveLength(1)
})

test('history that does not fit is left out, with its heading', async () => {
  const { lines } = await written([[part(1, 'old '.repeat(20))], [part(2, 'two')]], { 'observation:1': gone }, [], 100)
  expect(lines).toEqual(['two'])
})

test('the last session stays in its place, and each further line that names deleted code says so', async () => {
  const session: BriefPart = {
    of: { kind: 'summary', id: 4, why: 'a test' },
    lines: ['Last session', '- Done: retry waits', '- Next: ship it'],
  }
  const { lines } = await written([[session], [part(2, 'two')]], { 'summary:4': gone })
  expect(lines).toEqual(['Last session [gone: `retry`]', '- Done: retry waits [no longer in the code]', '- Next: ship it', 'two'])
})

test('a name of one or two letters marks no line, because it could be part of any word', async () => {
  const session: BriefPart = { of: { kind: 'summary', id: 4, why: 'a test' }, lines: ['Last session', '- Done: it is fixed'] }
  const { lines } = await written([[session]], { 'summary:4': { ...gone, text: 'gone: `is`', gone: ['is'] } })
  expect(lines[1]).toBe('- Done: it is fixed')
})

test('a brief probably shows its sessions, their results, its notes and the first observations, each compared once', () => {
  const result = (id: number) => ({
    thread: { id, sessionId: id, first: 1, last: 1, outcome: 1, replacedBy: null },
    session: null,
    title: '',
    outcome: storedPrompt({ id }),
    branch: null,
  })
  const last = { summary: { ...summary({ id: 4 }), branch: null }, session: null, title: null, result: result(7), failing: [] }
  const refs = likelyShown({
    project: asProjectKey('app'),
    branch: null,
    last,
    elsewhere: { ...last, summary: { ...last.summary, id: 5 }, result: null },
    notes: { always: [note({ id: 'n1' as never })], ofProject: [note({ id: 'n2' as never })] },
    results: [result(7), result(8)],
    observations: [{ ...observation({ id: 3 }), branch: null }],
  })
  expect(refs.map(({ kind, ref }) => `${kind} ${ref}`)).toEqual([
    'summary 4',
    'summary 5',
    'prompt 7',
    'prompt 8',
    'note n1',
    'note n2',
    'observation 3',
  ])
})
