import { expect } from 'bun:test'
import { clientOrSkip } from '../harness/client.ts'
import { requestText, type Script } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { aPerson, briefIn, type Person } from '../support/person.ts'
import { bash, fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()

/** Runs a session to its end and waits until it is remembered. Returns its id and what its first request contained. */
async function session(person: Person, prompt: string, turns: Script, args: string[] = []) {
  const ran = await runClaude({ sandbox: person, prompt, turns, args })
  await person.settled()
  const id = String(ran.events.find((event) => event.session_id)?.session_id)
  const text = requestText(ran.requests[0])
  const contexts = text.match(/<recollect-context [\s\S]*?<\/recollect-context>/g) ?? []
  return { id, brief: briefIn(text), contexts, shown: contexts.join('\n') }
}

test('an amended decision is shown with the newer rule first and the older marked as replaced', async () => {
  // Without the brief at the start, only the prompt can recall it.
  await using person = await aPerson({ files: project, git: true, env: { RECOLLECT_HOOKS_SESSION_START_ENABLED: 'false' } })
  await session(person, 'How should merge_records treat duplicate customer records from the nightly import?', [
    'Settled: merge_records keys on the lowercased email and the calendar day; on a collision the record with the latest updated timestamp wins.',
  ])
  await session(
    person,
    'Amendment to the rule for duplicate customer records in merge_records: the nightly import sends stripped records, so the most filled one must win.',
    [
      'Amended rule, superseding latest-timestamp: merge_records keys on the lowercased email and the calendar day; on a collision the record with at least 12 filled fields wins.',
    ],
  )
  const third = await session(person, 'merge_records loses phone numbers of duplicate customer records. Fix the collision handling.', [
    'I look at it.',
  ])
  expect(third.shown).toContain('12 filled fields')
  expect(third.shown).toMatch(/replaced \(P1\b[^\n]*latest updated timestamp/)
  expect(third.shown.indexOf('12 filled fields')).toBeLessThan(third.shown.indexOf('latest updated timestamp wins'))
})

test('a rule stated in session one is in the brief of session three, in the person’s words', async () => {
  await using person = await aPerson({ files: project, git: true })
  await session(person, 'From now on, always use npm and never yarn in this project. List the files.', [bash('ls'), 'Two folders.'])
  await session(person, 'How many tests are there?', [bash('ls test'), 'There is one test file, auth.test.mjs.'])
  const third = await session(person, 'Where were we?', ['At the tests.'])
  expect(third.brief).toMatch(/standing rules[^\n]*\n- "[^"\n]*always use npm and never yarn/)
})

test('a first prompt about old work receives its result with its values', async () => {
  await using person = await aPerson({ files: project, git: true, env: { RECOLLECT_HOOKS_SESSION_START_ENABLED: 'false' } })
  await session(person, 'The login test fails. Find out why and fix it.', fixTheTest(person.project))
  for (const place of ['harbour', 'lighthouse', 'ferry'])
    await session(person, `Write a short poem about the ${place}.`, [`The ${place} sleeps while the tide turns and the gulls complain.`])
  const asked = await session(person, 'Why did the login test fail when isValid checked the token?', ['Because of exp.'])
  expect(asked.contexts).toHaveLength(1)
  expect(asked.shown).toContain('multiplied by 1000')
  expect(asked.shown).not.toContain('gulls')
})

test('a resumed session with nothing new receives nothing', async () => {
  await using person = await aPerson({ files: project, git: true })
  await session(person, 'The login test fails. Find out why and fix it.', fixTheTest(person.project))
  const second = await session(person, 'From now on, always run npm test before you answer. List the files.', [bash('ls'), 'Two folders.'])
  expect(second.contexts.length).toBeGreaterThan(0)
  const resumed = await session(person, 'And what else is in the folder?', ['A package.json.'], ['--resume', second.id])
  expect(resumed.contexts).toEqual(second.contexts) // those from its first start are part of the conversation
})
