import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOrSkip, WITHOUT_HTTP_HOOKS } from '../harness/client.ts'
import { requestText, toolResults } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { aPerson, type Person } from '../support/person.ts'
import { fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()
const old = await clientOrSkip(WITHOUT_HTTP_HOOKS)

/** Every tool, with a pattern for its answer. `#1` and the sessions come from the turn before. */
const CALLS: [string, Record<string, unknown>, RegExp][] = [
  ['memory_recall', { query: 'login test isValid' }, /S\d+ \| .*~\d+t/],
  ['memory_timeline', { anchor: '#1' }, /> #1 \|/],
  ['memory_get', { ids: ['#1', 'P1'] }, /P1 \|[\s\S]*The login test fails/],
  ['memory_graph', { ask: 'neighbours', id: '#1' }, /P1 \|.*asked/],
  ['memory_graph', { ask: 'sessions' }, /session 1 \|/],
  [
    'memory_capture',
    { text: 'Tokens expire in seconds, Date.now counts milliseconds.', namespace: 'learnings' },
    /Saved as N\w{8} \(learnings, project\)/,
  ],
  ['memory_forget', { ids: ['#1'], dry_run: true }, /would delete 1/],
  ['memory_status', {}, /sessions: 2/],
  ['memory_sync', { dry_run: true }, /no remote|local/],
  ['memory_consolidate', {}, /Nothing to consolidate|Nothing was written/i],
  ['memory_configure', { key: 'worker.idle_minutes' }, /worker\.idle_minutes \| 30 \| default/],
  ['memory_update', { id: 'nobody', text: 'x' }, /no note has the id "nobody"/],
]

test('memory_recall is in the first request, and the answer of each tool is in the next request', async () => {
  await using person = await aPerson({ files: project, git: true })
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()

  const turns = CALLS.map(([name, input]) => ({ tools: [{ name: `mcp__recollect__${name}`, input }] }))
  const run = await runClaude({ sandbox: person, prompt: 'What do we know?', turns: [...turns, 'That is all.'] })
  const [first] = run.requests.filter((request) => request.lane === 'main')
  const names = (first?.body.tools ?? []).map((tool) => tool.name)
  expect(names).toContain('mcp__recollect__memory_recall')
  expect(requestText(first)).toContain('search with memory_recall')
  const results = toolResults(run.requests.filter((request) => request.lane === 'main').at(-1))
  expect(results).toHaveLength(CALLS.length)
  for (const [index, [name, , pattern]] of CALLS.entries())
    expect([name, results[index]?.text]).toEqual([name, expect.stringMatching(pattern)])
  expect(results.map((result) => result.failed)).toEqual(CALLS.map(([name]) => name === 'memory_update'))
  // Answers of memory tools do not become memories.
  await person.settled()
  expect((await person.rows('tool-uses')).filter((use) => use.tool.includes('recollect'))).toEqual([])
})

old(`${WITHOUT_HTTP_HOOKS} can call the tools`, async () => {
  await using person = await aPerson({ client: WITHOUT_HTTP_HOOKS, files: project, git: true })
  const call = { tools: [{ name: 'mcp__recollect__memory_status', input: {} }] }
  const run = await runClaude({ sandbox: person, prompt: 'How is memory?', turns: [call, 'Fine.'] })
  expect(toolResults(run.requests.filter((request) => request.lane === 'main').at(-1))[0]?.text).toContain('sessions: 1')
})

test('init registers the server, doctor checks it, uninstall removes it; --no-mcp leaves it out', async () => {
  await using person = await aPerson({ init: ['--no-mcp'] })
  const known = () =>
    (JSON.parse(readFileSync(join(person.home, '.claude.json'), 'utf8')) as { mcpServers?: Record<string, unknown> }).mcpServers ?? {}
  expect(known()).not.toHaveProperty('recollect')
  expect(await mcpFinding(person)).toMatchObject({ state: 'warning' })
  expect(await person.recollect('init', '--yes')).toContain('MCP server registered')
  expect(known()).toHaveProperty('recollect')
  expect(await person.recollect('init', '--yes')).not.toContain('MCP server')
  expect(await mcpFinding(person)).toMatchObject({ state: 'ok' })
  expect(await person.recollect('uninstall')).toContain('MCP server removed')
  expect(known()).not.toHaveProperty('recollect')
})

async function mcpFinding(person: Person) {
  const report = JSON.parse(await person.recollect('doctor', '--json')) as { findings: { what: string; state: string }[] }
  return report.findings.find((finding) => finding.what === 'MCP server')
}
