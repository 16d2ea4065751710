import type { NotUnderstoodPayloads } from '../wire/contract/status.ts'
import { countSetAside } from '../wire/spool.ts'
import type { Services } from './services.ts'

const MARK = 'payloads-not-understood'

type Mark = { count: number; lastAt: number }

/** Logs and counts a payload that could not be used. The reason must not quote it. */
export async function recordNotUnderstood(
  { store, log }: Pick<Services, 'store' | 'log'>,
  reason: string,
  from: { bytes: number; way: 'hook' | 'spool' },
): Promise<void> {
  let count: number | null = null
  try {
    count = await store.transaction(async () => {
      const mark: Mark = { count: 1 + ((await store.audit.jsonMark<Mark>(MARK))?.count ?? 0), lastAt: Date.now() }
      await store.audit.setMark(MARK, JSON.stringify(mark))
      return mark.count
    })
  } finally {
    log.warn('a payload was not understood', { reason, ...from, count })
  }
}

export async function notUnderstoodPayloads({ store, home }: Pick<Services, 'store' | 'home'>): Promise<NotUnderstoodPayloads> {
  const { count = 0, lastAt = null } = (await store.audit.jsonMark<Mark>(MARK)) ?? {}
  return { count, lastAt, setAside: countSetAside(home) }
}
