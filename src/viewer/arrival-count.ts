import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type ArrivalFilter, type Arrivals, addArrival, arrivalsFromCount, NO_ARRIVALS } from './arrivals.ts'
import { dataVersion, onLiveEvent } from './live.ts'
import { call, filterValue } from './worker-requests.ts'

/**
 * Counts the memories that arrived since a list was fetched. `listKey` names the list and changes when it is fetched again; `upTo` is its newest
 * document. Live events may be missed, so the worker counts again after a lost connection.
 */
export function useArrivals(listKey: string, filter: ArrivalFilter & { agent: string }, upTo: number | undefined): Signal<Arrivals> {
  const arrivals = useSignal<Arrivals>(NO_ARRIVALS)
  useEffect(() => {
    arrivals.value = NO_ARRIVALS
    return onLiveEvent((event) => {
      arrivals.value = addArrival(arrivals.value, event, filter)
    })
  }, [listKey])
  useEffect(() => {
    if (upTo === undefined) return
    let isCancelled = false
    const request = {
      project: filterValue(filter.project),
      types: filterValue(filter.types.join(',')),
      agent: filterValue(filter.agent),
      kinds: filter.kinds.join(','),
    }
    const recount = async (): Promise<void> => {
      const before = arrivals.value
      const reply = await call('GET /api/feed', { ...request, after: upTo, limit: 0 })
      if (isCancelled || reply.kind !== 'answered' || reply.value.total === null) return
      // A memory that arrived during the count may or may not be included, so count again.
      if (arrivals.value !== before) return recount()
      arrivals.value = arrivalsFromCount(reply.value.total)
    }
    void recount()
    return () => {
      isCancelled = true
    }
  }, [dataVersion.value])
  return arrivals
}
