/** Brings evaluation data into a real store through the product's own door, so that what is scored is what people get. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

/** A store in a folder of its own, into which these transcripts were read; every turn is told by rules, as the worker does when one is over. */
export async function importedStore(transcripts: string[], project: ProjectKey): ReturnType<typeof filledStore> {
  const filled = await filledStore([])
  const { store } = filled
  const folder = mkdtempSync(join(tmpdir(), 'recollect-eval-'))
  try {
    await store.transaction(async () => {
      for (const [place, transcript] of transcripts.entries()) {
        const path = join(folder, `${place}.jsonl`)
        writeFileSync(path, transcript)
        for await (const { items } of claudeCode.readTranscript(path, null)) {
          const from = { projectFolder: null, clientPid: null, entrypoint: null, project }
          for (const { event, uuid } of items) await take(store, event, from, rules, { uuid })
        }
      }
      const turns = [...store.prompts.each(null)].map(({ sessionId, number }) => ({ sessionId, number }))
      for (const turn of turns) await distillTurn(store, turn, claudeCode.readAction)
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
  return filled
}
