/** The steps of docs/guide/migrating.md that need the real client. */
import { expect } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOrSkip } from '../harness/client.ts'
import { requestText, toolResults } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { runIn, writeInto } from '../harness/sandbox.ts'
import { aPerson, briefIn, type Person } from '../support/person.ts'
import { fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()
const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

test('claude-mem: with both connected doctor says how to keep one; after the plugin is disabled or uninstalled only Recollect captures', async () => {
  await using person = await aPerson({ files: project, git: true, init: null })
  await installClaudeMem(person)
  const ask = async (prompt: string) => {
    const run = await runClaude({ sandbox: person, prompt, turns: ['Done.'] })
    await person.settled()
    const text = requestText(run.requests.find(({ lane }) => lane === 'main'))
    return { theirs: text.includes('a brief of claude-mem'), captured: theirEvents(person).filter((event) => event === 'prompt').length }
  }
  await person.recollect('init', '--yes')
  expect(await ask('First')).toEqual({ theirs: true, captured: 1 })
  expect(await otherMemory(person)).toMatchObject([{ fix: 'To keep only Recollect: claude plugin disable claude-mem@thedotmack' }])

  await claude(person, 'plugin', 'disable', 'claude-mem@thedotmack')
  expect(await ask('Second')).toEqual({ theirs: false, captured: 1 })
  expect(await otherMemory(person)).toEqual([])
  await claude(person, 'plugin', 'enable', 'claude-mem@thedotmack')
  expect(await ask('Third')).toEqual({ theirs: true, captured: 2 })
  await claude(person, 'plugin', 'uninstall', 'claude-mem@thedotmack')
  expect(await ask('Fourth')).toEqual({ theirs: false, captured: 2 })
  expect(await otherMemory(person)).toEqual([])
  expect((await person.rows('prompts')).map(({ text }) => text)).toEqual(['First', 'Second', 'Third', 'Fourth'])
}, 300_000)

test('Context Graph: its six scripts work when CONTEXT_GRAPH_CLI names our program', async () => {
  await using person = await aPerson({ files: project, git: true, init: null, env: { CONTEXT_GRAPH_CLI: RECOLLECT } })
  const events = Object.entries(CONTEXT_GRAPH_SCRIPTS)
  for (const [event, line] of events) writeInto(person.project, `.claude/hooks/${event}.sh`, contextGraphScript(line))
  const hooks = Object.fromEntries(
    events.map(([event]) => [event, [{ hooks: [{ type: 'command', command: `bash .claude/hooks/${event}.sh`, timeout: 30 }] }]]),
  )
  writeInto(person.project, '.claude/settings.json', { hooks })
  await person.recollect('start')
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()
  expect(await person.rows('prompts')).toMatchObject([
    { text: 'The login test fails. Find out why and fix it.', answer: expect.stringContaining('multiplied by 1000') },
  ])
  expect((await person.rows('tool-uses')).map(({ tool }) => tool)).toContain('Edit')
  expect(await person.rows('sessions')).toMatchObject([{ status: 'completed', folder: person.project }])
  const next = await runClaude({ sandbox: person, prompt: 'What did we do last time?', turns: ['We fixed it.'] })
  expect(briefIn(requestText(next.requests[0]))).toContain('multiplied by 1000')
})

test('Anamnesis: its four hooks work with our program in place of its own', async () => {
  await using person = await aPerson({ files: project, git: true, init: null })
  const hook = (line: string, more: object) => ({ type: 'command', command: `${RECOLLECT} ${line}`, ...more })
  const settings = {
    hooks: {
      SessionStart: [
        { matcher: 'startup|resume|clear', hooks: [hook('inject', { timeout: 15 })] },
        { matcher: 'startup|resume', hooks: [hook('sync', { async: true })] },
      ],
      SessionEnd: [{ hooks: [hook('capture', { timeout: 120 })] }],
      PreCompact: [{ hooks: [hook('capture --source precompact --no-sync', { timeout: 60 })] }],
    },
  }
  writeInto(person.home, '.claude/settings.json', settings)
  await person.recollect('start')
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()
  const [note] = JSON.parse(await person.recollect('notes', '--json')).notes
  expect(note).toMatchObject({ type: 'episodic', tags: ['session', 'session-end'], body: expect.stringContaining('multiplied by 1000') })
  const next = await runClaude({ sandbox: person, prompt: 'What did we do last time?', turns: ['We fixed it.'] })
  expect(briefIn(requestText(next.requests[0]))).toContain('multiplied by 1000')
})

test('Subcog: its entry in mcp.json works with our program, and the model can call the tools', async () => {
  await using person = await aPerson({ files: project, git: true, init: null })
  const config = { mcpServers: { memory: { command: RECOLLECT, args: ['serve', '--transport', 'stdio'] } } }
  const call = (name: string, input: Record<string, unknown>) => ({ tools: [{ name: `mcp__memory__${name}`, input }] })
  const run = await runClaude({
    sandbox: person,
    args: ['--mcp-config', JSON.stringify(config)],
    prompt: 'Remember the tides.',
    turns: [call('memory_capture', { content: 'Tides are kept in UTC.' }), call('memory_recall', { query: 'tides' }), 'Done.'],
  })
  const results = toolResults(run.requests.filter(({ lane }) => lane === 'main').at(-1))
  expect(results.map(({ text }) => text)).toEqual([
    expect.stringMatching(/Saved as N\w{8}/),
    expect.stringContaining('Tides are kept in UTC'),
  ])
})

/** A plugin under the name of claude-mem, from a local marketplace. It records the events that it gets, and shows a brief. */
async function installClaudeMem(person: Person): Promise<void> {
  const shop = join(person.root, 'shop')
  const record = (event: string) => ({ type: 'command', command: `echo ${event} >> "$HOME"/claude-mem-events` })
  const brief = { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'a brief of claude-mem' } }
  writeInto(shop, '.claude-plugin/marketplace.json', {
    name: 'thedotmack',
    owner: { name: 'someone' },
    plugins: [{ name: 'claude-mem', version: '13.0.0', source: './plugin', description: 'memory' }],
  })
  writeInto(shop, 'plugin/.claude-plugin/plugin.json', { name: 'claude-mem', version: '13.0.0', description: 'memory' })
  writeInto(shop, 'plugin/hooks/hooks.json', {
    hooks: {
      SessionStart: [{ hooks: [{ type: 'command', command: `echo '${JSON.stringify(brief)}'` }] }],
      UserPromptSubmit: [{ hooks: [record('prompt')] }],
    },
  })
  await claude(person, 'plugin', 'marketplace', 'add', shop)
  await claude(person, 'plugin', 'install', 'claude-mem@thedotmack')
}

function theirEvents({ home }: Person): string[] {
  const file = join(home, 'claude-mem-events')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

async function otherMemory(person: Person): Promise<object[]> {
  const { findings } = JSON.parse((await runIn(person, [RECOLLECT, 'doctor', '--json'])).stdout) as { findings: { what: string }[] }
  return findings.filter(({ what }) => what === 'Other memory')
}

/** The command lines of the table in the seed. Its scripts pack what they pipe into an envelope. */
const CONTEXT_GRAPH_SCRIPTS = {
  SessionStart: 'envelope session_start cwd | timeout 5s "$CONTEXT_GRAPH_CLI" hooks session-start --stdin --format json',
  UserPromptSubmit:
    'envelope user_prompt_submit prompt | timeout 5s "$CONTEXT_GRAPH_CLI" hooks prompt-submit --session-id "$(field session_id)" --stdin true --format json',
  PreToolUse:
    'timeout 5s "$CONTEXT_GRAPH_CLI" hooks pre-tool --session-id "$(field session_id)" --tool-name "$(field tool_name)" --fast-path true --format json',
  PostToolUse:
    'timeout 5s "$CONTEXT_GRAPH_CLI" hooks post-tool --session-id "$(field session_id)" --tool-name "$(field tool_name)" --success true --format json',
  SessionEnd:
    'timeout 30s "$CONTEXT_GRAPH_CLI" hooks session-end --session-id "$(field session_id)" --duration-ms 1000 --generate-summary true --format json',
  Stop: 'timeout 9s "$CONTEXT_GRAPH_CLI" memory capture-response --content "$(field last_assistant_message)" --session-id "$(field session_id)" --response-type stop_response >&2',
}

/** Like its scripts: stops at the first error, reads the payload once, and passes the exit code on. */
const contextGraphScript = (line: string) => `set -euo pipefail
INPUT=$(cat)
field() { printf %s "$INPUT" | node -p 'JSON.parse(fs.readFileSync(0, "utf8"))[process.argv[1]]' "$1"; }
envelope() {
  printf %s "$INPUT" | node -p '
    const [, type, name] = process.argv, given = JSON.parse(fs.readFileSync(0, "utf8"))
    JSON.stringify({ hook_type: type, session_id: given.session_id, timestamp_ms: Date.now(), payload: { type, data: { [name]: given[name] } } })' "$1" "$2"
}
${line}
`

async function claude(person: Person, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await runIn(person, [person.claude, ...args])
  if (code !== 0) throw new Error(`claude ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
}
