/**
 * Limits for what people wait for, as ratios of processor time within one run: other programs on the machine slow both sides down, and the shortest of
 * many measurements counts. A limit is a little less than half more than was measured, so that it catches a regression by half. Caches and frequencies that other
 * programs change do not affect both sides alike, so a measurement above a limit is repeated.
 */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BIG_PROJECT, openSampleStore, seededRandom, wordMaker, wordOfRank } from '../bench/sample-store.ts'
import { bundleHook } from '../scripts/process-bundles.ts'
import { briefFor, recallFor } from '../src/inject/brief.ts'
import { answerQuery } from '../src/retrieval/answer.ts'
import { processorTime } from './support/growth.ts'

const OBSERVATIONS = 2000
/** Measured on 2026-11-18 on two cores with a load of 10 to 20, eleven times: search 7.5 to 9.5, common words 8.0 to 9.5, recall 5.0 to 6.5, brief 1.4 to 2.3. */
const BUDGETS = { search: 12.5, common: 12.5, recall: 8.4, brief: 2.8 }
/** Measured: 0.34 to 0.4. The goal for the time from start to end, worker included, is 0.4. */
const HOOK_BUDGET = 0.54
/** Without a worker. Measured: 0.67 to 0.75. */
const SPOOLING_HOOK_BUDGET = 1
const MAX_MEASUREMENTS = 3
const NOW = 1_800_000_000_000

test('brief, recall and search stay within their budgets, relative to plain FTS5 on the same rows', async () => {
  const { store, path } = await openSampleStore(OBSERVATIONS)
  const db = new Database(path, { readonly: true })
  const plain = db.prepare('SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY bm25(fulltext) LIMIT 20')
  const words = wordMaker(seededRandom(11))
  const common = [0, 1, 2].map(wordOfRank).join(' ')
  const queries = Array.from({ length: 10 }, () => words(7))
  const [newest] = await store.observations.recent(BIG_PROJECT, 1)
  const session = newest && (await store.sessions.get(newest.sessionId))
  if (!session) throw new Error('the store has no session')
  const eachQuery = (act: (query: string) => unknown) => async () => {
    for (const query of queries) await act(query)
  }
  const measure = () =>
    shortestTimes(15, {
      plain: eachQuery((query) => plain.all(query.split(' ').join(' OR '))),
      search: eachQuery((query) => answerQuery(store, query, { project: null, limit: 20, offset: 0 }, NOW, null)),
      common: eachQuery(() => answerQuery(store, common, { project: null, limit: 20, offset: 0 }, NOW, null)),
      recall: eachQuery((query) => recallFor(store, session, query, NOW, 500, null)),
      brief: eachQuery(() => briefFor(store, { project: BIG_PROJECT, now: NOW })),
    })
  try {
    await expectWithin(BUDGETS, async () => {
      const { plain: unit, ...times } = await measure()
      return { search: times.search / unit, common: times.common / unit, recall: times.recall / unit, brief: times.brief / unit }
    })
  } finally {
    db.close()
    store.close()
  }
}, 600_000)

test('a hook stays within its budget with and without a worker, relative to node -e 0', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rc-budget-'))
  await bundleHook(folder)
  const unix = join(folder, 'r', 'run', 'worker.sock')
  await Bun.$`mkdir -p ${join(folder, 'r', 'run')}`
  const worker = Bun.serve({ unix, fetch: () => Response.json({}) })
  const env = { PATH: process.env.PATH ?? '', HOME: folder, RECOLLECT_HOME: join(folder, 'r'), LANG: 'C.UTF-8' }
  const payload = JSON.stringify({
    session_id: 's',
    cwd: folder,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: {},
    tool_response: 'x'.repeat(2000),
  })
  const stopped = join(folder, 'stopped')
  await Bun.write(join(stopped, 'run', 'stopped'), '')
  const processorTimeOf = async (command: string[], home: string, output: string) => {
    const child = Bun.spawn(command, {
      env: { ...env, RECOLLECT_HOME: home },
      stdin: new Blob([payload]),
      stdout: 'pipe',
      stderr: 'ignore',
    })
    await child.exited
    expect(await new Response(child.stdout).text()).toBe(output)
    return Number(child.resourceUsage()?.cpuTime.total)
  }
  const hookIn = (home: string) => processorTimeOf([process.execPath, join(folder, 'hook.js'), 'claude-code'], home, '{}')
  try {
    await expectWithin({ hook: HOOK_BUDGET, spooling: SPOOLING_HOOK_BUDGET }, async () => {
      let [node, hook, spooling] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
      for (let round = 0; round < 30; round++) {
        node = Math.min(node, await processorTimeOf(['node', '-e', '0'], stopped, ''))
        hook = Math.min(hook, await hookIn(join(folder, 'r')))
        spooling = Math.min(spooling, await hookIn(stopped))
      }
      return { hook: hook / node, spooling: spooling / node }
    })
    expect(readdirSync(join(stopped, 'spool')).length).toBeGreaterThanOrEqual(30)
  } finally {
    await worker.stop(true)
    rmSync(folder, { recursive: true, force: true })
  }
}, 300_000)

/** Fails when a ratio is above its limit in every measurement. */
async function expectWithin<Name extends string>(
  limits: Record<Name, number>,
  measure: () => Promise<Record<Name, number>>,
): Promise<void> {
  let above = Object.keys(limits) as Name[]
  let ratios = limits
  for (let n = 0; n < MAX_MEASUREMENTS && above.length > 0; n++) {
    ratios = await measure()
    above = above.filter((name) => ratios[name] >= limits[name])
  }
  expect(above.map((name) => `${name}: ${ratios[name].toFixed(2)}, limit ${limits[name]}`)).toEqual([])
}

/** The things take turns. */
async function shortestTimes<const Names extends string>(
  rounds: number,
  things: Record<Names, () => Promise<void>>,
): Promise<Record<Names, number>> {
  const shortest = Object.fromEntries(Object.keys(things).map((name) => [name, Number.POSITIVE_INFINITY])) as Record<Names, number>
  for (let round = 0; round < rounds; round++)
    for (const name of Object.keys(things) as Names[]) {
      const used = processorTime()
      await things[name]()
      shortest[name] = Math.min(shortest[name], used())
    }
  return shortest
}
