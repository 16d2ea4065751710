import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { SessionLabel } from '../wire/contract/sessions.ts'
import { dataVersion } from './live.ts'
import { call } from './worker-requests.ts'

/** Labels by our id and by the agent's. */
const labels = signal<ReadonlyMap<string, SessionLabel>>(new Map())
/** An address has room for about this many ids. */
const MAX_IDS_PER_REQUEST = 60

/** The titles of sessions, by our id or the agent's, as far as they have arrived. */
export function useSessionLabels(ids: (number | string | null)[]): (id: number | string | null) => SessionLabel | null {
  const wanted = [...new Set(ids)].filter((id) => id !== null && id !== '').slice(0, MAX_IDS_PER_REQUEST)
  const version = dataVersion.value
  useEffect(() => {
    if (wanted.length === 0) return
    void call('GET /api/sessions/labels', { ids: wanted.join(',') }).then((reply) => {
      if (reply.kind !== 'answered') return
      const known = reply.value.flatMap((label) => [[String(label.id), label] as const, [label.contentSessionId as string, label] as const])
      labels.value = new Map([...labels.value, ...known])
    })
  }, [wanted.join(','), version])
  return (id) => (id === null ? null : (labels.value.get(String(id)) ?? null))
}
