import { expect, test } from 'bun:test'
import { asProjectKey } from '../core/ids.ts'
import type { Prompt, Session } from '../core/memory.ts'
import { draftStatedNotes, findStatements } from './statements.ts'

const confident = (text: string, by: 'person' | 'agent') => findStatements(text, by).filter((statement) => statement.confidence >= 0.8)

test.each([
  ['decisions', 'We decided to keep the monorepo because the release script depends on it.'],
  ['decisions', "Let's go with Postgres instead of MySQL for the ledger."],
  ['decisions', 'We are going with server-sent events, not websockets.'],
  ['decisions', 'Decision: the API stays on version 2 until autumn.'],
  ['decisions', 'I want the rules to live in AGENTS.md, not a skill, because they apply to every language.'],
  ['decisions', "ok, let's stick with Bun rather than Node for the worker"],
  ['learnings', 'It turned out that the cache is shared between all tenants.'],
  ['learnings', 'The root cause was a clock that counts seconds.'],
  ['learnings', 'We learned that the sandbox account expires after 30 days.'],
  ['blockers', 'The release is blocked by the missing signing certificate.'],
  ['blockers', "We can't proceed until the vendor sends the API keys because sandbox access ended."],
  ['rules', 'Never run the migration by hand because the audit table will be out of step.'],
  ['rules', 'Always run `npm run lint` before you commit.'],
  ['rules', 'Customer names must never appear in logs because of the contract with ACME.'],
  ['rules', 'In this repo we never squash merges.'],
])('%s stated by a person: %s', (namespace, text) => {
  expect(confident(text, 'person')).toMatchObject([{ namespace, text }])
})

test.each([
  ['learnings', 'Root cause: the `replace` tool was missing from `FileModificationTools`.'],
  ['learnings', 'It turned out that `QuotePosixStr` emits a form that yash does not know.'],
  ['learnings', 'The root cause is that the engine clones the repository again instead of using the patched folder.'],
  ['decisions', 'We agreed to drop the Docker layer because `matrix` already covers the shells.'],
  ['blockers', 'The deploy is blocked on PR-118 because its migration renames the table.'],
])('%s stated by an agent: %s', (namespace, text) => {
  expect(confident(text, 'agent')).toMatchObject([{ namespace, text }])
})

test.each([
  'Should we go with Postgres instead of MySQL?',
  'Have we decided to use Postgres instead of MySQL?',
  "Maybe let's go with Postgres instead of MySQL.",
  'If we decided to use Postgres because of JSONB, the migration would be easy.',
  'We have not decided whether Postgres is the right choice.',
  "We haven't decided on the database because it was not measured.",
  'We need to decide between Postgres and MySQL because of the deadline.',
  'The root cause is still unknown because the logs are gone.',
  'This is not the root cause, because the clock was right.',
  'The root cause was identified and fixed.',
  'Perhaps it turned out that the cache is shared.',
  'The team is no longer blocked by the certificate.',
  'We are not blocked by anything because the keys came.',
  'What blocked the release because of the certificate?',
  'The function never returns null because the guard throws first.',
  'The list always holds the newest entry first.',
  'Never mind, it works because I restarted it.',
  'Always → Exit with `os.Exit(1)` on any error',
  'I can always run it again if you want.',
  'The label says "we decided to use Postgres instead of MySQL".',
  'The message `we decided to use Postgres because of JSONB` is printed.',
  '> We decided to use Postgres because of JSONB.',
  '```\nWe decided to use Postgres because of JSONB.\n```',
  '    We decided.',
  'We decided.',
  'Let me know whether we settled on Postgres because of JSONB.',
  'We encourage sharing best practices and lessons learned.',
  'Fix addresses root cause correctly for both strategies',
  'There are two likely culprits:',
  'I want to use posthog to send telemetry of the usage of our commands.',
  'Decide during planning whether recipients see all versions.',
  'For example, we decided to use Postgres because of JSONB.',
  'I think we decided to use Postgres because of JSONB.',
])('this states nothing: %s', (text) => {
  expect([...confident(text, 'person'), ...confident(text, 'agent')]).toEqual([])
})

test('the same statement has less confidence from an agent than from a person', () => {
  const [byPerson] = findStatements('We decided to keep the old parser.', 'person')
  const [byAgent] = findStatements('We decided to keep the old parser.', 'agent')
  expect(byPerson?.confidence).toBeGreaterThanOrEqual(0.8)
  expect(byAgent?.confidence).toBeLessThan(0.8)
})

test('a pasted document counts like the words of an agent', () => {
  const document = `${'Some text of a long document. '.repeat(120)}\nWe decided to keep the old parser.`
  expect(confident(document, 'person')).toEqual([])
})

test('each statement of a session gives one draft, except marked sentences', () => {
  const session = { agent: 'claude-code', contentSessionId: 's1', project: asProjectKey('app') } as Session
  const text = 'We decided to use tabs because of the linter.'
  const prompts = [
    { origin: 'person', text, answer: text, at: 1000 },
    { origin: 'person', text: `${text.slice(0, -1)} [decision].`, answer: null, at: 2000 },
    { origin: 'machine', text: 'We agreed to use spaces because of tabs.', answer: null, at: 3000 },
  ] as Prompt[]
  const drafts = draftStatedNotes(session, prompts, 0.8, ['decision'])
  expect(drafts).toMatchObject([{ body: text, type: 'semantic', source: 'session-end', session: 's1', namespace: 'decisions' }])
  expect(draftStatedNotes(session, prompts, 0.8, ['decision'])).toEqual(drafts)
  expect(draftStatedNotes(session, prompts, 1, ['decision'])).toEqual([])
})

test('a person who chooses an option states a decision, if the answer before offered it', () => {
  const offered = '## How should `openCache()` store entries?\n\n**Option 1: Keep the map**\n\n**Option 2: Use a list**'
  const texts = (before?: string) => findStatements("let's do option 2", 'person', before).map(({ text }) => text)
  expect(texts(offered)).toEqual(["How should `openCache()` store entries? let's do option 2 (Use a list)"])
  expect(texts()).toEqual([])
})
