import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'
import { pluginText } from './plugin.ts'

type Hook = (input: unknown, output?: unknown) => Promise<void>

test('the plugin tells the worker what happens, and gives the model the answer', async () => {
  await using at = await aPlugin((payload) =>
    payload.hook_event_name === 'Stop' ? {} : { additionalContext: `about ${payload.hook_event_name}` },
  )
  await at.call('event', { event: { type: 'session.created', properties: { info: { id: 'child', parentID: 'ses_1' } } } })
  const message = { message: { id: 'msg_1' }, parts: [{ type: 'text', text: 'Hello' }] }
  await at.call('chat.message', { sessionID: 'ses_1' }, message)
  expect(message.parts).toHaveLength(1)
  const request = { messages: [{ info: { id: 'msg_1', sessionID: 'ses_1' }, parts: [...message.parts] }] }
  await at.call('experimental.chat.messages.transform', {}, request)
  expect(request.messages[0]?.parts.map((part) => part.text)).toEqual(['Hello', 'about SessionStart', 'about UserPromptSubmit'])
  const output = { output: 'done', metadata: { exit: 3 } }
  await at.call('tool.execute.after', { tool: 'bash', sessionID: 'child', callID: 'c1', args: { command: 'x' } }, output)
  expect(output.output).toBe('done\n\nabout PostToolUse')
  const failed = { type: 'tool', tool: 'read', callID: 'c2', sessionID: 'ses_1', state: { status: 'error', error: 'gone', input: {} } }
  for (let i = 0; i < 2; i++) await at.call('event', { event: { type: 'message.part.updated', properties: { part: failed } } })
  await at.call('experimental.text.complete', { sessionID: 'ses_1' }, { text: 'The answer' })
  await at.call('event', { event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } })
  const compacting = { context: [] as string[] }
  await at.call('experimental.session.compacting', { sessionID: 'ses_1' }, compacting)
  expect(compacting.context).toEqual(['about SessionStart'])
  expect(at.received.map(({ hook_event_name, session_id, ...fields }) => [hook_event_name, session_id, fields])).toMatchObject([
    ['SessionStart', 'ses_1', { source: 'startup' }],
    ['UserPromptSubmit', 'ses_1', { prompt: 'Hello', prompt_id: 'msg_1' }],
    ['PostToolUse', 'ses_1', { agent_id: 'child', tool_use_id: 'c1', tool_response: { output: 'done', metadata: { exit: 3 } } }],
    ['PostToolUseFailure', 'ses_1', { tool_use_id: 'c2', error: 'gone' }],
    ['Stop', 'ses_1', { last_assistant_message: 'The answer' }],
    ['PreCompact', 'ses_1', {}],
    ['SessionStart', 'ses_1', { source: 'compact' }],
  ])
})

test('a worker that hangs, a missing program and odd events never throw, and cost no more than the deadline', async () => {
  await using at = await aPlugin(() => Bun.sleep(60_000).then(() => ({})))
  const started = performance.now()
  await at.call('tool.execute.after', { tool: 'bash', sessionID: 's', callID: 'c', args: {} }, { output: 'x' })
  expect(performance.now() - started).toBeLessThan(2_000)
  for (const hook of Object.keys(at.hooks)) for (const input of [undefined, null, {}, { event: {} }]) await at.call(hook, input, input)
})

/** The plugin as OpenCode loads it, with a worker that answers what the test says. */
async function aPlugin(answer: (payload: Record<string, unknown>) => object | Promise<object>) {
  const folder = temporaryFolder()
  const socket = join(folder.path, 'w.sock')
  const received: Record<string, unknown>[] = []
  const server = Bun.serve({
    unix: socket,
    fetch: async (request) => {
      const payload = (await request.json()) as Record<string, unknown>
      received.push(payload)
      return Response.json(await answer(payload))
    },
  })
  const file = join(folder.path, 'recollect.mjs')
  writeFileSync(file, pluginText({ socket, launcher: join(folder.path, 'no-such-launcher') }))
  const { Recollect } = (await import(file)) as { Recollect(context: { directory: string }): Promise<Record<string, Hook>> }
  const hooks = await Recollect({ directory: folder.path })
  return {
    hooks,
    received,
    call: (name: string, input: unknown, output?: unknown) => hooks[name]?.(input, output),
    [Symbol.asyncDispose]: async () => {
      await server.stop(true)
      folder[Symbol.dispose]()
    },
  }
}
