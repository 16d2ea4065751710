/** The searchable words of a query: in lower case, without stop words, each once, limited in number. */
export function queryWords(query: string): string[] {
  const words = allWords(query)
  const stopWords = stopWordsOf(words)
  const distinctive = words.filter((word) => isDistinctive(word) && !stopWords?.has(word))
  return bounded(distinctive.length > 0 ? distinctive : words)
}

/** Whether a query is in German, French or Spanish. Most memories are in English. */
export const isForeignLanguage = (query: string) => stopWordsOf(allWords(query).slice(0, MAX_QUERY_WORDS)) !== null

/** The stop words of the language of these words: at least two of them must occur, and more than English ones. */
function stopWordsOf(words: string[]): Set<string> | null {
  const common = words.filter((word) => COMMON_WORDS.has(word)).length
  const counts = STOP_WORDS.map((stopWords) => ({ stopWords, count: words.filter((word) => stopWords.has(word)).length }))
  const most = counts.reduce((a, b) => (b.count > a.count ? b : a))
  return most.count >= 2 && most.count > common ? most.stopWords : null
}

/** Like `queryWords`, but empty if every word is common: for a query whose filters say enough. */
export function distinctiveWordsOf(query: string): string[] {
  return bounded(allWords(query).filter(isDistinctive))
}

/**
 * Whether a query asks for recent work, or work at a mentioned time, instead of for its words: “what did we do”, “the latest changes”, “was
 * habe ich zuletzt gemacht”. `mentionsTime`: a time phrase was removed from the text.
 */
export function isAboutRecentWork(query: string, mentionsTime: boolean): boolean {
  const words = allWords(query).slice(0, MAX_QUERY_WORDS)
  if (words.length === 0 || !hasOnlyCommonWords(query)) return mentionsTime && words.length === 0
  return mentionsTime || words.some((word) => RECENCY_WORDS.has(word)) || ACTIVITY_QUESTION.test(words.join(' '))
}

/** Whether a text has only common words: those of any question, and words for doing something. */
export const hasOnlyCommonWords = (text: string) => allWords(text).slice(0, MAX_QUERY_WORDS).every(isCommonWord)

const isCommonWord = (word: string) =>
  COMMON_WORDS.has(word) || ACTIVITY_WORDS.has(word) || RECENCY_WORDS.has(word) || UNSPACED_ACTIVITY.test(word)

/** Whether a query asks for the last of several events: “when did we last”, “the latest”. “Last season” is a time instead. */
export const asksForLatest = (query: string) => LATEST.test(query.toLowerCase().replace(/\s+/g, ' '))

/** All words of a text in order, limited in number, to find neighbouring words. */
export const wordSequence = (text: string): string[] => allWords(text).slice(0, 3 * MAX_QUERY_WORDS)

/** Whether a word is in a script with few or no spaces, so that words must be searched inside longer runs. */
export const isUnspacedScript = (word: string) => UNSPACED_ONLY.test(word)

/** Whole identifiers in a text, as written: `getUser`, `token_budget`, `src/a.ts`, `ENOENT`, `#12`, `4a390f0`. */
export function identifiersOf(text: string): string[] {
  const found = new Set<string>()
  for (const { 0: chunk, index } of text.matchAll(ASCII_ONLY.test(text) ? ASCII_CHUNK : CHUNK)) {
    if (found.size === MAX_QUERY_WORDS) break
    if (chunk.length > MAX_NAME_CHARACTERS) continue
    const name = trimChunk(chunk)
    const isQuoted = text[index - 1] === '`' && text[index + chunk.length] === '`'
    const isCalled = text.startsWith('()', index + chunk.length)
    if (name.length > 1 && (looksLikeCode(name) || ((isQuoted || isCalled) && NAME.test(name)))) found.add(name)
  }
  return [...found]
}

/** Whether an identifier is a file or folder. `read/write` and `node.js` are not. */
export function isFile(name: string): boolean {
  if (ADDRESS.test(name) || name.startsWith('@') || !/\p{L}/u.test(name)) return false
  const parts = name.split(/[\\/]/)
  const last = parts.at(-1) ?? ''
  const extension = /[^.]\.([a-z][a-z0-9]{0,5})$/i.exec(last)?.[1]?.toLowerCase()
  if (parts.length === 1) {
    if (FILE_NAMES.has(name) || /^\.[a-z][\w-]+(?:\.[\w-]+)*$/.test(name)) return !EXTENSIONS.has(name.slice(1))
    return extension !== undefined && EXTENSIONS.has(extension) && !/^(?:node|next|nuxt|vue|react|express|three|d3)\.js$/i.test(name)
  }
  const isRooted = /^(?:\.{1,2}|~|[a-z]:)[\\/]./i.test(name)
  return isRooted || extension !== undefined || parts.length > 2 || last === '' || FILE_NAMES.has(last) || FOLDERS.has(parts[0] ?? '')
}

const UNSPACED_CHARACTER =
  '[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]&&[\\p{L}\\p{M}\\p{N}]]'
const UNSPACED_ONLY = new RegExp(`^${UNSPACED_CHARACTER}+$`, 'v')
/** A run of such a script, or a word: `修复getUser的错误` has three. */
const ANY_WORD = new RegExp(`${UNSPACED_CHARACTER}+|[[\\p{L}\\p{M}\\p{N}_]--${UNSPACED_CHARACTER}]+`, 'gv')

/**
 * Most text is ASCII, and for ASCII the simple patterns match the same as the Unicode ones. Compiling a Unicode pattern takes milliseconds, so
 * it should happen only for a text that needs it, not for the first query after a start.
 */
const ASCII_ONLY = /^[\0-\x7f]*$/
const ASCII_WORD = /[a-z0-9_]+/g

const allWords = (text: string): string[] => text.toLowerCase().match(ASCII_ONLY.test(text) ? ASCII_WORD : ANY_WORD) ?? []
const isDistinctive = (word: string) => (word.length > 1 || isUnspacedScript(word)) && !COMMON_WORDS.has(word)
const bounded = (words: string[]) => [...new Set(words)].slice(0, MAX_QUERY_WORDS)

/** More words, as in a pasted log, would add cost and no meaning. */
const MAX_QUERY_WORDS = 40
/** A longer one is data. */
const MAX_NAME_CHARACTERS = 200

const COMMON_WORDS = new Set(
  `a about after all also am an and any are as at be because been before being but by can could did do does doing done for from
  get got had has have he her here him his how i if in into is it its just let like make me more most my no not now of off on
  once only or other our out over own please same she should so some such than that the their them then there these they this
  those to too up us use very was we were what when where which who why will with would you your`.split(/\s+/),
)

/** German, French and Spanish. Removed only from a query in that language: `die`, `man` and `sin` are English words too. */
const STOP_WORDS = [
  `aber alle als auf aus bei beim bis da damit dann das dass dem den denn der des die dies diese dieser dieses doch du ein eine einem einen einer eines er es
  fehlt für gab gibt haben hat hatte ich ihr im ist ja kann kein keine können könnte man mehr mein mich mir mit muss nach nicht noch nur ob oder schon sein sich
  sie sind so soll sollen sollte über um und uns unter vom von vor war waren warum was weil welche wenn wer werden wie wieder wieso wir wird wo wurde zu zum zur`,
  `ai alors au aux avec avez avons c ce ces cette comment dans de des du elle en est et été faire fait il ils j je l la le les leur ma mais me mes mon ne nous
  on ou où par pas pour pourquoi qu quand que quel quelle qui quoi sa sans se ses si son sont sur te ton tu un une vous y`,
  `al algo como cómo con cual cuando cuándo de del desde donde dónde el ella en entre era es esa ese eso esta está este esto falla fue ha había hay la las le lo
  los más me mi muy no nos o para pero por porque qué que se ser si sin sobre son su sus también te tiene un una y ya yo`,
].map((words) => new Set(words.split(/\s+/)))

/** Words for doing something, which fit every turn. In German, French and Spanish with the stop words around them. */
const ACTIVITY_WORDS = new Set(
  `activities activity again change changed changes changing give going happen happened happening happens progress recap s session sessions show
  stuff summarise summarize tell thing things update updates ve went work worked working works
  am an arbeit bitte das dem den der die du es gearbeitet gemacht getan habe haben hast hat ich ihr im ist letztens los mir passiert sitzung
  sitzungen und uns war was wir woran worden wurde zeig zeige zu änderungen
  ai as avons avez c ce dans de des elle en est et fait faites il j je l la le les ma me modifications mon montre nous on passé qu que quoi
  sur séance séances travail travaillé tu un une
  cambios con del el ese esta este estuve fue ha hecho hemos hice hicimos hizo las lo los mi muestra nuestra pasó qué sesión sesiones trabajo
  trabajé`.split(/\s+/),
)
const RECENCY_WORDS = new Set(
  `last lately latest newest previous recent recently zuletzt letzte letzten letzter letztes neueste neuesten neuestes neulich kürzlich
  dernier dernière derniers dernières dernièrement récent récente récents récentes récemment último última últimos últimas recientes reciente
  recientemente últimamente`.split(/\s+/),
)
const LATEST =
  /(?<![\p{L}\p{N}_@:/.-])(?:latest|newest|most recent(?:ly)?|(?:i|we|you|they|it|anyone|anybody|someone|somebody|was|were) last|last (?:time|thing|change|commit|session|turn|fix|edit|update|version|state|decision|worked|touched|changed)s?|zuletzt|letzten? (?:mal|änderung|stand|sitzung)|neueste[nrs]?|dernière fois|en dernier|derni(?:er|ère)s? (?:changement|modification|version|séance)s?|última vez|últim[ao]s? (?:cambio|versión|sesión)s?|más recientes?)(?![\p{L}\p{N}_]|[@:/.-][\p{L}\p{N}])|上次|最后一次|最後に|最新|前回/u
/** Without a word for when, it must be a question: “sessions work” is none. */
const ACTIVITY_QUESTION = /^(?:what|was) (?:.* )?(?:did|done|doing|happened|gemacht|getan)\b/
const UNSPACED_ACTIVITY =
  /^(?:我们?|咱们|做|干|改|发生|了|过|什么|些|的|都|何|を|が|した|やった|しました|やりました|か|作業|変更|会话|会話|セッション)+$/u

/** An address, or what stands between spaces, quotes, brackets and runs. A colon belongs to it in `a::b`, `a.ts:12` and `C:\a`. */
const chunkBetween = (runs: string) =>
  new RegExp(
    `[a-z][a-z0-9+.\\-]{0,20}:\\/\\/[^\\s<>"'\`${runs}]+|(?:[^\\s,;:=\\|\\(\\)\\{\\}<>"'\`“”‘’「」『』。、，：；（）？！${runs}]|::|:(?=[\\d\\\\\\/]))+`,
    'giv',
  )
const CHUNK = chunkBetween(UNSPACED_CHARACTER)
const ASCII_CHUNK = chunkBetween('')

/** Without surrounding asterisks and punctuation, and without the line number after a file name. */
function trimChunk(chunk: string): string {
  const name = chunk.replace(/^\*+|[*.,;:!?…)]+$/g, '').replace(/^\[(.*)\]$/, '$1')
  return ADDRESS.test(name) ? name : name.replace(/:\d+(?:[:-]\d+)?$|#L\d+(?:-L?\d+)?$/, '')
}

/** Most words are plain, so that is checked first. */
const looksLikeCode = (name: string) =>
  /^[A-Z]?[a-z]+$/.test(name) ? FILE_NAMES.has(name) : CODE.some((shape) => shape.test(name)) || isFile(name)

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i
/** A name in backticks or with parentheses: `deploy`, deploy(). */
const NAME = /^[\p{L}_$@-][\p{L}\p{M}\p{N}_$.@:/-]+$/u
const CODE = [
  ADDRESS,
  // camelCase and HTTPServer
  /^(?=.*(?:\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2}))[\p{L}\p{M}\p{N}_$]+$/u,
  // snake_case and __init__, not _emphasis_
  /^(?!_[^_]+_$)(?=.*[\p{L}\p{N}])(?=.*_)[\p{L}\p{M}\p{N}_$-]+$/u,
  // process.env, my-app.test, std::vector; not e.g.
  /^(?=.*[\p{L}_$]{3})[\p{L}_$][\p{L}\p{M}\p{N}_$-]*(?:(?:\.|::)[\p{L}_$][\p{L}\p{M}\p{N}_$-]*)+$/u,
  // @scope/package and --flag
  /^@[\w.-]+\/[\w.-]+$|^--[a-z][\w-]+$/i,
  // #12, APP-12, TS2345, ENOENT, SIGTERM
  /^#\d+$|^[A-Z][A-Z\d]+-\d+(?:-\d+)?$|^[A-Z]{1,6}\d{3,6}$|^SIG[A-Z]{3,6}\d?$/,
  /^E(?:ACCES|ADDR|AGAIN|BADF|BUSY|CONN|EXIST|HOST|INVAL|ISDIR|LOOP|MFILE|NFILE|NO[A-Z]{3}|PERM|PIPE|PROTO|ROFS|TIMEDOUT|XDEV)[A-Z]*$/,
  // a commit, a session, a version
  /^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}$/,
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  /^v\d+(?:\.\d+)+[\w.+-]*$|^\d+(?:\.\d+){2,}[\w.+-]*$/i,
]

const FILE_NAMES = new Set(
  `BUILD Brewfile CHANGELOG CODEOWNERS CONTRIBUTING Caddyfile Containerfile Dockerfile Gemfile Jenkinsfile Justfile LICENSE Makefile
  NOTICE Pipfile Podfile Procfile README Rakefile Tiltfile Vagrantfile justfile`.split(/\s+/),
)
const FOLDERS = new Set(
  'src test tests lib docs app apps bin cmd pkg packages internal scripts bench tools config components pages public assets'.split(' '),
)
/** Without `env`, `log`, `map` and `db`, which are more often members, as in `process.env`. */
const EXTENSIONS = new Set(
  `adoc astro bash bat bin c cc cfg cjs clj cmake conf cpp cs css csv cts cxx dart diff ex exs fish gif go gql gradle graphql h hcl hh hpp
  hs htm html ico ini ipynb java jl jpeg jpg js json json5 jsonc jsonl jsx kt kts less lock lua m md mdx mjs ml mm mts nim nix patch pdf
  php pl png proto ps1 py pyi r rb rs rst sass scala scss sh snap sql sqlite svelte svg swift tar tf toml ts tsv tsx txt vue wasm webp
  xml yaml yml zig zip zsh`.split(/\s+/),
)

export type NameInQuery = { word: string; at: number }

/** Possible names of branches and projects in a text. A plain word may be a project's name next to certain words: “in tidepool”, “the tidepool project”. */
export function possibleNamesIn(text: string): NameInQuery[] {
  const all = [...text.matchAll(NAME_CHUNK)].map(({ 0: chunk, index }) => ({
    word: trimName(chunk),
    at: index + chunk.indexOf(trimName(chunk)),
  }))
  const isUsedAsName = ({ word }: NameInQuery, i: number) =>
    word.length >= MIN_NAME_LETTERS &&
    !hasOnlyCommonWords(word) &&
    (WORD_BEFORE_NAME.test(all[i - 1]?.word ?? '') || WORD_AFTER_NAME.test(all[i + 1]?.word ?? ''))
  return all.filter((name, i) => isDistinctiveName(name.word) || isUsedAsName(name, i)).slice(0, MAX_NAMES_LOOKED_UP)
}

/** Text between spaces, quotes and brackets. */
const NAME_CHUNK = /[^\s"'`“”‘’«»()[\]{}<>,;:!?「」、。，？！]+/g
const trimName = (chunk: string) => chunk.replace(/^(?:[^\p{L}\p{N}]+|origin\/)+|[^\p{L}\p{N}]+$/gu, '')

const WORD_BEFORE_NAME = /^(?:in|on|im|auf|dans|en|project|projekt|projet|proyecto|repo|repository)$/i
const WORD_AFTER_NAME = /^(?:project|projekt|repo|repository)$/i

/** `feature/blue-whale`, `blue-whale`, `app-1234`; never a plain word, nor anything as short as `v2` or `x-y`. */
export const isDistinctiveName = (name: string) =>
  name.length <= MAX_BRANCH_CHARACTERS &&
  /[-_/\d]/.test(name) &&
  /\p{L}/u.test(name) &&
  (name.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= MIN_NAME_LETTERS

const MIN_NAME_LETTERS = 5
const MAX_BRANCH_CHARACTERS = 250
/** A query names few. More words that look like names are a pasted list. */
const MAX_NAMES_LOOKED_UP = 20
