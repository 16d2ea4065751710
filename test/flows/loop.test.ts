import { expect } from 'bun:test'
import { clientOrSkip } from '../harness/client.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { aPerson, briefIn } from '../support/person.ts'
import { fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()

for (const form of ['http', 'command']) {
  test(`what session one fixed is in the first request of session two (${form} hooks)`, async () => {
    await using person = await aPerson({ files: project, git: true, init: ['--form', form] })
    const first = await runClaude({
      sandbox: person,
      prompt: 'The login test fails. Find out why and fix it.',
      turns: fixTheTest(person.project),
    })
    expect(first.code).toBe(0)
    await person.settled()

    const second = await runClaude({ sandbox: person, prompt: 'What did we do last time?', turns: ['We fixed it.'] })
    const told = briefIn(requestText(second.requests[0]))
    expect(told).toContain('isValid')
    expect(told).toContain('src/auth.mjs')
    expect(told).toContain('exp * 1000')
    expect(told).toMatch(/bugfix/)
  })
}
