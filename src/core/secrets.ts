import { mapTexts } from './privacy.ts'
import { editPieces, type TextEdit } from './text-edits.ts'

/**
 * Replaces every secret in a text with `[redacted:<kind>]`, so a reader still sees which kind of secret it was. Redacting twice gives the same
 * text. `patterns` are the person's own; their matches become `[redacted:custom]`.
 */
export function redact(text: string, patterns: readonly RegExp[] = []): string {
  return redactPieces([text], patterns)[0] ?? ''
}

/** The same for one text in several pieces, such as a private key whose lines are the items of an array. */
function redactPieces(given: string[], patterns: readonly RegExp[]): string[] {
  const known = editPieces(given, findSecrets)
  // Our rules go first, because half a password no longer looks like one, and again afterwards, because a cut may expose a secret.
  const own = patterns.reduce((pieces, pattern) => editPieces(pieces, (text) => findMatches(text, pattern)), known)
  return own.every((piece, i) => piece === known[i]) ? known : editPieces(own, findSecrets)
}

/** Redacts every text of a JSON value. Under a key that names a secret, the whole string is replaced, whatever it looks like. */
export function redactJson<T>(value: T, patterns: readonly RegExp[] = []): T {
  return mapTexts(value, (given, keys) =>
    redactPieces(given, patterns).map((piece, i) => {
      const [key, text] = [keys[i] ?? null, given[i] ?? '']
      if (key === null) return piece
      const left = COOKIE_NAME.test(key) ? redact(`${key}: ${text}`, patterns).slice(key.length + 2) : piece
      const kind = ONE_MARKER.test(left) ? null : kindOf(key)
      return kind && isLiteral(text) && (kind !== 'likely' || isRandom(text)) ? marker(label(kind)) : left
    }),
  )
}

/** The person's own patterns. An invalid regular expression is skipped; `doctor` reports it. */
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
 * Reads the text once. Each three neighbouring characters, five bits each, are looked up in a table of the first three characters of our rules
 * (`ghp`, `pas`, `://`), and a rule is tried only where they match. Text without secrets costs one table look-up per character.
 */
function findSecrets(text: string): TextEdit[] {
  const found: TextEdit[] = []
  let done = 0
  let gram = 0
  for (let i = 0; i < text.length; i++) {
    gram = ((gram << 5) | (text.charCodeAt(i) & 31)) & 0x7fff
    if (BEGINS[gram] === 0 || i - 2 < done) continue
    const at = i - 2
    const secret = findAt(text, at, done, RULES.get(gram) ?? [])
    if (!secret) continue
    // The kept part before it may contain another secret: in `https://<token>:<password>@host` the user is one too.
    for (const { from, to, text: hidden } of findSecrets(text.slice(at, secret.from)))
      found.push({ from: at + from, to: at + to, text: hidden })
    if (secret.kind) found.push({ from: secret.from, to: secret.to, text: marker(secret.kind) })
    done = secret.to
    i = done - 1
  }
  return found
}

function findMatches(text: string, pattern: RegExp): TextEdit[] {
  const flags = pattern.flags.replace(/[gy]/g, '')
  // The marker comes first, so a pattern such as /token/ does not match inside a marker.
  const markerOrMatch = new RegExp(`\\[redacted:[a-z0-9-]{1,40}\\]|(?:${pattern.source})`, `${flags}g`)
  return [...text.matchAll(markerOrMatch)].flatMap(({ 0: match, index }) =>
    match === '' || ONE_MARKER.test(match) ? [] : [{ from: index, to: index + match.length, text: marker('custom') }],
  )
}

/** What to hide. Null as kind means a marker from an earlier redaction, which stays and is not read as text. */
type FoundSecret = { from: number; to: number; kind: string | null }

/** Looks for a secret at one position. Everything before `floor` has been redacted already. */
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
 * Secrets with a recognizable shape: kind, first characters (at least three), pattern. The first group is kept. Every quantifier is bounded or
 * comes last, and a shape starts at the start of a word, so no run of letters is read twice.
 */
const SHAPES: readonly (readonly [kind: string, begins: readonly string[], shape: RegExp])[] = [
  ['age-key', ['AGE-SECRET-KEY-'], /AGE-SECRET-KEY-1[0-9A-Za-z]{40,}/y],
  ['anthropic-key', ['sk-ant-'], /sk-ant-[\w-]{20,}/y],
  ['atlassian-token', ['ATATT3', 'ATCTT3'], /AT[AC]TT3[\w=-]{30,}/y],
  ['aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], /A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?![A-Za-z0-9])/y],
  ['azure-sas', ['sig='], /(sig=)[\w%+/-]{30,}={0,2}/y],
  // After `curl` and its short flags any password counts; elsewhere `-u 1000:1000` is a user and a group.
  ['basic-auth', ['curl '], /(curl (?:-[A-Za-z]{1,6} ){0,6}(?:-u|--user)[= ]?["']?[\w.@+-]{1,60}:)[^\s"']+/y],
  ['basic-auth', [' -u ', '--user'], /((?: -u|--user)[= ]["']?[\w.@+-]{1,60}:)(?=[^\s"']{0,60}?\d)(?=[^\s"']{0,60}?[A-Za-z])[^\s"']+/y],
  // Programs that take a password after a short flag. In `find mysql -print` the flag belongs to another program.
  [
    'password',
    ['mysql', 'mariadb'],
    /((?:mysql|mariadb)[\w.-]{0,20} (?:[^\n|;&]{0,200}? )?-p(?!(?:ath|erm|ort|rint0?|rune|rod\w{0,20}|lugin\w{0,20})\b))(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"'|;&]+)/y,
  ],
  ['password', ['sshpass'], /(sshpass (?:-\w{1,20} ){0,3}-p ?)(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"']+)/y],
  ['password', ['redis-cli'], /(redis-cli (?:[^\n|;&]{0,120}? )?(?:-a|--pass) ?["']?)[^\s"'|;&]+/y],
  [
    'password',
    ['docker', 'podman', 'nerdctl', 'buildah', 'skopeo', 'helm ', 'oc login', 'az login', 'az acr'],
    /((?:docker|podman|nerdctl|buildah|skopeo|helm|oc|az)(?: [\w-]{1,20}){0,2} login (?:[^\n|;&[]{0,200}? )?-p ?=?)(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"'|;&=]+)/y,
  ],
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

/** Text right after a redacted part starts a new word: a second redaction sees a marker there. */
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

/** A JSON Web Token: base64url parts, the first an object. A run of letters is tried once; otherwise `eyJ-eyJ-…` would take quadratic time. */
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

/** The values of a `Cookie` header, or the one value of a `Set-Cookie`; the first name is kept. `cookie: string` is code. */
const findCookie: SecretFinder = (text, at, floor) => {
  if (!startsWord(text, at, floor)) return null
  const match = matchAt(/(cookies?(?:\\{0,6}["'])?[ \t]{0,4}:[ \t]{0,4}(?:\\{0,6}["'])?[\w.$-]{1,80}=)([^\s;"'`\\,]{1,4096})/iy, text, at)
  const [, before = '', value = ''] = match ?? []
  if (!match || !isLiteral(value) || isCode(value)) return null
  const from = at + before.length
  // A server's value is followed by attributes; a client's by more cookies.
  const rest = /set-$/i.test(text.slice(Math.max(0, at - 4), at)) ? '' : (matchAt(MORE_COOKIES, text, from + value.length)?.[0] ?? '')
  return value.length + rest.length < 4 ? null : { from, to: from + value.length + rest.length, kind: 'cookie' }
}

const MORE_COOKIES = /(?:; ?[\w.$-]{1,80}=[^\s;"'`\\]{0,4096}){1,100}/y

/**
 * The password in `postgres://user:password@host`. It may contain an `@` itself: the last one before the path counts. It may even contain a
 * slash, if what comes before the slash cannot be a port.
 */
const findUrlPassword: SecretFinder = (text, at) => {
  const match =
    matchAt(/(:\/\/[^\s[/?#:@"'`<>\\]{0,100}:)([^\s/?#"'`<>\\]{1,300})@(?=[\w.[-])/y, text, at) ??
    (text.slice(at, at + 300).includes('@') ? matchAt(URL_PASSWORD_WITH_SLASH, text, at) : null)
  const [, before = '', password = ''] = match ?? []
  if (!match || isReference(password)) return null
  return { from: at + before.length, to: at + before.length + password.length, kind: 'url-password' }
}

// `http://localhost:3000/@scope/x` and `http://host:port/users/@me` have no password: a port, or a slash right before the `@`.
const URL_PASSWORD_WITH_SLASH =
  /(:\/\/[^\s[/?#:@"'`<>\\.]{1,100}:)(?!\d{0,5}[/?#]|port[/?#]|[^\s@]{0,300}(?:\/@|:\/\/))([^\s"'`<>\\@[\]]{1,200})@(?=[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}(?::\d{1,5})?(?:[/?#\s"'`)\\]|$))/iy

/** A private key in base64, as kubeconfigs and CI variables hold it: `LS0tLS1CRUdJTi` is `-----BEGIN `. Certificates stay. */
const findEncodedKey: SecretFinder = (text, at, floor) => {
  if (!startsWord(text, at, floor)) return null
  const match = matchAt(/LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{20,}={0,2}/y, text, at)
  if (!match || !/PRIVATE/.test(Buffer.from(match[0].slice(0, 80), 'base64').toString('latin1'))) return null
  let to = at + match[0].length
  // `base64` breaks lines after 76 characters.
  for (let line = matchAt(ENCODED_LINE, text, to); line; line = matchAt(ENCODED_LINE, text, to)) to += line[0].length
  return { from: at, to, kind: 'private-key' }
}

const ENCODED_LINE = /(?:\\[nr]|[\s"'+\\]|-(?!-)){1,40}(?:[A-Za-z0-9+/]{40,}={0,2}|[A-Za-z0-9+/]{2,}={1,2})/y

/** The private half of a PuTTY key file, with the code that authenticates it. */
const findPuttyKey: SecretFinder = (text, at) => {
  const head = matchAt(/Private-Lines: (\d{1,3})(?=\s|\\[nr]|["'])/y, text, at)
  if (!head) return null
  const from = at + head[0].length
  let to = from
  for (let lines = Number(head[1]); lines > 0; lines--) to += matchAt(PUTTY_LINE, text, to)?.[0].length ?? 0
  to += matchAt(/(?:\\[nrt]|[\s"'+,>|#→-]){1,40}Private-(?:MAC|Hash): [0-9a-fA-F]{1,128}/y, text, to)?.[0].length ?? 0
  return to > from ? { from, to, kind: 'private-key' } : null
}

const PUTTY_LINE = /(?:\\[nrt]|[\s"'+,>|#→-]|\d{1,6}[\t→|:]){1,40}(?!Private-)[A-Za-z0-9+/]{2,}={0,2}(?=\s|\\[nr]|["']|$)/y

/** The last field of a line of a `.pgpass`: `host:port:database:user:password`. */
const findPgpass: SecretFinder = (text, at, floor) => {
  let start = at
  while (start > floor && at - start < 100 && /[\w.*-]/.test(text[start - 1] ?? '')) start--
  if (start === at || /[:/@]/.test(text[start - 1] ?? '\n')) return null
  const match = matchAt(PGPASS, text, start)
  const [, before = '', password = ''] = match ?? []
  if (!match || !isLiteral(password)) return null
  return { from: start + before.length, to: start + before.length + password.length, kind: 'password' }
}

const PGPASS =
  /((?:\*|[A-Za-z0-9][\w.-]{0,99}):(?:\*|[1-6]?\d{4}):(?:\*|[A-Za-z_][\w-]{0,62}):(?:\*|[A-Za-z_][\w.-]{0,62}):)((?:[^\s:"'`\\]|\\[:\\]){3,200})(?=[\s"'`]|\\[nr]|$)/y

/** The body of a private key; its header is kept. If the end is missing, the lines that look like key material are the body. */
const findPrivateKey: SecretFinder = (text, at) => {
  const head = matchAt(/BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y, text, at)
  if (!head) return null
  const from = at + head[0].length
  if (text.startsWith('[redacted:', from)) return null
  // A line that a diff removed has one dash more.
  const end = matchAt(/-{4,6} ?END [A-Z0-9 ]{0,60}-{4,5}/y, text, text.indexOf('----', from))
  if (end && isKeyMaterial(text.slice(from, end.index))) return { from, to: end.index + end[0].length, kind: 'private-key' }
  let to = from
  for (let line = matchAt(KEY_LINE, text, to); line; line = matchAt(KEY_LINE, text, to)) to += line[0].length
  return to > from ? { from, to, kind: 'private-key' } : null
}

/** Whether text is key material, however its lines are broken. A sentence such as "put the key here" has no digits. */
function isKeyMaterial(body: string): boolean {
  if (/[A-Za-z0-9+/]{32}/.test(body)) return true
  const joined = body.slice(0, 20_000).replace(/\\[nrt]|[\s"'+,>|#→-]/g, '')
  return /[A-Za-z0-9+/]{32}/.test(joined) && /[a-z]/.test(joined) && /[A-Z]/.test(joined) && /\d/.test(joined)
}

// What precedes a line of a key in code, in a diff, in JSON or with line numbers; then a header or base64.
const KEY_LINE =
  /(?:\\[nrt]|[\s"'+,>|#→]|-(?!-)|\d{1,6}[\t→|:]){0,40}(?:[A-Z][\w-]{2,20}: [^\n\\]{0,120}|[A-Za-z0-9+/]{24,}={0,2}|(?=[A-Za-z0-9+/]{0,60}\d)[A-Za-z0-9+/]{12,}={0,2}(?=\s|\\[nr]|["']|$))/y

type SecretKind = 'password' | 'secret' | 'token' | 'key' | 'authorization' | 'likely'

const label = (kind: SecretKind) => (kind === 'likely' ? 'secret' : kind)

/** How a value is written. It decides how certain we must be before we hide it. */
type SecretValueForm = 'quoted' | 'listed' | 'assigned' | 'query' | 'flag' | 'header' | 'line' | 'loose'

/** A value assigned to a name that means a secret: `DB_PASSWORD=x`, `"api_key": "x"`, `--token x`, `Authorization: Bearer x`. */
const findNamed: SecretFinder = (text, at, floor) => {
  const nameEnd = nameEndAfter(text, at)
  const given = nameEnd === null ? null : givenAfter(text, nameEnd)
  if (nameEnd === null || !given) return null
  const nameStart = nameStartBefore(text, at, floor)
  const name = text.slice(nameStart, nameEnd)
  const kind = kindOf(name)
  if (!kind) return null
  const readings = readValue(text, given, name, nameStart)
  const value =
    readings.find((reading) => isWorthHiding(kind, name, reading)) ?? (kind === 'password' ? settingOf(text, given, name, nameStart) : null)
  if (!value) return null
  const judged = value.from + value.text.length
  const to = judged + (matchAt(REST_OF_WORD, text, judged)?.[0].length ?? 0)
  const shapes = (RULES.get(gramOf(text, value.from)) ?? []).filter(({ find }) => find !== findNamed && find !== findNamedPat)
  const shaped = findAt(text, value.from, value.from, shapes)
  return shaped?.kind && shaped.from === value.from && shaped.to >= to ? shaped : { from: value.from, to, kind: label(kind) }
}

/** Most words with these letters go on: path, pattern, compatible. */
const findNamedPat: SecretFinder = (text, at, floor) => (/[a-z]/i.test(text[at + 3] ?? '') ? null : findNamed(text, at, floor))

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

// `?: string = `, `: &str = `, ` string = `: the type of a name, followed by the value.
const TYPED = /(?:\??:[ \t]{0,4}(?:&(?:'static )?)?|[ \t](?=string))[\w.<>[\]|?]{1,40}[ \t]{1,4}=(?![=>])[ \t]{0,8}/y
const PAIR = /(?:\\{0,6}["'`])?\]?[ \t]{0,20}(?::?={1,3}>?|\??:(?!:)|!={1,2}|,|is(?=[ \t]))[ \t]{0,20}/y
// `- name: DB_PASSWORD` with `value: x` on the next line, `"name": "…", "value": "…"`, `key="…" value="…"`.
const VALUE_FIELD = /\\{0,6}["']?,?\s{1,40}\\{0,6}["']?value\\{0,6}["']?\s{0,4}[:=][ \t]{0,4}/iy

/** How a value is assigned to the name that ends here, and where the value starts. */
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
    // A comma assigns only to a quoted name (`define('DB_PASSWORD', 'x')`); after other names it separates arguments.
    if (by === 'comma' && !/^[\\"'`]/.test(pair[0])) return null
    return { by, tight: pair[0] === '=', at: end + pair[0].length }
  }
  if (text[end] === '>') return { by: 'element', tight: true, at: end + 1 }
  const space = matchAt(/[ \t]{1,4}(?=[^\s-])/y, text, end)
  return space && { by: 'space', tight: false, at: end + space[0].length }
}

const FOLLOWS_NAME = ' \t\r\n:=!?>]"\'`\\,'

type SecretValue = { text: string; from: number; form: SecretValueForm; bare: boolean }

/** The value that starts here, in each way it may be read, without its quotes and without the scheme of an Authorization header. */
function readValue(text: string, given: SecretAssignment, name: string, nameStart: number): SecretValue[] {
  const open = matchAt(/[bBrRuUfF@]{0,2}(\\{0,6})(["'`])/y, text, given.at)
  const start = given.at + (open?.[0].length ?? 0)
  const scheme = matchAt(/(?:bearer|basic|token|digest|apikey|negotiate)[ \t]{1,4}/iy, text, start)?.[0] ?? ''
  const from = start + scheme.length
  if (open) {
    // SQL writes `PASSWORD 'x'`; for other names a space before a quote is prose (`Unexpected token 'export'`).
    if (given.by === 'element' || (given.by === 'space' && !/password$/i.test(name))) return []
    // `getpass('Password: ')`: this quote closes the prompt; it does not open a value.
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

// A value without quotes. In a settings file it may contain almost any character; in code, prose and addresses many of them end it. A long
// value is judged by its first characters, because the next name may follow a few letters later and would read it all again.
const LINE_WORD = /[^\s"'`\\<]{1,128}/y
const WORD = /[^\s"'`\\<>&,;)}\]|=]{1,128}={0,2}/y
const REST_OF_WORD = /[^\s"'`\\<>&,;)}\]|]*/y

/** A line that continues after the value, or ends like a statement, is code and not a setting. */
function isWholeLine(text: string, from: number, value: string): boolean {
  return !/[;,)]$/.test(value) && matchAt(/[ \t]{0,20}(?:#|\r?\n|\\[nr]|["'`]|<\/|$)/y, text, from + value.length) !== null
}

/**
 * The rest of a line of a YAML, INI or properties file, where a password may be ordinary words. Null where the lines around it show code, and
 * for `password = word` outside of an INI section, which may be code of many languages.
 */
function settingOf(text: string, given: SecretAssignment, name: string, nameStart: number): SecretValue | null {
  if (!/^[ \t]{0,20}[:=][ \t]{0,20}$/.test(text.slice(nameStart + name.length, given.at)) || !startsLine(text, nameStart)) return null
  const from = given.at
  const words = matchAt(/[^\s"'`\\<>#;,=(){}[\]]{1,64}(?: [^\s"'`\\<>#;,=(){}[\]]{1,64}){0,7}/y, text, from)?.[0] ?? ''
  const isSentence = words.includes(' ')
  const isPassword = isSentence ? isPassphrase(words) : /^\p{L}[\p{L}_-]{2,}$/u.test(words) && !NO_PASSWORD.test(words)
  if (!isPassword || !isLiteral(words) || isCode(words) || !isWholeLine(text, from, words)) return null
  const before = plainLines(text.slice(Math.max(0, nameStart - 200), nameStart))
  const after = plainLines(text.slice(from + words.length, from + words.length + 100))
  const lineStart = before.lastIndexOf('\n')
  const previous = before.slice(before.lastIndexOf('\n', lineStart - 1) + 1, Math.max(0, lineStart))
  const following = after.slice(after.indexOf('\n') + 1)
  if (/(?:[,;({[=]|&&|\|\|)\s*$/.test(previous) || /^[ \t+-]*[)}\]]/.test(following)) return null
  const isSpaced = given.by === 'equals' && !given.tight
  if (isSpaced && !/^[ \t+#>*-]*\[(?!redacted:)[\w .:-]{1,60}\][ \t\r]*$/m.test(before)) return null
  const isAmongSettings = () => [previous, following].some((line) => /^[\s+-]*[\w.-]{1,40}[ \t]*[:=][ \t]*[^\s=]/.test(line))
  return !isSentence || isAmongSettings() ? { text: words, from, form: 'line', bare: true } : null
}

/** The lines of a text without the tags around them. In stringified text a line break is `\\n`. */
const plainLines = (text: string) => {
  const lines = text.includes('\\n') ? text.replaceAll('\\n', '\n') : text
  return lines.includes('<') ? lines.replace(/<\/?[\w-]{1,40}>/g, '') : lines
}

/** Where quoted text ends, at the latest with its line. Inside text that is itself quoted, only the quotes are escaped. */
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
  // `machine x login y password z` in a .netrc; in prose only `is` may come between.
  if (given.by === 'space' && /\blogin \S{1,60}\s{1,8}$/.test(text.slice(Math.max(0, nameStart - 80), nameStart))) return 'assigned'
  if (given.by === 'space') return text.slice(given.at - 4, given.at).includes('is') ? 'loose' : null
  return startsLine(text, nameStart) ? 'line' : 'loose'
}

const isEnvName = (name: string) => /^[-+]?[A-Z][A-Z0-9_]+$/.test(name)

/** Whether a name is preceded on its line only by what a settings file has there: an indent, a list dash, `export`, a dotted path. */
function startsLine(text: string, at: number): boolean {
  const previous = text[at - 1] ?? '\n'
  if (previous === '\n') return true
  if (!' \t+>*#"\'-.→n'.includes(previous)) return false
  const before = text.slice(Math.max(0, at - 80), at)
  const escaped = before.lastIndexOf('\\n')
  const line = before.slice(Math.max(before.lastIndexOf('\n') + 1, escaped < 0 ? 0 : escaped + 2))
  return /^(?:[ \t+>*#"'-]|\d{1,6}[\t→]|<[\w-]{1,40}>){0,40}(?:export |set |ENV |ARG )?(?!this\.|self\.)(?:\w{1,30}\.){0,6}$/.test(line)
}

/** Decides whether a value is hidden: quoted text under `password` is a password, a bare word after `token =` is probably code. */
function isWorthHiding(kind: SecretKind, name: string, { text, form, bare }: SecretValue): boolean {
  if (!isLiteral(text) || (bare && isCode(text))) return false
  // Test runners print PASS too.
  if (/^pass$/i.test(name) && form !== 'quoted') return false
  if (kind === 'likely') return form !== 'loose' && isRandom(text)
  return WORTH_HIDING[form]({ text, kind, name, isStrong: kind === 'password' || kind === 'secret' })
}

type NamedSecret = { text: string; kind: SecretKind; name: string; isStrong: boolean }

/** One check for each form. A strong name (password, secret) needs less evidence in the value. */
const WORTH_HIDING: Record<SecretValueForm, (secret: NamedSecret) => boolean> = {
  quoted: ({ text, kind, name, isStrong }) => {
    // Several words are a sentence about the secret, unless the name asks for words or they form no sentence.
    if (/\s/.test(text)) return /phrase/i.test(name) || (kind === 'password' && isPassphrase(text))
    return isStrong || (text.length >= 6 && isMixed(text))
  },
  listed: ({ text }) => text.length >= 6 && isMixed(text) && !/\s/.test(text),
  query: ({ text }) => text.length >= 3,
  assigned: ({ text, isStrong }) => isStrong || text.length >= 8 || isMixed(text),
  flag: ({ text, isStrong }) => isMixed(text) || (isStrong && !WORD_AFTER_FLAG.test(text)),
  header: ({ text }) => text.length >= 8 && (isMixed(text) || /[a-z][A-Z]/.test(text)),
  line: ({ text, kind, isStrong }) =>
    isMixed(text) ? text.length >= (isStrong ? 4 : 8) && !isTypeLike(text) : /^\d{4,}$/.test(text) && kind === 'password',
  loose: ({ text, isStrong }) =>
    text.length >= (isStrong ? 6 : 8) && /\d/.test(text) && /^[\w.~@#!%^=+/:-]+$/.test(text) && isMixed(text) && !isTypeLike(text),
}

/** What else follows `password:` as a single word: a name in code, a type, a state, a method. */
const NO_PASSWORD = new RegExp(
  `[a-z][A-Z]|^${anyOf(`varchar char bytea blob uuid jsonb? email username user enabled disabled changed updated set unset empty missing invalid
    valid incorrect wrong correct ok default same new old unchanged expired generated weak strong see todo tbd prompt stdin file env vault
    encrypted hashed hash plain plaintext bcrypt argon scrypt regex input field auth(?:entication)? and or is for the`)}$`,
)

/** Words that follow a flag in a sentence about it: `--password flag`, `--token can't`. */
const WORD_AFTER_FLAG = /^(?:flags?|options?|arguments?|can't|is|or|and|to|for|in|with|as|from|on|the|a|file|stdin|prompt)$/i

/** A few words that form no sentence: none of them is a function word or a word of login forms. */
const isPassphrase = (text: string) => text.length <= 80 && /^[\p{L}\d]{2,}(?: [\p{L}\d]{2,}){2,7}$/u.test(text) && !SENTENCE.test(text)

const SENTENCE = new RegExp(
  `(?:^| )${anyOf(`the an is are was be been must should can cannot may will has have had not no do does to of in on at for from with without
    by as it its this that these your you my our we they and or if when than too very please enter type choose confirm repeat reset forgot
    change update create new old current wrong invalid incorrect missing required optional expired empty weak strong short long least most
    characters chars letters digits minimum maximum length match matches mismatch password passwords passphrase passwd pwd pass secret
    token login user username email account field value string text input hash hashed encrypted plain using use set`)}(?: |$)`,
  'i',
)

/** The kind of secret that a name means, or null. `likely` names (`STRIPE_KEY`) also need a value that looks random. */
function kindOf(name: string): SecretKind | null {
  const known = KINDS.get(name)
  if (known !== undefined) return known
  const kind = SOUNDS_SECRET.test(name) ? (isAccessToken(name) ? 'token' : kindOfWords(wordsOf(name))) : null
  // A text repeats the same few names, and classifying a name costs more than everything else here.
  if (KINDS.size >= 1000) KINDS.clear()
  KINDS.set(name, kind)
  return kind
}

const KINDS = new Map<string, SecretKind | null>()
const SOUNDS_SECRET = /pass|pwd|secret|token|key|cred|auth|pat(?![a-z])/i

/** A personal access token: `GITHUB_PAT`, `ADO_PAT_2`, `gh_pat`. Elsewhere `pat` is short for a pattern. */
const isAccessToken = (name: string) =>
  /^[-+]{0,2}(?:[A-Z][A-Z0-9_]*_)?PAT(?:_?\d{1,3})?$/.test(name) || /(?:git|github|gh|gitlab|azure|ado|devops|jira)[_-]?pat$/i.test(name)

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
  return /(?:^|_)(?:key|token|secret|credential|cred|auth|pass|pat)s?(?:_|$)/.test(words) ? 'likely' : null
}

// Endings that do not change what a name means: a number, an environment, an encoding.
const TAIL = new RegExp(
  `_?\\d{1,3}$|_${anyOf('base value raw plain prod production dev staging test live local old new current b64 base64')}$`,
)
const OWNERS = anyOf('db user smtp mail admin root mysql pg postgres redis ftp ssh')
const PASSWORD = new RegExp(`${anyOf('password passwd passphrase passcode pwd')}$|^pass$|(?:^|_)${OWNERS}_?pass$`)
const SECRET_KEY = new RegExp(
  `${anyOf(`api access secret private auth account master encryption signing service role admin deploy license app application storage
    subscription webhook hmac jwt client consumer server aes security`)}_?key$`,
)
// Other keys and tokens: of lexers, result pages and databases, and public keys.
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

/** Whether the text is the value itself: not a variable, type or placeholder, nor a path or address of the secret. */
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

/** `$NAME`, `${…}`, `<your password>`, `{{…}}`, `%s`, `%NAME%`, `***`. Punctuation after `$name` makes it a password that starts with `$`. */
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

/** Unquoted calls, subscripts, templates and dotted names (`req.body.token`) are code. */
function isCode(text: string): boolean {
  if (/[()[\]{}]|=>|->|::|^[!&*@|>]|^(?:password|token|secret|key|pass)\d?$/i.test(text)) return true
  return /^[A-Za-z_$][\w$?]*\./.test(text) && /^[\w$?.]+$/.test(text) && !/\.\d/.test(text)
}

/** Not just a word: it has a digit or punctuation among the letters. */
const isMixed = (text: string) => (/[A-Za-z]/.test(text) && /\d/.test(text)) || /[^\w.:/ -]/.test(text)

/** `Uint8Array`, `sha256`, `base64url`: names of types and encodings that contain a digit. */
const isTypeLike = (text: string) => /^(?:u?int|float|base|utf|sha|md|aes|rsa|hmac|ed|[a-z])\d{1,4}[A-Za-z_]{0,12}$/i.test(text)

/** Long, without spaces, and with too much entropy for words: probably generated. Hashes and UUIDs are names, not secrets. */
function isRandom(text: string): boolean {
  if (text.length < 20 || text.length > 512 || !/^[\w+/=.~-]+$/.test(text)) return false
  if (HASH.test(text) || UUID.test(text)) return false
  return text.split(/[-_./]/).some((part) => part.length >= 12 && /\d/.test(part) && /[a-z]/i.test(part)) && entropy(text) >= 3.5
}

const HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}|sha\d{1,3}-.*)$/i
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Shannon entropy in bits per character: about 4 for random hex, 5 or more for random base64, under 4 for most names in code. */
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

const TENS = Array.from({ length: 60 }, (_, n) => String(n + 10))

const RULES = new Map<number, RedactionRule[]>()
// One byte for each possible combination of three characters. It fits the processor's nearest cache; the map would not.
const BEGINS = new Uint8Array(1 << 15)

for (const rule of [
  { begins: ['[redacted:'], find: findMarker },
  ...SHAPES.map(([kind, begins, shape]) => shapeRule(kind, begins, shape)),
  { begins: ['eyJ'], find: findJwt },
  { begins: ['bearer'], find: findBearer },
  { begins: ['cookie'], find: findCookie },
  { begins: ['://'], find: findUrlPassword },
  { begins: ['BEGIN '], find: findPrivateKey },
  { begins: ['LS0tLS1CRUdJTi'], find: findEncodedKey },
  { begins: ['Private-Lines'], find: findPuttyKey },
  { begins: [':*:', ...TENS.map((tens) => `:${tens}`)], find: findPgpass },
  { begins: ['pass', 'pwd', 'secret', 'token', 'key', 'cred', 'auth'], find: findNamed },
  { begins: ['pat'], find: findNamedPat },
] satisfies RedactionRule[]) {
  for (const gram of new Set(rule.begins.map((text) => gramOf(text, 0)))) {
    BEGINS[gram] = 1
    RULES.set(gram, [...(RULES.get(gram) ?? []), rule])
  }
}
