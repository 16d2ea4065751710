import type { Database } from 'bun:sqlite'
import type { SqlParams } from './statement.ts'

/** Every statement about transcripts: how far each file has been read. */
export function transcriptStatements(db: Database) {
  const get = db.prepare<{ checkpoint: string; bytes: number }, SqlParams>('SELECT checkpoint, bytes FROM transcripts WHERE path = @path')
  const put = db.prepare(`
    INSERT INTO transcripts (path, checkpoint, bytes, read_at) VALUES (@path, @checkpoint, @bytes, @at)
    ON CONFLICT (path) DO UPDATE SET checkpoint = excluded.checkpoint, bytes = excluded.bytes, read_at = excluded.read_at`)
  return {
    /** The end of the last read; null when the file was never read. */
    checkpoint: async (path: string): Promise<{ checkpoint: unknown; bytes: number } | null> => {
      const row = get.get({ path })
      return row ? { checkpoint: JSON.parse(row.checkpoint), bytes: row.bytes } : null
    },
    setCheckpoint: async (path: string, checkpoint: unknown, bytes: number, at: number) => {
      put.run({ path, checkpoint: JSON.stringify(checkpoint), bytes, at })
    },
  }
}
