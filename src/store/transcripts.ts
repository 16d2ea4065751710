import type { Database } from 'bun:sqlite'
import type { AgentName } from '../core/agent.ts'
import type { SqlParams } from './statement.ts'

/** Every statement about transcripts: how far each file has been read. */
export function transcriptStatements(db: Database) {
  const get = db.prepare<{ agent: string; checkpoint: string; bytes: number }, SqlParams>(
    'SELECT agent, checkpoint, bytes FROM transcripts WHERE path = @path',
  )
  const put = db.prepare(`
    INSERT INTO transcripts (path, agent, checkpoint, bytes, read_at) VALUES (@path, @agent, @checkpoint, @bytes, @at)
    ON CONFLICT (path) DO UPDATE SET agent = excluded.agent, checkpoint = excluded.checkpoint, bytes = excluded.bytes, read_at = excluded.read_at`)
  return {
    /** The position at which the last read of the file stopped; null if it was never read as a transcript of this agent. */
    checkpoint: async (path: string, agent: AgentName): Promise<{ checkpoint: unknown; bytes: number } | null> => {
      const row = get.get({ path })
      return row && row.agent === agent ? { checkpoint: JSON.parse(row.checkpoint), bytes: row.bytes } : null
    },
    setCheckpoint: async (path: string, agent: AgentName, checkpoint: unknown, bytes: number, at: number) => {
      put.run({ path, agent, checkpoint: JSON.stringify(checkpoint), bytes, at })
    },
  }
}
