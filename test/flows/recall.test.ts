import { expect } from 'bun:test'
import { clientOrSkip } from '../harness/client.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { aPerson } from '../support/person.ts'
import { fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()
const recalled = (text: string) => text.match(/<recollect-context about="this prompt">[\s\S]*?<\/recollect-context>/)?.[0] ?? ''

test('a question in a later session has the earlier answer in the same request, an unrelated one has nothing', async () => {
  // The brief at the start would tell it anyway; without it only the question can.
  await using person = await aPerson({ files: project, git: true, env: { RECOLLECT_HOOKS_SESSION_START_ENABLED: 'false' } })
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()

  const related = await runClaude({
    sandbox: person,
    prompt: 'Why did isValid compare seconds with milliseconds?',
    turns: ['Because of exp.'],
  })
  expect(recalled(requestText(related.requests[0]))).toContain('multiplied by 1000')

  const unrelated = await runClaude({
    sandbox: person,
    prompt: 'Write a haiku about the autumn moon over Kyoto.',
    turns: ['Moonlight on maples.'],
  })
  expect(recalled(requestText(unrelated.requests[0]))).toBe('')
})

test('what was told at the start is not told again with the prompt', async () => {
  await using person = await aPerson({ files: project, git: true })
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()
  const next = await runClaude({
    sandbox: person,
    prompt: 'Why did isValid compare seconds with milliseconds?',
    turns: ['Because of exp.'],
  })
  const told = requestText(next.requests[0])
  expect(told.match(/#1 · /g)).toHaveLength(1)
})
