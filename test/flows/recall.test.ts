import { expect } from 'bun:test'
import { clientOrSkip } from '../harness/client.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { aPerson } from '../support/person.ts'
import { fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()
const recalled = (text: string) => text.match(/<recollect-context about="this prompt">[\s\S]*?<\/recollect-context>/)?.[0] ?? ''

test('a question in a later session gets the earlier answer in the same request, an unrelated one gets nothing', async () => {
  // Without the brief at the start, only the prompt can recall it.
  await using person = await aPerson({ files: project, git: true, env: { RECOLLECT_HOOKS_SESSION_START_ENABLED: 'false' } })
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()

  const related = await runClaude({
    sandbox: person,
    prompt: 'Why did isValid compare seconds with milliseconds?',
    turns: ['Because of exp.'],
  })
  const shown = recalled(requestText(related.requests[0]))
  expect(shown).toContain('multiplied by 1000')
  expect(shown).toContain('memory_get')

  const unrelated = await runClaude({
    sandbox: person,
    prompt: 'Write a haiku about the autumn moon over Kyoto.',
    turns: ['Moonlight on maples.'],
  })
  expect(recalled(requestText(unrelated.requests[0]))).toBe('')

  // Everyday words recall nothing, even though a memory of this session contains them.
  const chore = await runClaude({ sandbox: person, prompt: 'ok, run the tests again and fix what fails', turns: ['They pass.'] })
  expect(recalled(requestText(chore.requests[0]))).toBe('')
  const again = await runClaude({ sandbox: person, prompt: 'ok, run the tests again and fix what fails', turns: ['They pass.'] })
  expect(recalled(requestText(again.requests[0]))).toBe('')
})

test('a slash command recalls none of its earlier uses; its arguments are used as the query', async () => {
  const command = 'Look through the todos of isValid and its seconds, then milliseconds. $ARGUMENTS'
  await using person = await aPerson({
    files: { ...project, '.claude/commands/team/check-todos.md': command },
    git: true,
    env: { RECOLLECT_HOOKS_SESSION_START_ENABLED: 'false' },
  })
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  for (const answer of ['The todos of check-todos: none.', 'Still no todos.']) {
    const used = await runClaude({ sandbox: person, prompt: '/team:check-todos', turns: [answer] })
    await person.settled()
    expect(requestText(used.requests[0])).toContain('Look through the todos')
    expect(recalled(requestText(used.requests[0]))).toBe('')
  }
  const withArguments = await runClaude({
    sandbox: person,
    prompt: '/team:check-todos why did isValid compare seconds with milliseconds?',
    turns: ['Because of exp.'],
  })
  expect(recalled(requestText(withArguments.requests[0]))).toContain('multiplied by 1000')
})

test('memories from the brief are not shown again with the prompt', async () => {
  await using person = await aPerson({ files: project, git: true })
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()
  const next = await runClaude({
    sandbox: person,
    prompt: 'Why did isValid compare seconds with milliseconds?',
    turns: ['Because of exp.'],
  })
  const shown = requestText(next.requests[0])
  expect(shown.match(/compared seconds with milliseconds; /g)).toHaveLength(1)
})
