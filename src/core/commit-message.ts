/**
 * The meaning of a commit message: its subject, its body without trailers, which commit it takes back, and whether it states a decision. Only
 * decisions are recalled at a prompt; other commits can be found by a search.
 */

/** `chore` is upkeep that settles nothing: merges, releases, version bumps, typos. */
export const COMMIT_TYPES = ['decision', 'change', 'chore'] as const
export type CommitType = (typeof COMMIT_TYPES)[number]

/** The commit that a revert takes back, by hash, or by subject where the message names no hash. */
export type RevertTarget = { hash: string } | { subject: string }

/** The subject on one line, and the body without trailers such as `Signed-off-by`. */
export function splitCommitMessage(message: string): { subject: string; body: string } {
  const text = message.replace(/\r\n?/g, '\n').replace(CONTROL_CHARACTERS, '').trim()
  const [first = ''] = text.split(/\n[ \t]*\n/, 1)
  const body = text
    .slice(first.length)
    .split('\n')
    .filter((line) => !TRAILER.test(line))
    .join('\n')
  return { subject: first.replace(/\s+/g, ' '), body: body.replace(/\n{3,}/g, '\n\n').trim() }
}

/** Escape codes have no place in a message, and a terminal would obey them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const TRAILER =
  /^\s*(?:(?:co-authored-by|signed-off-by|reviewed-by|acked-by|tested-by|reported-by|suggested-by|cc|change-id|git-svn-id|cherry-picked-from|claude-\w+|entire-\w+)\s*:|\(cherry picked from commit |🤖|generated with |[a-z]+(?:-[a-z]+)+: \S+$)/i

/** The commit that a commit takes back; null if it is not a revert. */
export function revertTarget({ subject, body }: { subject: string; body: string }): RevertTarget | null {
  const [, quoted, plain] = /^(?:revert|reapply) "(.+)"(?: \(#\d+\))?$|^revert(?:\([^)]*\))?!?: +(.+)$/i.exec(subject) ?? []
  const hash = /\bThis reverts commit ([0-9a-f]{7,64})\b/i.exec(body)?.[1]
  if (hash) return { hash: hash.toLowerCase() }
  if (quoted) return { subject: /^reapply/i.test(subject) ? `Revert "${quoted}"` : quoted }
  return plain ? { subject: plain } : null
}

export function commitType({
  subject,
  body,
  author,
  isMerge,
}: {
  subject: string
  body: string
  author: string
  isMerge: boolean
}): CommitType {
  if (isMerge || BOT.test(author) || UPKEEP.test(subject) || revertTarget({ subject, body })) return 'chore'
  const prose = sentencesIn(body)
  const isDecision = prose.some((sentence) => weightOf(sentence) >= DECISION_WEIGHT) && body.length >= MIN_DECISION_CHARACTERS
  if (isDecision) return 'decision'
  return CHORE.test(subject) ? 'chore' : 'change'
}

const BOT = /\[bot\]|^(?:dependabot|renovate|greenkeeper)\b/i
const UPKEEP =
  /^(?:merge (?:branch|pull request|remote|tag|commit|master|main)\b|(?:fixup|squash|amend)! |wip\b|(?:chore\(release\)|release|version|v)[:\s]*v?\d+\.\d+|v?\d+\.\d+(?:\.\d+)?(?:[-.\w]*)$|(?:build|chore|fix)\(deps(?:-dev)?\):|bump\b)/i
const CHORE =
  /^(?:(?:chore|ci|build|style|release)(?:\([^)]*\))?!?:|initial commit\b|(?:update|bump|add to|edit|amend) (?:the )?(?:changelog|readme|history|version|authors|dependencies|lock ?file|\.?gitignore|todo)\b|(?:fix(?:e[ds])?|correct(?:ed)?) (?:a |some |small |minor )?(?:typos?|whitespace|indentation|formatting|lint(?:ing)?|spelling)\b|typos?\b|whitespace\b|formatting\b|lint\b|pep ?8\b|cleanup\b|minor\b|oops\b|prepare (?:for )?(?:the )?(?:next )?(?:release|development)\b|cut (?:a )?release\b)/i
const MIN_DECISION_CHARACTERS = 60

/**
 * The sentences of a message that settle something, verbatim and in order, at most `max` characters. A short body is given whole: its first
 * sentence often names the problem that the decision answers.
 */
export function decisiveText(body: string, max: number): string {
  const whole = body.replace(/\s+/g, ' ').trim()
  if (whole.length <= max) return whole
  const sentences = sentencesIn(body).map((text, position) => ({ text, position, weight: weightOf(text) }))
  const chosen = new Set<number>()
  let length = 0
  for (const { text, position } of sentences.toSorted((a, b) => b.weight - a.weight || a.position - b.position)) {
    if (length + text.length + GAP.length > max) continue
    chosen.add(position)
    length += text.length + GAP.length
  }
  const kept = sentences.filter(({ position }) => chosen.has(position))
  return kept.map(({ text, position }, n) => (n > 0 && kept[n - 1]?.position !== position - 1 ? `… ${text}` : text)).join(' ')
}

const GAP = ' … '

/** The sentences of a body. Lines of a paragraph belong together; each item of a list stands alone. */
export function sentencesIn(body: string): string[] {
  const blocks = body.split(/\n\s*\n|\n(?=\s*(?:[-*•]|\d{1,2}[.)])\s)/)
  return blocks.flatMap((block) =>
    block
      .replace(/\s+/g, ' ')
      .trim()
      .split(SENTENCE_END)
      .filter((sentence) => sentence !== ''),
  )
}

/** Not after `e.g.` and `i.e.`; a semicolon also ends a statement. */
const SENTENCE_END = /(?<=[.!?;]["'”)\]]?)(?<!\b(?:e\.g|i\.e|cf|vs|etc)\.) (?=\S)/i

/** How much a sentence settles: what must or must not be, what was chosen over what, why, and literal values. */
function weightOf(sentence: string): number {
  if (/\?["'”)]?$/.test(sentence)) return 0
  return RULE_CUES.reduce((sum, { cue, weight }) => sum + (cue.test(sentence) ? weight : 0), 0) + (VALUE.test(sentence) ? 0.5 : 0)
}

/** One clear rule, or two weaker signs. */
const DECISION_WEIGHT = 2

const RULE_CUES: { cue: RegExp; weight: number }[] = [
  { cue: /\b(?:must|never|always|shall|invariant|forbidden|mandatory)\b/i, weight: 2 },
  {
    cue: /\b(?:decided|decision|settled|agreed|polic(?:y|ies)|rules?|by design|on purpose|intentional(?:ly)?|deliberate(?:ly)?|source of truth)\b/i,
    weight: 2,
  },
  { cue: /\b(?:do not|don['’]t|should not|shouldn['’]t|may not|cannot be|not allowed)\b|\bNOT\b/, weight: 1.5 },
  { cue: /\b(?:instead of|rather than|in favou?r of|not [\w'"`-]+ but|as opposed to|no longer)\b/i, weight: 1 },
  { cue: /\b(?:because|since|so that|otherwise|therefore|due to|in order to|the reason)\b/i, weight: 1 },
  { cue: /\b(?:only|exactly|at least|at most|no more than|up to|regardless|unless|except|first|default(?:s)? to)\b/i, weight: 1 },
  { cue: /\b(?:now|from now on|keep(?:s|ing)?|stays?|require[sd]?)\b/i, weight: 0.5 },
]

/** A number, a quoted or back-ticked literal, an assignment or a mapping. */
const VALUE = /\d|["'`“‘][^"'`”’]{1,40}["'`”’]|->|→|=|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/
