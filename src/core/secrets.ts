import { mapStrings } from './privacy.ts'

/**
 * Replaces every secret in a text with `[redacted:<kind>]`, so that a reader still sees what stood there. Redacting twice changes
 * nothing more. `patterns` are a person's own; what they match becomes `[redacted:custom]`.
 */
export function redact(text: string, patterns: readonly RegExp[] = []): string {
  const known = redactKnown(text)
  // Our rules go first, because half a password would no longer look like one; and again, because a cut may lay a secret bare.
  const own = patterns.reduce(hideMatches, known)
  return own === known ? known : redactKnown(own)
}

/** The same over every string of a JSON value. Under a key that names a secret the whole string goes, whatever it looks like. */
export function redactJson<T>(value: T, patterns: readonly RegExp[] = []): T {
  return mapStrings(value, (text, key) => {
    const left = key !== null && COOKIE_NAME.test(key) ? redact(`${key}: ${text}`, patterns).slice(key.length + 2) : redact(text, patterns)
    const kind = key === null || ONE_MARKER.test(left) ? null : kindOf(key)
    return kind && isLiteral(text) && (kind !== 'likely' || isRandom(text)) ? marker(label(kind)) : left
  })
}

/** A person's own patterns. One that is no regular expression is named by `doctor`; here it must not stop anything. */
export function usablePatterns(texts: readonly string[]): RegExp[] {
  return texts.flatMap((text) => {
    try {
      return [new RegExp(text, 'g')]
    } catch {
      return []
    }
  })
}

const marker = (kind: string) => `[redacted:${kind}]`
const ONE_MARKER = /^\[redacted:[a-z0-9-]{1,40}\]$/

/**
 * Reads the text once. Three neighbouring characters, five bits each, are looked up in a table of how our rules begin (`ghp`, `pas`,
 * `://`); only there is a rule tried, and only at that place, so text without secrets costs a table lookup a character.
 */
function redactKnown(text: string): string {
  let out = ''
  let done = 0
  let gram = 0
  for (let i = 0; i < text.length; i++) {
    gram = ((gram << 5) | (text.charCodeAt(i) & 31)) & 0x7fff
    if (BEGINS[gram] === 0 || i - 2 < done) continue
    const at = i - 2
    const secret = findAt(text, at, done, RULES.get(gram) ?? [])
    if (!secret) continue
    // What is kept before it may hold another: in `https://<token>:<password>@host` the user is a secret too.
    out += text.slice(done, at) + redactKnown(text.slice(at, secret.from))
    out += secret.kind ? marker(secret.kind) : text.slice(secret.from, secret.to)
    done = secret.to
    i = done - 1
  }
  return done === 0 ? text : out + text.slice(done)
}

function hideMatches(text: string, pattern: RegExp): string {
  const flags = pattern.flags.replace(/[gy]/g, '')
  // The marker comes first, so that a pattern such as /token/ does not match inside what is hidden already.
  const markerOrMatch = new RegExp(`\\[redacted:[a-z0-9-]{1,40}\\]|(?:${pattern.source})`, `${flags}g`)
  return text.replace(markerOrMatch, (match) => (match === '' || ONE_MARKER.test(match) ? match : marker('custom')))
}

/** What to hide. Without a kind it is a marker from an earlier time: not to be read as text, and left as it is. */
type FoundSecret = { from: number; to: number; kind: string | null }

/** Looks for a secret at one place. Nothing before `floor` is text any more: it was redacted. */
type SecretFinder = (text: string, at: number, floor: number) => FoundSecret | null

type RedactionRule = { begins: readonly string[]; find: SecretFinder }

function findAt(text: string, at: number, floor: number, rules: readonly RedactionRule[]): FoundSecret | null {
  for (const rule of rules) {
    const secret = rule.find(text, at, floor)
    if (secret) return secret
  }
  return null
}

const HEX_DIGITS = [...'0123456789abcdef']
// A Discord token starts with a number in base64, and digits leave only these beginnings.
const DISCORD = [...'MNO'].flatMap((a) => [...'DTjz'].flatMap((b) => [...'AEIMQUYcgk'].map((c) => a + b + c)))

/**
 * Secrets that show by their own shape: kind, beginnings (three letters at least), shape from there on. A first group is kept.
 * Every quantifier is bounded or comes last, and a shape starts where a word starts, so no run of letters is read more than once.
 */
const SHAPES: readonly (readonly [kind: string, begins: readonly string[], shape: RegExp])[] = [
  ['age-key', ['AGE-SECRET-KEY-'], /AGE-SECRET-KEY-1[0-9A-Za-z]{40,}/y],
  ['anthropic-key', ['sk-ant-'], /sk-ant-[\w-]{20,}/y],
  ['atlassian-token', ['ATATT3', 'ATCTT3'], /AT[AC]TT3[\w=-]{30,}/y],
  ['aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], /A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?![A-Za-z0-9])/y],
  ['azure-sas', ['sig='], /(sig=)[\w%+/-]{30,}={0,2}/y],
  // Behind `curl` and its short flags any password counts; elsewhere `-u 1000:1000` is a user and a group.
  ['basic-auth', ['curl '], /(curl (?:-[A-Za-z]{1,6} ){0,6}(?:-u|--user)[= ]?["']?[\w.@+-]{1,60}:)[^\s"']+/y],
  ['basic-auth', [' -u ', '--user'], /((?: -u|--user)[= ]["']?[\w.@+-]{1,60}:)(?=[^\s"']{0,60}?\d)(?=[^\s"']{0,60}?[A-Za-z])[^\s"']+/y],
  // Programs that take a password behind a short flag. `find mysql -print` is another's flag.
  [
    'password',
    ['mysql', 'mariadb'],
    /((?:mysql|mariadb)[\w.-]{0,20} (?:[^\n|;&]{0,200}? )?-p(?!(?:ath|erm|ort|rint0?|rune|rod\w{0,20}|lugin\w{0,20})\b))(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"'|;&]+)/y,
  ],
  ['password', ['sshpass'], /(sshpass (?:-\w{1,20} ){0,3}-p ?)(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"']+)/y],
  ['password', ['redis-cli'], /(redis-cli (?:[^\n|;&]{0,120}? )?(?:-a|--pass) ?["']?)[^\s"'|;&]+/y],
  ['cloudflare-token', ['cfk_', 'cfut_', 'cfat_'], /cf(?:k|ut|at)_[\w-]{40,}/y],
  ['cloudflare-key', ['v1.0-'], /v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}/y],
  ['databricks-token', ['dapi'], /dapi[a-f0-9]{32}(?:-\d{1,2})?(?![A-Za-z0-9])/y],
  ['digitalocean-token', ['doo_v1_', 'dop_v1_', 'dor_v1_'], /do[opr]_v1_[a-f0-9]{40,}/y],
  ['discord-token', DISCORD, /[MNO][\w-]{22,28}\.[\w-]{6,7}\.[\w-]{27,}/y],
  ['discord-webhook', ['discord'], /(discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{5,25}\/)[\w-]{20,}/y],
  ['docker-token', ['dckr_'], /dckr_(?:pat|oat)_[\w-]{20,}/y],
  ['doppler-token', ['dp.'], /dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}/y],
  ['figma-token', ['figd_'], /figd_[\w-]{20,}/y],
  ['github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /gh[pousr]_[A-Za-z0-9]{30,}/y],
  ['github-token', ['github_pat_'], /github_pat_\w{22,}/y],
  ['gitlab-token', ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-'], /gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w-]{20,}/y],
  ['google-key', ['AIza'], /AIza[\w-]{35,}/y],
  ['google-oauth', ['ya29.'], /ya29\.[\w-]{20,}/y],
  ['google-oauth', ['GOCSPX-'], /GOCSPX-[\w-]{20,}/y],
  ['grafana-token', ['glsa_', 'glc_'], /gl(?:sa|c)_[\w+/=]{30,}/y],
  ['groq-key', ['gsk_'], /gsk_[A-Za-z0-9]{40,}/y],
  ['huggingface-token', ['hf_', 'api_org_'], /(?:hf|api_org)_[A-Za-z0-9]{30,}/y],
  ['linear-key', ['lin_api_', 'lin_oauth_'], /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/y],
  ['mailgun-key', ['key-'], /key-[a-f0-9]{32}(?![A-Za-z0-9])/y],
  ['new-relic-key', ['NRAK-'], /NRAK-[A-Z0-9]{20,}/y],
  ['notion-token', ['ntn_'], /ntn_[A-Za-z0-9]{40,}/y],
  ['npm-token', ['npm_'], /npm_[A-Za-z0-9]{36,}/y],
  ['openai-key', ['sk-'], /sk-(?:(?:proj|svcacct|admin|None|or-v1)-[\w-]{20,}|[A-Za-z0-9]{20,})/y],
  ['planetscale-token', ['pscale_'], /pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}/y],
  ['postman-key', ['PMAK-'], /PMAK-[a-f0-9]{24}-[a-f0-9]{34}/y],
  ['pypi-token', ['pypi-'], /pypi-[\w-]{40,}/y],
  ['replicate-token', ['r8_'], /r8_[A-Za-z0-9]{36,}/y],
  ['rubygems-key', ['rubygems_'], /rubygems_[a-f0-9]{48}/y],
  ['sendgrid-key', ['SG.'], /SG\.[\w-]{16,64}\.[\w-]{16,}/y],
  ['sentry-dsn', ['://'], /(:\/\/)[a-f0-9]{32}(?=@[\w.-]{1,80}\/\d)/y],
  ['sentry-token', ['sntrys_', 'sntryu_'], /sntry[su]_[\w+/=]{40,}/y],
  ['shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}/y],
  ['slack-token', ['xoxa', 'xoxb', 'xoxc', 'xoxd', 'xoxe', 'xoxo', 'xoxp', 'xoxr', 'xoxs'], /xox[a-eoprs][-.][\w%.-]{10,}/y],
  ['slack-token', ['xapp-'], /xapp-\d-[\w-]{20,}/y],
  ['slack-webhook', ['hooks.slack.com'], /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/+-]{20,}/y],
  ['square-token', ['sq0atp-', 'sq0csp-'], /sq0(?:atp|csp)-[\w-]{22,}/y],
  ['stripe-key', ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], /[sr]k_(?:live|test)_[A-Za-z0-9]{10,}/y],
  ['stripe-webhook', ['whsec_'], /whsec_[A-Za-z0-9+/]{24,}={0,2}/y],
  ['supabase-key', ['sbp_', 'sb_secret_'], /(?:sbp_[a-f0-9]{40,}|sb_secret_[\w-]{20,})/y],
  ['tailscale-key', ['tskey-'], /tskey-[a-z]{3,10}-[\w-]{16,}/y],
  ['telegram-token', [':AA'], /(?<=\d{8})(:)AA[\w-]{30,}/y],
  ['twilio-key', HEX_DIGITS.map((digit) => `SK${digit}`), /SK[a-f0-9]{32}(?![A-Za-z0-9])/y],
  ['twilio-token', HEX_DIGITS.map((digit) => `AC${digit}`), /(AC[a-f0-9]{32}:)[a-f0-9]{32}(?![A-Za-z0-9])/y],
  ['vault-token', ['hvs.', 'hvb.', 'hvr.'], /hv[sbr]\.[\w-]{24,}/y],
  ['vercel-token', ['vca_', 'vci_', 'vck_', 'vcp_', 'vcr_'], /vc[aikpr]_[A-Za-z0-9]{24,}/y],
  ['vercel-token', ['vercel_blob_rw_'], /vercel_blob_rw_\w{20,}/y],
  ['xai-key', ['xai-'], /xai-[A-Za-z0-9]{40,}/y],
]

function shapeRule(kind: string, begins: readonly string[], shape: RegExp): RedactionRule {
  return {
    begins,
    find: (text, at, floor) => {
      if (!startsWord(text, at, floor)) return null
      const match = matchAt(shape, text, at)
      if (!match) return null
      const from = at + (match[1]?.length ?? 0)
      const to = at + match[0].length
      return isReference(text.slice(from, to)) ? null : { from, to, kind }
    },
  }
}

/** What directly follows something redacted starts afresh: once it is a marker, the next look will see it so. */
function startsWord(text: string, at: number, floor: number): boolean {
  return at === floor || !isWordCode(text.charCodeAt(at)) || !isWordCode(text.charCodeAt(at - 1))
}

function isWordCode(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f
}

const findMarker: SecretFinder = (text, at) => {
  const match = matchAt(/\[redacted:[a-z0-9-]{1,40}\]/y, text, at)
  return match && { from: at, to: at + match[0].length, kind: null }
}

/** A JSON Web Token: base64url parts, the first an object. A run of letters starts once, or `eyJ-eyJ-…` would be read over and over. */
const findJwt: SecretFinder = (text, at, floor) => {
  const first = text[at - 1] === '-' ? at - 1 : at
  if (at !== floor && isNameCode(text.charCodeAt(first - 1))) return null
  const match = matchAt(/eyJ[\w-]{8,}(?:\.[\w-]{6,}){1,4}/y, text, at)
  return match && { from: at, to: at + match[0].length, kind: 'jwt' }
}

const findBearer: SecretFinder = (text, at, floor) => {
  if (!startsWord(text, at, floor)) return null
  const match = matchAt(/(bearer[ \t]{1,4}["']?)[\w.~+/=-]{16,}/iy, text, at)
  if (!match || !/\d/.test(match[0])) return null
  return { from: at + (match[1]?.length ?? 0), to: at + match[0].length, kind: 'bearer-token' }
}

const COOKIE_NAME = /^(?:set-)?cookies?$/i

/** The values of a `Cookie` header, and the one that a `Set-Cookie` sets, what it is called kept. `cookie: string` is code. */
const findCookie: SecretFinder = (text, at, floor) => {
  if (!startsWord(text, at, floor)) return null
  const match = matchAt(/(cookies?(?:\\{0,6}["'])?[ \t]{0,4}:[ \t]{0,4}(?:\\{0,6}["'])?[\w.$-]{1,80}=)([^\s;"'`\\,]{1,4096})/iy, text, at)
  const [, before = '', value = ''] = match ?? []
  if (!match || !isLiteral(value) || isCode(value)) return null
  const from = at + before.length
  // Behind what a server sets stand its terms; behind what a client sends, more of the same.
  const rest = /set-$/i.test(text.slice(Math.max(0, at - 4), at)) ? '' : (matchAt(MORE_COOKIES, text, from + value.length)?.[0] ?? '')
  return value.length + rest.length < 4 ? null : { from, to: from + value.length + rest.length, kind: 'cookie' }
}

const MORE_COOKIES = /(?:; ?[\w.$-]{1,80}=[^\s;"'`\\]{0,4096}){1,100}/y

/** `postgres://user:password@host` keeps all but the password, which may hold an `@` itself: the last one before the path counts. */
const findUrlPassword: SecretFinder = (text, at) => {
  const match = matchAt(/(:\/\/[^\s[/?#:@"'`<>\\]{0,100}:)([^\s/?#"'`<>\\]{1,300})@(?=[\w.[-])/y, text, at)
  const [, before = '', password = ''] = match ?? []
  if (!match || isReference(password)) return null
  return { from: at + before.length, to: at + before.length + password.length, kind: 'url-password' }
}

/** The body of a private key, its head kept. Where the end is missing, the lines that look like key material are the body. */
const findPrivateKey: SecretFinder = (text, at) => {
  const head = matchAt(/BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y, text, at)
  if (!head) return null
  const from = at + head[0].length
  if (text.startsWith('[redacted:', from)) return null
  const end = matchAt(/-{4,5} ?END [A-Z0-9 ]{0,60}-{4,5}/y, text, text.indexOf('----', from))
  if (end && isKeyMaterial(text.slice(from, end.index))) return { from, to: end.index + end[0].length, kind: 'private-key' }
  let to = from
  for (let line = matchAt(KEY_LINE, text, to); line; line = matchAt(KEY_LINE, text, to)) to += line[0].length
  return to > from ? { from, to, kind: 'private-key' } : null
}

/** However its lines are broken. Words that only say where the key goes have no digit among them. */
function isKeyMaterial(body: string): boolean {
  if (/[A-Za-z0-9+/]{32}/.test(body)) return true
  const joined = body.slice(0, 20_000).replace(/\\[nrt]|[\s"'+,>|#→]/g, '')
  return /[A-Za-z0-9+/]{32}/.test(joined) && /[a-z]/.test(joined) && /[A-Z]/.test(joined) && /\d/.test(joined)
}

// What stands before a line of a key in code, in a diff, in JSON or under line numbers; then a header or base64.
const KEY_LINE =
  /(?:\\[nrt]|[\s"'+,>|#→]|\d{1,6}[\t→|:]){0,40}(?:[A-Z][\w-]{2,20}: [^\n\\]{0,120}|[A-Za-z0-9+/]{24,}={0,2}|(?=[A-Za-z0-9+/]{0,60}\d)[A-Za-z0-9+/]{12,}={0,2}(?=\s|\\[nr]|["']|$))/y

type SecretKind = 'password' | 'secret' | 'token' | 'key' | 'authorization' | 'likely'

const label = (kind: SecretKind) => (kind === 'likely' ? 'secret' : kind)

/** How a value is written down, which says how sure we must be before we hide it. */
type SecretValueForm = 'quoted' | 'listed' | 'assigned' | 'query' | 'flag' | 'header' | 'line' | 'loose'

/** A value given to a name that says it is secret: `DB_PASSWORD=x`, `"api_key": "x"`, `--token x`, `Authorization: Bearer x`. */
const findNamed: SecretFinder = (text, at, floor) => {
  const nameEnd = nameEndAfter(text, at)
  const given = nameEnd === null ? null : givenAfter(text, nameEnd)
  if (nameEnd === null || !given) return null
  const nameStart = nameStartBefore(text, at, floor)
  const name = text.slice(nameStart, nameEnd)
  const kind = kindOf(name)
  if (!kind) return null
  const value = readValue(text, given, name, nameStart).find((reading) => isWorthHiding(kind, name, reading))
  if (!value) return null
  const judged = value.from + value.text.length
  const to = judged + (matchAt(REST_OF_WORD, text, judged)?.[0].length ?? 0)
  const shapes = (RULES.get(gramOf(text, value.from)) ?? []).filter((rule) => rule.find !== findNamed)
  const shaped = findAt(text, value.from, value.from, shapes)
  return shaped?.kind && shaped.from === value.from && shaped.to >= to ? shaped : { from: value.from, to, kind: label(kind) }
}

const MAX_NAME_CHARS = 64

function nameEndAfter(text: string, at: number): number | null {
  let end = at
  while (isNameCode(text.charCodeAt(end))) if (++end - at > MAX_NAME_CHARS) return null
  return end
}

function nameStartBefore(text: string, at: number, floor: number): number {
  let start = at
  while (start > floor && at - start < MAX_NAME_CHARS && isNameCode(text.charCodeAt(start - 1))) start--
  // In stringified text a line break is `\n`, and its letter is not part of the name.
  return start < at && text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '') ? start + 1 : start
}

const isNameCode = (code: number) => isWordCode(code) || code === 0x2d

type SecretAssignment = { by: 'equals' | 'colon' | 'comma' | 'space' | 'element' | 'field'; tight: boolean; at: number }

// `?: string = `, `: &str = `, ` string = `: the type of a name, with the value behind it.
const TYPED = /(?:\??:[ \t]{0,4}(?:&(?:'static )?)?|[ \t](?=string))[\w.<>[\]|?]{1,40}[ \t]{1,4}=(?![=>])[ \t]{0,8}/y
const PAIR = /(?:\\{0,6}["'`])?\]?[ \t]{0,20}(?::?={1,3}>?|\??:(?!:)|!={1,2}|,|is(?=[ \t]))[ \t]{0,20}/y
// `- name: DB_PASSWORD` with `value: x` on the next line, `"name": "…", "value": "…"`, `key="…" value="…"`.
const VALUE_FIELD = /\\{0,6}["']?,?\s{1,40}\\{0,6}["']?value\\{0,6}["']?\s{0,4}[:=][ \t]{0,4}/iy

/** How a value is given to the name that ends here, and where it starts. */
function givenAfter(text: string, end: number): SecretAssignment | null {
  if (!FOLLOWS_NAME.includes(text[end] ?? '-')) return null
  if (text[end] === '=' && isWordCode(text.charCodeAt(end + 1))) return { by: 'equals', tight: true, at: end + 1 }
  const sign = text[end] ?? ''
  const typed = ':? '.includes(sign) && matchAt(TYPED, text, end)
  if (typed) return { by: 'equals', tight: false, at: end + typed[0].length }
  const field = sign !== ':' && sign !== '=' && matchAt(VALUE_FIELD, text, end)
  if (field) return { by: 'field', tight: false, at: end + field[0].length }
  const pair = matchAt(PAIR, text, end)
  if (pair) {
    const last = pair[0].trimEnd().at(-1)
    const by = last === ',' ? 'comma' : last === ':' ? 'colon' : last === 's' ? 'space' : 'equals'
    // Only a name in quotes is paired by a comma (`define('DB_PASSWORD', 'x')`); otherwise it is an argument among others.
    if (by === 'comma' && !/^[\\"'`]/.test(pair[0])) return null
    return { by, tight: pair[0] === '=', at: end + pair[0].length }
  }
  if (text[end] === '>') return { by: 'element', tight: true, at: end + 1 }
  const space = matchAt(/[ \t]{1,4}(?=[^\s-])/y, text, end)
  return space && { by: 'space', tight: false, at: end + space[0].length }
}

const FOLLOWS_NAME = ' \t\r\n:=!?>]"\'`\\,'

type SecretValue = { text: string; from: number; form: SecretValueForm; bare: boolean }

/** The value that starts here, in every way it may be read, without its quotes and without the scheme of an Authorization header. */
function readValue(text: string, given: SecretAssignment, name: string, nameStart: number): SecretValue[] {
  const open = matchAt(/[bBrRuUfF@]{0,2}(\\{0,6})(["'`])/y, text, given.at)
  const start = given.at + (open?.[0].length ?? 0)
  const scheme = matchAt(/(?:bearer|basic|token|digest|apikey|negotiate)[ \t]{1,4}/iy, text, start)?.[0] ?? ''
  const from = start + scheme.length
  if (open) {
    // SQL writes `PASSWORD 'x'`; for other names a space before a quote is prose (`Unexpected token 'export'`).
    if (given.by === 'element' || (given.by === 'space' && !/password$/i.test(name))) return []
    // `getpass('Password: ')`: that quote did not open, it closed.
    if (/[\s),;+\]}]/.test(text[from] ?? ' ')) return []
    const quoted = text.slice(from, quotedEnd(text, from, open[2] ?? '"', open[1] !== ''))
    if (given.tight && isEnvName(name)) return [{ text: quoted, from, form: 'assigned', bare: false }]
    return [{ text: quoted, from, form: scheme ? 'header' : given.by === 'comma' ? 'listed' : 'quoted', bare: false }]
  }
  const form = scheme ? 'header' : formOf(text, given, name, nameStart)
  if (!form) return []
  const word = (pattern: RegExp) => matchAt(pattern, text, from)?.[0] ?? ''
  if (form === 'line') {
    const line = word(LINE_WORD)
    const loose: SecretValue = { text: word(WORD), from, form: 'loose', bare: true }
    return isWholeLine(text, from, line) ? [{ text: line, from, form, bare: true }, loose] : [loose]
  }
  const value = word(form === 'assigned' ? LINE_WORD : WORD)
  return given.by === 'element' && !text.startsWith('</', from + value.length) ? [] : [{ text: value, from, form, bare: true }]
}

// A value without quotes. In a settings file it may hold nearly anything; in code, prose and addresses much of that ends it. A long
// one is judged by its beginning, because the next name may be a few letters on and would read it all again.
const LINE_WORD = /[^\s"'`\\<]{1,128}/y
const WORD = /[^\s"'`\\<>&,;)}\]|=]{1,128}={0,2}/y
const REST_OF_WORD = /[^\s"'`\\<>&,;)}\]|]*/y

/** A line that goes on behind the value, or ends as a statement does, is code and not a setting. */
function isWholeLine(text: string, from: number, value: string): boolean {
  return !/[;,)]$/.test(value) && matchAt(/[ \t]{0,20}(?:#|\r?\n|\\[nr]|["'`]|$)/y, text, from + value.length) !== null
}

/** Quoted text ends with its line at the latest. Inside text that is itself quoted, the quotes are escaped and so is nothing else. */
function quotedEnd(text: string, from: number, quote: string, escaped: boolean): number {
  let at = from
  for (; at < text.length; at++) {
    const char = text[at]
    if (char === quote || char === '\n' || (escaped && char === '\\')) break
    if (char === '\\') at++
  }
  return Math.min(at, text.length)
}

function formOf(text: string, given: SecretAssignment, name: string, nameStart: number): SecretValueForm | null {
  const before = text[nameStart - 1] ?? '\n'
  if (given.by === 'comma') return null
  if (given.by === 'element') return before === '<' ? 'assigned' : null
  if (given.tight && (before === '?' || before === '&')) return 'query'
  if (name.startsWith('-') && (given.by === 'space' || given.by === 'equals')) return 'flag'
  if ((given.tight || given.by === 'field') && isEnvName(name)) return 'assigned'
  // `machine x login y password z` in a .netrc; in prose only `is` may stand between.
  if (given.by === 'space' && /\blogin \S{1,60}\s{1,8}$/.test(text.slice(Math.max(0, nameStart - 80), nameStart))) return 'assigned'
  if (given.by === 'space') return text.slice(given.at - 4, given.at).includes('is') ? 'loose' : null
  return startsLine(text, nameStart) ? 'line' : 'loose'
}

const isEnvName = (name: string) => /^[-+]?[A-Z][A-Z0-9_]+$/.test(name)

/** Whether only what a settings file has stands before a name on its line: an indent, a list dash, `export`, a dotted path. */
function startsLine(text: string, at: number): boolean {
  const previous = text[at - 1] ?? '\n'
  if (previous === '\n') return true
  if (!' \t+>*#"\'-.→n'.includes(previous)) return false
  const before = text.slice(Math.max(0, at - 80), at)
  const escaped = before.lastIndexOf('\\n')
  const line = before.slice(Math.max(before.lastIndexOf('\n') + 1, escaped < 0 ? 0 : escaped + 2))
  return /^(?:[ \t+>*#"'-]|\d{1,6}[\t→]){0,40}(?:export |set |ENV |ARG )?(?!this\.|self\.)(?:\w{1,30}\.){0,6}$/.test(line)
}

/** The one place that weighs: quoted text under `password` is a password, a bare word behind `token =` is probably code. */
function isWorthHiding(kind: SecretKind, name: string, { text, form, bare }: SecretValue): boolean {
  if (!isLiteral(text) || (bare && isCode(text))) return false
  // Test runners say PASS too.
  if (/^pass$/i.test(name) && form !== 'quoted') return false
  if (kind === 'likely') return form !== 'loose' && isRandom(text)
  const strong = kind === 'password' || kind === 'secret'
  switch (form) {
    case 'quoted':
      // Words in a row are a sentence about the thing, unless the name asks for words or they make no sentence.
      if (/\s/.test(text)) return /phrase/i.test(name) || (kind === 'password' && isPassphrase(text))
      return strong || (text.length >= 6 && isMixed(text))
    case 'listed':
      return text.length >= 6 && isMixed(text) && !/\s/.test(text)
    case 'query':
      return text.length >= 3
    case 'assigned':
      return strong || text.length >= 8 || isMixed(text)
    case 'flag':
      return (
        isMixed(text) ||
        (strong && !/^(?:flags?|options?|arguments?|can't|is|or|and|to|for|in|with|as|from|on|the|a|file|stdin|prompt)$/i.test(text))
      )
    case 'header':
      return text.length >= 8 && (isMixed(text) || /[a-z][A-Z]/.test(text))
    case 'line':
      return isMixed(text) ? text.length >= (strong ? 4 : 8) && !isTypeLike(text) : /^\d{4,}$/.test(text) && kind === 'password'
    case 'loose':
      return text.length >= (strong ? 6 : 8) && /\d/.test(text) && /^[\w.~@#!%^=+/:-]+$/.test(text) && isMixed(text) && !isTypeLike(text)
  }
}

/** A few words that nobody would write in a row: without the small ones that make a sentence, or those of forms. */
const isPassphrase = (text: string) => text.length <= 80 && /^[\p{L}\d]{2,}(?: [\p{L}\d]{2,}){2,7}$/u.test(text) && !SENTENCE.test(text)

const SENTENCE = new RegExp(
  `(?:^| )${anyOf(`the an is are was be been must should can cannot may will has have had not no do does to of in on at for from with without
    by as it its this that these your you my our we they and or if when than too very please enter type choose confirm repeat reset forgot
    change update create new old current wrong invalid incorrect missing required optional expired empty weak strong short long least most
    characters chars letters digits minimum maximum length match matches mismatch password passwords passphrase passwd pwd pass secret
    token login user username email account field value string text input hash hashed encrypted plain using use set`)}(?: |$)`,
  'i',
)

/** What kind of secret a name promises, or null. `likely` names (`STRIPE_KEY`) need a value that looks random as well. */
function kindOf(name: string): SecretKind | null {
  const known = KINDS.get(name)
  if (known !== undefined) return known
  const kind = SOUNDS_SECRET.test(name) ? kindOfWords(wordsOf(name)) : null
  // A text names the same few things over and over, and working a name out costs more than all the rest.
  if (KINDS.size >= 1000) KINDS.clear()
  KINDS.set(name, kind)
  return kind
}

const KINDS = new Map<string, SecretKind | null>()
const SOUNDS_SECRET = /pass|pwd|secret|token|key|cred|auth/i

/** `dbPassword2`, `DB-PASSWORD` and `DB_PASSWORD_PROD` are all `db_password`. */
function wordsOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_')
  return words.replace(/^_|_$/g, '').toLowerCase().replace(TAIL, '')
}

function kindOfWords(words: string): SecretKind | null {
  if (OTHER_KEY.test(words) || ABOUT_A_SECRET.test(words)) return null
  if (PASSWORD.test(words)) return 'password'
  if (/(?:^|_|client|app|jwt)secret$/.test(words)) return 'secret'
  if (/(?:^|_|auth|access|refresh|session|api|bot|bearer)token$/.test(words)) return 'token'
  if (/authorization$/.test(words)) return 'authorization'
  if (SECRET_KEY.test(words)) return 'key'
  return /(?:^|_)(?:key|token|secret|credential|cred|auth|pass)s?(?:_|$)/.test(words) ? 'likely' : null
}

// Where a name goes on after what it is: which one, for what, in which writing.
const TAIL = new RegExp(
  `_?\\d{1,3}$|_${anyOf('base value raw plain prod production dev staging test live local old new current b64 base64')}$`,
)
const OWNERS = anyOf('db user smtp mail admin root mysql pg postgres redis ftp ssh')
const PASSWORD = new RegExp(`${anyOf('password passwd passphrase passcode pwd')}$|^pass$|(?:^|_)${OWNERS}_?pass$`)
const SECRET_KEY = new RegExp(
  `${anyOf(`api access secret private auth account master encryption signing service role admin deploy license app application storage
    subscription webhook hmac jwt client consumer server aes security`)}_?key$`,
)
// Keys and tokens of another sort: of lexers, of pages of results, of databases, and the half of a pair that is for everyone.
const OTHER_KEY = new RegExp(
  `(?:^|_)${anyOf(`public publishable page continuation sync cursor cancel cancellation stop eos bos pad unk cls sep mask start end peek
    cache primary foreign sort partition index object row map group unique idempotency`)}_?(?:token|key)s?(?:_|$)`,
)
const ABOUT_A_SECRET = new RegExp(
  `(?:^|_)${anyOf(`hash sha sha\\d+ md5 checksum digest integrity fingerprint id ids url uri path file name type version count length limit
    size field label hint placeholder expiry expires ttl regex pattern prefix header`)}$`,
)

function anyOf(words: string): string {
  return `(?:${words.split(/\s+/).join('|')})`
}

/** A value that stands for itself, not for another: no variable, no type, no placeholder, no path or address of the secret. */
function isLiteral(text: string): boolean {
  return (
    text !== '' &&
    !text.includes('[redacted:') &&
    !isReference(text) &&
    !PLACEHOLDER.test(text) &&
    !PATH.test(text) &&
    !ADDRESS.test(text) &&
    !ENV_NAME.test(text)
  )
}

/** `$NAME`, `${…}`, `<your password>`, `{{…}}`, `%s`, `%NAME%`, `***`. Signs behind `$name` make it a password that begins with `$`. */
const isReference = (text: string) =>
  /^(?:\$(?:[A-Za-z_]\w*(?![\w!@#%^&*])|[{($])|<|\{|%(?:[sdv]\b|[({]|[A-Z_]{2,40}%)|#\{|\*{2}|\.{3}|…|\[redacted:)/.test(text)
const FILLED_IN = anyOf('your enter insert replace example dummy placeholder')
const PLAIN_WORD = anyOf(`string str text number int integer float bool boolean any unknown object bytes buffer null nil none undefined void
  never true false yes no on off required optional hidden redacted masked password passwd passphrase pwd secret token api[-_]?key key
  credentials? auth authorization bearer basic value`)
const PLACEHOLDER = new RegExp(`^(?:[x*•._-]{2,}|#[0-9a-f]{3,8}|${FILLED_IN}\\b.*|your_.*|${PLAIN_WORD})$`, 'is')
const PATH = /^(?:~|\.{1,2})?\/(?:[\w.@-]{1,30}\/){0,12}[\w.@-]{1,30}$/
const ADDRESS = /^(?:process\.env|import\.meta|os\.environ|env[.:[]|secrets?\.|vault:|op:\/\/|arn:|file:|https?:\/\/)/i
const ENV_NAME = /^[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,8}$/

/** Calls, subscripts, templates and paths of names (`req.body.token`) are code, when they stand without quotes. */
function isCode(text: string): boolean {
  if (/[()[\]{}]|=>|->|::|^[!&*@|>]|^(?:password|token|secret|key|pass)\d?$/i.test(text)) return true
  return /^[A-Za-z_$][\w$?]*\./.test(text) && /^[\w$?.]+$/.test(text) && !/\.\d/.test(text)
}

/** Not just a word: a digit or a sign among the letters. */
const isMixed = (text: string) => (/[A-Za-z]/.test(text) && /\d/.test(text)) || /[^\w.:/ -]/.test(text)

/** `Uint8Array`, `sha256`, `base64url`: names of types and codings that have a digit too. */
const isTypeLike = (text: string) => /^(?:u?int|float|base|utf|sha|md|aes|rsa|hmac|ed|[a-z])\d{1,4}[A-Za-z_]{0,12}$/i.test(text)

/** Long, without blanks, and too even in its letters to be words: what a generator makes. Hashes and UUIDs are names, not secrets. */
function isRandom(text: string): boolean {
  if (text.length < 20 || text.length > 512 || !/^[\w+/=.~-]+$/.test(text)) return false
  if (HASH.test(text) || UUID.test(text)) return false
  return text.split(/[-_./]/).some((part) => part.length >= 12 && /\d/.test(part) && /[a-z]/i.test(part)) && entropy(text) >= 3.5
}

const HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}|sha\d{1,3}-.*)$/i
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Shannon's, in bits a character: about 4 for random hex, 5 and more for random base64, under 4 for most names in code. */
function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  if (at < 0) return null
  pattern.lastIndex = at
  return pattern.exec(text)
}

const gramOf = (text: string, at: number) =>
  ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | (text.charCodeAt(at + 2) & 31)

const RULES = new Map<number, RedactionRule[]>()
// One byte for every three characters there can be; it fits the processor's nearest cache, the map would not.
const BEGINS = new Uint8Array(1 << 15)

for (const rule of [
  { begins: ['[redacted:'], find: findMarker },
  ...SHAPES.map(([kind, begins, shape]) => shapeRule(kind, begins, shape)),
  { begins: ['eyJ'], find: findJwt },
  { begins: ['bearer'], find: findBearer },
  { begins: ['cookie'], find: findCookie },
  { begins: ['://'], find: findUrlPassword },
  { begins: ['BEGIN '], find: findPrivateKey },
  { begins: ['pass', 'pwd', 'secret', 'token', 'key', 'cred', 'auth'], find: findNamed },
] satisfies RedactionRule[]) {
  for (const gram of new Set(rule.begins.map((text) => gramOf(text, 0)))) {
    BEGINS[gram] = 1
    RULES.set(gram, [...(RULES.get(gram) ?? []), rule])
  }
}
