import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { EXIT } from './print.ts'

/**
 * Every error of the CLI, as a person reads it: what was wrong, what is allowed, what to do next. Messages that the worker writes are tested
 * there; here a pattern is enough.
 */
const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')
const home = temporaryFolder()
const N = 'N01ARZ3NDEKTSV4RRFFQ69G5FAV'

async function recollect(args: string[], variables: Record<string, string> = {}) {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home.path,
    RECOLLECT_WORKER_PORT: '0',
    RECOLLECT_EMBEDDER_PROVIDER: 'none',
    ...variables,
  }
  const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: home.path, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, code }
}

beforeAll(async () => {
  writeFileSync(join(home.path, 'a-file'), '')
  await recollect(['demo'])
}, 300_000)
afterAll(async () => {
  await recollect(['stop'])
  home[Symbol.dispose]()
})

test.each<[string, string | RegExp]>([
  // names
  ['serach', `unknown command "serach"; did you mean "search"? 'recollect help --all' lists them`],
  ['deploy', `unknown command "deploy"; 'recollect help --all' lists them`],
  ['help filtres', `unknown command or topic "filtres"; did you mean "filters"? 'recollect help topics' lists them`],
  // options
  ['status --colour', `unknown option --colour for 'status'; see 'recollect help status'`],
  ['search tide --explian', `unknown option --explian for 'search'; did you mean --explain? (put -- before words that begin with a dash)`],
  ['search tide --kind', `--kind needs a value; use one of: observation, summary, prompt, note, commit`],
  ['search tide --kind nots', `unknown --kind "nots"; did you mean "note"? Use one of: observation, summary, prompt, note, commit`],
  ['search tide --kind things', `unknown --kind "things"; use one of: observation, summary, prompt, note, commit`],
  ['search tide --project', '--project needs a value'],
  ['status --json=yes', '--json takes no value'],
  ['notes --limit ten', '--limit must be a whole number from 1 to 1000, not "ten"'],
  ['notes --limit -3', '--limit must be a whole number from 1 to 1000, not "-3"'],
  ['status now', `unexpected argument "now": 'status' takes only options; see 'recollect help status'`],
  // reading
  ['search', 'nothing to search for: recollect search <words>'],
  ['search tide --project tidepol', 'unknown project "tidepol"; did you mean tidepool?'],
  ['search tide --project xyzzy', `unknown project "xyzzy"; 'recollect status' lists the projects`],
  ['get', `which memory? recollect get <id…>, for example 12, S3, P7 or N7F3KQ2BD; 'recollect search' shows ids`],
  ['get zz', `"zz" is not a memory id (they look like #12, S4, P7 or N7F3KQ2BD); 'recollect search' shows ids`],
  ['get 999999', `no memory has the id 999999; 'recollect search' shows ids`],
  ['timeline', 'around what? Use an id, a query or a date: recollect timeline 12, recollect timeline "login fails", --at yesterday'],
  ['timeline --at never', '“never” is not a time; use for example 2026-03-01, march, 7d, yesterday, “last week”'],
  ['timeline 99999', `no observation has the id #99999; 'recollect search' shows ids`],
  ['graph zz', `"zz" is not a memory id (they look like #12, S4, P7 or N7F3KQ2BD); 'recollect search' shows ids`],
  ['graph 1 2 3', 'too many ids: pass one, or two to see how they are connected'],
  ['graph 1 --causes --effects', 'pass --causes or --effects, not both'],
  ['graph --causes', '--causes and --effects need exactly one id: recollect graph 12 --causes'],
  ['graph 99999', `no observation has the id #99999; 'recollect search' shows ids`],
  ['status --days 7', '--days works only with --cost: recollect status --cost --days 7'],
  [
    'view ../etc',
    `"../etc" is neither a page nor a memory id; try 'recollect view search' or 'recollect view 12', or see 'recollect help view'`,
  ],
  // notes
  ['capture', 'nothing to save: recollect capture <text>, or pipe the text in'],
  ['capture x --global --local', '--global and --local contradict each other; pass only one'],
  ['capture x --ttl soon', '--ttl cannot be "soon"; use a time such as 12h, 30d or 2w, or a date such as 2026-12-31'],
  ['edit', `which note? Pass its id, for example N7F3KQ2BD; 'recollect notes' shows ids`],
  ['edit 12 --title x', `"12" is not the id of a note (they look like N7F3KQ2BD); 'recollect notes' shows ids`],
  [`edit ${N} --title x`, `no note has the id ${N}; 'recollect notes' shows ids`],
  ['forget', /^delete what\? recollect forget <id…>/],
  ['forget 999', `no observation has the id #999; 'recollect search' shows ids`],
  ['forget P999', `no prompt has the id P999; 'recollect search' shows ids`],
  ['forget 1 --project tidepool', 'pass either ids or filters such as --project, not both'],
  ['forget --project nowhere', /^there is no project nowhere; .* Nothing was deleted\.$/],
  ['forget --since whenever', /whenever.* is not a time/],
  ['forget 1 --hard', 'not a terminal, so I cannot ask. Pass --yes to continue.'],
  ['restore 999', /999/],
  ['sync now', 'unknown sync action "now"; use status, history <id>, or none to sync now'],
  ['sync history x y', `unexpected argument "y"; see 'recollect help sync'`],
  ['sync history', `which note? Pass its id, for example N7F3KQ2BD; 'recollect notes' shows ids`],
  [`sync --resolve ${N}`, 'which version? Pass exactly one of --ours, --theirs, --both'],
  [`sync --resolve ${N} --ours --both`, 'which version? Pass exactly one of --ours, --theirs, --both'],
  ['consolidate --apply --undo', 'pass --apply or --undo, not both'],
  ['consolidate now', `unexpected argument "now"; see 'recollect help consolidate'`],
  ['reflect --undo last', '--undo needs the number of a plan, not "last": recollect reflect --undo 3'],
  ['reflect --undo', "there is no applied plan to undo; 'recollect reflect' makes a plan"],
  ['reflect --undo 77', "there is no plan 77 (plans are deleted after 30 days); 'recollect reflect --undo' undoes the last applied plan"],
  [
    'consolidate --undo 99',
    "there is no plan 99 (plans are deleted after 30 days); 'recollect consolidate --undo' undoes the last applied plan",
  ],
  // maintenance
  ['redistill', 'since when? recollect redistill --since 7d, or a date such as 2026-03-01'],
  ['import /no/such/path', '/no/such/path does not exist; pass existing files or folders'],
  ['import --since once', '“once” is not a time; use for example 2026-03-01, march, 7d, yesterday, “last week”'],
  ['import --native --since 7d', '--since works only with transcripts and git, not with native; leave it out'],
  ['import --from subcog', 'there is no ~/.local/share/subcog/index.db; name the database: recollect import --from subcog <path>'],
  ['import --from jsonl', '--from jsonl needs exactly one path: recollect import --from jsonl <path>'],
  ['export', 'what to export? Pass --kind tool-uses|prompts|observations|summaries|sessions|notes|commits'],
  ['export --kind notes --out x', '--out needs --format markdown; JSON lines go to standard output'],
  [
    'export --kind prompts --format markdown',
    '--format markdown exports only notes, not prompts: pass --kind notes, or leave --format out',
  ],
  ['export --kind notes --format markdown', '--format markdown needs a folder: pass --out <folder>'],
  ['export --kind notes --format markdown --out a-file', /^--out must be a folder, and \/.+\/a-file is a file$/],
  ['embedder lst', 'unknown embedder action "lst"; did you mean "list"? Use one of: list, use, remove: recollect embedder list|use|remove'],
  ['embedder use', 'which embedder? Use: recollect embedder use static|minilm|http|none'],
  ['embedder use static', 'the environment variable RECOLLECT_EMBEDDER_PROVIDER overrides this setting; unset it and try again'],
  ['config sett', 'unknown config action "sett"; did you mean "set"? Use one of: list, get, set, unset, path'],
  ['config get', `which setting? 'recollect config list' shows them all`],
  ['config get port', 'unknown setting "port"; did you mean worker.port?'],
  ['config get nonsense', `unknown setting "nonsense"; 'recollect config list' shows them all`],
  ['config set worker.port', 'no value for worker.port: recollect config set worker.port <value>'],
  ['config set worker.port many', 'worker.port: must be a whole number from 0 to 65535'],
  ['config set model.provider gpt', 'model.provider: must be one of: plain, claude, anthropic, openai'],
  ['config set privacy.patterns sk-.+,[', 'privacy.patterns: "[" is not a regular expression (missing terminating ] for character class)'],
  ['uninstall --purge', 'not a terminal, so I cannot ask. Pass --yes to continue.'],
  ['init', 'not a terminal, so I cannot ask. Pass --yes to continue.'],
  // programs and shells
  ['completion', 'which shell? Use: recollect completion bash|zsh|fish'],
  ['completion csh', 'unknown shell "csh"; did you mean "zsh"? Use one of: bash, zsh, fish'],
  ['memory --strict-exit', 'which memory action? Use one of: inject-context, inject-brief, capture-memory, capture-response'],
  [
    'memory inject --strict-exit',
    'unknown memory action "inject"; use one of: inject-context, inject-brief, capture-memory, capture-response',
  ],
  ['memory capture-memory --strict-exit', 'nothing to save: pass --content TEXT, or pipe the text in'],
  ['memory capture-response --content x --strict-exit', 'capture-response needs a session: pass --session-id ID'],
])('recollect %s: invalid input, exit code 4, one line on stderr, JSON on request', async (line, message) => {
  const args = line.split(' ')
  const ran = await recollect(args)
  const printed = ran.stderr.replace(/^recollect: /, '').replace(/\n$/, '')
  const expected = typeof message === 'string' ? message : expect.stringMatching(message)
  expect([ran.code, ran.stdout, printed]).toEqual([EXIT.invalid, '', expected])
  expect(ran.stderr).toMatch(/^recollect: .+\n$/)
  const json = await recollect([...args, '--json'])
  expect([json.code, JSON.parse(json.stderr)]).toEqual([EXIT.invalid, { error: expected, code: 'invalid' }])
})

test('--home without a folder', async () => {
  const ran = await recollect(['--home'])
  expect([ran.code, ran.stderr]).toEqual([EXIT.invalid, 'recollect: --home needs a folder: recollect --home <folder> <command>\n'])
})

test('mcp has no JSON output, and its errors are the same', async () => {
  const ran = await recollect(['mcp', '--transport', 'tcp', '--port', '70000'])
  expect([ran.code, ran.stderr]).toEqual([EXIT.invalid, 'recollect: --port must be a whole number from 0 to 65535, not "70000"\n'])
})

test.each<[string[], string]>([
  [['use', 'http'], 'http needs an endpoint: pass --base-url URL, up to the version, for example http://127.0.0.1:11434/v1'],
  [['use', 'http', '--base-url', 'http://127.0.0.1:1/v1'], 'http needs a model: pass --name MODEL, for example nomic-embed-text'],
  [['use', 'none', '--from', 'x.tgz'], '--from works only with minilm: recollect embedder use minilm --from FILE'],
])('recollect embedder %j without the environment variable', async (args, message) => {
  const ran = await recollect(['embedder', ...args], { RECOLLECT_EMBEDDER_PROVIDER: '' })
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([EXIT.invalid, '', `recollect: ${message}\n`])
})

test('errors about a note name its file or its id', async () => {
  const { note }: { note: { id: string; path: string } } = JSON.parse((await recollect(['capture', 'Tides turn', '--json'])).stdout)
  const file = join(home.path, '.recollect', note.path)
  const inEditor = await recollect(['edit', note.id], { EDITOR: 'vi' })
  const hint = "pass an option (see 'recollect help edit')"
  expect([inEditor.code, inEditor.stderr]).toEqual([4, `recollect: not a terminal, so no editor can open: ${hint}, or edit ${file}\n`])
  const version = await recollect(['sync', 'history', note.id, '--at', 'abcdef0'])
  const list = `'recollect sync history N${note.id}' lists the versions`
  expect([version.code, version.stderr]).toEqual([4, `recollect: N${note.id} has no version abcdef0; ${list}\n`])
})

test('a settings file that cannot be read is named, and nothing is changed', async () => {
  using folder = temporaryFolder()
  const settings = join(folder.path, 'settings.json')
  writeFileSync(settings, '{ "hooks": ')
  const variables = { CLAUDE_CONFIG_DIR: folder.path }
  const installed = await recollect(['init', '--yes'], variables)
  expect([installed.code, installed.stderr]).toEqual([
    EXIT.error,
    expect.stringMatching(/^recollect: cannot read \S+settings\.json \(.+\)\. Correct the file and try again; nothing was changed\.\n$/),
  ])
  const removed = await recollect(['uninstall'], variables)
  expect([removed.code, removed.stderr]).toEqual([
    EXIT.error,
    expect.stringMatching(/^recollect: \S+settings\.json was not changed: .+\. Correct it and run 'recollect uninstall' again\.\n$/),
  ])
})

test('init names the plugin that already provides the hooks', async () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, 'plugins'))
  writeFileSync(join(folder.path, 'settings.json'), JSON.stringify({ enabledPlugins: { 'recollect@recollect': true } }))
  const ran = await recollect(['init', '--yes'], { CLAUDE_CONFIG_DIR: folder.path })
  expect([ran.code, ran.stderr]).toEqual([
    EXIT.error,
    expect.stringMatching(
      /^recollect: the plugin recollect@recollect is enabled in .+ To use init instead: claude plugin disable recollect@recollect, then recollect init\n$/,
    ),
  ])
})

test('a file that is not an export is named', async () => {
  const ran = await recollect(['import', '--from', 'jsonl', 'a-file'])
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([4, '', expect.stringMatching(/^recollect: .+a-file.*\. Nothing was changed\.\n$/)])
})
