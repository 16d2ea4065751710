/**
 * Where the floor stands: questions that the store can answer should be answered, questions from another world should meet silence.
 * Answerable: CommitRecall's own. Without an answer: LoCoMo's questions, asked of the same project; and chores, which any session is asked for.
 * By words alone, and by words and meaning as a prompt is.
 */
import type { Hit } from '../src/core/hit.ts'
import { asProjectKey } from '../src/core/ids.ts'
import { FLOOR, isTelling } from '../src/inject/brief.ts'
import { search } from '../src/retrieval/search.ts'
import { commitRecall, hasData, locomo } from './data.ts'
import { importedStore } from './ingest.ts'
import { byShippedTable } from './meaning.ts'
import { transcriptOf } from './transcripts.ts'

const CHORES =
  `run the tests|commit and push|try again|thanks, that works|fix the failing test|continue|yes please|commit this|push it|open a pr|merge it
rebase on main|looks good, commit|run lint and fix the errors|update the readme|add a test for this|what changed?|show me the diff|revert that|undo the last change
explain this code|clean up the code|make it shorter|can you review the changes|check the ci|why did it fail|do it|next step|start the dev server|build the project
install the dependencies|delete that file|rename the variable|write a commit message|create a new branch|did you run the tests?|all tests pass now, commit
is there a test for this|can you run the tests again|let's go with option 2`.split(/[|\n]/)

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
    const chores = await Promise.all(CHORES.map(ask))
    const documents = await filled.store.documents.count(null)
    const share = (answers: Hit[][]) =>
      `${((100 * answers.filter((hits) => hits.some((hit) => isTelling(hit, meaning !== null, documents))).length) / answers.length).toFixed(1)} %`
    for (const floor of floors) {
      set(floor)
      console.log(
        `${name} >= ${floor}: speaks to ${share(own)} of what it can answer, to ${share(other)} of what it cannot, to ${share(chores)} of the chores${floor === chosen ? '  (chosen)' : ''}`,
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
  const setUnlikely = (floor: number) => {
    FLOOR.unlikely = floor
  }
  await scan('words', null, setCoverage, [0.45, 0.5, 0.55, 0.6, 0.7], FLOOR.coverage)
  await scan('words and nearness', shipped, setTogether, [0.8, 0.85, 0.9, 0.95, 1], FLOOR.withNearness)
  await scan('unlikely by words and nearness', shipped, setUnlikely, [0, 0.6, 0.7, 0.8, 0.9, 1, 1.1], FLOOR.unlikely)
}
