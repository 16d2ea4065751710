/**
 * Where the floor stands: questions that the store can answer should be answered, questions that it cannot should meet silence.
 * Answerable: CommitRecall's own. Without an answer: LoCoMo's questions, asked of the same project, and chores, which any session is asked for;
 * and LoCoMo's fifth category, asked of its own conversation, where the words are right and the person is another.
 * By words alone, and by words and meaning as a prompt is.
 */
import { given } from '../scripts/given.ts'
import type { Hit } from '../src/core/hit.ts'
import { asProjectKey, type ProjectKey } from '../src/core/ids.ts'
import { queryInPrompt } from '../src/core/small-talk.ts'
import { RECALL_THRESHOLDS, type RecallThresholds, relevantHits } from '../src/inject/brief.ts'
import { type SemanticSearch, search } from '../src/retrieval/search.ts'
import type { Store } from '../src/store/store.ts'
import { commitRecall, hasData, locomo } from './data.ts'
import { filledStore, importedStore } from './ingest.ts'
import { meaningIn, shippedTable } from './meaning.ts'
import { LOCOMO, promptIds, sessionNames, turnsOf } from './sets.ts'
import { transcriptOf } from './transcripts.ts'

const CHORES =
  `run the tests|commit and push|try again|thanks, that works|fix the failing test|continue|yes please|commit this|push it|open a pr|merge it
rebase on main|looks good, commit|run lint and fix the errors|update the readme|add a test for this|what changed?|show me the diff|revert that|undo the last change
explain this code|clean up the code|make it shorter|can you review the changes|check the ci|why did it fail|do it|next step|start the dev server|build the project
install the dependencies|delete that file|rename the variable|write a commit message|create a new branch|did you run the tests?|all tests pass now, commit
is there a test for this|can you run the tests again|let's go with option 2`.split(/[|\n]/)

/** What the same people say again and again: commands of their own, and going on. */
const HABITS =
  `/gsd:check-todos|/github-pr-review|/review|/pr|/superpowers:execute-plan|/superpowers:write-plan|/superpowers:brainstorm|/requesting-code-review
ok lets get back to main|ok can we get back to main?|yeah, let's give it a try|commit, push, create draft PR|push and draft PR please|commit this, push, open draft PR
let's review the PR comments together|okay, let's have a look at our PR review feedback|can you address the PR comment?|yeah merge from main|ok let's keep going
yes, but we don't need to commit|now can you double check again?|okay now let's do 6,7,8,10|5 seems like a good one|c)|ok push all this up and lets get it merged`.split(
    /[|\n]/,
  )

/** A question, what was found, and whether each of these is a right answer. */
type Found = { question: string; hits: Hit[]; isRight: (hit: Hit) => boolean }

given('eval/floor.ts', {})
if (hasData) {
  const data = commitRecall()
  const project = asProjectKey('commit-recall')
  using filled = await importedStore(data.sessions.map(transcriptOf), project)
  const shipped = await meaningIn(filled.store, shippedTable)
  const documents = await filled.store.documents.count(null)
  const names = sessionNames(filled.store)
  const foreign = locomo()
    .flatMap((conversation) => conversation.questions.map((q) => q.text))
    .filter((_, i) => i % 4 === 0)
  const findAll = async (meaning: SemanticSearch | null, asked = queryInPrompt) => {
    const find = async (question: string, gold: string[] = []): Promise<Found> => ({
      question,
      hits: await found(filled.store, asked(question) ?? question, project, meaning),
      isRight: (hit) => gold.includes(names.get(hit.sessionId ?? -1) ?? ''),
    })
    return {
      own: await Promise.all(data.questions.map((q) => find(q.query, q.gold))),
      foreign: await Promise.all(foreign.map((question) => find(question))),
      chores: await Promise.all(CHORES.map((question) => find(question))),
      habits: await Promise.all(HABITS.map((question) => find(question))),
    }
  }
  const scan = (name: keyof RecallThresholds, answers: Awaited<ReturnType<typeof findAll>>, byMeaning: boolean, values: number[]) => {
    for (const value of values) {
      const { own, foreign, chores, habits } = answers
      const share = (of: Found[]) => spoken(of, { byMeaning, documents: () => documents, floor: { ...RECALL_THRESHOLDS, [name]: value } })
      console.log(
        `${name} ${byMeaning ? 'by words and nearness' : 'by words'} >= ${value}: speaks to ${share(own)} of what it can answer, to ${share(foreign)} of what it cannot, to ${share(chores)} of the chores, to ${share(habits)} of the habits${value === RECALL_THRESHOLDS[name] ? '  (chosen)' : ''}`,
      )
    }
  }
  const byWords = await findAll(null)
  const byMeaning = await findAll(shipped)
  scan('coverage', byWords, false, [0.45, 0.5, 0.55, 0.6, 0.7])
  scan('withNearness', byMeaning, true, [0.8, 0.85, 0.9, 0.95, 1])
  scan('unlikely', byMeaning, true, [0, 0.6, 0.7, 0.8, 0.9, 1, 1.1])
  scan('leading', byMeaning, true, [1, 2, 3, 5])
  const asked = (question: string) => question
  const asIs = Object.entries(await findAll(shipped, asked))
  for (const leading of [RECALL_THRESHOLDS.leading, 5]) {
    const share = (of: Found[]) =>
      spoken(of, { byMeaning: true, documents: () => documents, floor: { ...RECALL_THRESHOLDS, leading }, asked })
    for (const [name, of] of asIs) console.log(`everything taken for a question, leading >= ${leading}: speaks to ${share(of)} of ${name}`)
  }
  await scanWithin()
}

/** LoCoMo's questions, each asked of its own conversation. */
async function scanWithin(): Promise<void> {
  const [answerable, not]: [Found[], Found[]] = [[], []]
  const sizes = new Map<Found, number>()
  for (const conversation of locomo()) {
    using filled = await filledStore(turnsOf(conversation))
    const meaning = await meaningIn(filled.store, shippedTable)
    const documents = await filled.store.documents.count(null)
    const units = await promptIds(
      filled.store,
      conversation.units.map((unit) => unit.id),
    )
    for (const { text, category, evidence } of conversation.questions.filter((q) => q.category === 5 || q.evidence.length > 0)) {
      const one: Found = {
        question: text,
        hits: await found(filled.store, queryInPrompt(text) ?? text, LOCOMO, meaning),
        isRight: (hit) => category <= 4 && evidence.includes(units.get(hit.id) ?? ''),
      }
      sizes.set(one, documents)
      const list = category === 5 ? not : answerable
      list.push(one)
    }
  }
  const documents = (one: Found) => sizes.get(one) ?? 0
  const print = (name: string, leading: number, keep: Keep) => {
    const share = (of: Found[]) => spoken(of, { byMeaning: true, documents, floor: { ...RECALL_THRESHOLDS, leading }, keep })
    const chosen = leading === RECALL_THRESHOLDS.leading ? ' (chosen)' : ''
    console.log(
      `within a conversation, leading >= ${leading}${chosen}${name}: speaks to ${share(answerable)} of what it can answer, to ${share(not)} of what it cannot`,
    )
  }
  for (const leading of [1, 2, 3, 5]) {
    print('', leading, () => true)
    print(', and said by whom the question names', leading, isByThoseNamed)
  }
}

function found(store: Store, question: string, project: ProjectKey, meaning: SemanticSearch | null): Promise<Hit[]> {
  return search(store, question, { project, limit: 12 }, meaning)
}

type Keep = (hit: Hit, one: Found) => boolean

/** The share of questions that are spoken to, and of these the share with a right answer among what is told. */
function spoken(
  of: Found[],
  {
    byMeaning,
    documents,
    floor,
    asked = queryInPrompt,
    keep = () => true,
  }: {
    byMeaning: boolean
    documents: (one: Found) => number
    floor: RecallThresholds
    asked?: typeof queryInPrompt
    keep?: Keep
  },
): string {
  const told = of.map((one) => {
    const isByMeaning = byMeaning && one.hits.some((hit) => hit.cosine !== null)
    const telling = asked(one.question) === null ? [] : relevantHits(one.hits, isByMeaning, documents(one), floor).telling
    return { one, telling: telling.filter((hit) => keep(hit, one)) }
  })
  const speaks = told.filter(({ telling }) => telling.length > 0)
  const right = speaks.filter(({ one, telling }) => telling.some(one.isRight)).length
  const percent = (part: number) => `${((100 * part) / of.length).toFixed(1)} %`
  return right > 0 ? `${percent(speaks.length)} (rightly ${percent(right)})` : percent(speaks.length)
}

/** Tried, and not kept: where a question names somebody who said one of the hits, only what they said. In code `Fix:` would be such a name. */
function isByThoseNamed(hit: Hit, { question, hits }: Found): boolean {
  const authorOf = ({ title }: Hit) => /^(\p{L}+):/u.exec(title)?.[1]
  const named = new Set(hits.map(authorOf).filter((author) => author && question.includes(author)))
  const author = authorOf(hit)
  return named.size === 0 || author === undefined || named.has(author)
}
