/** Something that memories name. Two memories that name the same entity are related. */
export type Entity = {
  kind: EntityKind
  /** In a normalized spelling: `./src/a.ts:12` and `src/a.ts` are one file. */
  name: string
}
export type EntityKind = 'file' | 'symbol' | 'package' | 'command' | 'error' | 'url' | 'issue' | 'commit'

/** A text is not about the entities after these; they are usually in a pasted log. */
const MAX_ENTITIES = 64
const MAX_TEXT_CHARS = 32_000
const MAX_WORD_CHARS = 300

/**
 * The files, symbols, packages, commands, errors, addresses, issues and commits that a text names, in order. Doubtful words are not entities:
 * a search still finds a missed one by its text, but a wrong one links unrelated memories.
 */
export function entitiesIn(text: string): Entity[] {
  // The end of a markdown link's label is not part of a word.
  const read = text.slice(0, MAX_TEXT_CHARS).replaceAll('](', '  ')
  const found = [...wordsNamed(read), ...commandsNamed(read), ...packagesNamed(read), ...statusesNamed(read)]
  const entities = new Map<string, Entity>()
  for (const { entity } of found.sort((a, b) => a.at - b.at)) {
    const key = `${entity.kind} ${entity.name}`
    if (entities.size < MAX_ENTITIES && !entities.has(key)) entities.set(key, entity)
  }
  return [...entities.values()]
}

type EntityOccurrence = { at: number; entity: Entity }

/** One word of the text. A quoted one stood between backticks; the word before may say what it is. */
type EntityWord = { text: string; isQuoted: boolean; before: string }

const WORDS = /`([^`\n]{1,200})`|[^\s`"“”<>|,;]+/g
/** Contains something that no ordinary word has, or is a well-known name. */
const LOOKS_LIKE_NAME = /[a-z0-9][A-Z]|[A-Z]{3}[a-z]{2}|[A-Z]\w+Error|[\w$]\(|[\d_$@#\\]|[/.:]\w|\w\/|\b[A-Z]{5}|file\b/

function wordsNamed(text: string): EntityOccurrence[] {
  const found: EntityOccurrence[] = []
  let before = ''
  const look = (given: string, at: number, isQuoted: boolean) => {
    // A long address is usually long because of its query string.
    const word = given.length > MAX_WORD_CHARS ? (given.split('?', 1)[0] ?? '') : given
    const isFlag = /^--?\w/.test(word)
    if (word.length <= MAX_WORD_CHARS && !isFlag && (isQuoted || LOOKS_LIKE_NAME.test(word))) {
      const entity = entityOf({ text: isQuoted ? word : stripPunctuation(word), isQuoted, before })
      if (entity) found.push({ at, entity })
    }
    before = word.slice(0, 20)
  }
  for (const match of text.matchAll(WORDS)) {
    const quoted = match[1]?.trim()
    if (quoted === undefined) look(match[0], match.index, false)
    else if (/\s/.test(quoted)) for (const part of quoted.split(/[\s"',;<>|]+/)) look(part, match.index, false)
    else look(quoted, match.index, true)
  }
  return found
}

/** A word without the punctuation of its sentence. */
function stripPunctuation(word: string): string {
  const open = word.replace(/^(?:[([{*_'‘•=-]|~(?!\/))+/, '').replace(/[.,:;!?*_~'’…]+$/, '')
  const whole = open.replace(/['’]s$/, '')
  return /[([{]/.test(whole) ? whole : whole.replace(/[)\]}.,:;!?*_~'’…]+$/, '')
}

function entityOf(word: EntityWord): Entity | null {
  const { text } = word
  if (isRedacted(text)) return null
  if (text.length < 3) return digitIssue(word)
  return addressIn(text) ?? packageIn(text) ?? issueIn(word) ?? errorIn(text) ?? commitIn(text) ?? fileIn(word) ?? symbolIn(word)
}

/** A redacted text is not a name: two that look the same are seldom the same. */
export const isRedacted = (text: string): boolean => /\[redacted:|REDACTED/.test(text)

function named(kind: EntityKind, name: string | undefined): Entity | null {
  return name && name.length <= 200 ? { kind, name } : null
}

/** The address without user, query string and fragment. Links to issues and commits become issues and commits. */
function addressIn(text: string): Entity | null {
  if (!/^https?:\/\/\w/i.test(text)) return null
  const url = URL.parse(text.replace(/(?<=.)https?:.*$/i, ''))
  if (!url || /^(?:localhost|127\.|0\.0\.0\.0|\[|(?:[\w-]+\.)?example\.(?:com|org|net)$)/.test(url.hostname)) return null
  const path = url.pathname.replace(/[).\]/]+$/, '').replace(/\.git$/, '')
  const [, owner, what, id] = /^\/([\w.-]+\/[\w.-]+)\/(?:-\/)?(issues|pull|merge_requests|commit)\/(\w+)/.exec(path) ?? []
  const tracked = /\/(?:issue|browse)\/([A-Z][A-Z0-9]+-\d+)(?:\/|$)/.exec(path)?.[1]
  if (tracked) return named('issue', tracked)
  if (what === 'commit') return commitIn(id ?? '')
  if (owner && /^\d+$/.test(id ?? '')) return named('issue', `${owner.toLowerCase()}#${id}`)
  return named('url', `${url.protocol}//${url.host}${path}`)
}

function packageIn(text: string): Entity | null {
  const name =
    /^(@[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*)(?!.*\/.*\.\w+$)/.exec(text)?.[1] ??
    /^((?:github\.com|gitlab\.com|bitbucket\.org)\/[\w.-]+\/[\w-]+)/.exec(text)?.[1] ??
    /^((?:golang\.org\/x|gopkg\.in|k8s\.io|google\.golang\.org)\/[\w.-]+)/.exec(text)?.[1] ??
    // A GitHub action, or a package with its version.
    /^([a-z][\w.-]*(?:\/[\w.-]+)?)@[~^]?v?\d+(?:\.\d+)*(?:-[\w.]+)?$/.exec(text)?.[1]
  return named('package', name)
}

const SAYS_ISSUE = /^\W*(?:issues?|bugs?|tickets?|prs?|mrs?|requests?|fixe[sd]|close[sd]|resolve[sd])\W*$/i

function issueIn(word: EntityWord): Entity | null {
  const { text } = word
  const elsewhere = /^([\w.-]+\/[\w.-]+)#(\d{1,6})$/.exec(text)
  if (elsewhere) return named('issue', `${elsewhere[1]?.toLowerCase()}#${elsewhere[2]}`)
  const tracked = /^([A-Z][A-Z0-9]{1,9})-(\d{1,6})$/.exec(text)
  if (tracked)
    return /^(?:PR|MR|GH)$/.test(tracked[1] ?? '') ? named('issue', `#${tracked[2]}`) : STANDARDS.test(text) ? null : named('issue', text)
  const number =
    /^(?:(?:PR|MR|issue)\s?)?#(\d{1,5})$/i.exec(text)?.[1] ?? (/^(?:PR|MR)$/.test(word.before) ? /^\d{1,5}$/.exec(text)?.[0] : undefined)
  // `#333` is more likely a colour.
  return number && (SAYS_ISSUE.test(word.before) || !/^(\d)\1\1$/.test(number)) ? named('issue', `#${number}`) : null
}

/** `#5` alone may be an item of a list; after `issue` or `fixes` it is an issue. */
function digitIssue({ text, before }: EntityWord): Entity | null {
  return /^#\d$/.test(text) && SAYS_ISSUE.test(before) ? named('issue', text) : null
}

const STANDARDS =
  /^(?:UTF|SHA|MD|ISO|RFC|ADR|ERC|EIP|BIP|AES|RSA|HS|RS|ES|HTTP|TLS|SSL|GPT|COVID|WCAG|ARM|BASE|CRC|IPV|WIN|X|UCS|CP|KOI|EN|US|GB|PEP|JSR|ECMA|IEEE|ANSI|DES|EC|ED|PKCS|H|MP|USB|PS|F|K|T|Q|P\d?|V|R|S|A|B|C|D|E)-\d/

function errorIn(text: string): Entity | null {
  const name =
    /^(?:TS\d{4,5}|E\d{3,4}|[FW]\d{3}|CS\d{4}|SC\d{4}|MD\d{3}|CVE-\d{4}-\d{4,}|ERR_[A-Z0-9_]{3,}|SQLITE_[A-Z_]+|SIG(?:SEGV|ABRT|BUS|ILL))$/.exec(
      text,
    )?.[0] ??
    /^error\[(E\d{4})\]$/.exec(text)?.[1] ??
    ERRNO.exec(text)?.[0] ??
    /^(?:[\w$]+[.:]+)*((?!(?:Test|New|No|Run|With|Print|Handle|Is|Has|Get|Set|On|Assert|Expect|Wrap|As|To|Log)[A-Z])[A-Z][A-Za-z0-9]*(?:Error|Exception))(?:\(.*)?$/.exec(
      text,
    )?.[1]
  return named('error', name)
}

const ERRNO =
  /^E(?:NOENT|ACCES|PERM|EXIST|ADDRINUSE|ADDRNOTAVAIL|CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|PIPE|ISDIR|NOTDIR|NOTEMPTY|NOSPC|MFILE|NFILE|BUSY|INVAL|XDEV|ROFS|NOTFOUND|AI_AGAIN|LIFECYCLE|RESOLVE|INTEGRITY|HOSTUNREACH|NETUNREACH|LOOP|NAMETOOLONG|AGAIN|CHILD|SRCH|BADENGINE)$/

/** Hashes are cut to seven characters, as people and git abbreviate them, so longer forms of one hash are equal. */
function commitIn(text: string): Entity | null {
  const isHash = /^[0-9a-f]{7,40}$/.test(text) && /\d/.test(text) && /[a-f]/.test(text) && !/^\d+e\d+$/.test(text)
  return isHash ? { kind: 'commit', name: text.slice(0, 7) } : null
}

function fileIn({ text, isQuoted }: EntityWord): Entity | null {
  // People mention a file to their agent with an `@` before its path.
  const written = text.replace(/^@(?=[\w.])/, '').replace(/(?::\d+(?:[:-]\d+)*|#L\d+(?:-L?\d+)?|\(\d+(?:,\d+)?\))$/, '')
  const forward = /^[A-Za-z]:\\|^[\w.-]+(?:\\[\w.-]+)+$/.test(written) ? written.replaceAll('\\', '/') : written
  if (!/^(?:[A-Za-z]:)?[\p{L}\p{N}_@.~+()[\]/-]+$/u.test(forward) || forward.includes('...')) return null
  const path = withoutDots(forward)
  const name = path.slice(path.lastIndexOf('/') + 1)
  const ending = /[^.]\.([A-Za-z][A-Za-z0-9]{0,9})$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const isPath = path !== name
  if (isPath && /^[\w-]+\.(?:com|org|net|io|dev|app|ai)\//.test(path)) return null
  if (WELL_KNOWN.test(name) || (isPath && /^\.[a-z]/.test(name))) return named('file', path)
  if (ENDINGS.has(ending) && (isPath || !NOT_A_FILE.test(name))) return named('file', path)
  if (isPath && ENDINGS_IN_PATHS.has(ending)) return named('file', path)
  // A folder looks like `and/or`, so it must be quoted and start with a usual folder name.
  return isQuoted && /^(?:src|lib|cmd|tests?|docs?|apps?|packages|internal|pkg|scripts|\.github)\/[\w./-]*\w\/?$/.test(path)
    ? named('file', path.replace(/\/$/, ''))
    : null
}

function withoutDots(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part)
  }
  return parts.join('/')
}

const WELL_KNOWN =
  /^(?:Dockerfile(?:\.\w+)?|Containerfile|Makefile|Justfile|Procfile|Gemfile|Rakefile|Jenkinsfile|Brewfile|Vagrantfile|CODEOWNERS|README|LICEN[CS]E|CHANGELOG|CONTRIBUTING|go\.(?:mod|sum|work)|(?:yarn|Cargo|poetry|Gemfile|composer|bun|uv|Pipfile|flake|mix)\.lockb?|\.env(?:\.\w+)?|\.[a-z]+(?:rc|ignore|attributes|config))$/

const list = (words: string) => new Set(words.split(/\s+/))
const ENDINGS = list(`ts tsx mts cts js jsx mjs cjs vue svelte astro py pyi go rs java kt kts cs scala swift dart groovy rb php cc cpp
  cxx hpp sh bash zsh fish ps1 psm1 bat lua exs erl hs clj sql css scss md mdx rst adoc txt proto graphql gql prisma yml yaml json
  jsonc json5 jsonl toml ini cfg xml html csv tsv ipynb tf hcl gradle svg png jpg jpeg gif webp pdf wasm tmpl tpl hbs ejs sqlite zig nix`)
/** Extensions that are also words or properties: they mean a file only in a path. */
const ENDINGS_IN_PATHS = list('c h m mm r d ex ml db env log lock conf properties plist snap less key pem map http out bin exe service')
/** Products with an ending in their name, and calls that read like a file. */
const NOT_A_FILE =
  /^(?:(?:node|next|vue|nuxt|react|express|three|d3|chart|ember|alpine|backbone|moment|nest|solid|discord|p5|bun|deno|asp)\.js|(?:re[sq]|resp|request|response|body|this|self|ctx|c|r)\.(?:json|html|txt|sql))$/i

function symbolIn({ text, isQuoted }: EntityWord): Entity | null {
  const isCall = /^[\w$.:#]+\(\)/.test(text)
  const name = text
    .replace(/[(<[{].*$/, '')
    .replace(/[?!]$/, '')
    .replace(/^(?:this|self|super|cls)\./, '')
  const parts = /^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*){0,4}$/.test(name) ? name.split(/\.|::|#|->/) : []
  const last = parts.at(-1) ?? ''
  if (parts.length === 0 || name.length < 3 || PRODUCTS.has(name.toLowerCase())) return null
  const isTold = parts.some(isDistinctiveName)
  if (parts.length === 1)
    return isTold || ((isQuoted || isCall) && !isWord(name)) ? named(TOOLS.has(name) ? 'command' : 'symbol', name) : null
  if (!isTold && !isQuoted && !isCall && !name.includes('::')) return null
  if (/^(?:com|org|net|io|dev|app|ai)$/.test(last)) return null
  // For an instance or a package, the member says more than the local name; for a class, both matter.
  return named('symbol', /^[a-z]/.test(name) && isDistinctiveName(last) ? last : name)
}

/** Camel case, an underscore or a dollar inside, which no ordinary word has; plurals of initials (`URLs`) and names such as `LeBron` do not count. */
function isDistinctiveName(name: string): boolean {
  if (PRODUCTS.has(name.toLowerCase()) || /^[A-Z0-9]+s?$|^(?:Mc|Le|De)[A-Z][a-z]+$|(?:\d[A-Za-z]+){4}/.test(name)) return false
  return /[a-z0-9][A-Z]|[A-Z]{3}[a-z]{2}|[A-Za-z0-9]_[A-Za-z0-9]|^\$[A-Za-z]|[A-Za-z]\$/.test(name)
}

function isWord(name: string): boolean {
  return name.length < 3 || /^[A-Z0-9]+$/.test(name) || LANGUAGE.has(name.toLowerCase())
}

const PRODUCTS =
  list(`github gitlab bitbucket javascript typescript coffeescript postgresql mysql sqlite mongodb dynamodb mariadb openai chatgpt
  youtube linkedin macos ios ipados iphone ipad graphql devops oauth jetbrains intellij powershell webassembly latex numpy pytorch tensorflow
  fastapi nestjs nextjs nodejs vuejs reactjs vscode codeql circleci wordpress stackoverflow duckdb clickhouse rabbitmq websocket websockets
  webpack pycharm webstorm goreleaser bugbot deepseek openrouter langchain huggingface paypal ebay wikipedia whatsapp facebook airbnb
  dependabot sonarqube newrelic datadog couchdb influxdb couchbase elasticsearch typeorm sqlalchemy dotnet matlab
  cloudflare cloudfront cloudwatch bigquery icloud onedrive sharepoint powerpoint`)
/** Keywords of languages, and names that every project has: they distinguish nothing. */
const LANGUAGE =
  list(`true false null undefined none nil nan void any unknown never string number boolean bool int float double char byte long short
  object array list dict map set tuple symbol bigint function func def class struct enum interface trait type namespace module package
  import export from require return yield async await const let var val static public private protected final abstract new delete this
  self super if else elif for while do switch case default break continue try catch except finally throw throws raise with as in is not
  and or the a an of to on off yes no ok main master develop head origin test tests name key value data item items args arg options opts
  config file files path id ids user error errors result results index length size count get put post patch read write open close start
  stop run init setup update add remove create text body title date time now all replace source next access rename edit move copy jobs
  paths cmd exit script log logs quit security testing enabled disabled enable disable project local global remote context commit commits
  branch push pull merge rebase status diff state level code command message messages content input output response request
  version latest current previous before after first last left right top bottom up down old same other more less each
  node npm git bun go cargo docker make bash shell sh json yaml toml html css http https url api cli app web src lib docs build dist`)
const TOOLS = list('pytest tox eslint tsc vitest jest mocha ruff mypy pyright flake8 gofmt rustfmt clippy prettier biome')

/** Commands: the tool and its subcommand, without arguments. */
function commandsNamed(text: string): EntityOccurrence[] {
  const found: EntityOccurrence[] = []
  for (const match of text.matchAll(COMMAND_PATTERN)) {
    const [, runner, script, tool, verb, fetched, ambiguousTool, ambiguousVerb] = match
    const name = runner ? `${runner} run ${script}` : tool ? `${tool} ${verb}` : fetched ? fetched : `${ambiguousTool} ${ambiguousVerb}`
    found.push({ at: match.index, entity: { kind: 'command', name: name.replace(/\s+/g, ' ').replace(/[.:-]+$/, '') } })
  }
  return found
}

const COMMAND_PATTERN = new RegExp(
  [
    String.raw`(?<![\w./@-])(?:(npm|pnpm|yarn|bun|mise|deno|hatch|pdm) (?:run|task) (?!(?:the|an?|this|that|it|your|my|its|and|to|in|with|from|as|scripts?|commands?)\b)([a-z][\w:.-]{0,60})`,
    String.raw`(npm|pnpm|yarn|bun|cargo|dotnet|mvn|deno|gradle|gradlew|terraform|ruff|biome|playwright|bazel|docker|docker compose|kubectl|helm) (test|build|check|clippy|fmt|bench|lint|typecheck|format|ci|publish|audit|verify|plan|apply|up|down|run)\b(?! a\b| the\b)`,
    String.raw`(?:npx|bunx|pnpm exec|pnpm dlx|yarn dlx|uvx) ((?!-)[\w@/.-]{2,60})`,
    // These also start English sentences ("go test it", "make sure"), so they need a backtick or a prompt before them, or a path after them.
    String.raw`(?:(?<=[\x60$] ?)|(?=\w+ \w+ (?:\.\/|-)))(go|make|just|mix|rake|swift) (test|build|vet|generate|run|lint|fmt|check|install|[a-z][\w-]{1,30}(?=\x60)))`,
  ].join('|'),
  'g',
)

/** Packages that the text installs or imports by name. */
function packagesNamed(text: string): EntityOccurrence[] {
  const found: EntityOccurrence[] = []
  for (const match of text.matchAll(INSTALLS)) {
    const words = (match[1] ?? '').trim().split(/\s+/)
    // Only inside backticks is it clear where the command ends.
    const packages = text[match.index + match[0].length] === '`' ? words : words.slice(0, 1)
    for (const word of packages) found.push(...packageCalled(word, match.index))
  }
  for (const match of text.matchAll(IMPORTS)) {
    const name = match.slice(1).find(Boolean) ?? ''
    found.push(...packageCalled(name.split('/', name.startsWith('@') ? 2 : 1).join('/'), match.index))
  }
  return found
}

const INSTALLS =
  /(?<![\w./@-])(?:(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|gem|composer)(?: -[\w-]+)* (?:i|install|add|require)(?: -[\w-]+)*|go get(?: -[\w-]+)*) ([^\n`;|&]{1,300})/g
const IMPORTS =
  /\b(?:import|export)\b[^'"\n]{0,120}\bfrom ['"]([^'"\s.][^'"\s]{0,100})['"]|\brequire\(['"]([^'"\s.][^'"\s]{0,100})['"]\)|\bimport\(?['"]([^'"\s.][^'"\s]{0,100})['"]|^from ([A-Za-z]\w{1,60})[\w.]{0,100} import |^import ([A-Za-z]\w{1,60})(?: as \w{1,40})?$/gm

function packageCalled(word: string, at: number): EntityOccurrence[] {
  const name = word.replace(/['")\].,:]+$/, '').replace(/(?<=.)(?:@[\w.^~-]+|[=<>~!]=.*)$/, '')
  const isName = /^(?:@[a-z0-9][\w.-]*\/)?[A-Za-z][\w.-]{1,80}$|^[\w-]+\.[a-z]+\/[\w./-]{2,80}$/.test(name)
  return isName &&
    !/\.(?:txt|toml|json|ya?ml|cfg|tgz|whl)$/.test(name) &&
    !/^(?:the|it|a|an|and|or|to|in|from|with|for|this|that|your|again|first|command|node:.*|src\/.*)$/.test(name)
    ? [{ at, entity: { kind: 'package', name } }]
    : []
}

/** `404` alone is a number; after `HTTP` or before `Not Found` it is a status. */
function statusesNamed(text: string): EntityOccurrence[] {
  return [...text.matchAll(STATUSES)].map((match) => ({
    at: match.index,
    entity: { kind: 'error', name: `HTTP ${match.slice(1).find(Boolean)}` },
  }))
}

const STATUSES =
  /\b(?:HTTP(?:\/\d(?:\.\d)?)?|status(?: ?code)?)[ :=]{1,3}([45]\d\d)\b|\b(?:returns?|returned|returning|got|gets|with) (?:an? )?(?:HTTP )?(40[01349]|42[29]|50[0234])\b(?! ?(?:ms|%|[a-z]+s\b))|\b([45]\d\d) (?:Not Found|Unauthorized|Forbidden|Bad Request|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time|Too Many Requests|Conflict|Unprocessable)/gi
