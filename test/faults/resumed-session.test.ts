import { expect, test } from 'bun:test'
import { asProjectKey } from '../../src/core/ids.ts'
import { claudeCode } from '../../src/integrations/agent.ts'
import { ingestDelivery } from '../../src/worker/intake.ts'
import { nowhere } from '../support/builders.ts'
import { someServices } from '../support/services.ts'

const MINUTE = 60_000
const FAILING = 'Exit code 1\n(fail) src/login.test.ts > people can sign in by mail\n 3 pass\n 1 fail'
const PASSING = { stdout: ' 4 pass\n 0 fail', stderr: '' }

test('a resumed session does not hear again of a failure that it knew and repaired', async () => {
  await using at = await aProject()
  await at.turn('other', 'Add sign-in by mail', [at.edit('src/login.ts'), at.fails('bun test')], 'Added it; one test still fails.')
  expect(await at.start('mine')).toContain('people can sign in by mail')
  await at.turn('mine', 'Repair the test', [at.edit('src/mail.ts'), at.passes('bun test src/login.test.ts')], 'The login test passes.')
  await at.turn('other', 'Write the changelog', [at.edit('CHANGELOG.md')], 'The changelog mentions sign-in by mail.')
  const brief = await at.resume('mine')
  expect(brief).toContain('changelog')
  expect(brief).not.toContain('people can sign in by mail')
  expect(brief).not.toContain('Failed when last run')
})

test('a resumed session does not hear of a newer failure that it has repaired itself', async () => {
  await using at = await aProject()
  await at.turn('other', 'Look around', [at.reads('src/login.ts')], 'The login lives in src/login.ts.')
  await at.start('mine')
  await at.turn('other', 'Run the tests', [at.fails('bun test')], 'One test fails.')
  await at.turn('mine', 'Repair the login test', [at.edit('src/login.ts'), at.passes('bun test src/login.test.ts')], 'Repaired.')
  expect(await at.resume('mine')).not.toContain('people can sign in by mail')
})

test('a resumed session hears of a failure that is new and still open', async () => {
  await using at = await aProject()
  await at.turn('other', 'Look around', [at.reads('src/login.ts')], 'The login lives in src/login.ts.')
  await at.start('mine')
  await at.turn('mine', 'Run the tests', [at.passes('bun test')], 'All pass.')
  await at.turn('other', 'Run the tests again', [at.edit('src/login.ts'), at.fails('bun test')], 'One test fails now.')
  expect(await at.resume('mine')).toContain('people can sign in by mail')
})

test('a resumed session with nothing new receives nothing, however often it is resumed', async () => {
  await using at = await aProject()
  await at.turn('other', 'Add sign-in by mail', [at.edit('src/login.ts'), at.fails('bun test')], 'Added it; one test still fails.')
  await at.start('mine')
  await at.turn('mine', 'Repair the test', [at.fails('bun test'), at.edit('src/mail.ts'), at.passes('bun test')], 'All tests pass.')
  expect(await at.resume('mine')).toBe('')
  expect(await at.resume('mine')).toBe('')
  await at.resume('other')
  expect(await at.resume('mine')).toBe('')
})

/** A project in which sessions take turns. Every call happens a minute after the one before. */
async function aProject() {
  const at = await someServices()
  let now = Date.UTC(2026, 5, 1)
  let uses = 0
  const context = { ...nowhere, project: asProjectKey('app') }
  const deliver = (session_id: string, payload: object) =>
    ingestDelivery(at.desk, { agent: claudeCode, payload: { session_id, cwd: '/srv/app', ...payload }, context, delivery: null, at: now })
  const start = async (session: string, fields: object) => {
    now += MINUTE
    const reply = await deliver(session, { hook_event_name: 'SessionStart', ...fields })
    return (reply.hookSpecificOutput as { additionalContext: string } | undefined)?.additionalContext ?? ''
  }
  const used = (tool_name: string, tool_input: object, rest: object) => ({
    hook_event_name: 'error' in rest ? 'PostToolUseFailure' : 'PostToolUse',
    tool_name,
    tool_use_id: `t${++uses}`,
    tool_input,
    ...rest,
  })
  return {
    start: (session: string) => start(session, { source: 'startup' }),
    resume: (session: string) => start(session, { source: 'resume' }),
    reads: (path: string) => used('Read', { file_path: `/srv/app/${path}` }, { tool_response: { type: 'text' } }),
    edit: (path: string) =>
      used('Edit', { file_path: `/srv/app/${path}`, old_string: `${path} was`, new_string: `${path} is` }, { tool_response: {} }),
    fails: (command: string) => used('Bash', { command }, { error: FAILING }),
    passes: (command: string) => used('Bash', { command }, { tool_response: PASSING }),
    turn: async (session: string, prompt: string, does: object[], answer: string) => {
      now += MINUTE
      const prompt_id = `p${now}`
      await deliver(session, { hook_event_name: 'UserPromptSubmit', prompt, prompt_id })
      for (const use of does) {
        now += 1000
        await deliver(session, { ...use, prompt_id })
      }
      now += 1000
      await deliver(session, { hook_event_name: 'Stop', last_assistant_message: answer, prompt_id })
      await at.desk.queue.drained()
    },
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  }
}
