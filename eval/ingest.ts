/** Ingests evaluation data into a real store with the production code, so that the scores are those of the product. */
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
  isInExcludedFolder: () => false,
  // The sets are already anonymous, and redaction could remove a word that a question asks for.
  markers: [],
  redactPatterns: null,
  noticeText: claudeCode.noticeText,
  compactSummary: claudeCode.compactSummary,
  confirmClaim: () => {},
  projectOf: () => ({ project: asProjectKey('eval'), branch: null }),
}

export type EvalEvent = { session: string; project: ProjectKey; at: number; event: SessionEvent }

/** A store in a temporary folder, filled with these events. Disposing it deletes the folder. */
export async function filledStore(events: Iterable<EvalEvent>): Promise<{ store: Store; [Symbol.dispose](): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-eval-'))
  const store = await openStore(join(folder, 'eval.db'))
  await store.transaction(() => ingestInto(store, events))
  return {
    store,
    [Symbol.dispose]: () => {
      store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Captures events as the worker does. Call it inside a transaction. */
export async function ingestInto(store: Store, events: Iterable<EvalEvent>): Promise<void> {
  for (const { session, project, at, event } of events) {
    const agentEvent = { agent: 'claude-code' as const, session: asContentSessionId(session), at, cwd: '/eval', transcript: null, ...event }
    await take(store, agentEvent, { projectFolder: null, clientPid: null, entrypoint: null, project }, rules)
  }
}

/** Like `filledStore`, but reads transcripts. */
export async function importedStore(transcripts: string[], project: ProjectKey): ReturnType<typeof filledStore> {
  const filled = await filledStore([])
  await importInto(filled.store, transcripts, project)
  return filled
}

/** Reads transcripts into a store. The rules distill every turn, as the worker does when a turn ends. */
export async function importInto(store: Store, transcripts: string[], project: ProjectKey): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-eval-'))
  try {
    await store.transaction(async () => {
      for (const [index, transcript] of transcripts.entries()) {
        const path = join(folder, `${index}.jsonl`)
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
}
