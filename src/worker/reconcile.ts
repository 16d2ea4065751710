import { take } from '../capture/capture.ts'
import type { EventContext } from '../core/event.ts'
import type { Change, Session } from '../core/memory.ts'
import type { Agent, Checkpoint, TranscriptFacts, TranscriptItem } from '../integrations/agent.ts'
import type { Services } from './services.ts'

export type TranscriptReadResult = {
  sessions: Set<number>
  prompts: number
  toolUses: number
  unreadable: number
  facts: TranscriptFacts | null
}

/**
 * Reads a transcript from where it was last left and feeds what is missing through the same door as hooks. The agent's file is
 * the durable log; hooks are only faster. Each batch is one transaction together with the mark of how far it went, and with `also`, which
 * is handed the sessions that were met so far.
 */
export async function ingestTranscript(
  desk: Services,
  agent: Agent,
  path: string,
  also: (sessions: Set<number>) => Promise<void> = async () => {},
): Promise<TranscriptReadResult> {
  const read: TranscriptReadResult = { sessions: new Set(), prompts: 0, toolUses: 0, unreadable: 0, facts: null }
  read.facts = await ingestTranscriptFile(desk, agent, path, read, also)
  for (const subagent of await agent.subagentTranscripts(path)) await ingestTranscriptFile(desk, agent, subagent, read, also)
  return read
}

async function ingestTranscriptFile(
  desk: Services,
  agent: Agent,
  path: string,
  read: TranscriptReadResult,
  also: (sessions: Set<number>) => Promise<void>,
) {
  const { store } = desk
  let facts: TranscriptFacts | null = null
  let unreadable = 0
  const before = (await store.transcripts.checkpoint(path))?.checkpoint as Checkpoint | undefined
  for await (const batch of agent.readTranscript(path, before ?? null)) {
    const changes = await store.transaction(async () => {
      const changes = await ingestItems(desk, agent, batch.items, batch.facts, read)
      await store.transcripts.setCheckpoint(path, batch.resume, batch.checkpoint.offset, Date.now())
      await also(read.sessions)
      return changes
    })
    for (const change of changes) {
      if (change.kind === 'prompt-added') read.prompts++
      if (change.kind === 'tool-use-added') read.toolUses++
    }
    // Both are of the file as far as it has been read, so the last word counts.
    facts = batch.facts
    unreadable = batch.unreadable
    desk.announce(changes)
    await Bun.sleep(0) // hooks that came in meanwhile go first
  }
  read.unreadable += unreadable
  return facts
}

async function ingestItems(
  desk: Services,
  agent: Agent,
  items: TranscriptItem[],
  facts: TranscriptFacts,
  read: TranscriptReadResult,
): Promise<Change[]> {
  const rules = desk.rules(agent)
  const context: EventContext = { projectFolder: facts.cwd, clientPid: null, entrypoint: facts.entrypoint }
  const changes: Change[] = []
  for (const { event, uuid, turn, branch } of items) {
    const session = await desk.store.sessions.find(event.agent, event.session)
    if (session && (await isCopiedFromParent(desk, session, turn ?? uuid, event.at))) continue
    if (!session && turn && (await desk.store.prompts.isCopy(0, turn))) continue
    const taken = await take(desk.store, event, { ...context, branch }, rules, { uuid })
    if (taken.session) read.sessions.add(taken.session.id)
    changes.push(...taken.changes)
  }
  return changes
}

/** A fork begins with a copy of its parent's lines: they are the parent's memories, not new ones. */
async function isCopiedFromParent(desk: Services, session: Session, turn: string | null, at: number): Promise<boolean> {
  if (session.forkedAt !== null && at < session.forkedAt) return true
  return turn !== null && (await desk.store.prompts.isCopy(session.id, turn))
}
