import type { Database } from 'bun:sqlite'
import type { Cost } from '../core/cost.ts'
import type { SqlParams } from './statement.ts'

/** Every statement about what models cost. */
export function costStatements(db: Database) {
  const add = db.prepare(`
    INSERT INTO model_costs (day, provider, model, project, purpose, calls, failed, input, cached, output, usd, unpriced)
    VALUES (@day, @provider, @model, @project, @purpose, @calls, @failed, @input, @cached, @output, @usd, @unpriced)
    ON CONFLICT (day, provider, model, project, purpose) DO UPDATE SET
      calls = calls + excluded.calls, failed = failed + excluded.failed, input = input + excluded.input, cached = cached + excluded.cached,
      output = output + excluded.output, usd = usd + excluded.usd, unpriced = unpriced + excluded.unpriced`)
  const spent = db.prepare<Pick<Cost, 'usd' | 'unpriced'>, SqlParams>(
    'SELECT coalesce(sum(usd), 0) AS usd, coalesce(sum(unpriced), 0) AS unpriced FROM model_costs WHERE day >= @from AND day <= @to',
  )
  const since = db.prepare<Cost, SqlParams>(
    'SELECT * FROM model_costs WHERE day >= @from ORDER BY day DESC, usd DESC, provider, model, project',
  )
  return {
    add: async (cost: Cost) => {
      add.run(cost)
    },
    spent: async (from: string, to: string): Promise<Pick<Cost, 'usd' | 'unpriced'>> => spent.get({ from, to }) ?? { usd: 0, unpriced: 0 },
    since: async (from: string): Promise<Cost[]> => since.all({ from }),
  }
}
