import { expect } from 'bun:test'
import { clientOrSkip } from '../harness/client.ts'
import { type ModelRequest, requestText } from '../harness/fake-anthropic.ts'
import { type PrintRun, runClaude } from '../harness/run-claude.ts'
import { aPerson } from '../support/person.ts'
import { bash, fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()

/** The brief at the start and recall at the prompt are off, so only the action can bring something back. */
const ONLY_AT_THE_ACTION = { RECOLLECT_HOOKS_SESSION_START_ENABLED: 'false', RECOLLECT_HOOKS_USER_PROMPT_RECALL: 'false' }

/** Briefs are prepared in the background once a session has started; on a busy machine that takes seconds. */
const PREPARED_MS = 5000

/** The context that each request added to that of the request before it. */
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
  expect(after?.[0]).toMatch(/This failed before[^\n]*\nIt passed after a change of src\/auth\.mjs \(#\d+\):\n[^\n]*token\.exp \* 1000/)
  expect(again).toEqual([])
  // Nothing of it is on the screen.
  expect([second.code, second.answer]).toEqual([0, 'They fail.'])
  expect(JSON.stringify(second.events.filter((event) => event.type === 'system'))).not.toContain('This failed before')
})

test('with hooks.pre_tool_use.enabled, a file brief comes from the event before the tool, once', async () => {
  const env = { ...ONLY_AT_THE_ACTION, RECOLLECT_HOOKS_PRE_TOOL_USE_ENABLED: 'true' }
  await using person = await aPerson({ files: project, git: true, env })
  const installed = JSON.parse(await Bun.file(`${person.home}/.claude/settings.json`).text()) as { hooks: Record<string, unknown> }
  expect(Object.keys(installed.hooks)).toContain('PreToolUse')
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()
  // Now only the event before the tool can show anything.
  await person.recollect('config', 'set', 'hooks.post_tool_use.enabled', 'false')
  await person.recollect('restart')
  const file = `${person.project}/src/auth.mjs`
  const read = { tools: [{ name: 'Read', input: { file_path: file } }] }
  const second = await runClaude({
    sandbox: person,
    prompt: 'Look at the code.',
    turns: [{ ...bash('true'), delayMs: PREPARED_MS }, read, read, 'It compares times.'],
  })
  const [, , after, again] = contextsByRequest(second)
  expect(after).toEqual([expect.stringContaining('<recollect-context file="src/auth.mjs">')])
  expect(again).toEqual([])
})

test('with hooks.pre_tool_use.warn, a check that failed in an earlier session is refused once and runs when it is repeated', async () => {
  const env = { ...ONLY_AT_THE_ACTION, RECOLLECT_HOOKS_PRE_TOOL_USE_ENABLED: 'true', RECOLLECT_HOOKS_PRE_TOOL_USE_WARN: 'true' }
  await using person = await aPerson({ files: project, git: true, env })
  await runClaude({ sandbox: person, prompt: 'Run the tests.', turns: [bash('npm test --silent'), 'The login test fails.'] })
  await person.settled()
  const second = await runClaude({
    sandbox: person,
    prompt: 'Run the tests again.',
    turns: [{ ...bash('true'), delayMs: PREPARED_MS }, bash('npm test --silent'), bash('npm test --silent'), 'They fail.'],
  })
  const [, , refused, ran] = second.requests.filter(({ lane }) => lane === 'main').map(lastToolResult)
  expect(refused).toMatch(/was tried before\. It failed when it was last run[^\n]*a token is valid until it expires/)
  expect(ran).toContain('a token is valid until it expires')
  expect(ran).not.toContain('was tried before')
  expect(second.code).toBe(0)
})

/** The text of the newest tool result in a request. */
function lastToolResult({ body }: ModelRequest): string {
  const blocks = body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  return JSON.stringify(blocks.findLast((block) => block.type === 'tool_result') ?? '')
}
