import { identifiersIn, wordsInIdentifier } from '../core/identifiers.ts'
import { isEverydayWord } from '../core/small-talk.ts'
import { queryCoverage, weighWords, YOUNG_STORE_DOCUMENTS } from '../retrieval/search.ts'
import type { Store } from '../store/store.ts'
import type { RecallEntry } from './conclusions.ts'

/**
 * Whether an entry that would be shown is itself about the prompt. The result of a long thread may be about something else, although a turn of the
 * thread matched. It must contain words of the prompt that are rare together, or much of a short prompt; everyday words say nothing.
 */
export async function tellsAbout(store: Store, query: string): Promise<(entry: Pick<RecallEntry, 'lines' | 'settles'>) => boolean> {
  const documents = await store.documents.count(null)
  const weighed = await weighWords(store, query)
  // Forms of one word are one word: "enable" and "enabled".
  const all = weighed.filter(({ stem }, n) => weighed.findIndex((word) => word.stem === stem) === n)
  const telling = all.filter(({ word }) => !isEverydayWord(word))
  const words = telling.length > 0 ? telling : all
  const names = namesIn(query)
  return ({ lines, settles }) => {
    // The prompt that began the work is quoted too, and may be all that the line has in common with this one.
    const said = lines.join('\n').replace(QUOTED_PROMPT, '')
    if (queryCoverage(said, words).matched === 0) return false
    const { coverage, matched, unlikely } = queryCoverage(lines.join('\n'), words)
    // A report of other work than the prompt names must have far more in common with it than a decision, which may be worded in general terms.
    const isElsewhere = !settles && names.length > 0 && !namesOneOf(lines.join('\n'), names)
    const min = isElsewhere ? ELSEWHERE_THRESHOLDS : THRESHOLDS
    if (documents < YOUNG_STORE_DOCUMENTS) return matched >= (isElsewhere ? min.words : Math.min(min.words, words.length))
    const rarity = unlikely / Math.log(documents)
    if (matched >= min.words && rarity >= min.rarity) return true
    if (isElsewhere || FOLLOW_UP.test(query) || coverage < SHORT_PROMPT.coverage) return false
    return rarity >= (matched > 1 || QUESTION.test(query) ? SHORT_PROMPT.rarity : SHORT_PROMPT.singleWordRarity)
  }
}

const QUOTED_PROMPT = /“[^”]*”/

/** `rarity` is 1 if one document would contain the words by chance, and 2 if even that is as unlikely again. */
const THRESHOLDS = { words: 2, rarity: 1.3 } as const
const ELSEWHERE_THRESHOLDS = { words: 4, rarity: 2.5 } as const
const SHORT_PROMPT = { coverage: 0.4, rarity: 0.6, singleWordRarity: 0.85 } as const

/** Whether a prompt goes on from the one before: "and …", "but this …", "ok, then …". Its words are about the work at hand. */
const FOLLOW_UP =
  /^\W*(?:and|but|so|then|ok(?:ay)?|yes|yeah|yep|no|nope|also|now|ah|hmm+|great|perfect|thanks|i (?:think|guess) (?:we|lets|let['’]s))\b/i

/** A question may be about a single word: "where is the retry logic?" A request needs more in common, or a word that hardly any memory has. */
const QUESTION = /[?？]\s*$|^\W*(?:what|which|where|why|how|when|who|are|is|was|were|do|does|did|have|has)\b/i

/** The code, files and tickets that a prompt names, as their words; a file without its folder and extension. */
function namesIn(prompt: string): string[] {
  const text = prompt.replace(/\bhttps?:\/\/\S+/g, ' ')
  const quoted = [...text.matchAll(/`([^`\n]{2,60})`/g)].map((match) => match[1] ?? '')
  const spelled = identifiersIn(text, MAX_NAMES).filter((name) => SPELLED_LIKE_CODE.test(name) && /\p{L}{4}|\p{N}/u.test(name))
  // `cli.SilentError` is also written `SilentError`.
  const members = spelled.flatMap((name) => /\.(\w+)$/.exec(name)?.[1] ?? []).filter((name) => SPELLED_LIKE_CODE.test(name))
  const names = [...quoted, ...spelled, ...members].map((name) => normalized(name.replace(/^.*[/\\](?=.)/, '').replace(FILE_EXTENSION, '')))
  return [...new Set(names)].filter((name) => name.length > 2)
}

const MAX_NAMES = 40
/** "rate-limiting" is plain English, `rate_limit`, `rateLimit` and `ENT-95` are names. */
const SPELLED_LIKE_CODE = /[_./\\\p{N}]|\p{Ll}\p{Lu}/u
const FILE_EXTENSION = /(?<=.)\.[a-z]{1,5}$/i

function namesOneOf(text: string, names: string[]): boolean {
  const words = ` ${normalized(text)} `
  return names.some((name) => words.includes(` ${name} `))
}

/** `SilentError`, `silent_error` and "silent error" are the same. */
const normalized = (text: string) => wordsInIdentifier(text).join(' ')
