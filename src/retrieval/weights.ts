/** How much each signal adds to a score. Chosen on the evaluation sets; docs/decisions has the reasons and docs/evaluation.md the numbers. */
export const WEIGHTS = {
  /** The document contains words of the query. */
  words: 0.8,
  /** The prompts before and after it do. */
  context: 1.5,
  /** The tools of its turn changed or ran something with those words. */
  activity: 0.4,
  /** As `activity`, for words that occur in no text at all. When such a name is the whole query, it must outweigh all other signals. */
  unknownWordActivity: 4,
  /** The embedder finds it similar. */
  meaning: 0.6,
  /** It names a file of the query. */
  names: 0.5,
  /** It contains a name of which the query has a part. That is better evidence than similar meaning. */
  partialNames: 1.5,
  /** A person whom the query names wrote it. A factor of the score. */
  author: 0.7,
  /** It is from about the time that the query mentions. */
  time: 1.5,
  /** It is from a branch, or the project, that the query refers to. */
  branch: 1.5,
  project: 1.5,
  /** It is linked with one of the best. */
  links: 0.5,
  /** Other turns of its session score well. */
  session: 1.3,
  /** It is newer than others. Enough to settle a tie. */
  recency: 0.05,
  /** It was read in full before. Enough to settle a tie. */
  use: 0.05,
  /** The factor for each better turn of the same session: results from several sessions are more useful than from one. */
  repeatedSession: 0.97,
  /** The factor for a note, or a turn's result, that something newer replaced. */
  replaced: 0.5,
  /** The factor for a turn that asked the same and got no answer. */
  repeatedQuestion: 0.4,
  /** When the query asks for the latest: how far the newest of the good ones rises above the best. Folding hits allows no more. */
  latest: 0.1,
} as const
