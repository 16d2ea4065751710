import type { Observation } from '../core/memory.ts'
import { isConclusive, isSettling } from '../core/outcome.ts'
import { subjectStems } from '../core/subject.ts'
import type { WorkResult } from './results.ts'

/** The results of earlier work for a brief: those to quote, and those that only an index names. `why` gives the reason of each. */
export type RecentWork = { quoted: Chosen[]; indexed: Chosen[]; left: Chosen[] }
type Chosen = { result: WorkResult; why: string }

/**
 * Chooses which results can be expected to matter to a session: work on its branch, work that the branch's name speaks of, and recent work of
 * some size. Little is known about a session on a new branch, so it gets little.
 */
export function chooseRecentWork(results: WorkResult[], observations: Observation[], branch: string | null, now: number): RecentWork {
  const newest = Math.max(0, ...observations.map(({ at }) => at), ...results.map(({ outcome }) => outcome.at))
  const topic = topicOf(branch, results)
  const chosen: RecentWork = { quoted: [], indexed: [], left: [] }
  for (const result of results) {
    const { place, why } = placeOf(result, { observations, branch, topic, newest, now })
    const isFull = chosen[place].length >= (place === 'quoted' ? MAX_QUOTED : MAX_INDEXED)
    if (place === 'left') chosen.left.push({ result, why })
    else if (!isFull) chosen[place].push({ result, why })
    else if (place === 'quoted' && chosen.indexed.length < MAX_INDEXED) chosen.indexed.push({ result, why })
    else chosen.left.push({ result, why: `${why}, but enough is shown` })
  }
  return chosen
}

const MAX_QUOTED = 2
const MAX_INDEXED = 3

type Situation = { observations: Observation[]; branch: string | null; topic: Set<string>; newest: number; now: number }

function placeOf(result: WorkResult, { observations, branch, topic, newest, now }: Situation): { place: keyof RecentWork; why: string } {
  // A project that rested continues where it stopped; what was done elsewhere before that is over.
  const isOnBranch = branch === null || result.branch === null || result.branch === branch
  const days = ((isOnBranch ? newest : now) - result.outcome.at) / DAY_MS
  const isOnTopicBranch = isOnBranch && branch !== null && !isSharedBranch(branch)
  if (isAbout(result, topic)) return { place: 'quoted', why: 'its subject is in the name of this branch' }
  if (isSmallWork(result, observations))
    return { place: isOnBranch && now - result.outcome.at <= DAY_MS ? 'indexed' : 'left', why: 'small work' }
  if (isOnTopicBranch) return { place: days <= MAX_BRANCH_DAYS ? 'quoted' : 'indexed', why: 'work on this branch' }
  if (isOnBranch && days <= MAX_QUOTED_DAYS) return { place: 'quoted', why: 'recent work' }
  if (!isOnBranch && branch !== null && !isSharedBranch(branch)) return { place: 'left', why: 'work on another branch' }
  const maxDays = isOnBranch ? MAX_INDEXED_DAYS : MAX_OTHER_BRANCH_DAYS
  return days <= maxDays ? { place: 'indexed', why: 'recent work' } : { place: 'left', why: `more than ${maxDays} days old` }
}

const MAX_BRANCH_DAYS = 14
const MAX_QUOTED_DAYS = 1
const MAX_INDEXED_DAYS = 7
const MAX_OTHER_BRANCH_DAYS = 2
const DAY_MS = 86_400_000

/** Branches that everyone works on: being on one says nothing about the task. */
export const isSharedBranch = (branch: string): boolean =>
  /^(?:main|master|trunk|next|dev|devel|develop|development|staging|release)$/i.test(branch)

/**
 * A short answer, and at most one changed file within a few turns, or none: a trial, a licence file, a line in the changelog. What settles
 * something or gives a reason is not small.
 */
export function isSmallWork({ thread, outcome }: WorkResult, observations: Observation[]): boolean {
  const answer = outcome.answer ?? ''
  if (answer.length > MAX_SMALL_ANSWER_CHARACTERS || isSettling(answer) || REASONS.test(answer)) return !isConclusive(answer)
  const changed = observations
    .filter((o) => o.sessionId === thread.sessionId && o.promptNumber >= thread.first && o.promptNumber <= thread.last)
    .flatMap((o) => o.filesModified)
  const isShort = thread.last - thread.first < MAX_SMALL_TURNS
  return new Set(changed).size <= (isShort ? 1 : 0)
}

const REASONS = /\b(?:because|since|so that|instead of|rather than)\b/i
const MAX_SMALL_TURNS = 3
const MAX_SMALL_ANSWER_CHARACTERS = 300

/** The telling words of a branch's name, without those that much of the work has. Empty for a branch that everyone works on. */
export function topicOf(branch: string | null, results: WorkResult[]): Set<string> {
  if (branch === null || isSharedBranch(branch)) return new Set()
  // `someone/fix-login`: who works on it says nothing about the subject.
  const words = (branch.includes('/') ? branch.slice(branch.indexOf('/') + 1) : branch).replace(/[-_/.]+/g, ' ')
  const common = (stem: string) => results.filter((result) => stemsOf(result).has(stem)).length > results.length * MAX_COMMON_SHARE + 1
  return new Set([...subjectStems(words)].filter((stem) => !common(stem)))
}

const MAX_COMMON_SHARE = 0.2

/** Two telling words, or the only one, in the title or in a short answer: a long one has words of many branches' names. */
function isAbout(result: WorkResult, topic: Set<string>): boolean {
  const answer = result.outcome.answer ?? ''
  return sharesTopic(answer.length <= MAX_SHORT_ANSWER_CHARACTERS ? `${result.title}\n${answer}` : result.title, topic)
}

/** Whether a text is about the subject of a branch. */
export function sharesTopic(text: string, topic: Set<string>): boolean {
  const stems = subjectStems(text)
  return topic.size > 0 && [...topic].filter((stem) => stems.has(stem)).length >= Math.min(2, topic.size)
}

const MAX_SHORT_ANSWER_CHARACTERS = 400

const stemsOf = ({ title, outcome }: WorkResult) => subjectStems(`${title}\n${outcome.answer ?? ''}`)
