/** Brings evaluation data into a real store through the product's own door, so that what is scored is what people get. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CaptureRules, take } from '../src/capture/capture.ts'
import { distillTurn } from '../src/capture/turns.ts'
import type { SessionEvent } from '../src/core/event.ts'
import { asContentSessionId, asProjectKey, type ProjectKey } from '../src/core/ids.ts'
import { claudeCode } from '../src/integrations/agent.ts'
import { openStore, type Store } from '../src/store/store.ts'

export const rules: CaptureRules = {
  isWanted: () => true,
  isSkipped: (tool) => claudeCode.skipTools.has(tool),
  isExcludedInput: () => false,
  isExcludedProject: () => false,
  // The sets are anonymous already, and a redacted word would be missing from the question's answer.
  markers: [],
  redactPatterns: null,
  projectOf: () => ({ project: asProjectKey('eval'), branch: null }),
}

export type Fed = { session: string; project: ProjectKey; at: number; event: SessionEvent }

/** Tells every turn by rules, as the worker does when one is over. */
export async function tellAll(store: Store): Promise<void> {
  const turns = [...store.prompts.each(null)].map(({ sessionId, number }) => ({ sessionId, number }))
  await store.transaction(async () => {
    for (const turn of turns) await distillTurn(store, turn, claudeCode.readAction)
  })
}

/** A store in a folder of its own, filled with these events. */
export async function filledStore(events: Iterable<Fed>): Promise<{ store: Store; [Symbol.dispose](): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-eval-'))
  const store = await openStore(join(folder, 'eval.db'))
  await store.transaction(async () => {
    for (const { session, project, at, event } of events) {
      const said = { agent: 'claude-code' as const, session: asContentSessionId(session), at, cwd: '/eval', transcript: null, ...event }
      await take(store, said, { projectFolder: null, clientPid: null, entrypoint: null, project }, rules)
    }
  })
  return {
    store,
    [Symbol.dispose]: () => {
      store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
