import { type GitCommit, shortHash } from '../core/commit.ts'
import { decisiveText } from '../core/commit-message.ts'
import type { Hit } from '../core/hit.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { shorten } from '../core/text.ts'
import { formatAge } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { Store } from '../store/store.ts'

/** The hits with the newest commit in the place of the first one, and a line for each commit among them. */
export async function describeCommits(store: Store, hits: Hit[], now: number): Promise<{ hits: Hit[]; lines: Map<Hit, string> }> {
  const commits = await commitsOf(store, hits)
  const lines = new Map<Hit, string>()
  for (const hit of hits) {
    const commit = hit.kind === 'commit' ? commits.find(({ id }) => String(id) === hit.id) : undefined
    if (commit) lines.set(hit, commitLine(commit, hit, commits, now))
  }
  return { hits: newestCommitsFirst(hits), lines }
}

async function commitsOf(store: Store, hits: Hit[]): Promise<GitCommit[]> {
  const ids = hits.flatMap(({ kind, id }) => (kind === 'commit' ? [Number(id)] : []))
  return (await Promise.all(ids.map((id) => store.commits.get(id)))).filter((commit) => commit !== null)
}

/** Commits keep their places among the hits, but the newest takes the first of them: it may have replaced what the others settled. */
function newestCommitsFirst(hits: Hit[]): Hit[] {
  const newest = hits.filter(({ kind }) => kind === 'commit').toSorted((a, b) => b.at - a.at)
  return hits.map((hit) => (hit.kind === 'commit' ? (newest.shift() ?? hit) : hit))
}

/** A commit with what it settled, verbatim. */
function commitLine({ hash, subject, body, author, at, files }: GitCommit, hit: Hit, commits: GitCommit[], now: number): string {
  const newer = commits.find((other) => other.at > at && other.files.some((file) => files.includes(file)))
  const order = newer ? `, before ${memoryId('commit', newer.id)} changed the same file` : ''
  const source = `settled in commit ${shortHash(hash)} on ${new Date(at).toISOString().slice(0, 10)} by ${shorten(neutralizeText(author), 40)}${order}`
  const text = neutralizeText(decisiveText(body, MAX_COMMIT_CHARACTERS))
  return `${memoryId('commit', hit.id)} · ${formatAge(at, now)} · ${shorten(neutralizeText(subject), 160)} — ${source}: ${text} · ~${hit.tokens}t`
}

/** About 225 tokens: most messages whole. */
const MAX_COMMIT_CHARACTERS = 900
