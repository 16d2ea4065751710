import { expect } from 'bun:test'
import { clientOrSkip } from '../harness/client.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { type PrintRun, runClaude } from '../harness/run-claude.ts'
import { aPerson } from '../support/person.ts'
import { bash, fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()

/** The brief at the start and recall at the prompt are off, so only the action can bring something back. */
const ONLY_AT_THE_ACTION = { RECOLLECT_HOOKS_SESSION_START_ENABLED: 'false', RECOLLECT_HOOKS_USER_PROMPT_RECALL: 'false' }

/** What was added to the context of each request, after what the request before it had. */
function contextsByRequest(run: PrintRun): string[][] {
  const contexts = run.requests
    .filter(({ lane }) => lane === 'main')
    .map((request) => requestText(request).match(/<recollect-context [\s\S]*?<\/recollect-context>/g) ?? [])
  return contexts.map((now, n) => now.slice(contexts[n - 1]?.length ?? 0))
}

test('an error that session one met and fixed is answered in session two, right after it and once', async () => {
  await using person = await aPerson({ files: project, git: true, env: ONLY_AT_THE_ACTION })
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()
  // Someone brings the old code back.
  await Bun.write(`${person.project}/src/auth.mjs`, project['src/auth.mjs'])
  const second = await runClaude({
    sandbox: person,
    prompt: 'Run the tests.',
    turns: [bash('npm test'), bash('npm test'), 'They fail.'],
  })
  const [before, after, again] = contextsByRequest(second)
  expect(before).toEqual([])
  expect(after).toHaveLength(1)
  expect(after?.[0]).toMatch(/This failed before[^\n]*\nIt passed after #\d+: [^\n]*src\/auth\.mjs/)
  expect(again).toEqual([])
  // Nothing of it is on the screen.
  expect([second.code, second.answer]).toEqual([0, 'They fail.'])
  expect(JSON.stringify(second.events.filter((event) => event.type === 'system'))).not.toContain('This failed before')
})
