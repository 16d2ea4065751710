/**
 * Where the floor stands: questions that the store can answer should be answered, questions from another world should meet silence.
 * Answerable: CommitRecall's own. Without an answer: LoCoMo's questions, asked of the same project. By words alone, and by words and
 * meaning as a prompt is.
 */
import type { Hit } from '../src/core/hit.ts'
import { asProjectKey } from '../src/core/ids.ts'
import { FLOOR, isTelling } from '../src/inject/brief.ts'
import { search } from '../src/retrieval/search.ts'
import { commitRecall, hasData, locomo } from './data.ts'
import { importedStore } from './ingest.ts'
import { byShippedTable } from './meaning.ts'
import { transcriptOf } from './transcripts.ts'

if (hasData) {
  const data = commitRecall()
  const project = asProjectKey('commit-recall')
  using filled = await importedStore(data.sessions.map(transcriptOf), project)
  const foreign = locomo()
    .flatMap((conversation) => conversation.questions.map((q) => q.text))
    .filter((_, i) => i % 4 === 0)
  const shipped = await byShippedTable(filled.store)
  const scan = async (name: string, meaning: typeof shipped | null, set: (floor: number) => void, floors: number[], chosen: number) => {
    const ask = async (question: string) => (await search(filled.store, question, { project, limit: 12 }, meaning)).slice(0, 5)
    const own = await Promise.all(data.questions.map((q) => ask(q.query)))
    const other = await Promise.all(foreign.map(ask))
    const share = (answers: Hit[][]) =>
      `${((100 * answers.filter((hits) => hits.some((hit) => isTelling(hit, meaning !== null))).length) / answers.length).toFixed(1)} %`
    for (const floor of floors) {
      set(floor)
      console.log(
        `${name} >= ${floor}: speaks to ${share(own)} of what it can answer, to ${share(other)} of what it cannot${floor === chosen ? '  (chosen)' : ''}`,
      )
    }
    set(chosen)
  }
  const setCoverage = (floor: number) => {
    FLOOR.coverage = floor
  }
  const setTogether = (floor: number) => {
    FLOOR.withNearness = floor
  }
  await scan('words', null, setCoverage, [0.45, 0.5, 0.55, 0.6, 0.7], FLOOR.coverage)
  await scan('words and nearness', shipped, setTogether, [0.8, 0.85, 0.9, 0.95, 1], FLOOR.withNearness)
}
