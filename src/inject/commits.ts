import type { Observation } from '../core/memory.ts'

/** An observation, and its commit if that is a separate observation. */
type WorkWithCommit<O extends Observation> = { o: O; commit: O | null }

/** A commit that shares this much of its words with the work says the same. */
const SAME_WORK_RATIO = 0.4

/**
 * Pairs each piece of work with its commit or pull request, if a later prompt asked for one: two observations of the same work become one
 * entry, at the position of the first.
 */
export function pairWithCommits<O extends Observation>(observations: O[]): WorkWithCommit<O>[] {
  const byTurn = Map.groupBy(observations, turnKey)
  const commits = new Map<O, O>()
  for (const commit of observations.filter(changedNoFile)) {
    const work = [commit, { ...commit, promptNumber: commit.promptNumber - 1 }]
      .flatMap((turn) => byTurn.get(turnKey(turn)) ?? [])
      .filter((o) => o.filesModified.length > 0 && !commits.has(o) && isCommitOf(o, commit))
      .toSorted((a, b) => titleOverlap(b, commit) - titleOverlap(a, commit))
    if (work[0]) commits.set(work[0], commit)
  }
  const works = new Map([...commits].map(([work, commit]) => [commit, work]))
  const paired = new Set<O>()
  return observations.flatMap((one) => {
    const o = works.get(one) ?? one
    if (paired.has(o)) return []
    paired.add(o)
    return [{ o, commit: commits.get(o) ?? null }]
  })
}

const turnKey = ({ sessionId, promptNumber }: Pick<Observation, 'sessionId' | 'promptNumber'>) => `${sessionId} ${promptNumber}`

/** The commit belongs to the next prompt and the work had none, or their titles say the same. */
function isCommitOf(work: Observation, commit: Observation): boolean {
  const isNext = work.promptNumber < commit.promptNumber
  // Two commits of one turn are separate work.
  if (isCommit(work) && !isNext) return false
  return (isNext && isCommit(commit) && !isCommit(work)) || titleOverlap(work, commit) >= SAME_WORK_RATIO
}

const changedNoFile = (o: Observation) =>
  o.tool === 'Bash' && o.type !== 'discovery' && o.type !== 'decision' && o.filesModified.length === 0

const isCommit = ({ subtitle, facts }: Observation) =>
  [subtitle, ...facts].some((text) => /^(?:commit [0-9a-f]{7}|pull request #)/.test(text))

/** The share of the commit's words that the title of the work contains. */
function titleOverlap(work: Observation, commit: Observation): number {
  const words = (title: string) => new Set(title.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu))
  return words(work.title).intersection(words(commit.title)).size / Math.max(1, words(commit.title).size)
}

/** Plans that were carried out since, each with the work that did it. */
export function carriedOutPlans<O extends Observation>(observations: O[]): [plan: O, work: O][] {
  return observations.flatMap((plan): [O, O][] => {
    const [, title] = /^Plan: (.+)/.exec(plan.title) ?? []
    const work = title && observations.find((o) => o.title === title && o.at > plan.at && o.filesModified.length > 0)
    return work ? [[plan, work]] : []
  })
}
