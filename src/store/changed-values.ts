import type { Database } from 'bun:sqlite'
import type { SqlParams } from './statement.ts'

/** Every statement about values that a turn replaced by others. The rows go with the turn. */
export function changedValueStatements(db: Database) {
  const clear = db.prepare('DELETE FROM changed_values WHERE prompt_id = @prompt')
  const add = db.prepare('INSERT INTO changed_values (old, prompt_id) VALUES (@old, @prompt) ON CONFLICT DO NOTHING')
  const later = db.prepare<{ id: number }, SqlParams>(`
    SELECT DISTINCT p.id FROM json_each(@values) v CROSS JOIN changed_values c ON c.old = v.value CROSS JOIN prompts p ON p.id = c.prompt_id
    JOIN prompts own ON own.id = @prompt AND p.project = own.project AND p.at > own.at ORDER BY p.at DESC LIMIT @limit`)
  return {
    set: async (prompt: number, values: string[]): Promise<void> => {
      clear.run({ prompt })
      for (const old of values) add.run({ old, prompt })
    },
    /** The later turns of the same project that replaced one of these values, newest first. */
    after: async (prompt: number, values: string[], limit: number): Promise<number[]> =>
      later.all({ prompt, values: JSON.stringify(values), limit }).map(({ id }) => id),
  }
}
