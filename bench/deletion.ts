/**
 * `bin/with-bun bench/deletion.ts [observations]`: how long deleting takes in a store of this size (100,000 unless named), and how long a hook
 * waits meanwhile. Prints numbers; there is no goal for hard deletion, which may take as long as rewriting the file.
 */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { take } from '../src/capture/capture.ts'
import { claudeCode } from '../src/integrations/agent.ts'
import { hide, planDeletion, previewOf } from '../src/worker/forget.ts'
import { queueErase } from '../src/worker/routes/forget.ts'
import { event, nowhere, prompt } from '../test/support/builders.ts'
import { someServices } from '../test/support/services.ts'
import { openSampleStore } from './sample-store.ts'

const size = Number(process.argv[2] ?? 100_000)
const { store: sample, path } = await openSampleStore(size)
sample.checkpoint()
sample.close()
await using at = await someServices({ RECOLLECT_EMBEDDER_PROVIDER: 'none' }, (database) => {
  mkdirSync(database.slice(0, database.lastIndexOf('/')), { recursive: true })
  copyFileSync(path, database)
})
const { desk, store } = at
const time = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const started = performance.now()
  const result = await work()
  console.log(`${name}: ${(performance.now() - started).toFixed(0)} ms`)
  return result
}
console.log(`${size.toLocaleString('en')} observations, ${(store.bytes() / 1024 / 1024).toFixed(0)} MB`)
const [first, second] = await store.sessions.recent(null, 2)
const requestOf = (session: string, hard: boolean) => ({ session, hard })
const soft = requestOf(first?.contentSessionId ?? '', false)
const plan = await time('plan for a session', () => planDeletion(desk, soft))
const preview = await time('preview of a session', () => previewOf(desk, plan, false))
console.log(JSON.stringify(preview.counts))
await time('soft deletion of a session', () => hide(desk, plan, false, Date.now()))
const words = await time('plan for words', () => planDeletion(desk, { query: 'harbour', hard: false }).catch(() => null))
console.log(`words select ${words?.prompts.length ?? 0} turns and ${words?.observations.length ?? 0} observations`)

let longest = 0
let isOver = false
const hooks = (async () => {
  for (let n = 0; !isOver; n++) {
    // From the moment at which a hook would call, also while the worker is busy.
    const started = performance.now()
    await Bun.sleep(5)
    await store.transaction(() => take(store, event(prompt(`hello ${n}`, `q${n}`)), nowhere, desk.rules(claudeCode)))
    longest = Math.max(longest, performance.now() - started - 5)
  }
})()
const hard = await planDeletion(desk, requestOf(second?.contentSessionId ?? '', true))
await time('hard deletion of a session', async () => {
  await queueErase(desk, hard, (await previewOf(desk, hard, true)).counts, Date.now())
  await desk.queue.drained()
})
isOver = true
console.log(
  readFileSync(join(desk.home.logs, 'worker.log'), 'utf8')
    .split('\n')
    .filter((l) => l.includes('erasing'))
    .join('\n'),
)
await hooks
console.log(`the longest a hook waited meanwhile: ${longest.toFixed(0)} ms`)
