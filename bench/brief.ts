/** What a hook waits for, by how much is remembered: bench/brief.ts [--full | sizes…]. Everything here runs inside the worker. */
import { briefFor, fileBriefFor, recallFor } from '../src/inject/brief.ts'
import { BIG, SMALL, seeded, wordMaker, wordOf } from './filled.ts'
import { printGrowth } from './growth.ts'

const NOW = 1_800_000_000_000

await printGrowth('The brief and what else hooks wait for', async (store) => {
  const words = wordMaker(seeded(13))
  const [newest] = await store.observations.recent(BIG, 1)
  const session = newest && (await store.sessions.get(newest.sessionId))
  if (!session) throw new Error('the store has no session of the large project')
  const [one] = await store.observations.recent(SMALL, 1)
  return {
    'brief, a large project': { run: () => briefFor(store, BIG, NOW), goals: { 100000: 10 } },
    'brief, a small project': { run: () => briefFor(store, SMALL, NOW), goals: { 100000: 10 } },
    'recall, a short prompt': { run: () => recallFor(store, session, words(12), NOW, 500), goals: { 100000: 50, 1000000: 50 } },
    'recall, a long prompt': { run: () => recallFor(store, session, words(400), NOW, 500), goals: { 100000: 50, 1000000: 50 } },
    'recall, nothing but common words': {
      run: () => recallFor(store, session, [0, 1, 2].map(wordOf).join(' '), NOW, 500),
      goals: { 100000: 50, 1000000: 50 },
    },
    'file, one that is known': { run: () => fileBriefFor(store, session, one?.filesModified[0] ?? '', NOW), goals: { 1000000: 20 } },
    'file, the one most worked on': { run: () => fileBriefFor(store, session, `src/${wordOf(0)}.ts`, NOW), goals: { 1000000: 20 } },
    'file, one that nobody touched': { run: () => fileBriefFor(store, session, 'src/none.ts', NOW) },
  }
})
