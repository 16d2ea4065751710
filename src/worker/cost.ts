import type { CostReport } from '../wire/api.ts'
import type { Desk } from './desk.ts'
import { dayOf } from './text-model.ts'

const DAY = 24 * 60 * 60_000

/** What models cost in the last days, and how much of the budgets is spent. */
export async function costOf({ store, settings }: Pick<Desk, 'store' | 'settings'>, days: number, now: number): Promise<CostReport> {
  const today = dayOf(now)
  return {
    rows: await store.costs.since(dayOf(now - (days - 1) * DAY)),
    today: { ...(await store.costs.spent(today, today)), limit: settings.model.daily_usd },
    month: { ...(await store.costs.spent(`${today.slice(0, 7)}-01`, today)), limit: settings.model.monthly_usd },
  }
}
