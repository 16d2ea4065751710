import { Database } from 'bun:sqlite'
import { newRankingScore, type RankingScore } from '../src/evaluate/evaluate.ts'
import { queryWords } from '../src/retrieval/query-words.ts'
import { commitRecall, locomo } from './data.ts'

/** The baseline: SQLite's bm25 with the words of the question and nothing else. */
export function plainLocomo(): RankingScore {
  const score = newRankingScore()
  for (const { units, questions } of locomo()) {
    const find = openPlain(units.map(({ text }) => text))
    for (const question of questions.filter((q) => q.category <= 4 && q.evidence.length > 0)) {
      const ranking = find(question.text, 10).map((index) => units[index]?.id ?? '')
      score.add(ranking, new Set(question.evidence))
    }
  }
  return score.result()
}

/** The baseline for whole sessions. */
export function plainLocomoSessions(): RankingScore {
  const score = newRankingScore()
  for (const { units, questions } of locomo()) {
    const sessions = [...Map.groupBy(units, (unit) => unit.session)]
    const find = openPlain(sessions.map(([, turns]) => turns.map(({ text }) => text).join('\n')))
    const sessionOf = new Map(units.map((unit) => [unit.id, String(unit.session)]))
    for (const question of questions.filter((q) => q.evidence.length > 0)) {
      const ranking = find(question.text, 10).map((index) => String(sessions[index]?.[0]))
      score.add(ranking, new Set(question.evidence.map((id) => sessionOf.get(id) ?? '')))
    }
  }
  return score.result()
}

export function plainCommitRecall(): RankingScore {
  const { sessions, questions } = commitRecall()
  const exchanges = sessions.flatMap(({ id, exchanges }) => exchanges.map((exchange) => ({ id, ...exchange })))
  const find = openPlain(exchanges.map(({ prompt, answer }) => [prompt, answer.findLast((text) => text.trim()) ?? ''].join('\n')))
  const score = newRankingScore()
  for (const { query, gold } of questions) {
    const ranking = find(query, 60).map((index) => exchanges[index]?.id ?? '')
    score.add([...new Set(ranking)], new Set(gold))
  }
  return score.result()
}

/** Returns a search over the texts that gives their indexes, best first. */
function openPlain(texts: string[]): (question: string, limit: number) => number[] {
  const db = new Database(':memory:')
  db.run("CREATE VIRTUAL TABLE plain USING fts5 (text, tokenize = 'porter unicode61')")
  const add = db.prepare('INSERT INTO plain (rowid, text) VALUES (?, ?)')
  db.transaction(() => {
    for (const [index, text] of texts.entries()) add.run(index + 1, text)
  })()
  const find = db.prepare<{ rowid: number }, [string, number]>('SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT ?')
  return (question, limit) => {
    const words = queryWords(question).map((word) => `"${word}"`)
    return words.length === 0 ? [] : find.all(words.join(' OR '), limit).map(({ rowid }) => rowid - 1)
  }
}
