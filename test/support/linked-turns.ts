/** Turns that are captured and distilled, and the links between their memories. */

import { take } from '../../src/capture/capture.ts'
import { distillTurn } from '../../src/capture/turns.ts'
import type { SessionEvent } from '../../src/core/event.ts'
import { asContentSessionId } from '../../src/core/ids.ts'
import { claudeCode } from '../../src/integrations/agent.ts'
import type { Store } from '../../src/store/store.ts'
import { captureAll, event, nowhere, prompt, toolUse } from './builders.ts'

type TurnOptions = { session?: string; at?: number; says?: string; origin?: 'person' | 'machine'; does?: SessionEvent[]; answers?: string }

/** Records a turn and distills it. */
export async function turn(
  store: Store,
  { session = 's1', at = 1000, says = 'Go on', origin = 'person', does = [], answers = 'Done.' }: TurnOptions,
) {
  const promptId = `${session}-${at}`
  const promptEvent = { ...prompt(says, promptId), origin } as SessionEvent
  const uses = does.map((use, n) => ({ ...use, promptId, toolUseId: `${promptId}-${n}` }))
  for (const [n, reported] of [promptEvent, ...uses, { kind: 'turn-ended', promptId, answer: answers } as SessionEvent].entries())
    await take(store, event(reported, { at: at + 10 * n, session: asContentSessionId(session) }), nowhere, captureAll())
  const stored = await store.sessions.find('claude-code', asContentSessionId(session))
  if (stored) await distillTurn(store, { sessionId: stored.id, number: stored.promptCount }, claudeCode.readAction)
}

const inApp = (file: string) => `/home/dev/app/${file}`
export const read = (file: string) => toolUse('', { tool: 'Read', input: { file_path: inApp(file) }, output: {} })
export const edit = (file: string) =>
  toolUse('', { tool: 'Edit', input: { file_path: inApp(file), old_string: 'const a = 1', new_string: 'const a = 2' }, output: {} })

/** A run of Go tests in which the given test fails, or none. */
export function goTest(failing: string | null, command = 'go test ./...'): SessionEvent {
  const input = { command }
  if (!failing) return toolUse('', { input, output: { stdout: 'ok  \tapp\t0.1s' } })
  const error = `Exit code 1\n--- FAIL: ${failing} (0.00s)\n    auth_test.go:12: got false\nFAIL\nFAIL\tapp\t0.1s`
  return toolUse('', { input, output: undefined, error })
}

export async function names(store: Store, memory: string): Promise<string[]> {
  return (await store.links.entitiesOf(refOf(memory))).map((entity) => `${entity.kind} ${entity.name}`)
}

/** All links, one text each. */
export async function links(store: Store, relation?: string): Promise<string[]> {
  const memories = [
    ...[...store.prompts.each(null)].map(({ id }) => `prompt:${id}`),
    ...[...store.observations.each(null)].map(({ id }) => `observation:${id}`),
    ...[...store.summaries.each(null)].map(({ id }) => `summary:${id}`),
  ]
  const found = await Promise.all(memories.map((memory) => store.links.of(refOf(memory), 'after', 100)))
  return found
    .flat()
    .filter((link) => !relation || link.relation === relation)
    .map(({ from, to, relation, origin }) => `${from.kind}:${from.ref} ${relation} ${to.kind}:${to.ref} (${origin})`)
    .sort()
}

export function refOf(memory: string) {
  const [kind, ref = ''] = memory.split(':')
  return { kind: kind as 'prompt' | 'observation' | 'summary', ref }
}
