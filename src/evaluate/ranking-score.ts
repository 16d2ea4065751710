/** Scores rankings: the share of the right answers in the top k, whether any is there, and one over the rank of the first. */
export function newRankingScore() {
  const sums: Record<string, number> = {}
  let questions = 0
  return {
    add(ranking: string[], gold: Set<string>): void {
      questions++
      for (const k of [1, 5, 10]) {
        const found = new Set(ranking.slice(0, k).filter((id) => gold.has(id))).size
        sums[`frac@${k}`] = (sums[`frac@${k}`] ?? 0) + found / gold.size
        sums[`any@${k}`] = (sums[`any@${k}`] ?? 0) + Number(found > 0)
      }
      const first = ranking.findIndex((id) => gold.has(id))
      sums.mrr = (sums.mrr ?? 0) + (first < 0 ? 0 : 1 / (first + 1))
    },
    result: () =>
      ({ questions, ...Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum / questions])) }) as RankingScore,
  }
}

export type RankingScore = { questions: number; mrr: number } & Record<`${'frac' | 'any'}@${1 | 5 | 10}`, number>
