import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fingerprint } from '../src/core/hash.ts'
import { asContentSessionId, asMemorySessionId, asProjectKey } from '../src/core/ids.ts'
import type { Session } from '../src/core/memory.ts'
import { openStore, type Store } from '../src/store/store.ts'

/** Pseudo-random numbers that are the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const VOCABULARY_WORDS = 40_000
const SYLLABLES = 'ba be bo da do du fa fi ga go ha ka ki la le lo ma me mi na no pa pe ra re ro sa si ta te ti to va vo wa za'.split(' ')

/** The word with this rank; 0 is the most frequent. Words consist of syllables, so that word prefixes and parts look realistic. */
export function wordOfRank(rank: number): string {
  const prefix = rank < SYLLABLES.length ? '' : wordOfRank(Math.floor(rank / SYLLABLES.length) - 1)
  return prefix + SYLLABLES[rank % SYLLABLES.length] + (prefix === '' ? 'n' : '')
}

/** Random words with the frequencies of natural text (Zipf's law): a few are everywhere, most are rare. */
export function wordMaker(random: () => number) {
  const known = Array.from({ length: VOCABULARY_WORDS }, (_, rank) => wordOfRank(rank))
  const one = () => known[Math.floor(VOCABULARY_WORDS ** random()) - 1] as string
  return (count: number) => Array.from({ length: count }, one).join(' ')
}

/** The project with a third of all observations, and one of the many others. */
export const BIG_PROJECT = asProjectKey('host.example/team/big')
export const SMALL_PROJECT = asProjectKey('host.example/team/small-3')

/**
 * A store with this many observations and the prompts and summaries of their turns, in forty projects; one project has a third of them. It is created
 * once and kept in the system's temporary folder until this file changes. Opening it runs new migrations. Delete the folder when the
 * indexing has changed.
 */
export async function openSampleStore(observations: number): Promise<{ store: Store; path: string; seconds: number }> {
  const started = performance.now()
  const path = join(cacheFolder(), `${observations}.db`)
  if (!existsSync(path)) {
    const unfinished = `${path}-${process.pid}`
    const store = await openStore(unfinished)
    await fill(store, observations)
    store.close()
    // Use a copy: prepared statements that were not garbage-collected keep the database open, and it would write its log into a moved file.
    const database = new Database(unfinished)
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    database.close()
    copyFileSync(unfinished, `${unfinished}-copy`)
    renameSync(`${unfinished}-copy`, path)
    for (const suffix of ['', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true })
  }
  return { store: await openStore(path), path, seconds: (performance.now() - started) / 1000 }
}

function cacheFolder(): string {
  const folder = join(tmpdir(), 'recollect-bench', fingerprint(readFileSync(import.meta.path, 'utf8'), 12))
  mkdirSync(folder, { recursive: true })
  return folder
}

const TURNS_PER_SESSION = 2
const OBSERVATIONS_PER_TURN = 20

/** Uses the store's own methods, so that everything is indexed as usual, with thousands of rows per transaction to save time. */
async function fill(store: Store, observations: number): Promise<void> {
  const random = seededRandom(7)
  const words = wordMaker(random)
  for (let made = 0; made < observations; ) {
    await store.transaction(async () => {
      for (let sessions = 0; sessions < 250 && made < observations; sessions++) {
        const project = random() < 0.33 ? BIG_PROJECT : asProjectKey(`host.example/team/small-${Math.floor(random() * 39)}`)
        const at = 1_700_000_000_000 + made * 10_000
        const { session } = await store.sessions.open({
          agent: 'claude-code',
          contentSessionId: asContentSessionId(`session-${made}`),
          project,
          folder: '/bench',
          branch: null,
          transcript: null,
          clientPid: null,
          at,
        })
        for (let number = 1; number <= TURNS_PER_SESSION && made < observations; number++) {
          await addTurn(store, session, number, Math.min(OBSERVATIONS_PER_TURN, observations - made), at + number * 50_000, words, random)
          made += OBSERVATIONS_PER_TURN
        }
      }
    })
  }
}

async function addTurn(
  store: Store,
  session: Session,
  number: number,
  observations: number,
  at: number,
  words: (count: number) => string,
  random: () => number,
): Promise<void> {
  const memorySessionId = asMemorySessionId(`m-${session.contentSessionId}`)
  if (number === 1) await store.sessions.setMemorySessionId(session.id, memorySessionId)
  const promptText = words(15)
  const prompt = { key: `${number}`, promptId: null, uuid: null, origin: 'person', text: promptText, at } as const
  const added = await store.prompts.add(session, prompt)
  const names = Array.from({ length: observations }, () => [`src/${words(1)}.ts`, words(16).split(' ')] as [string, string[]])
  if (added) await store.prompts.setActivity(added, words(15 * observations), { names, errors: [] })
  const rows = Array.from({ length: observations }, (_, i) => ({
    key: `${session.contentSessionId}:${number}:${i}`,
    sessionId: session.id,
    project: session.project,
    promptNumber: number,
    type: 'change' as const,
    title: words(8),
    subtitle: words(6),
    narrative: words(50),
    facts: [words(10), `${words(8)} ${words(1)}.${words(1)}()`],
    concepts: [],
    filesRead: random() < 0.3 ? [`src/${words(1)}.ts`] : [],
    filesModified: [`src/${words(1)}/${words(1)}.ts`],
    tool: 'Edit',
    tokens: 100,
    model: 'plain',
    at: at + i,
  }))
  const { added: observationsAdded } = await store.observations.replaceTurn(
    { sessionId: session.id, memorySessionId, number },
    rows,
    promptText,
  )
  for (const { id, filesModified } of observationsAdded) {
    const of = { kind: 'observation' as const, ref: String(id), project: session.project, at }
    await store.links.setMentions(
      of,
      filesModified.map((name) => ({ kind: 'file', name })),
    )
  }
  const [learned, completed] = [words(30), words(20)]
  const text = { request: promptText, investigated: words(20), learned, completed, nextSteps: words(10), notes: '' }
  const of = { sessionId: session.id, project: session.project, promptNumber: number, source: 'turn', model: 'plain' } as const
  await store.summaries.put(`${session.contentSessionId}:${number}`, { ...of, ...text, at: at + 20_000 })
}

export function percentiles(times: number[]): { p50: number; p95: number } {
  const sorted = [...times].sort((a, b) => a - b)
  return { p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0, p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0 }
}
