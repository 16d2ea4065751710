import { expect, test } from 'bun:test'
import { findOpenEnds } from './open-ends.ts'

const openEnds = (answer: string) => findOpenEnds(answer).map((one) => one.text)

test.each([
  'Retry-After is not honoured yet.',
  'Next: wire the cache into the command line.',
  'TODO: cover the timeout with a test.',
  'Remaining: the migration of the old rows.',
  'Links nested two levels deep are not supported yet.',
  'The Windows build still needs to be tested.',
  'Known limitation: private forks need a token.',
  'Archived chunks - deferred to the next release.',
])('left open: %s', (sentence) => {
  expect(openEnds(`All done.\n\n${sentence}`)).toEqual([sentence])
})

test('the points under a heading are left open, one by one', () => {
  expect(
    openEnds(
      'Fixed it.\n\n## Next steps\n\n- Add a test for the timeout\n- Document the new option\n\n## Files\n\n- src/a.ts is the parser',
    ),
  ).toEqual(['Add a test for the timeout', 'Document the new option'])
})

test.each([
  'Want me to add the missing test next?',
  'Next steps: none, everything is done.',
  'Remaining: nothing is left.',
  'If the branch is not yet merged, the check is skipped.',
  'I can add a follow-up test if you like.',
  '```\nTODO: in code\n```',
  'All remaining usages are correct.',
])('nothing is left open: %s', (answer) => {
  expect(openEnds(answer)).toEqual([])
})
