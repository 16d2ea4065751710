import { dirname } from 'node:path'
import { take } from '../capture/capture.ts'
import type { EventContext } from '../core/event.ts'
import type { Change, Session } from '../core/memory.ts'
import type { Agent, Checkpoint, TranscriptFacts, TranscriptItem } from '../integrations/agent.ts'
import { readOffSessions } from '../platform/off-sessions.ts'
import { isSilent, lookAtFolders } from '../platform/silent-folders.ts'
import type { Services } from './services.ts'

export type TranscriptReadResult = {
  sessions: Set<number>
  prompts: number
  toolUses: number
  unreadable: number
  facts: TranscriptFacts | null
}

type TranscriptReadOptions = { alsoInTransaction?: (sessions: Set<number>) => Promise<void>; signal?: AbortSignal }

/**
 * Reads a transcript from its last checkpoint and captures the events that are missing, as hooks would have delivered them. The agent's
 * file is the durable log; hooks are only faster. Each batch, its checkpoint and `alsoInTransaction` (called with the sessions seen so far)
 * are one transaction. Stops between two batches when the signal is aborted. Throws when the file's folder does not answer.
 */
export async function ingestTranscript(
  services: Services,
  agent: Agent,
  path: string,
  options: TranscriptReadOptions = {},
): Promise<TranscriptReadResult> {
  const result: TranscriptReadResult = { sessions: new Set(), prompts: 0, toolUses: 0, unreadable: 0, facts: null }
  await lookAtFolders([dirname(path)])
  if (isSilent(path)) throw new Error(`the disk of ${path} does not answer`)
  result.facts = await ingestTranscriptFile(services, agent, path, result, options)
  for (const subagent of await agent.subagentTranscripts(path)) await ingestTranscriptFile(services, agent, subagent, result, options)
  return result
}

async function ingestTranscriptFile(
  services: Services,
  agent: Agent,
  path: string,
  result: TranscriptReadResult,
  { alsoInTransaction, signal }: TranscriptReadOptions,
) {
  const { store } = services
  let facts: TranscriptFacts | null = null
  let unreadable = 0
  const from = (await store.transcripts.checkpoint(path, agent.name))?.checkpoint as Checkpoint | undefined
  for await (const batch of agent.readTranscript(path, from ?? null)) {
    signal?.throwIfAborted()
    const changes = await store.transaction(async () => {
      const changes = await ingestItems(services, agent, batch.items, batch.facts, result)
      await store.transcripts.setCheckpoint(path, agent.name, batch.resume, batch.checkpoint.offset, Date.now())
      await alsoInTransaction?.(result.sessions)
      return changes
    })
    for (const change of changes) {
      if (change.kind === 'prompt-added') result.prompts++
      if (change.kind === 'tool-use-added') result.toolUses++
    }
    // Both describe the file up to here, so the last batch has the final values.
    facts = batch.facts
    unreadable = batch.unreadable
    services.announce(changes)
    await Bun.sleep(0) // let hooks that arrived meanwhile go first
  }
  result.unreadable += unreadable
  return facts
}

async function ingestItems(
  services: Services,
  agent: Agent,
  items: TranscriptItem[],
  facts: TranscriptFacts,
  result: TranscriptReadResult,
): Promise<Change[]> {
  const { store } = services
  const rules = services.rules(agent)
  const off = readOffSessions(services.home)
  const context: EventContext = { projectFolder: facts.cwd, clientPid: null, entrypoint: facts.entrypoint }
  const changes: Change[] = []
  for (const { event, uuid, turn, branch } of items) {
    if (off.has(event.session)) continue
    const session = await store.sessions.find(event.agent, event.session)
    if (session && (await isCopiedFromParent(services, session, turn ?? uuid, event.at))) continue
    if (!session && turn && (await store.prompts.isCopy(0, turn))) continue
    if ((turn ?? uuid) && (await store.tombstones.hasLine(turn ?? uuid ?? ''))) continue
    const captured = await take(store, event, { ...context, branch }, rules, { uuid }, session)
    if (captured.session) result.sessions.add(captured.session.id)
    changes.push(...captured.changes)
  }
  return changes
}

/** A fork starts with a copy of its parent's lines. Those are the parent's memories, not new ones. */
async function isCopiedFromParent(services: Services, session: Session, turn: string | null, at: number): Promise<boolean> {
  if (session.forkedAt !== null && at < session.forkedAt) return true
  return turn !== null && (await services.store.prompts.isCopy(session.id, turn))
}
