import type { AgentName } from '../core/agent.ts'
import type { AgentEvent } from '../core/event.ts'
import type { ContentSessionId } from '../core/ids.ts'
import type { Summary } from '../core/memory.ts'
import type { Store, Tombstone } from '../store/store.ts'

/**
 * Whether a person has deleted what an event reports: it arrives again from a transcript, the spool or a resumed client. `storedText` gives the
 * text of a prompt as it would be stored; `uuid` is the id of its line in a transcript.
 */
export async function isDeletedEvent(
  store: Store,
  event: AgentEvent,
  storedText: (text: string) => string,
  uuid: string | null,
): Promise<boolean> {
  const tombstones = await store.tombstones.ofSession(event.agent, event.session)
  if (tombstones.length === 0) return false
  // The session was deleted as a whole. What happened later belongs to the resumed one.
  if (tombstones.some(({ kind, at }) => kind === 'session' && event.at <= at)) return true
  const turns = tombstones.filter(({ kind }) => kind === 'turn')
  const session = await store.sessions.find(event.agent, event.session)
  const knownTurn = async (promptId: string) => session !== null && (await store.prompts.hasTurn(session.id, promptId))
  switch (event.kind) {
    case 'prompt-submitted': {
      const key = store.tombstones.promptKey(storedText(event.text))
      if (turns.some((turn) => (uuid !== null && turn.uuid === uuid) || isSamePrompt(turn, event, key))) return true
      // Redaction may have changed its text since.
      const { promptId } = event
      return promptId !== null && turns.some((turn) => turn.promptId === promptId && event.at <= turn.at) && !(await knownTurn(promptId))
    }
    case 'tool-used':
      if (tombstones.some(({ kind, key }) => kind === 'tool-use' && key === event.toolUseId)) return true
      return isInDeletedTurn(store, session?.id ?? null, turns, event.promptId, event.at)
    case 'turn-ended':
    case 'subagent-ended':
      return isInDeletedTurn(store, session?.id ?? null, turns, event.promptId, event.at)
    case 'compacted':
      // The client still had the deleted turns in its context when it summarized them.
      return turns.length > 0
    default:
      return false
  }
}

/**
 * The same for a memory that an import brings. Imported memories may know the number of their turn; 0 stands for unknown. The summary of a
 * compaction is about all turns before it.
 */
export async function isOfDeletedTurn(
  store: Store,
  of: { agent: AgentName; session: ContentSessionId },
  memory: { promptNumber: number; at: number; source?: Summary['source'] },
): Promise<boolean> {
  const tombstones = await store.tombstones.ofSession(of.agent, of.session)
  if (tombstones.some(({ kind, at }) => kind === 'session' && memory.at <= at)) return true
  const turns = tombstones.filter(({ kind }) => kind === 'turn')
  if (memory.source === 'compact') return turns.some((turn) => turn.happenedAt <= memory.at)
  if (memory.promptNumber > 0) return turns.some((turn) => turn.turn === memory.promptNumber)
  const session = turns.length > 0 ? await store.sessions.find(of.agent, of.session) : null
  return isInDeletedTurn(store, session?.id ?? null, turns, null, memory.at)
}

function isSamePrompt(turn: Tombstone, event: Extract<AgentEvent, { kind: 'prompt-submitted' }>, key: string): boolean {
  if (turn.key !== key) return false
  // Older clients send no turn id; what was typed after the deletion is a new prompt.
  return turn.promptId === null || event.promptId === null ? event.at <= turn.at : turn.promptId === event.promptId
}

/** Whether the turn that an event belongs to is a deleted one: by the client's turn id, else by the last prompt before it. */
async function isInDeletedTurn(
  store: Store,
  sessionId: number | null,
  turns: Tombstone[],
  promptId: string | null,
  at: number,
): Promise<boolean> {
  const named = promptId === null ? [] : turns.filter((turn) => turn.promptId === promptId)
  const isKnown = promptId !== null && sessionId !== null && (await store.prompts.hasTurn(sessionId, promptId))
  if (promptId !== null && named.length === 0 && (isKnown || turns.every((turn) => turn.promptId !== null))) return false
  if (named.length > 0 && !isKnown) return true
  const stored = sessionId === null ? null : await store.prompts.turnAt(sessionId, promptId, at)
  const deletedAt = Math.max(...(named.length > 0 ? named : turns).map((turn) => turn.happenedAt).filter((time) => time <= at), 0)
  return deletedAt > (stored && stored.at <= at ? stored.at : 0)
}
