/**
 * Tunes the threshold for recall at a prompt: prompts that the store can answer should get memories, others should get none.
 * Answerable: CommitRecall's own questions. Not answerable: LoCoMo's questions, asked in CommitRecall's project; small talk; and LoCoMo's
 * category 5, asked in its own conversation, where the words match but the question is about the other person.
 * Scored by words only, and by words and meaning as in the product.
 */
import { parseArguments } from '../scripts/arguments.ts'
import type { Hit } from '../src/core/hit.ts'
import { asProjectKey, type ProjectKey } from '../src/core/ids.ts'
import { queryInPrompt } from '../src/core/small-talk.ts'
import { MAX_RECALL_TOKENS, RECALL_THRESHOLDS, type RecallThresholds, recallFor, relevantHits } from '../src/inject/brief.ts'
import { type SemanticSearch, search } from '../src/retrieval/search.ts'
import type { InjectedItem, Store } from '../src/store/store.ts'
import { commitRecall, hasData, locomo } from './data.ts'
import { filledStore, importedStore } from './ingest.ts'
import { meaningIn, shippedTable } from './meaning.ts'
import { LOCOMO, promptIds, sessionNames, turnsOf } from './sets.ts'
import { transcriptOf } from './transcripts.ts'

const SMALL_TALK =
  `run the tests|commit and push|try again|thanks, that works|fix the failing test|continue|yes please|commit this|push it|open a pr|merge it
rebase on main|looks good, commit|run lint and fix the errors|update the readme|add a test for this|what changed?|show me the diff|revert that|undo the last change
explain this code|clean up the code|make it shorter|can you review the changes|check the ci|why did it fail|do it|next step|start the dev server|build the project
install the dependencies|delete that file|rename the variable|write a commit message|create a new branch|did you run the tests?|all tests pass now, commit
is there a test for this|can you run the tests again|let's go with option 2`.split(/[|\n]/)

/** Commands and phrases that real sessions repeat. */
const HABITS =
  `/gsd:check-todos|/github-pr-review|/review|/pr|/superpowers:execute-plan|/superpowers:write-plan|/superpowers:brainstorm|/requesting-code-review
ok lets get back to main|ok can we get back to main?|yeah, let's give it a try|commit, push, create draft PR|push and draft PR please|commit this, push, open draft PR
let's review the PR comments together|okay, let's have a look at our PR review feedback|can you address the PR comment?|yeah merge from main|ok let's keep going
yes, but we don't need to commit|now can you double check again?|okay now let's do 6,7,8,10|5 seems like a good one|c)|ok push all this up and lets get it merged`.split(
    /[|\n]/,
  )

const DAY_MS = 86_400_000

/** A prompt, its hits, and whether a hit is a right answer. */
type PromptHits = { prompt: string; hits: Hit[]; isRight: (hit: Hit) => boolean }

parseArguments('eval/floor.ts', {})
if (hasData) {
  const data = commitRecall()
  const project = asProjectKey('commit-recall')
  using filled = await importedStore(data.sessions.map(transcriptOf), project)
  const shipped = await meaningIn(filled.store, shippedTable)
  const documents = await filled.store.documents.count(null)
  const names = sessionNames(filled.store)
  const foreignQuestions = locomo()
    .flatMap((conversation) => conversation.questions.map((q) => q.text))
    .filter((_, i) => i % 4 === 0)
  const searchAll = async (meaning: SemanticSearch | null, queryOf = queryInPrompt) => {
    const searchOne = async (prompt: string, gold: string[] = []): Promise<PromptHits> => ({
      prompt,
      hits: await findHits(filled.store, queryOf(prompt) ?? prompt, project, meaning),
      isRight: (hit) => gold.includes(names.get(hit.sessionId ?? -1) ?? ''),
    })
    return {
      own: await Promise.all(data.questions.map((q) => searchOne(q.query, q.gold))),
      foreign: await Promise.all(foreignQuestions.map((question) => searchOne(question))),
      'small talk': await Promise.all(SMALL_TALK.map((prompt) => searchOne(prompt))),
      habits: await Promise.all(HABITS.map((prompt) => searchOne(prompt))),
    }
  }
  type AllHits = Awaited<ReturnType<typeof searchAll>>
  const printRates = (name: keyof RecallThresholds, all: AllHits, byMeaning: boolean, values: number[]) => {
    for (const value of values) {
      const rate = (of: PromptHits[]) =>
        recallRate(of, { byMeaning, documents: () => documents, floor: { ...RECALL_THRESHOLDS, [name]: value } })
      const rates = Object.entries(all).map(([kind, of]) => `${kind} ${rate(of)}`)
      const method = byMeaning ? 'by words and meaning' : 'by words'
      console.log(`${name} >= ${value}, ${method}: recalls for ${rates.join(', ')}${value === RECALL_THRESHOLDS[name] ? '  (in use)' : ''}`)
    }
  }
  const byWords = await searchAll(null)
  const byMeaning = await searchAll(shipped)
  printRates('coverage', byWords, false, [0.45, 0.5, 0.55, 0.6, 0.7])
  printRates('withNearness', byMeaning, true, [0.8, 0.85, 0.9, 0.95, 1])
  printRates('unlikely', byMeaning, true, [0, 0.6, 0.7, 0.8, 0.9, 1, 1.1])
  printRates('leading', byMeaning, true, [1, 2, 3, 5])
  const queryOf = (prompt: string) => prompt
  const withSmallTalk = Object.entries(await searchAll(shipped, queryOf))
  for (const leading of [RECALL_THRESHOLDS.leading, 5]) {
    const rate = (of: PromptHits[]) =>
      recallRate(of, { byMeaning: true, documents: () => documents, floor: { ...RECALL_THRESHOLDS, leading }, queryOf })
    for (const [name, of] of withSmallTalk) console.log(`small talk not skipped, leading >= ${leading}: recalls for ${name} ${rate(of)}`)
  }
  await printShownRates(filled.store, project, shipped, {
    own: data.questions.map((q) => ({ prompt: q.query, gold: q.gold })),
    foreign: foreignQuestions.map((prompt) => ({ prompt, gold: [] })),
    'small talk': SMALL_TALK.map((prompt) => ({ prompt, gold: [] })),
    habits: HABITS.map((prompt) => ({ prompt, gold: [] })),
  })
  await printRatesWithinConversations()
}

/** What is shown in the end: of the memories that pass the threshold, those whose text is itself about the prompt. */
async function printShownRates(
  store: Store,
  project: ProjectKey,
  meaning: SemanticSearch,
  prompts: Record<string, { prompt: string; gold: string[] }[]>,
): Promise<void> {
  const names = sessionNames(store)
  const now = Math.max(...[...store.sessions.each()].map((session) => session.lastEventAt)) + DAY_MS
  for (const [kind, all] of Object.entries(prompts)) {
    let [shown, right] = [0, 0]
    for (const { prompt, gold } of all) {
      const { text, items } = await recallFor(store, { project, id: null }, prompt, now, MAX_RECALL_TOKENS, meaning)
      if (text === '') continue
      shown++
      const sessions = await Promise.all(items.map((item) => sessionOf(store, item)))
      if (sessions.some((session) => gold.includes(names.get(session ?? -1) ?? ''))) right++
    }
    const percent = (part: number) => `${((100 * part) / all.length).toFixed(1)} %`
    console.log(`shown: ${kind} ${percent(shown)}${right > 0 ? ` (rightly ${percent(right)})` : ''}`)
  }
}

async function sessionOf(store: Store, { kind, id }: InjectedItem): Promise<number | null> {
  const place = kind === 'line' ? null : await store.documents.locationOf(kind, String(id))
  return place?.sessionId ?? null
}

/** LoCoMo's questions, each asked in its own conversation. */
async function printRatesWithinConversations(): Promise<void> {
  const [answerable, unanswerable]: [PromptHits[], PromptHits[]] = [[], []]
  const storeSizes = new Map<PromptHits, number>()
  for (const conversation of locomo()) {
    using filled = await filledStore(turnsOf(conversation))
    const meaning = await meaningIn(filled.store, shippedTable)
    const documents = await filled.store.documents.count(null)
    const units = await promptIds(
      filled.store,
      conversation.units.map((unit) => unit.id),
    )
    for (const { text, category, evidence } of conversation.questions.filter((q) => q.category === 5 || q.evidence.length > 0)) {
      const found: PromptHits = {
        prompt: text,
        hits: await findHits(filled.store, queryInPrompt(text) ?? text, LOCOMO, meaning),
        isRight: (hit) => category <= 4 && evidence.includes(units.get(hit.id) ?? ''),
      }
      storeSizes.set(found, documents)
      const list = category === 5 ? unanswerable : answerable
      list.push(found)
    }
  }
  const documents = (found: PromptHits) => storeSizes.get(found) ?? 0
  const print = (variant: string, leading: number, keepHit: HitFilter) => {
    const rate = (of: PromptHits[]) => recallRate(of, { byMeaning: true, documents, floor: { ...RECALL_THRESHOLDS, leading }, keepHit })
    const inUse = leading === RECALL_THRESHOLDS.leading ? ' (in use)' : ''
    console.log(
      `within a conversation, leading >= ${leading}${inUse}${variant}: recalls for answerable ${rate(answerable)}, unanswerable ${rate(unanswerable)}`,
    )
  }
  for (const leading of [1, 2, 3, 5]) {
    print('', leading, () => true)
    print(', only by authors that the question names', leading, isByNamedAuthor)
  }
}

function findHits(store: Store, query: string, project: ProjectKey, meaning: SemanticSearch | null): Promise<Hit[]> {
  return search(store, query, { project, limit: 12 }, meaning)
}

type HitFilter = (hit: Hit, found: PromptHits) => boolean

/** The share of prompts that get memories and, in parentheses, the share that gets a right one. */
function recallRate(
  of: PromptHits[],
  {
    byMeaning,
    documents,
    floor,
    queryOf = queryInPrompt,
    keepHit = () => true,
  }: {
    byMeaning: boolean
    documents: (found: PromptHits) => number
    floor: RecallThresholds
    queryOf?: typeof queryInPrompt
    keepHit?: HitFilter
  },
): string {
  const recalled = of.map((found) => {
    const isByMeaning = byMeaning && found.hits.some((hit) => hit.cosine !== null)
    const relevant = queryOf(found.prompt) === null ? [] : relevantHits(found.hits, isByMeaning, documents(found), floor).relevant
    return { found, shown: relevant.filter((hit) => keepHit(hit, found)) }
  })
  const withMemories = recalled.filter(({ shown }) => shown.length > 0)
  const right = withMemories.filter(({ found, shown }) => shown.some(found.isRight)).length
  const percent = (part: number) => `${((100 * part) / of.length).toFixed(1)} %`
  return right > 0 ? `${percent(withMemories.length)} (rightly ${percent(right)})` : percent(withMemories.length)
}

/**
 * A variant that is not in use: if the question names the author of one of the hits, keep only hits by that author. In a project, `Fix:`
 * would look like an author.
 */
function isByNamedAuthor(hit: Hit, { prompt, hits }: PromptHits): boolean {
  const authorOf = ({ title }: Hit) => /^(\p{L}+):/u.exec(title)?.[1]
  const named = new Set(hits.map(authorOf).filter((author) => author && prompt.includes(author)))
  const author = authorOf(hit)
  return named.size === 0 || author === undefined || named.has(author)
}
