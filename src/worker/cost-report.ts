import type { CostReport } from '../wire/contract/upkeep.ts'
import type { Services } from './services.ts'
import { dayOf } from './text-model.ts'

const DAY_MS = 24 * 60 * 60_000

/** The cost of models in the last days, and how much of the budgets is spent. */
export async function costReport(
  { store, settings }: Pick<Services, 'store' | 'settings'>,
  days: number,
  now: number,
): Promise<CostReport> {
  const today = dayOf(now)
  return {
    rows: await store.costs.since(dayOf(now - (days - 1) * DAY_MS)),
    today: { ...(await store.costs.spent(today, today)), limit: settings.model.daily_usd },
    month: { ...(await store.costs.spent(`${today.slice(0, 7)}-01`, today)), limit: settings.model.monthly_usd },
  }
}
