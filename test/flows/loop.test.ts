import { expect } from 'bun:test'
import { clientOrSkip } from '../harness/client.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { aPerson, briefIn } from '../support/person.ts'
import { fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()

test('the fix of session one is in the first request of session two', async () => {
  await using person = await aPerson({ files: project, git: true })
  const first = await runClaude({
    sandbox: person,
    prompt: 'The login test fails. Find out why and fix it.',
    turns: fixTheTest(person.project),
  })
  expect(first.code).toBe(0)
  await person.settled()

  const second = await runClaude({ sandbox: person, prompt: 'What did we do last time?', turns: ['We fixed it.'] })
  const brief = briefIn(requestText(second.requests[0]))
  expect(brief).toContain('isValid')
  expect(brief).toContain('src/auth.mjs')
  expect(brief).toContain('multiplied by 1000')
})
