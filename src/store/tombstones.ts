import type { Database } from 'bun:sqlite'
import type { AgentName } from '../core/agent.ts'
import { keyedFingerprint } from '../core/hash.ts'
import type { ContentSessionId } from '../core/ids.ts'
import type { NoteId } from '../core/note.ts'
import type { SqlParams } from './statement.ts'

/** Something of a session that a person deleted. It says what must not come back, without saying what it was. */
export type Tombstone = {
  kind: 'session' | 'turn' | 'tool-use' | 'observation' | 'summary'
  /** The number of the turn, except for a session. */
  turn: number | null
  /** The client's id of a turn, and the id of its line in the transcript, if they are known. */
  promptId: string | null
  uuid: string | null
  /** The tool use's id; of the others a keyed hash of the text that identifies them. Empty when it is not known any more. */
  key: string
  /** When the deleted thing happened, and when it was deleted. */
  happenedAt: number
  at: number
}

export type Tombstones = ReturnType<typeof tombstoneStatements>

/** Every statement about tombstones. Deleted memories stay deleted when an import, a transcript, a sync or a distiller brings them again. */
export function tombstoneStatements(db: Database) {
  const ofSession = db.prepare<Tombstone, SqlParams>(`
    SELECT kind, turn, prompt_id AS promptId, uuid, key, happened_at AS happenedAt, at FROM tombstones
    WHERE session = @session AND agent = @agent ORDER BY happened_at, id`)
  const add = db.prepare(`
    INSERT INTO tombstones (unit, kind, agent, session, turn, prompt_id, uuid, key, happened_at, at)
    VALUES (@unit, @kind, @agent, @session, @turn, @promptId, @uuid, @key, @happenedAt, @at)`)
  const removeUnit = db.prepare('DELETE FROM tombstones WHERE unit = @unit')
  const line = db.prepare("SELECT 1 FROM tombstones WHERE uuid = @uuid AND kind = 'turn' LIMIT 1")
  const note = db.prepare("SELECT 1 FROM tombstones WHERE key = @id AND kind = 'note' AND at >= @created LIMIT 1")
  const ofTurn = db.prepare<{ key: string }, SqlParams>(`
    SELECT t.key FROM sessions s CROSS JOIN tombstones t ON t.session = s.content_session_id AND t.agent = s.agent
    WHERE s.id = @sessionId AND t.kind = @kind AND t.turn = @turn`)
  const turnOf = db.prepare<{ n: number }, SqlParams>(`
    SELECT count(*) AS n FROM sessions s CROSS JOIN tombstones t ON t.session = s.content_session_id AND t.agent = s.agent
    WHERE s.id = @sessionId AND t.kind = 'turn'`)
  const sessionOfUnit = db.prepare<{ session: string }, SqlParams>('SELECT session FROM tombstones WHERE unit = @unit LIMIT 1')
  const getMark = db.prepare<{ value: string }, SqlParams>("SELECT value FROM marks WHERE name = 'tombstone key'")
  const setMark = db.prepare("INSERT INTO marks (name, value) VALUES ('tombstone key', @value) ON CONFLICT (name) DO NOTHING")
  let secret: string | null = null

  /** A hash of a text that cannot be guessed without this home's database. */
  const keyOf = (text: string): string => {
    secret ??= getMark.get({})?.value ?? null
    if (secret === null) {
      secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
      setMark.run({ value: secret })
    }
    return keyedFingerprint(secret, text)
  }
  return {
    keyOf,
    /** Line breaks and spaces do not tell two prompts apart. */
    promptKey: (text: string): string => keyOf(`prompt\n${text.replace(/\s+/g, ' ')}`),
    observationKey: (title: string): string => keyOf(`observation\n${title}`),
    summaryKey: (source: string, identity: string): string => keyOf(`summary\n${source}\n${source === 'subagent' ? identity : ''}`),
    /** The deleted parts of a session, whether or not the session still exists. Empty for nearly all. */
    ofSession: async (agent: AgentName, session: ContentSessionId): Promise<Tombstone[]> => ofSession.all({ agent, session }),
    add: (unit: string, of: { agent: string; session: string }, tombstone: Tombstone): void => {
      add.run({ unit, ...of, ...tombstone })
    },
    addNote: async (id: NoteId, at: number): Promise<void> => {
      if (!note.get({ id, created: at }))
        add.run({
          unit: `N${id}`,
          agent: '',
          session: '',
          kind: 'note',
          turn: null,
          promptId: null,
          uuid: null,
          key: id,
          happenedAt: at,
          at,
        })
    },
    /** Whether a note was deleted for good; with a time, whether it was deleted after that. */
    hasNote: async (id: NoteId, createdAt = 0): Promise<boolean> => note.get({ id, created: createdAt }) !== null,
    /** Whether the turn that begins with this line of a transcript was deleted, in whichever session. */
    hasLine: async (uuid: string): Promise<boolean> => line.get({ uuid }) !== null,
    hasDeletedTurn: async (sessionId: number): Promise<boolean> => (turnOf.get({ sessionId })?.n ?? 0) > 0,
    /** Whether an observation of a turn was deleted; with an empty key, any of them may have been. */
    observationsOfTurn: (sessionId: number, turn: number): string[] =>
      ofTurn.all({ sessionId, turn, kind: 'observation' }).map((row) => row.key),
    summariesOfTurn: (sessionId: number, turn: number): string[] => ofTurn.all({ sessionId, turn, kind: 'summary' }).map((row) => row.key),
    /** The agent's ids of the sessions that deletions are about. */
    sessionsOf: async (units: string[]): Promise<string[]> => [
      ...new Set(units.flatMap((unit) => sessionOfUnit.get({ unit })?.session || [])),
    ],
    removeUnit: (unit: string): void => {
      removeUnit.run({ unit })
    },
  }
}
