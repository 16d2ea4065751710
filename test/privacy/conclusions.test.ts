/**
 * Private text and secrets in what the product reads conclusions from: rules, decisions, open ends, changed values, failing and fixed checks, undone
 * work, files, and the questions about them. Whatever is made or shown of them, no byte may be left in the home.
 */
import { expect, test } from 'bun:test'
import { aTestHome, findInHome } from '../support/test-home.ts'

const KEY = `sk-ant-api03-${'Zq9xW7vB3nM5kL2jH8gF'.repeat(4)}`
const AWS = 'AKIAQZ7XWVB3NM5KL2JH'
const TOKEN = 'ghp_a8Kd93jQwL0zXcVbNm5TrYuIoP12AsDfGhJk'
const PASSWORD = 'Umbrella9Sekrit'
const WORD = 'Qxzprivateword'
const HIDDEN = `<private>${WORD}</private>`

test('no conclusion, and no record of what was shown, contains a secret or private text', async () => {
  await using at = await aTestHome()
  await at.run('start')
  await at.run('config', 'set', 'hooks.pre_tool_use.enabled', 'true')
  await at.run('config', 'set', 'hooks.pre_tool_use.warn', 'true')
  await at.run('restart')
  const file = `${at.project}/src/tide.ts`
  const failed = `FAIL src/tide.test.ts > uses ${TOKEN} and ${HIDDEN}\nError: token ${AWS} is not valid\nTests  1 failed | 11 passed (12)`
  type Use = { tool_name: string; tool_input: object; tool_response?: object; error?: string }
  const turns: [prompt: string, uses: Use[], answer: string][] = [
    [
      `Never deploy with the key ${KEY}. From now on, always name the vault ${HIDDEN} in tests. Always log in with password: ${PASSWORD}`,
      [{ tool_name: 'Bash', tool_input: { command: `API_KEY=${KEY} npx vitest run -t "${HIDDEN}"` }, error: failed }],
      `Changed the token from \`${TOKEN}\` to \`${KEY}\`. I kept ${HIDDEN} rather than SQLite because the native build breaks.\n\nNext steps:\n- Rotate ${AWS} in the harbour\n- Move ${HIDDEN} to the vault file`,
    ],
    [
      `We decided to use ${HIDDEN} instead of ${AWS} because of the harbour.`,
      [
        {
          tool_name: 'Edit',
          tool_input: { file_path: file, old_string: `const k = '${KEY}'`, new_string: `const v = '${HIDDEN}' // ${TOKEN}` },
          tool_response: {},
        },
        { tool_name: 'Read', tool_input: { file_path: `${at.project}/${AWS}/src/tide.ts` }, tool_response: { file: { content: KEY } } },
        {
          tool_name: 'Bash',
          tool_input: { command: `API_KEY=${KEY} npx vitest run` },
          tool_response: { stdout: `Tests  12 passed (12) ${KEY} ${HIDDEN}` },
        },
      ],
      `Fixed: the limit is now 2000 ms (was 1000 ms, see ${HIDDEN}). The value now is \`${KEY}\` (was \`${AWS}\`).`,
    ],
    [
      'What is still open?',
      [{ tool_name: 'Bash', tool_input: { command: `git restore src/tide.ts # ${AWS}` }, tool_response: { stdout: '' } }],
      `I reverted ${HIDDEN}, because ${TOKEN} leaked.`,
    ],
    ['Which rules do we have?', [], 'See above.'],
    [`Which tests are failing with ${HIDDEN} and ${AWS}?`, [], 'None.'],
  ]
  for (const session of ['s1', 's2', 's3']) {
    const hook = (name: string, payload: object) => at.hook({ hook_event_name: name, session_id: session, transcript_path: '', ...payload })
    await hook('SessionStart', { source: 'startup' })
    for (const [n, [prompt, uses, answer]] of turns.entries()) {
      const prompt_id = `${session}-${n}`
      await hook('UserPromptSubmit', { prompt, prompt_id })
      for (const [place, { tool_response, error, ...use }] of uses.entries()) {
        const call = { ...use, tool_use_id: `${prompt_id}-${place}`, prompt_id }
        await hook('PreToolUse', call)
        await (error ? hook('PostToolUseFailure', { ...call, error }) : hook('PostToolUse', { ...call, tool_response }))
      }
      await hook('Stop', { last_assistant_message: answer, prompt_id, stop_hook_active: false })
    }
    await hook('SessionEnd', { reason: 'exit' })
    await at.settled()
  }
  await at.run('sync')
  await at.settled()
  expect(await at.run('rules', '--kind', 'all')).toContain('Never deploy with the key [redacted:anthropic-key].')
  await at.run('stop')
  expect(await findInHome(at.home, [KEY, KEY.slice(14, 44), AWS, TOKEN, TOKEN.slice(4), PASSWORD, WORD])).toEqual([])
}, 300_000)
