import type { Signal } from '../core/hit.ts'
import type { DocumentLocation, DocumentMatch } from '../store/store.ts'

export type ScoredDocument = { location: DocumentLocation; score: number; signals: Partial<Record<Signal, number>> }

export type Scores = ReturnType<typeof newScores>

/** The documents found so far, with what each signal gave them. Documents in `excluded` are never added. */
export function newScores(excluded: ReadonlySet<number> = new Set()) {
  const documents = new Map<number, ScoredDocument>()
  const give = (location: DocumentLocation, signal: Signal, amount: number) => {
    if (excluded.has(location.documentId)) return
    const document = documents.get(location.documentId) ?? { location, score: 0, signals: {} }
    document.score += amount
    document.signals[signal] = (document.signals[signal] ?? 0) + amount
    documents.set(location.documentId, document)
  }
  return {
    give,
    /** Gives the best match the whole weight, and the others their share of it. */
    giveMatches(matches: DocumentMatch[], signal: Signal, weight: number): void {
      const allowed = matches.filter((match) => !excluded.has(match.documentId))
      const best = Math.max(...allowed.map((match) => match.score), Number.MIN_VALUE)
      for (const match of allowed) give(match, signal, (weight * Math.max(0, match.score)) / best)
    },
    has: (documentId: number) => documents.has(documentId),
    size: () => documents.size,
    /** In the order in which they were found. A copy, so a signal can give while it loops. */
    all: () => [...documents.values()],
    /** Best first; of two with the same score, the newer one. */
    ranked: (): ScoredDocument[] => [...documents.values()].sort((a, b) => b.score - a.score || b.location.at - a.location.at),
  }
}
