/** Measures briefs and recalls, which hooks wait for, in stores of growing size: bench/brief.ts [--full | sizes…]. Without the time of the hook process itself. */
import { meaningOf } from '../eval/meaning.ts'
import { briefFor, recallFor } from '../src/inject/brief.ts'
import { fileBriefFor } from '../src/inject/file-brief.ts'
import { timeline } from '../src/retrieval/timeline.ts'
import { printGrowth } from './growth.ts'
import { BIG_PROJECT, SMALL_PROJECT, seededRandom, wordMaker, wordOfRank } from './sample-store.ts'

const NOW = 1_800_000_000_000

await printGrowth('Briefs and recalls', async ({ store, vectors }) => {
  const random = seededRandom(13)
  const words = wordMaker(random)
  // Made once, because that takes longer than the recall.
  const pasted = words(40_000)
  const [newest] = await store.observations.recent(BIG_PROJECT, 1)
  const session = newest && (await store.sessions.get(newest.sessionId))
  if (!session) throw new Error('the store has no session of the large project')
  const [one] = await store.observations.recent(SMALL_PROJECT, 1)
  const small = one && (await store.sessions.get(one.sessionId))
  if (!small) throw new Error('the store has no session of the small project')
  // Waits for the search by meaning; a real hook continues with words alone if that takes too long.
  const meaning = meaningOf(vectors)
  return {
    'brief, a large project': { run: () => briefFor(store, { project: BIG_PROJECT, now: NOW }), goals: { 100000: 10 } },
    'brief, a small project': { run: () => briefFor(store, { project: SMALL_PROJECT, now: NOW }), goals: { 100000: 10 } },
    ...Object.fromEntries(
      Object.entries({
        'a short prompt': () => words(12),
        'a long prompt': () => words(400),
        'a stack trace': () =>
          Array.from({ length: 40 }, (_, i) => `    at ${words(1)}.${words(1)} (src/${words(1)}/${words(1)}.ts:${i}:7)`).join('\n'),
        'sixty rare words': () => Array.from({ length: 60 }, () => wordOfRank(20_000 + Math.floor(random() * 20_000))).join(' '),
        'only common words': () => [0, 1, 2].map(wordOfRank).join(' '),
        'words without spaces': () => Array.from({ length: 300 }, () => String.fromCharCode(0x4e00 + Math.floor(random() * 500))).join(''),
        'a paste of 200 KB': () => words(1000) + pasted,
      }).flatMap(([name, prompt]) =>
        [session, small].map((of) => [
          `recall, ${name}${of === small ? ', a small project' : ''}`,
          { run: () => recallFor(store, of, prompt(), NOW, 500, meaning), p95: { 100000: 50, 1000000: 50 } },
        ]),
      ),
    ),
    'file with memories': { run: () => fileBriefFor(store, session, one?.filesModified[0] ?? '', NOW), goals: { 1000000: 20 } },
    'file with the most memories': { run: () => fileBriefFor(store, session, `src/${wordOfRank(0)}.ts`, NOW), goals: { 1000000: 20 } },
    'timeline around a memory': { run: () => timeline(store, { project: BIG_PROJECT, at: newest.at }, { before: 10, after: 10 }) },
    'file without memories': { run: () => fileBriefFor(store, session, 'src/none.ts', NOW) },
  }
})
