import { describe, expect, test } from 'bun:test'
import { growth, LINEAR } from '../../test/support/growth.ts'
import { redact, redactJson } from './secrets.ts'

// Invented, and assembled here, so that no scanner reports this file as a leak.
const mixed = (length: number) => 'a1B2c3D4e5F6g7H8'.repeat(10).slice(0, length)
const hex = (length: number) => '0a1b2c3d4e5f6789'.repeat(10).slice(0, length)
const upper = (length: number) => 'A2B3C4D5E6F7G2H3'.repeat(10).slice(0, length)
const dashes = '-'.repeat(5)
const keyBody = `${mixed(64)}\n${mixed(64)}\n${mixed(30)}==`

/** Secrets with a recognizable shape, by the kind in their marker. */
const SHAPES: [kind: string, secret: string][] = [
  ['age-key', `AGE-SECRET-KEY-1${upper(58)}`],
  ['anthropic-key', `sk-ant-api03-${mixed(60)}`],
  ['atlassian-token', `ATATT3${mixed(60)}`],
  ['aws-access-key', `AKIA${upper(16)}`],
  ['aws-access-key', `ASIA${upper(16)}`],
  ['cloudflare-key', `v1.0-${hex(24)}-${hex(146)}`],
  ['cloudflare-token', `cfut_${mixed(48)}`],
  ['databricks-token', `dapi${hex(32)}`],
  ['digitalocean-token', `dop_v1_${hex(64)}`],
  ['discord-token', `MTA${mixed(21)}.${mixed(6)}.${mixed(38)}`],
  ['docker-token', `dckr_pat_${mixed(27)}`],
  ['doppler-token', `dp.pt.${mixed(43)}`],
  ['doppler-token', `dp.st.dev.${mixed(43)}`],
  ['figma-token', `figd_${mixed(40)}`],
  ['github-token', `ghp_${mixed(36)}`],
  ['github-token', `gho_${mixed(36)}`],
  ['github-token', `ghs_${mixed(36)}`],
  ['github-token', `ghr_${mixed(76)}`],
  ['github-token', `github_pat_${mixed(22)}_${mixed(59)}`],
  ['gitlab-token', `glpat-${mixed(20)}`],
  ['google-key', `AIza${mixed(35)}`],
  ['google-oauth', `ya29.${mixed(60)}`],
  ['google-oauth', `GOCSPX-${mixed(28)}`],
  ['grafana-token', `glsa_${mixed(32)}_${hex(8)}`],
  ['groq-key', `gsk_${mixed(52)}`],
  ['huggingface-token', `hf_${'abCDefGH'.repeat(5).slice(0, 34)}`],
  ['jwt', `eyJ${mixed(33)}.eyJ${mixed(50)}.${mixed(43)}`],
  ['linear-key', `lin_api_${mixed(40)}`],
  ['mailgun-key', `key-${hex(32)}`],
  ['new-relic-key', `NRAK-${upper(27)}`],
  ['notion-token', `ntn_${mixed(46)}`],
  ['npm-token', `npm_${mixed(36)}`],
  ['openai-key', `sk-${mixed(48)}`],
  ['openai-key', `sk-proj-${mixed(20)}_${mixed(20)}-${mixed(20)}`],
  ['planetscale-token', `pscale_tkn_${mixed(43)}`],
  ['postman-key', `PMAK-${hex(24)}-${hex(34)}`],
  ['pypi-token', `pypi-${mixed(80)}`],
  ['replicate-token', `r8_${mixed(37)}`],
  ['rubygems-key', `rubygems_${hex(48)}`],
  ['sendgrid-key', `SG.${mixed(22)}.${mixed(43)}`],
  ['sentry-token', `sntrys_${mixed(80)}`],
  ['shopify-token', `shpat_${hex(32)}`],
  ['slack-token', `xoxb-123456789012-123456789012-${mixed(24)}`],
  ['slack-token', `xapp-1-A${upper(10)}-123456789012-${hex(64)}`],
  ['square-token', `sq0atp-${mixed(22)}`],
  ['stripe-key', `sk_live_${mixed(24)}`],
  ['stripe-key', `rk_live_${mixed(24)}`],
  ['stripe-key', `sk_test_${mixed(24)}`],
  ['stripe-webhook', `whsec_${mixed(32)}`],
  ['supabase-key', `sbp_${hex(40)}`],
  ['tailscale-key', `tskey-auth-${mixed(17)}-${mixed(32)}`],
  ['twilio-key', `SK${hex(32)}`],
  ['vault-token', `hvs.${mixed(90)}`],
  ['vercel-token', `vcp_${mixed(56)}`],
  ['xai-key', `xai-${mixed(80)}`],
]

/** Texts with secrets, and the same texts redacted. */
const IN_TEXT: [text: string, left: string][] = [
  ['mysql -u root -phunter2 -h db app', 'mysql -u root -p[redacted:password] -h db app'],
  [`mysqldump --user=root -p'two words' app`, 'mysqldump --user=root -p[redacted:password] app'],
  ['mariadb-dump -pS3cret app', 'mariadb-dump -p[redacted:password] app'],
  ['sshpass -p hunter2 ssh a@b', 'sshpass -p [redacted:password] ssh a@b'],
  ['sshpass -phunter2 ssh a@b', 'sshpass -p[redacted:password] ssh a@b'],
  [`sshpass -v -p "two words" ssh a@b`, 'sshpass -v -p [redacted:password] ssh a@b'],
  ['redis-cli -h cache -a hunter2 ping', 'redis-cli -h cache -a [redacted:password] ping'],
  ['redis-cli --pass hunter2 ping', 'redis-cli --pass [redacted:password] ping'],
  ['Cookie: session=abc123; theme=dark; sid=zz', 'Cookie: session=[redacted:cookie]'],
  ['cookie: a=b; session=abc123', 'cookie: a=[redacted:cookie]'],
  ['Set-Cookie: sid=abcd1234; Path=/; HttpOnly', 'Set-Cookie: sid=[redacted:cookie]; Path=/; HttpOnly'],
  [`curl -H 'Cookie: a=bcde' x`, `curl -H 'Cookie: a=[redacted:cookie]' x`],
  ['password: "four words here"', 'password: "[redacted:password]"'],
  [`db_password = 'correct horse battery staple'`, `db_password = '[redacted:password]'`],
  [
    `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${[...Array(8)].map((_, n) => `${n}aB3dEfGhIjK`).join('\n')}\n${dashes}END RSA PRIVATE KEY${dashes} after`,
    `${dashes}BEGIN RSA PRIVATE KEY${dashes}[redacted:private-key] after`,
  ],
  [
    `${dashes}BEGIN PRIVATE KEY${dashes}\nMIIEpAIBAAKC1a\nAQEA7bq3Fzkp\nand more prose`,
    `${dashes}BEGIN PRIVATE KEY${dashes}[redacted:private-key]\nand more prose`,
  ],
  // Addresses: only the secret part goes.
  ['postgres://app:s3cr3t@db:5432/x', 'postgres://app:[redacted:url-password]@db:5432/x'],
  ['mongodb+srv://app:p@ss:word@cluster.example.net/x', 'mongodb+srv://app:[redacted:url-password]@cluster.example.net/x'],
  ['amqp://app:%40hunter@host', 'amqp://app:[redacted:url-password]@host'],
  ['redis://:hunter@localhost', 'redis://:[redacted:url-password]@localhost'],
  [`git clone https://x:${mixed(20)}@git.example.com/a.git`, 'git clone https://x:[redacted:url-password]@git.example.com/a.git'],
  [`https://${hex(32)}@o1.ingest.sentry.io/42`, 'https://[redacted:sentry-dsn]@o1.ingest.sentry.io/42'],
  [`https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${mixed(24)}`, 'https://hooks.slack.com/services/[redacted:slack-webhook]'],
  [
    `https://discord.com/api/webhooks/123456789012345678/${mixed(68)}`,
    'https://discord.com/api/webhooks/123456789012345678/[redacted:discord-webhook]',
  ],
  [`https://api.telegram.org/bot123456789:AA${mixed(33)}/getMe`, 'https://api.telegram.org/bot123456789:[redacted:telegram-token]/getMe'],
  [`https://api.twilio.com as AC${hex(32)}:${hex(32)}`, `https://api.twilio.com as AC${hex(32)}:[redacted:twilio-token]`],
  [`https://x.blob.core.windows.net/c?sv=2024&sig=${mixed(40)}%3D`, 'https://x.blob.core.windows.net/c?sv=2024&sig=[redacted:azure-sas]'],
  ['https://example.com/cb?token=abcdef&state=1', 'https://example.com/cb?token=[redacted:token]&state=1'],
  ['https://example.com/cb?a=1&access_token=abcdef#x', 'https://example.com/cb?a=1&access_token=[redacted:token]'],
  ['curl -s -u admin:hunter2 https://example.com', 'curl -s -u admin:[redacted:basic-auth] https://example.com'],
  // Settings files.
  ['DB_PASSWORD=swordfish', 'DB_PASSWORD=[redacted:password]'],
  ['export GITHUB_TOKEN=abcd1234', 'export GITHUB_TOKEN=[redacted:token]'],
  ['A=1\nPGPASSWORD=a&b;c psql', 'A=1\nPGPASSWORD=[redacted:password] psql'],
  ['DB_PASSWORD="correct horse (staple)"', 'DB_PASSWORD="[redacted:password]"'],
  ['machine example.com login bob password swordfish', 'machine example.com login bob password [redacted:password]'],
  ['password=swordfish1', 'password=[redacted:password]'],
  ['spring.datasource.password = hunter2', 'spring.datasource.password = [redacted:password]'],
  ['db:\n  password: hunter2\n  port: 1', 'db:\n  password: [redacted:password]\n  port: 1'],
  ['  password: p@ssword # local', '  password: [redacted:password] # local'],
  ['- name: DB_PASSWORD\n  value: swordfish\n', '- name: DB_PASSWORD\n  value: [redacted:password]\n'],
  ['{"name": "API_TOKEN", "value": "abc12345"}', '{"name": "API_TOKEN", "value": "[redacted:token]"}'],
  ['<add key="Password" value="hunter" />', '<add key="Password" value="[redacted:password]" />'],
  ['<password>hunter</password>', '<password>[redacted:password]</password>'],
  [`//registry.example/:_authToken=${mixed(36)}`, '//registry.example/:_authToken=[redacted:token]'],
  [`AWS_SECRET_ACCESS_KEY=${mixed(38)}/+`, 'AWS_SECRET_ACCESS_KEY=[redacted:key]'],
  [`aws_secret_access_key = ${mixed(38)}/+`, 'aws_secret_access_key = [redacted:key]'],
  [`AccountName=a;AccountKey=${mixed(86)}==;EndpointSuffix=x`, 'AccountName=a;AccountKey=[redacted:key];EndpointSuffix=x'],
  ['Server=db;User Id=sa;Password=Hunter22;Encrypt=true', 'Server=db;User Id=sa;Password=[redacted:password];Encrypt=true'],
  ['-DB_PASSWORD=old1\n+DB_PASSWORD=new1', '-DB_PASSWORD=[redacted:password]\n+DB_PASSWORD=[redacted:password]'],
  ['A=1\\nDB_PASSWORD=swordfish\\nB=2', 'A=1\\nDB_PASSWORD=[redacted:password]\\nB=2'],
  // Code and JSON.
  ['{"password": "$ecret!1"}', '{"password": "[redacted:password]"}'],
  ['{"password": "x", "user": "y"}', '{"password": "[redacted:password]", "user": "y"}'],
  ['{\\"password\\": \\"hunter\\", \\"user\\": \\"y\\"}', '{\\"password\\": \\"[redacted:password]\\", \\"user\\": \\"y\\"}'],
  ['const password: string = "hunter"', 'const password: string = "[redacted:password]"'],
  ["password = 'it\\'s me'", "password = 'it\\'s me'"],
  ["password = 'it\\'s-me'", "password = '[redacted:password]'"],
  ['password := "hunter"', 'password := "[redacted:password]"'],
  ["$config['db_password'] = 'hunter';", "$config['db_password'] = '[redacted:password]';"],
  ["define('DB_PASSWORD', 'hunter2');", "define('DB_PASSWORD', '[redacted:password]');"],
  [":password => 'hunter',", ":password => '[redacted:password]',"],
  ["if (password === 'hunter') {", "if (password === '[redacted:password]') {"],
  ['client_secret: "abcdefgh"', 'client_secret: "[redacted:secret]"'],
  ['apiKey: "abc123def"', 'apiKey: "[redacted:key]"'],
  ["CREATE USER a PASSWORD 'hunter';", "CREATE USER a PASSWORD '[redacted:password]';"],
  ['passphrase: "correct horse battery staple"', 'passphrase: "[redacted:password]"'],
  [`STRIPE_KEY = "${mixed(32)}"`, 'STRIPE_KEY = "[redacted:secret]"'],
  [`ci_credential: ${mixed(32)}`, 'ci_credential: [redacted:secret]'],
  // The more specific kind wins.
  [`GITHUB_TOKEN=ghp_${mixed(36)}`, 'GITHUB_TOKEN=[redacted:github-token]'],
  [`{"token": "ghp_${mixed(36)}"}`, '{"token": "[redacted:github-token]"}'],
  // The user of an address may be a token too.
  [`https://ghp_${mixed(36)}:x-oauth@github.com/a`, 'https://[redacted:github-token]:[redacted:url-password]@github.com/a'],
  // Command lines and headers.
  ['mysql --password=swordfish -u root', 'mysql --password=[redacted:password] -u root'],
  ['tool --password swordfish --verbose', 'tool --password [redacted:password] --verbose'],
  ['tool --api-key abc123def', 'tool --api-key [redacted:key]'],
  ['docker run -e DB_PASSWORD=swordfish app', 'docker run -e DB_PASSWORD=[redacted:password] app'],
  [`Authorization: Bearer ${mixed(20)}`, 'Authorization: Bearer [redacted:authorization]'],
  ['curl -H "Authorization: Basic dXNlcjpwYXNzMQ=="', 'curl -H "Authorization: Basic [redacted:authorization]"'],
  [`{'Authorization': 'token ${mixed(20)}'}`, "{'Authorization': 'token [redacted:authorization]'}"],
  [`sent Bearer ${mixed(20)} again`, 'sent Bearer [redacted:bearer-token] again'],
  ['X-Api-Key: abc123def', 'X-Api-Key: [redacted:key]'],
  [`PRIVATE-TOKEN: ${mixed(20)}`, 'PRIVATE-TOKEN: [redacted:token]'],
  // Prose.
  ['the password is hunter22, and the user is bob', 'the password is [redacted:password], and the user is bob'],
  // Private keys: complete, in JSON, and cut off.
  [
    `a\n${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${keyBody}\n${dashes}END RSA PRIVATE KEY${dashes}\nz`,
    `a\n${dashes}BEGIN RSA PRIVATE KEY${dashes}[redacted:private-key]\nz`,
  ],
  [
    `{"private_key": "${dashes}BEGIN PRIVATE KEY${dashes}\\n${keyBody.replaceAll('\n', '\\n')}\\n${dashes}END PRIVATE KEY${dashes}\\n"}`,
    `{"private_key": "${dashes}BEGIN PRIVATE KEY${dashes}[redacted:private-key]\\n"}`,
  ],
  [
    `${dashes}BEGIN PGP PRIVATE KEY BLOCK${dashes}\nVersion: 1\n\n${keyBody}\n${dashes}END PGP PRIVATE KEY BLOCK${dashes}`,
    `${dashes}BEGIN PGP PRIVATE KEY BLOCK${dashes}[redacted:private-key]`,
  ],
  [
    `${dashes}BEGIN OPENSSH PRIVATE KEY${dashes}\n${keyBody}\n\nand then prose`,
    `${dashes}BEGIN OPENSSH PRIVATE KEY${dashes}[redacted:private-key]\n\nand then prose`,
  ],
  [`${dashes}BEGIN EC PRIVATE KEY${dashes}\\n${mixed(64)}\\n${mixed(40)}`, `${dashes}BEGIN EC PRIVATE KEY${dashes}[redacted:private-key]`],
]

/** Texts that look like secrets but must stay. */
const UNTOUCHED = [
  '',
  'commit 3f2a9c1d4e5b6a7f8c9d0e1f2a3b4c5d6e7f8a9b',
  'id: 123e4567-e89b-12d3-a456-426614174000',
  `"integrity": "sha512-${mixed(86)}=="`,
  `index-${mixed(8)}.js main.${hex(20)}.css`,
  `sha256:${hex(64)}`,
  `<img src="data:image/png;base64,iVBORw0KGgo${mixed(140)}">`,
  `cacheKey: "${mixed(32)}"`,
  `public_key = "${mixed(44)}"`,
  `key_hash: ${hex(40)}`,
  `build_key: "${hex(40)}"`,
  `session_key: "123e4567-e89b-12d3-a456-426614174000"`,
  'password: string',
  'password?: string;',
  'password: string | null',
  'token: Uint8Array',
  'token: Token,',
  'secret: Buffer.from(value)',
  'const token = getToken()',
  'const token = await auth.getToken(user1)',
  'token = tokens[0]',
  'this.token = token1',
  'token.exp * 1000',
  'if (token === undefined) throw new Error("token expired")',
  'process.env.API_KEY',
  'apiKey: process.env.API_KEY,',
  'API_KEY=process.env.API_KEY',
  'password = os.environ["DB_PASSWORD"]',
  'password=<your password>',
  'password: "<your password>"',
  'api_key: "your-api-key"',
  'API_KEY=YOUR_API_KEY',
  `password=\${PASSWORD}`,
  'PASSWORD="$PASSWORD"',
  'TOKEN=$TOKEN ./run',
  `token: \${{ secrets.GITHUB_TOKEN }}`,
  'password: {{ vault_password }}',
  `postgres://user:\${PASS}@host/db`,
  'postgres://user:$PASS@host/db',
  'ssh://git@example.com:22/a.git http://localhost:3000/@scope/x http://localhost:8080',
  'passwordField.value',
  'password: form.password.value,',
  'login(user=user, password=password)',
  "document.getElementById('password').value = ''",
  '<input type="password" name="password" autocomplete="current-password">',
  "const [password, setPassword] = useState('')",
  "password: z.string().min(8, 'at least 8')",
  'password: "Password must have 8 characters"',
  "getpass.getpass('Password: ')",
  "Buffer.from(password, 'base64')",
  '["password", "username", "token"]',
  "Unexpected token 'export'",
  'find /var/lib/mysql -print',
  'mysql -p app, mysql -P 3306, docker run mysql -p 3306:3306',
  'mysql -u root -p$MYSQL_PASSWORD app',
  'sshpass -p $PW ssh a@b, sshpass -e ssh a@b',
  'redis-cli -h cache ping',
  'cookie: string, cookies: { a: 1 }, const cookie = req.headers.cookie',
  'Cookie: name=value',
  'Set-Cookie: <name>=<value>',
  'password: "must be at least 8 characters"',
  "password: 'Passwords do not match'",
  'password: "Enter your password again"',
  `${dashes}BEGIN PRIVATE KEY${dashes}\npaste the contents of your private key file here\n${dashes}END PRIVATE KEY${dashes}`,
  'max_tokens: 4096, "tokens": 1200, token_count=12000',
  'pad_token: "<pad>", next_page_token: "abc123def"',
  '--- PASS: TestLogin1 (0.00s)',
  'use --password to log in, or --token for a token',
  'the --token flag and the --password option, --username and --password options',
  'the token is expired and the password is required',
  'key: value',
  'a key: it opens things; a token: 5 cents',
  '.token { color: #a1b2c3 } :root { --token-color: #a1b2c3; --key-width: 12px }',
  '.sk-loading-indicator-container-large { animation: sk-fade-in-and-out-slowly 1s }',
  'private_key: "./keys/dev.pem"',
  'secret: /run/secrets/db_password',
  'PWD=/home/me OLDPWD=/tmp',
  'secretName: db-credentials-2',
  'password: op://vault/item/password',
  'credentials: "include"',
  'docker run -u 1000:1000 --user node:node app',
  'Authorization: Bearer <token>',
  'Authorization: `Bearer $' + '{token}`',
  "headers['Authorization'] = 'Bearer ' + token",
  'Bearer authentication is required',
  'Basic authentication',
  `if (pem.startsWith('${dashes}BEGIN PRIVATE KEY${dashes}')) return parse(pem)`,
  `${dashes}BEGIN CERTIFICATE${dashes}\n${keyBody}\n${dashes}END CERTIFICATE${dashes}`,
  `ssh-ed25519 AAAA${mixed(64)} me@host`,
  'npm_config_registry npm_package_version npm_lifecycle_event',
  'tokenizer: "gpt2", keyboard: "us104", monkey: "abc123"',
  'password: ********',
  'password=xxxxxxxx',
  'password: null, secret: true, token: none',
]

describe('redact', () => {
  test.each(SHAPES)('hides a %s', (kind, secret) => {
    for (const [before, after] of [
      ['', ''],
      ['see ', ' here'],
      ['"', '",'],
      ['(', ').'],
      ['\n', '\n'],
    ])
      expect(redact(`${before}${secret}${after}`)).toBe(`${before}[redacted:${kind}]${after}`)
  })

  test.each(IN_TEXT)('%j', (text, left) => {
    expect(redact(text)).toBe(left)
  })

  test.each(UNTOUCHED)('leaves %j', (text) => {
    expect(redact(text)).toBe(text)
  })

  test("hides the matches of a person's own patterns, except inside a marker", () => {
    expect(redact('ACME-1 and ACME-22', [/ACME-\d+/])).toBe('[redacted:custom] and [redacted:custom]')
    expect(redact(`ghp_${mixed(36)} token`, [/token/gi, /x*/])).toBe('[redacted:github-token] [redacted:custom]')
    expect(redact('[redacted:github-token]', [/token/])).toBe('[redacted:github-token]')
  })

  test('a pattern that matches part of a secret does not expose the rest', () => {
    expect(redact('DB_PASSWORD=hunter2', [/\d/])).toBe('DB_PASSWORD=[redacted:password]')
    expect(redact(`ACMEghp_${mixed(36)}`, [/ACME/])).toBe('[redacted:custom][redacted:github-token]')
  })

  test('redacting twice gives the same result', () => {
    const parts = [...SHAPES.map(([, secret]) => secret), ...IN_TEXT.map(([text]) => text), ...UNTOUCHED]
    const glue = [
      '',
      ' ',
      '\n',
      '=',
      ':',
      '"',
      "'",
      '-',
      '_',
      '@',
      '/',
      '.',
      ',',
      'x',
      'token',
      'password=',
      '[redacted:jwt]',
      ']',
      '\\',
      '://a:',
    ]
    const random = randomFrom(11)
    for (let i = 0; i < 4000; i++) {
      const text = Array.from({ length: 1 + random(6) }, () => {
        const part = parts[random(parts.length)] ?? ''
        // Complete, or cut anywhere: most mistakes happen where a secret is cut in two.
        const piece = random(2) ? part : part.slice(random(part.length + 1)).slice(0, random(80))
        return piece + (glue[random(glue.length)] ?? '')
      }).join('')
      const once = redact(text)
      expect(redact(once)).toBe(once)
    }
  })

  test.each([
    'a',
    '=',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----\n',
    'eyJ',
    'eyJ-',
    'eyJaaaaaaaaa.',
    'pass',
    'token=',
    'token="',
    'token: ',
    'password=hunter2\n',
    '"key", "a" ',
    'curl ',
    'mysql ',
    'mysql -u ',
    'redis-cli -h ',
    'cookie: a=b; ',
    'cookie: ',
    '://a:',
    '\\',
    'SG.',
    '[redacted:',
    mixed(61),
    'function f(a,b){return a.key?b[a.token]:c("x")}',
  ])('four times as much of %j takes about four times as long', (unit) => {
    expect(growth(redact, unit.repeat(Math.ceil(100_000 / unit.length)))).toBeLessThan(LINEAR)
  })
})

describe('redactJson', () => {
  test('hides secrets in every string, and every value under a key that names a secret', () => {
    const value = {
      command: 'deploy --password swordfish',
      env: [`GITHUB_TOKEN=ghp_${mixed(36)}`],
      password: 'correct horse',
      apiKey: 'abc',
      auth: { access_token: 'abc', client_secret: ['one', 'two'], expires: 3600 },
      token: `ghp_${mixed(36)}`,
    }
    expect(redactJson<unknown>(value)).toEqual({
      command: 'deploy --password [redacted:password]',
      env: ['GITHUB_TOKEN=[redacted:github-token]'],
      password: '[redacted:password]',
      apiKey: '[redacted:key]',
      auth: { access_token: '[redacted:token]', client_secret: ['[redacted:secret]', '[redacted:secret]'], expires: 3600 },
      token: '[redacted:github-token]',
    })
  })

  test('hides the values of cookies, as a list or single', () => {
    expect(redactJson({ headers: { Cookie: 'a=12345; b=6789', 'set-cookie': ['x=abcdef; Path=/'], cookie: 'none' } })).toEqual({
      headers: { Cookie: 'a=[redacted:cookie]', 'set-cookie': ['x=[redacted:cookie]; Path=/'], cookie: 'none' },
    })
  })

  test('leaves placeholders for secrets, and keys that only sound like one', () => {
    const value = {
      password: '',
      api_key: `\${API_KEY}`,
      secret: '<your secret>',
      token: 'string',
      authorization: null,
      key: 'Enter',
      primary_key: 'id',
      token_type: 'bearer',
      tokens: '1200',
      file_path: '/src/password.ts',
      tool_use_id: 'toolu_01AbCdEfGh',
    }
    expect(redactJson(value)).toEqual(value)
  })

  test('redacting twice gives the same result', () => {
    const once = redactJson({ password: 'x y', token: 'abc', note: `key ghp_${mixed(36)}` }, [/y/])
    expect(redactJson(once, [/y/])).toEqual(once)
  })

  test('works at a depth of 10,000', () => {
    let value: unknown = 'DB_PASSWORD=swordfish'
    for (let i = 0; i < 10_000; i++) value = [value]
    let found = redactJson(value)
    while (Array.isArray(found)) found = found[0]
    expect(found).toBe('DB_PASSWORD=[redacted:password]')
  })
})

function randomFrom(start: number): (below: number) => number {
  let seed = start
  return (below) => {
    seed = (seed * 48271) % 2147483647
    return seed % below
  }
}
