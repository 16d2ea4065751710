import { take } from '../capture/capture.ts'
import type { EventContext } from '../core/event.ts'
import type { Change, Session } from '../core/memory.ts'
import type { Agent, Checkpoint, SessionFacts, TranscriptItem } from '../integrations/agent.ts'
import type { Desk } from './desk.ts'

export type Read = {
  sessions: Set<number>
  prompts: number
  toolUses: number
  unreadable: number
  facts: SessionFacts | null
}

/**
 * Reads a transcript from where it was last left and feeds what is missing through the same door as hooks. The agent's file is
 * the durable log; hooks are only faster. Each batch is one transaction together with the mark of how far it went, and with `also`, which
 * is handed the sessions that were met so far.
 */
export async function readThrough(
  desk: Desk,
  agent: Agent,
  path: string,
  also: (sessions: Set<number>) => Promise<void> = async () => {},
): Promise<Read> {
  const read: Read = { sessions: new Set(), prompts: 0, toolUses: 0, unreadable: 0, facts: null }
  read.facts = await readFile(desk, agent, path, read, also)
  for (const subagent of await agent.subagentTranscripts(path)) await readFile(desk, agent, subagent, read, also)
  return read
}

async function readFile(desk: Desk, agent: Agent, path: string, read: Read, also: (sessions: Set<number>) => Promise<void>) {
  const { store } = desk
  let facts: SessionFacts | null = null
  let unreadable = 0
  const before = (await store.transcripts.checkpoint(path))?.checkpoint as Checkpoint | undefined
  for await (const batch of agent.readTranscript(path, before ?? null)) {
    const changes = await store.transaction(async () => {
      const changes = await takeItems(desk, agent, batch.items, batch.facts, read)
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

async function takeItems(desk: Desk, agent: Agent, items: TranscriptItem[], facts: SessionFacts, read: Read): Promise<Change[]> {
  const rules = desk.rules(agent)
  const context: EventContext = { projectFolder: facts.cwd, clientPid: null, entrypoint: facts.entrypoint }
  const changes: Change[] = []
  for (const { event, uuid, turn, branch } of items) {
    const session = await desk.store.sessions.find(event.agent, event.session)
    if (session && (await isCopied(desk, session, turn ?? uuid, event.at))) continue
    if (!session && turn && (await desk.store.prompts.isCopy(0, turn))) continue
    const taken = await take(desk.store, event, { ...context, branch }, rules, { uuid })
    if (taken.session) read.sessions.add(taken.session.id)
    changes.push(...taken.changes)
  }
  return changes
}

/** A fork begins with a copy of its parent's lines: they are the parent's memories, not new ones. */
async function isCopied(desk: Desk, session: Session, turn: string | null, at: number): Promise<boolean> {
  if (session.forkedAt !== null && at < session.forkedAt) return true
  return turn !== null && (await desk.store.prompts.isCopy(session.id, turn))
}
