/**
 * The content that a sentence settles, so that two sentences can be compared: whether they say the same, or whether the newer replaces the older. Only
 * clear cases count. Two rules that might both hold are left alone.
 */
export type Settlement = {
  /** The kinds of names that it is a convention for, such as `variable`; empty if it is about something else. */
  named: string[]
  /** How these names are formed: their start, their end, a part of them, or their case. */
  manner: string
  /** The words that say what it is about and where it applies, shortened to their stems. */
  words: Set<string>
  /** Literal values: quoted texts, code and numbers. */
  values: Set<string>
  /** Alternatives such as `npm` and `pnpm`: the ones it asks for, and the ones it rejects. */
  chosen: Set<string>
  rejected: Set<string>
  isNegative: boolean
  /** It says itself that it replaces something: "instead", "no longer". */
  isAmendment: boolean
  /** It asks for something that can hold beside others of its kind: run a command, add an import. */
  isAdditive: boolean
}

export type SettlementRelation = 'same' | 'replaces' | 'unrelated'

/**
 * How a newer settlement relates to an older one. `isLater`: they were made on different occasions; in one conversation, two conventions about
 * the same names complete each other.
 */
export function relateSettlements(newer: Settlement, older: Settlement, isLater: boolean): SettlementRelation {
  if (newer.named.length > 0 && older.named.length > 0) return relateNaming(newer, older, isLater)
  if (newer.chosen.size > 0 && older.chosen.size > 0) return relateChoices(newer, older)
  if ((overlaps(newer.rejected, older.chosen) || overlaps(newer.chosen, older.rejected)) && areEqual(newer.words, older.words))
    return 'replaces'
  const isAlike = isNearlyEqual(newer.words, older.words)
  if (isAlike && newer.isNegative !== older.isNegative && areEqual(newer.values, older.values)) return 'replaces'
  if (isAlike && areEqual(newer.values, older.values)) return newer.words.size + newer.values.size > 1 ? 'same' : 'unrelated'
  const hasOtherValue = newer.values.size > 0 && newer.values.size === older.values.size
  if (
    isAlike &&
    newer.words.size > 0 &&
    hasOtherValue &&
    newer.isNegative === older.isNegative &&
    (isLater ? !isCommand(newer) : !newer.isAdditive)
  )
    return 'replaces'
  return newer.isAmendment && isAboutTheSame(newer, older) ? 'replaces' : 'unrelated'
}

function relateNaming(newer: Settlement, older: Settlement, isLater: boolean): SettlementRelation {
  if (newer.named.join() !== older.named.join()) return 'unrelated'
  if (newer.manner === older.manner && areEqual(newer.values, older.values))
    return newer.isNegative === older.isNegative ? 'same' : 'replaces'
  return newer.manner === older.manner || isLater || newer.isAmendment ? 'replaces' : 'unrelated'
}

function relateChoices(newer: Settlement, older: Settlement): SettlementRelation {
  if (!areEqual(newer.words, older.words) || !areEqual(newer.values, older.values))
    return newer.isAmendment && isAboutTheSame(newer, older) ? 'replaces' : 'unrelated'
  if (areEqual(newer.chosen, older.chosen)) return newer.isNegative === older.isNegative ? 'same' : 'replaces'
  const sameKind = [...newer.chosen].every((one) => [...older.chosen].some((other) => kindOf(one) === kindOf(other)))
  // "Never use npm" does not contradict "use pnpm".
  return sameKind && !newer.isNegative && !older.isNegative && newer.chosen.size === older.chosen.size ? 'replaces' : 'unrelated'
}

/** Reads what a text settles. */
export function readSettlement(text: string): Settlement {
  const asked = withoutReasons(text.replaceAll('[…] ', '')).replace(/\b(single|double) quotes\b|\b(merge) commits\b/gi, (both) =>
    both.replace(' ', '-'),
  )
  const literals = [...asked.matchAll(LITERAL)].map((match) => (match[1] ?? match[2] ?? match[3] ?? match[4] ?? '').toLowerCase())
  const unquoted = asked.replace(LITERAL, ' ').toLowerCase()
  const values = new Set([...literals, ...(unquoted.match(QUANTITY) ?? [])])
  const plain = unquoted.replace(QUANTITY, ' ')
  const named = namesIn(plain)
  const { chosen, rejected } = choicesIn(asked.toLowerCase())
  const kinds = new Set([...chosen, ...rejected].map(kindOf))
  const words = new Set(
    plain
      .replace(STANDING_PHRASES, ' ')
      .match(/[\p{L}\p{N}_][\p{L}\p{N}_+#.-]*/gu)
      ?.map((word) => word.replace(/[.-]+$/, ''))
      .filter((word) => !NO_SUBJECT.has(word) && !KIND_OF.has(word) && !isAboutKind(word, kinds))
      .map(stem) ?? [],
  )
  for (const value of [...chosen, ...rejected]) values.delete(value)
  return {
    named,
    manner: named.length > 0 ? mannerOf(plain) : '',
    words,
    values,
    chosen,
    rejected,
    isNegative: NEGATION.test(plain) && rejected.size === 0,
    isAmendment: AMENDMENT.test(plain),
    isAdditive: ADDITIVE.test(plain),
  }
}

/** The kinds of tools and styles that a text names, such as `package manager` for npm. */
export function kindsOfChoice(text: string): Set<string> {
  const { chosen, rejected } = choicesIn(text.toLowerCase())
  return new Set([...chosen, ...rejected].map(kindOf))
}

/** The words to look for in order to find settlements that this one may replace or repeat. */
export function settlementSearchWords(text: string): string[] {
  const { words, values, chosen, rejected, named } = readSettlement(text)
  const kinds = new Set([...chosen, ...rejected].map(kindOf))
  const alternatives = ALTERNATIVES.filter(({ kind }) => kinds.has(kind)).flatMap(({ members }) => members)
  return [...new Set([...named.flatMap((name) => [...name.split(' '), 'names', 'naming']), ...alternatives, ...words, ...values])]
    .filter((word) => /[\p{L}\p{N}]{3}/u.test(word))
    .slice(0, MAX_SEARCH_WORDS)
}

const MAX_SEARCH_WORDS = 24

const areEqual = (one: Set<string>, other: Set<string>) => one.size === other.size && [...one].every((value) => other.has(value))

const overlaps = (one: Set<string>, other: Set<string>) => [...one].some((value) => other.has(value))

function isNearlyEqual(one: Set<string>, other: Set<string>): boolean {
  const shared = [...one].filter((word) => other.has(word)).length
  return shared / Math.max(one.size, other.size, 1) >= MIN_EQUAL_WORDS || (one.size === 0 && other.size === 0)
}

const MIN_EQUAL_WORDS = 0.85

/** An amendment names what it amends, but rarely in the same words. */
function isAboutTheSame(newer: Settlement, older: Settlement): boolean {
  const all = ({ words, values, chosen, rejected }: Settlement) => new Set([...words, ...values, ...chosen, ...rejected])
  const [one, other] = [all(newer), all(older)]
  const shared = [...one].filter((word) => other.has(word)).length
  return shared >= MIN_SHARED_WORDS && shared / Math.min(one.size, other.size) >= MIN_SHARED_RATIO
}

const MIN_SHARED_WORDS = 2
const MIN_SHARED_RATIO = 0.4

/** The part of a text that says what to do, without why. */
function withoutReasons(text: string): string {
  return text.replace(PURPOSE, '').replace(REASON, (reason, offset: number) => (offset >= MIN_ASKED_CHARS ? '' : reason))
}

const MIN_ASKED_CHARS = 8
const REASON =
  /[,;–—-]?\s*\b(?:because|since|so that|as in|as it|as they|as we|(?:this|it|which|that|they|these) (?:helps?|makes?|will|ensures?|is (?:important|useful|essential)|improves?|allows?|adds?)|for (?:better|consistency|clarity|error handling|readability)|even if|even when|even though|especially)\b[^.!?\n]*/gi

const PURPOSE =
  /(?<!\b(?:you|want|need|like|us|is|sure|everyone|important|have|expect|require|ask) )\b(?:in order )?to (?:make|help|ensure|maintain|improve|indicate|handle|provide|keep track|differentiate|identify)\b[^.,!?\n]*,?/gi

/** Texts in quotes and code. An apostrophe within a word is no quote. */
const LITERAL =
  /(?<![\p{L}\p{N}])'([^'\n]{1,40})'(?![\p{L}\p{N}])|["“]([^"“”\n]{1,40})["”]|`([^`\n]{1,60})`|‘([^’\n]{1,40})’(?![\p{L}\p{N}])/gu

/** A number that says how much. In "rule 3" or "phase 14" it is a name. */
const QUANTITY =
  /(?<=\b(?:to|is|are|at|than|most|least|within|after|every|port|limit|by|be) |[=:] ?)\d[\d.,]*(?<![.,])|\d[\d.,]*(?= ?(?:ms|s|sec|seconds?|min|minutes?|hours?|days?|weeks?|%|[kmg]b|px|chars?|characters?|tokens|lines|spaces|columns|retries|attempts|tries|times|items|rows)\b)/g

const NEGATION = /\b(?:never|not|don['’]?t|do not|avoid|refrain|stop|without|no longer|no more|must ?n['’]t|can(?:not|['’]t))\b/
const AMENDMENT =
  /\b(?:instead|no longer|not any ?more|any ?more|changed (?:my|our) minds?|amend(?:s|ed|ing|ment)?|replac(?:e|es|ed|ing)|supersed\w+|overrul\w+|rather than what|from now on[^.]*\bnot\b|switch(?:ed|ing)? (?:to|from)|we(?:['’]re| are) now)\b/
const ADDITIVE =
  /\b(?:add(?:ing)?|import(?:ing)?|includ(?:e|ing)|run(?:ning)?|execut(?:e|ing)|check(?:ing)?|updat(?:e|ing)|test(?:ing)?|call(?:ing)?|read(?:ing)?|ask(?:ing)?|review(?:ing)?|verify(?:ing)?)\b/
const isCommand = ({ words }: Settlement) =>
  ['run', 'execu', 'check', 'updat', 'test', 'call', 'read', 'ask', 'revie', 'verif'].some((verb) => words.has(verb))

/** The kinds of names in a text, singular: "when naming function arguments", "your variable names". */
function namesIn(text: string): string[] {
  const found = [
    ...[...text.matchAll(/\bnaming (?:your |our |all |new |any )*((?:[a-z]+ )?[a-z]+)/g)].map((match) => match[1] ?? ''),
    ...[...text.matchAll(/\b((?:[a-z]+ )?[a-z]+) names?\b/g)].map((match) => match[1] ?? ''),
    ...[...text.matchAll(/\bnames? of (?:your |our |all |the |any )*((?:[a-z]+ )?[a-z]+)/g)].map((match) => match[1] ?? ''),
    ...[...text.matchAll(/\b(?:for|to) (?:your |our |all )*((?:[a-z]+ )?[a-z]+s), (?:please |always |start|end|use)/g)].map(
      (match) => match[1] ?? '',
    ),
    ...[...text.matchAll(/\b(?:start|end|begin|prefix) (?:all )?(?:your |our )([a-z]+s) with\b/g)].map((match) => match[1] ?? ''),
    // "so ensure that all argument names …" and "declaring functions … argument names" are about arguments.
  ]
  const kinds = found.map(kindOfName).filter((kind) => kind !== '')
  return [...new Set(kinds)].sort()
}

/** `function arguments` → `argument`; empty if the words before `names` name no kind. */
function kindOfName(phrase: string): string {
  const words = phrase.split(' ').filter((word) => !NOT_A_KIND.has(word))
  const last = (words.at(-1) ?? '').replace(/(?<=ss)es$|(?<=[^s])s$/, '')
  const head = last === 'parameter' ? 'argument' : last
  if (head === '' || head === 'convention' || head === 'standard') return ''
  const before = words.length > 1 && head !== 'argument' && head !== 'attribute' ? `${(words[0] ?? '').replace(/s$/, '')} ` : ''
  return before + head
}

const NOT_A_KIND = new Set(
  'the a an all your our their its his her my new any each every of with in to for and or start end begin use using include including variables variable name names naming that these those this them when from on as is are be you we i want like prefer starting ending have python code same start.'
    .split(' ')
    .filter((word) => word !== 'variable' && word !== 'variables'),
)

const MANNERS: [string, RegExp][] = [
  ['case', /camel ?case|snake|kebab|pascal|upper|lower-?case|title case/],
  ['end', /\b(?:end(?:s|ing)?|suffix\w*|append\w*)\b/],
  ['start', /\b(?:start(?:s|ing)?|begin(?:s|ning)?|prefix\w*|prepend\w*)\b/],
  ['part', /\b(?:includ\w+|inclusion|contain\w*)\b/],
]
const mannerOf = (text: string) =>
  MANNERS.filter(([, pattern]) => pattern.test(text.replace(/\bstart(?:ing)? (?=\w+ing\b)/g, '')))[0]?.[0] ?? ''

/** Tools and styles of which a project uses one. `about` are words that only name the choice. */
const ALTERNATIVES: { kind: string; members: string[]; about: string[] }[] = [
  {
    kind: 'package manager',
    members: ['npm', 'pnpm', 'yarn', 'bun'],
    about: ['package', 'packages', 'manager', 'install', 'installing', 'dependencies'],
  },
  {
    kind: 'python packaging',
    members: ['pip', 'poetry', 'uv', 'conda', 'pipenv'],
    about: ['package', 'packages', 'install', 'dependencies', 'environments'],
  },
  { kind: 'indentation', members: ['tabs', 'spaces'], about: ['indent', 'indentation', 'indenting'] },
  { kind: 'quotes', members: ['single-quotes', 'double-quotes'], about: ['strings'] },
  {
    kind: 'test runner',
    members: ['jest', 'vitest', 'mocha', 'ava', 'jasmine', 'pytest', 'unittest'],
    about: ['test', 'tests', 'testing', 'runner', 'framework'],
  },
  {
    kind: 'database',
    members: ['postgres', 'postgresql', 'mysql', 'mariadb', 'sqlite', 'mongodb', 'dynamodb', 'redis'],
    about: ['database', 'db', 'store'],
  },
  { kind: 'module format', members: ['esm', 'commonjs', 'cjs'], about: ['module', 'modules', 'format', 'ship', 'only'] },
  { kind: 'formatter', members: ['prettier', 'biome', 'dprint', 'yapf'], about: ['format', 'formatting', 'formatter'] },
  { kind: 'linter', members: ['eslint', 'oxlint', 'tslint', 'ruff', 'flake8', 'pylint'], about: ['lint', 'linting', 'linter'] },
  {
    kind: 'merging',
    members: ['squash', 'rebase', 'merge-commits'],
    about: ['merge', 'merging', 'pull', 'requests', 'prs', 'branches', 'commits'],
  },
  {
    kind: 'hosting',
    members: ['github', 'gitlab', 'bitbucket'],
    about: ['version', 'control', 'repository', 'repositories', 'code', 'hosting'],
  },
  { kind: 'styling', members: ['tailwind', 'styled-components', 'sass'], about: ['css', 'styles', 'styling'] },
  { kind: 'http client', members: ['axios', 'undici', 'httpx'], about: ['http', 'client', 'requests'] },
]
const KIND_OF = new Map(ALTERNATIVES.flatMap(({ kind, members }) => members.map((member) => [member, kind] as const)))
const kindOf = (member: string) => KIND_OF.get(member) ?? ''
const isAboutKind = (word: string, kinds: Set<string>) => ALTERNATIVES.some(({ kind, about }) => kinds.has(kind) && about.includes(word))

/** The tools that a text asks for, and those that follow "never", "not", "instead of" and the like. */
function choicesIn(text: string): { chosen: Set<string>; rejected: Set<string> } {
  const [chosen, rejected] = [new Set<string>(), new Set<string>()]
  let isRejecting = false
  for (const [token] of text.matchAll(/instead of|rather than|no longer|any ?more|in favou?r of|[\p{L}\p{N}+-]+|[,;.!]/gu)) {
    if (/^(?:instead of|rather than|no longer|never|not|over|avoid|without|drop|don|nor)$/.test(token)) isRejecting = true
    else if (/^(?:[,;.!]|but|use|in favou?r of|to)$/.test(token)) isRejecting = isRejecting && token === 'use'
    else if (KIND_OF.has(token)) (isRejecting ? rejected : chosen).add(token)
  }
  for (const value of chosen) rejected.delete(value)
  // "Never use npm" rejects and asks for nothing: what it is about is npm.
  return { chosen, rejected }
}

/** Words that say that something is asked for, for good, and not what. */
const STANDING_PHRASES =
  /\b(?:from now on(?:wards?)?|from (?:here|this point|today)(?: on)?(?:wards?| out)?|going forward|moving forward|every time|each time|at all times|as a (?:general )?rule|make sure|get into the habit of|be diligent about|the importance of|the use of|in mind|changed (?:my|our) minds?|go(?:ing)? with|stick(?:ing)? (?:to|with)|settle(?:d)? (?:on|for)|no longer|any ?more)\b/g

const NO_SUBJECT = new Set(
  'a an the of in on at to is are was were be been for and or that this these those it its with by as we our us you your i me my so then when whenever while want wanted need needs would like prefer please always never not no don do does must should shall will can could all every each any also just only now start starting use uses using used ensure remember sure let lets d ll re ve s t them they their there here if else than from into instead rather avoid without stop refrain emphasize decided decide agreed settled chose opted final decision switch move keep have has one new everywhere first second firstly secondly additionally another thing convention conventions practice practices rule rules important follow code codebase somewhere again reminder note who which what even get habit further too really yes ok okay great well'.split(
    ' ',
  ),
)

/** Enough of a word to equate its forms. */
const stem = (word: string) => (/^\d/.test(word) ? word : word.replace(/(?<=..)(?:ing|ies|ed|es|s|e)$/, '').slice(0, 5))
