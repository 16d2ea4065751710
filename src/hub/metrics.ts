/** Counts what a hub did since it started, for Prometheus. Names of routes and statuses only: nothing about members, projects or memories. */
export type HubMetrics = ReturnType<typeof openMetrics>

const BUCKETS_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10]

export function openMetrics() {
  const requests = new Map<string, number>()
  const durations = new Map<string, { buckets: number[]; sum: number; count: number }>()
  const counters = new Map<string, number>()
  return {
    request(route: string, status: number, seconds: number): void {
      const key = `route="${route}",status="${status}"`
      requests.set(key, (requests.get(key) ?? 0) + 1)
      const duration = durations.get(route) ?? { buckets: BUCKETS_SECONDS.map(() => 0), sum: 0, count: 0 }
      durations.set(route, duration)
      for (const [at, limit] of BUCKETS_SECONDS.entries()) if (seconds <= limit) duration.buckets[at] = (duration.buckets[at] ?? 0) + 1
      duration.sum += seconds
      duration.count++
    },
    add(
      counter: 'memories_pushed' | 'memories_pulled' | 'memories_expired' | 'tombstones_dropped' | 'database_failures',
      number: number,
    ): void {
      counters.set(counter, (counters.get(counter) ?? 0) + number)
    },
    text(gauges: Record<string, number>): string {
      const lines = ['# TYPE recollect_hub_requests_total counter']
      for (const [labels, number] of requests) lines.push(`recollect_hub_requests_total{${labels}} ${number}`)
      lines.push('# TYPE recollect_hub_request_seconds histogram')
      for (const [route, { buckets, sum, count }] of durations) {
        for (const [at, limit] of BUCKETS_SECONDS.entries())
          lines.push(`recollect_hub_request_seconds_bucket{route="${route}",le="${limit}"} ${buckets[at]}`)
        lines.push(
          `recollect_hub_request_seconds_bucket{route="${route}",le="+Inf"} ${count}`,
          `recollect_hub_request_seconds_sum{route="${route}"} ${sum.toFixed(4)}`,
          `recollect_hub_request_seconds_count{route="${route}"} ${count}`,
        )
      }
      for (const [name, number] of counters)
        lines.push(`# TYPE recollect_hub_${name}_total counter`, `recollect_hub_${name}_total ${number}`)
      for (const [name, number] of Object.entries(gauges))
        lines.push(`# TYPE recollect_hub_${name} gauge`, `recollect_hub_${name} ${number}`)
      return `${lines.join('\n')}\n`
    },
  }
}
