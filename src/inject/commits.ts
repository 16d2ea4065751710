import type { Observation } from '../core/memory.ts'

/** What was done, and its commit where that is an observation of its own. */
type WorkWithCommit<O extends Observation> = { o: O; commit: O | null }

/** From this share of its words on, a commit says what the work says. */
const SAME_WORK_RATIO = 0.4

/**
 * One for each thing that was done. Whoever asks for a commit or a pull request behind the work makes two observations of one thing: they
 * are told as one, at the place of the first of them.
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
  const told = new Set<O>()
  return observations.flatMap((one) => {
    const o = works.get(one) ?? one
    if (told.has(o)) return []
    told.add(o)
    return [{ o, commit: commits.get(o) ?? null }]
  })
}

export const turnKey = ({ sessionId, promptNumber }: Pick<Observation, 'sessionId' | 'promptNumber'>) => `${sessionId} ${promptNumber}`

/** It was asked for next, and the work had none; or it says the same. */
function isCommitOf(work: Observation, commit: Observation): boolean {
  const isNext = work.promptNumber < commit.promptNumber
  // Two commits of one turn are two things.
  if (isCommit(work) && !isNext) return false
  return (isNext && isCommit(commit) && !isCommit(work)) || titleOverlap(work, commit) >= SAME_WORK_RATIO
}

/** Changed no file itself. */
const changedNoFile = (o: Observation) =>
  o.tool === 'Bash' && o.type !== 'discovery' && o.type !== 'decision' && o.filesModified.length === 0

const isCommit = ({ subtitle, facts }: Observation) =>
  [subtitle, ...facts].some((text) => /^(?:commit [0-9a-f]{7}|pull request #)/.test(text))

/** The share of a commit's words that stand in the title of the work. */
function titleOverlap(work: Observation, commit: Observation): number {
  const words = (title: string) => new Set(title.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu))
  return words(work.title).intersection(words(commit.title)).size / Math.max(1, words(commit.title).size)
}

/** The plans that were carried out since, each with the work: that they were only proposed is no longer so. */
export function carriedOutPlans<O extends Observation>(observations: O[]): [plan: O, work: O][] {
  return observations.flatMap((plan): [O, O][] => {
    const [, title] = /^Plan: (.+)/.exec(plan.title) ?? []
    const work = title && observations.find((o) => o.title === title && o.at > plan.at && o.filesModified.length > 0)
    return work ? [[plan, work]] : []
  })
}
