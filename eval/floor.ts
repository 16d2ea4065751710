/**
 * Where the floor stands: questions that the store can answer should be answered, questions from another world should meet silence.
 * Answerable: CommitRecall's own. Without an answer: LoCoMo's questions, asked of the same project.
 */
import { asProjectKey } from '../src/core/ids.ts'
import { FLOOR, isTelling } from '../src/inject/brief.ts'
import { search } from '../src/retrieval/search.ts'
import { commitRecall, hasData, locomo } from './data.ts'
import { filledStore } from './ingest.ts'
import { exchangesOf } from './sets.ts'

if (hasData) {
  const data = commitRecall()
  const project = asProjectKey('commit-recall')
  using filled = await filledStore(exchangesOf(data, project))
  const foreign = locomo()
    .flatMap((conversation) => conversation.questions.map((q) => q.text))
    .filter((_, i) => i % 4 === 0)
  const ask = async (question: string) => search(filled.store, question, { project, limit: 5 })
  const own = await Promise.all(data.questions.map((q) => ask(q.query)))
  const other = await Promise.all(foreign.map(ask))
  const share = (answers: Awaited<ReturnType<typeof ask>>[]) => answers.filter((hits) => hits.some(isTelling)).length / answers.length
  for (const coverage of [0.35, 0.45, 0.5, 0.55, 0.6, 0.7]) {
    FLOOR.coverage = coverage
    console.log(
      `coverage >= ${coverage}: speaks to ${(100 * share(own)).toFixed(1)} % of what it can answer, to ${(100 * share(other)).toFixed(1)} % of what it cannot`,
    )
  }
}
