import { expect, test } from 'bun:test'
import { findChosenOption, findDecisions, type StatementAuthor } from './decisions.ts'

const confident = (text: string, by: StatementAuthor) => findDecisions(text, by).filter((one) => one.confidence >= 0.8)

test.each([
  "Let's use true/false and not on/off for the flag.",
  "Let's only build the main file to avoid too many references.",
  'Drop support for the MSI package.',
  'We no longer publish to the Windows Store.',
  'This should not be changed, only the `--local-dev` flag should install the wrapper.',
  "Docker isn't needed, we use the hosted runners instead.",
  'I want the rules to live in AGENTS.md, not a skill.',
])('a person decides: %s', (text) => {
  expect(confident(text, 'person').map((one) => one.text)).toEqual([text])
})

test.each([
  'I put the constants in `agent` rather than in each package because of the import cycle.',
  'I switched to the official install script since the retry action wraps only a command.',
  'The `parseTrailers` function was kept since `raw` still uses it.',
  'Segment content is deliberately not tested here.',
  'Settled: the key is the lower-case address, and the newer record wins.',
])('an agent reports a decision: %s', (text) => {
  expect(confident(text, 'agent').map((one) => one.text)).toEqual([text])
})

test.each([
  'My suggested scope: the first three, leaving the fourth since it needs a runner.',
  'I recommend using SQLite instead of Postgres because it needs no server.',
  "Let's not spend too much time on it.",
  "let's keep it simple for now",
  'Should we go with Postgres instead of MySQL?',
  "let's only add replace then for now, but leave the others, I'll follow up with the author",
  "Docker isn't relevant, we can solve that using the hosted runners.",
  'ok, let\'s rename to "steps" instead.',
  "Now that you've settled in, I want to discuss your schedule.",
  'We want people to come because they like it, not because they have to.',
  'We want you to develop your skills, not spending hours on syntax errors.',
  "lets get this in quite early, but not top prio, because it's small",
])('nothing is decided: %s', (text) => {
  expect([...confident(text, 'person'), ...confident(text, 'agent')]).toEqual([])
})

test('the reason and what was rejected are taken from the next sentences', () => {
  expect(
    findDecisions('We decided to keep the JSON cache. SQLite was considered. The native build breaks on Windows because of it.', 'agent'),
  ).toMatchObject([
    {
      text: 'We decided to keep the JSON cache.',
      rejected: 'SQLite was considered.',
      why: 'The native build breaks on Windows because of it.',
    },
  ])
})

test('the points under a heading are one decision', () => {
  const answer = '## Key design decisions\n\n- No TTL, always defer\n- One file per table\n\n## Next\n\nWant me to go on?'
  expect(confident(answer, 'agent').map((one) => one.text)).toEqual(['Key design decisions:\n- No TTL, always defer\n- One file per table'])
  expect(confident('## Decision matrix\n\n- Yes: block\n- No: go on', 'agent')).toEqual([])
})

test('a commit message states decisions, but never rules', () => {
  const message =
    'fix: cap the retries\n\nMAX_ATTEMPTS is 7, measured. Keep MAX_ATTEMPTS = 7; do not round it up because the limiter trips.\n\nSigned-off-by: a person'
  expect(findDecisions(message, 'commit')).toMatchObject([{ text: 'Keep MAX_ATTEMPTS = 7; do not round it up because the limiter trips.' }])
})

test('a decision whose subject is a pronoun is quoted with the sentence before, or not at all', () => {
  const pronoun = 'It is deliberately not a round number.'
  expect(confident(`The retry limit is seven. ${pronoun}`, 'agent').map((one) => one.text)).toEqual([
    `The retry limit is seven. ${pronoun}`,
  ])
  expect(confident(pronoun, 'agent')).toEqual([])
  expect(confident(`## Limits\n\nThe retry limit is seven.\n\n## Names\n\n${pronoun}`, 'agent')).toEqual([])
})

test('a chosen option is quoted with its text and the question that it answers', () => {
  const options = '**Option 1: Keep the map**\n\n**Option 2: Use a list**'
  const offered = `## How should \`openCache()\` store entries?\n\n${options}`
  expect(findChosenOption("let's do option 2", offered).map((one) => one.text)).toEqual([
    "How should `openCache()` store entries? let's do option 2 (Use a list)",
  ])
  expect(findChosenOption("let's do option 2", options)).toEqual([])
  expect(findChosenOption("let's do option 2", `Here are the common ways in large projects:\n\n${options}`)).toEqual([])
  expect(findChosenOption('2', offered)).toEqual([])
  expect(findChosenOption('is option 2 slow?', offered)).toEqual([])
})
