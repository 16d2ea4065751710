import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fingerprint } from '../src/core/hash.ts'
import { asContentSessionId, asMemorySessionId, asProjectKey } from '../src/core/ids.ts'
import type { Session } from '../src/core/memory.ts'
import { openStore, type Store } from '../src/store/store.ts'

/** Numbers that look random and are the same every time. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const VOCABULARY = 40_000
const SYLLABLES = 'ba be bo da do du fa fi ga go ha ka ki la le lo ma me mi na no pa pe ra re ro sa si ta te ti to va vo wa za'.split(' ')

/** The word of a rank: 0 is the commonest. Made of syllables, so that pieces of words look like pieces of words. */
export function wordOf(rank: number): string {
  const more = rank < SYLLABLES.length ? '' : wordOf(Math.floor(rank / SYLLABLES.length) - 1)
  return more + SYLLABLES[rank % SYLLABLES.length] + (more === '' ? 'n' : '')
}

/** Words as text has them, by Zipf's law: a few are everywhere, most are rare. */
export function wordMaker(random: () => number) {
  const known = Array.from({ length: VOCABULARY }, (_, rank) => wordOf(rank))
  const one = () => known[Math.floor(VOCABULARY ** random()) - 1] as string
  return (count: number) => Array.from({ length: count }, one).join(' ')
}

/** The project that a third of everything belongs to, and one of the many others. */
export const BIG = asProjectKey('host.example/team/big')
export const SMALL = asProjectKey('host.example/team/small-3')

/**
 * A store with this many observations and the prompts and summaries of their turns, in forty projects one of which has a third. It is
 * made once and kept beside the system's other temporary files until this file changes; a database of an older shape is completed when it
 * is opened. Where what is indexed has changed, take the folder away.
 */
export async function storeWith(observations: number): Promise<{ store: Store; path: string; seconds: number }> {
  const started = performance.now()
  const path = join(cacheFolder(), `${observations}.db`)
  if (!existsSync(path)) {
    const unfinished = `${path}-${process.pid}`
    const store = await openStore(unfinished)
    await fill(store, observations)
    store.close()
    // A copy: statements that nobody has collected yet keep the closed database open, and it would write its log into a file that was moved.
    const whole = new Database(unfinished)
    whole.run('PRAGMA wal_checkpoint(TRUNCATE)')
    whole.close()
    copyFileSync(unfinished, `${unfinished}-whole`)
    renameSync(`${unfinished}-whole`, path)
    for (const suffix of ['', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true })
  }
  return { store: await openStore(path), path, seconds: (performance.now() - started) / 1000 }
}

function cacheFolder(): string {
  const folder = join(tmpdir(), 'recollect-bench', fingerprint(readFileSync(import.meta.path, 'utf8'), 12))
  mkdirSync(folder, { recursive: true })
  return folder
}

const TURNS = 2
const A_TURN = 20

/** By the store's own methods, so that what is indexed is what would be; thousands in one transaction, so that it takes minutes. */
async function fill(store: Store, observations: number): Promise<void> {
  const random = seeded(7)
  const words = wordMaker(random)
  for (let made = 0; made < observations; ) {
    await store.transaction(async () => {
      for (let sessions = 0; sessions < 250 && made < observations; sessions++) {
        const project = random() < 0.33 ? BIG : asProjectKey(`host.example/team/small-${Math.floor(random() * 39)}`)
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
        for (let number = 1; number <= TURNS && made < observations; number++) {
          await addTurn(store, session, number, Math.min(A_TURN, observations - made), at + number * 50_000, words, random)
          made += A_TURN
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
  const asked = words(15)
  const prompt = { key: `${number}`, promptId: null, uuid: null, origin: 'person', text: asked, at } as const
  const kept = await store.prompts.add(session, prompt)
  const names = Array.from({ length: observations }, () => [`src/${words(1)}.ts`, words(16).split(' ')] as [string, string[]])
  if (kept) await store.prompts.setActivity(kept, words(15 * observations), { names, errors: [] })
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
  const { added } = await store.observations.replaceTurn({ sessionId: session.id, memorySessionId, number }, rows, asked)
  for (const { id, filesModified } of added) {
    const of = { kind: 'observation' as const, ref: String(id), project: session.project, at }
    await store.links.setMentions(
      of,
      filesModified.map((name) => ({ kind: 'file', name })),
    )
  }
  const [learned, completed] = [words(30), words(20)]
  const told = { request: asked, investigated: words(20), learned, completed, nextSteps: words(10), notes: '' }
  const of = { sessionId: session.id, project: session.project, promptNumber: number, source: 'turn', model: 'plain' } as const
  await store.summaries.put(`${session.contentSessionId}:${number}`, { ...of, ...told, at: at + 20_000 })
}

export function percentiles(times: number[]): { p50: number; p95: number } {
  const sorted = [...times].sort((a, b) => a - b)
  return { p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0, p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0 }
}
