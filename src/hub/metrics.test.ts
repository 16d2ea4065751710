import { expect, test } from 'bun:test'
import { openMetrics } from './metrics.ts'

test('requests are counted by route and status, and their times by the limits that they stay within', () => {
  const metrics = openMetrics()
  metrics.request('GET /v1/me', 200, 0.02)
  metrics.request('GET /v1/me', 200, 0.3)
  metrics.request('GET /v1/me', 401, 20)
  const lines = metrics.text({}).split('\n')
  expect(lines).toContain('recollect_hub_requests_total{route="GET /v1/me",status="200"} 2')
  expect(lines).toContain('recollect_hub_requests_total{route="GET /v1/me",status="401"} 1')
  expect(lines.filter((line) => line.startsWith('#'))).toEqual([
    '# TYPE recollect_hub_requests_total counter',
    '# TYPE recollect_hub_request_seconds histogram',
  ])
  const buckets = lines.filter((line) => line.includes('_bucket{')).map((line) => /le="(.+)"\} (\d+)$/.exec(line)?.slice(1).join(' '))
  expect(buckets).toEqual(['0.005 0', '0.02 1', '0.1 1', '0.5 2', '2 2', '10 2', '+Inf 3'])
  expect(lines).toContain('recollect_hub_request_seconds_sum{route="GET /v1/me"} 20.3200')
  expect(lines).toContain('recollect_hub_request_seconds_count{route="GET /v1/me"} 3')
})

test('counters add up; gauges show their last value', () => {
  const metrics = openMetrics()
  metrics.add('memories_pushed', 2)
  metrics.add('memories_pushed', 3)
  expect(metrics.text({ streams: 4 })).toEndWith(
    '# TYPE recollect_hub_memories_pushed_total counter\nrecollect_hub_memories_pushed_total 5\n# TYPE recollect_hub_streams gauge\nrecollect_hub_streams 4\n',
  )
})
