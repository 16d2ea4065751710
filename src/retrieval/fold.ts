import { identifiersIn } from '../core/identifiers.ts'
import type { Hit } from './search.ts'

/** A hit and the whole of its text, which the hit itself only shows a part of. */
export type Read = { hit: Hit; text: string }

/**
 * Hits that tell the same become one, best first. Of those that fit nearly as well as the best the newest is shown, and it names the
 * others in `also`. Two projects never fold: where something happened is part of it.
 */
export function folded(read: Read[]): Hit[] {
  const groups: Told[][] = []
  for (const told of read.toSorted((a, b) => b.hit.score - a.hit.score).map(toldBy)) {
    const same = groups.find(([best]) => best && tellTheSame(best, told))
    if (same) same.push(told)
    else groups.push([told])
  }
  return groups.map(shown).sort((a, b) => b.score - a.score)
}

type Told = { hit: Hit; length: number; words: Set<string>; names: () => Set<string>; key: string }

/** What a text tells: its words, and apart from them the names and numbers in it, which make one memory another. */
function toldBy({ hit, text }: Read): Told {
  const start = text.slice(0, READ)
  const words = start.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  // Asked for only where the words are nearly the same, which is seldom.
  const names = () => new Set([...identifiersIn(start).map((name) => name.toLowerCase()), ...words.filter((word) => /\p{N}/u.test(word))])
  // An observation or a summary is its title; of prompts a person says "go on" again and again, and each leads somewhere else.
  const told = hit.kind === 'prompt' ? words.join(' ') : wordsIn(hit.title)
  return { hit, length: text.length, words: new Set(words), names, key: told }
}

function tellTheSame(a: Told, b: Told): boolean {
  if (a.hit.project !== b.hit.project) return false
  if (a.hit.sessionId === b.hit.sessionId && a.key === b.key && a.hit.kind === b.hit.kind) return true
  const [shorter, longer] = a.words.size < b.words.size ? [a, b] : [b, a]
  if (shorter.words.size < FEWEST || shorter.words.size < ALIKE * longer.words.size) return false
  if (Math.min(a.length, b.length) < ALIKE * Math.max(a.length, b.length)) return false
  return shares(a.words, b.words) >= ALIKE && shares(a.names(), b.names()) === 1
}

/** The newest of those that fit nearly as well as the first. */
function shown(group: Told[]): Hit {
  const hits = group.map(({ hit }) => hit)
  const best = hits[0]?.score ?? 0
  const hit = hits.filter(({ score }) => score >= NEARLY * best).reduce((newest, other) => (other.at > newest.at ? other : newest))
  return { ...hit, also: hits.filter((other) => other !== hit).map((other) => `${other.kind}:${other.id}`) }
}

/** What two sets have in common, of all that they have; 1 when they are the same. */
function shares(a: Set<string>, b: Set<string>): number {
  const all = a.union(b).size
  return all === 0 ? 1 : a.intersection(b).size / all
}

const wordsIn = (text: string) =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}_]+/gu)
    ?.join(' ') ?? ''

/** How much of a text is compared. Past that only its length: two texts that begin so alike and end elsewhere are rare. */
const READ = 2000
/** The share of words that must be the same. */
const ALIKE = 0.85
/** With fewer words than this, being alike is chance. */
const FEWEST = 10
const NEARLY = 0.9
