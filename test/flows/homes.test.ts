import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

test('homes with the same configured port each get their own', async () => {
  const folder = mkdtempSync('/tmp/recollect-')
  const port = String(20_000 + Math.floor(Math.random() * 30_000))
  const run = async (home: string, ...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder, RECOLLECT_HOME: join(folder, home), RECOLLECT_WORKER_PORT: port }
    return Bun.spawn([RECOLLECT, ...args], { env, stdout: 'pipe', stderr: 'ignore' }).stdout.text()
  }
  try {
    const ports: number[] = []
    for (const home of ['one', 'two', 'three']) ports.push((JSON.parse(await run(home, 'start', '--json')) as { port: number }).port)
    expect(new Set(ports).size).toBe(3)
  } finally {
    for (const home of ['one', 'two', 'three']) await run(home, 'stop')
    rmSync(folder, { recursive: true, force: true })
  }
}, 300_000)
