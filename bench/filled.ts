import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asContentSessionId, asMemorySessionId, asProjectKey } from '../src/core/ids.ts'
import { openStore, type Store } from '../src/store/store.ts'

/** Numbers that look random and are the same every time. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** Words as text has them: a few are everywhere, most are rare. */
export function wordMaker(random: () => number, vocabulary = 30_000) {
  return (count: number) => Array.from({ length: count }, () => `word${Math.floor(vocabulary ** random()) - 1}`).join(' ')
}

/** A store with this many observations in ten projects, one of which has a third of them. */
export async function storeWith(observations: number): Promise<{ store: Store; [Symbol.dispose](): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-bench-'))
  const store = await openStore(join(folder, 'bench.db'))
  const random = seeded(7)
  const words = wordMaker(random)
  const perSession = 20
  for (let made = 0; made < observations; ) {
    await store.transaction(async () => {
      for (let batch = 0; batch < 100 && made < observations; batch++) {
        const project = asProjectKey(random() < 0.33 ? 'big' : `small-${Math.floor(random() * 9)}`)
        const at = 1_700_000_000_000 + made * 10_000
        const id = `session-${made}`
        const { session } = await store.sessions.open({
          agent: 'claude-code',
          contentSessionId: asContentSessionId(id),
          project,
          folder: '/bench',
          branch: null,
          transcript: null,
          clientPid: null,
          at,
        })
        await store.sessions.setMemorySessionId(session.id, asMemorySessionId(`m-${id}`))
        const rows = Array.from({ length: Math.min(perSession, observations - made) }, (_, i) => ({
          key: `${id}:${i}`,
          sessionId: session.id,
          project,
          promptNumber: 1,
          type: 'change' as const,
          title: words(8),
          subtitle: words(6),
          narrative: words(50),
          facts: [words(10), words(10)],
          concepts: [],
          filesRead: [],
          filesModified: [`src/${words(1)}.ts`],
          tool: 'Edit',
          tokens: 100,
          model: 'plain',
          at: at + i,
        }))
        await store.observations.replaceTurn(
          { sessionId: session.id, memorySessionId: asMemorySessionId(`m-${id}`), number: 1 },
          rows,
          words(20),
        )
        made += rows.length
      }
    })
  }
  return {
    store,
    [Symbol.dispose]: () => {
      store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function percentiles(times: number[]): { p50: number; p95: number } {
  const sorted = [...times].sort((a, b) => a - b)
  return { p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0, p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0 }
}
