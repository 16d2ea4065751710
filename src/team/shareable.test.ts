import { expect, test } from 'bun:test'
import { observation, summary } from '../../test/support/builders.ts'
import { asNoteId } from '../core/note.ts'
import { hubIdOf, ownNoteId, sharedObservation, sharedSummary, withoutQuotes } from './shareable.ts'

test('a shared observation contains nothing that the person typed', () => {
  const prompt = 'please look why the tide parser drops the last row of the table'
  const shared = sharedObservation(
    observation({
      title: 'Fixed the tide parser',
      subtitle: `Asked: ${prompt}`,
      narrative: 'Please look why the tide parser drops the last row. The loop ended one row early.',
      facts: ['the loop used < instead of <='],
    }),
    prompt,
  )
  expect(shared).toMatchObject({
    title: 'Fixed the tide parser',
    text: 'The loop ended one row early.\n- the loop used < instead of <=',
    type: 'episodic',
  })
})

test('an observation that only quotes the person, and one whose work was undone, stay here', () => {
  const prompt = 'from now on we sign every release by hand'
  expect(sharedObservation(observation({ title: prompt, narrative: prompt }), prompt)).toBeNull()
  expect(sharedObservation(observation({ undoneBy: 'P2' }), '')).toBeNull()
})

test('a shared summary has no request, and summaries of subagents stay here', () => {
  const request = 'make the parser faster'
  const shared = sharedSummary(summary({ request, completed: 'The parser reads in blocks now.', investigated: 'Read parser.ts' }), request)
  expect(JSON.stringify(shared)).not.toContain(request)
  expect(shared?.text).toBe('The parser reads in blocks now.')
  expect(sharedSummary(summary({ source: 'subagent', learned: 'x y z' }), '')).toBeNull()
})

test.each([
  ['We chose blocks. Use four workers for it please now!', 'use four workers for it please now', 'We chose blocks.'],
  ['Short words stay', 'short', 'Short words stay'],
  ['No prompt', '', 'No prompt'],
])('%p without quotes of %p is %p', (text, prompt, expected) => {
  expect(withoutQuotes(text, prompt)).toBe(expected)
})

test("a member's notes differ from those of others by their ids on the hub", () => {
  const id = asNoteId('00000000000ABCDEFGHJKMNPQR')
  expect(ownNoteId(hubIdOf(id, 'ada'), 'ada')).toBe(id)
  expect(ownNoteId(hubIdOf(id, 'ada'), 'ben')).toBeNull()
})
