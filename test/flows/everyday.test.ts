import { expect } from 'bun:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { clientOrSkip } from '../harness/client.ts'
import type { Script } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { RECOLLECT } from '../support/mcp.ts'
import { aPerson, type Person } from '../support/person.ts'
import { bash, edit } from '../support/scripts.ts'

const test = await clientOrSkip()

/** What people ask about a project they worked on, written down before the answers were looked at; and a part of the right answer. */
const QUESTIONS: [question: string, answer: RegExp][] = [
  ['why did we not use sqlite for the cache?', /native build/],
  ['what is the maximum delay between retries?', /30 s/],
  ['what did we work on last?', /age check|Finished the cache/],
  ['what is still open?', /Retry-After/],
  ['which tests were failing?', /cache/i],
  ['where is the retry logic?', /src\/retry\.mjs/],
  ['how long are good answers kept in the cache?', /a day/],
  ['why do we use jitter instead of fixed delays?', /many checks at once/],
  ['which package manager do we use here, npm or yarn?', /never yarn/],
  ['what was wrong with links that contain parentheses?', /counts? parentheses|first closing/],
]
const MIN_ANSWERED = 9

test('after five sessions, everyday questions get the right answer first: in search, at the prompt and over MCP', async () => {
  await using person = await aPerson({ files: linkcheck, git: true })
  for (const [prompt, turns] of fiveSessions(person.project)) {
    await runClaude({ sandbox: person, prompt, turns })
    await person.settled()
  }
  const answers = await Promise.all([search(person), atThePrompt(person), overMcp(person)])
  const missed = answers.map((texts) =>
    QUESTIONS.flatMap(([question, answer], at) => (answer.test(texts[at] ?? '') ? [] : [`${question}\n${texts[at]}`])),
  )
  const enough = missed.map((questions) => questions.length <= QUESTIONS.length - MIN_ANSWERED)
  if (enough.includes(false))
    throw new Error(missed.map((questions, at) => `${['search', 'prompt', 'MCP'][at]}\n${questions.join('\n\n')}`).join('\n\n'))
  expect(enough).toEqual([true, true, true])
}, 300_000)

/** The first hit, as a person reads it: its title, the sentence that matched, and what came of the work. */
async function search(person: Person): Promise<string[]> {
  const texts: string[] = []
  for (const [question] of QUESTIONS) {
    const lines = (await person.recollect('search', question)).split('\n')
    const isHit = (line: string) => /^[#PSNC]\w*\d? +\S/.test(line)
    const first = lines.findIndex(isHit)
    const next = lines.findIndex((line, at) => at > first && isHit(line))
    texts.push(lines.slice(first, next < 0 ? lines.length : next).join('\n'))
  }
  return texts
}

/** Everything that the model is shown with the question. */
async function atThePrompt(person: Person): Promise<string[]> {
  const texts: string[] = []
  for (const [question] of QUESTIONS) texts.push(await person.recollect('inject', '--prompt', question))
  return texts
}

async function overMcp(person: Person): Promise<string[]> {
  const client = new Client({ name: 'a test', version: '1' })
  await client.connect(
    new StdioClientTransport({ command: RECOLLECT, args: ['mcp'], env: person.env, cwd: person.project, stderr: 'ignore' }),
  )
  const texts: string[] = []
  for (const [question] of QUESTIONS) {
    const { content } = await client.callTool({ name: 'memory_recall', arguments: { query: question } })
    const [first] = Array.isArray(content) ? content : []
    const lines = (first?.type === 'text' ? first.text : '').split('\n')
    const isHit = (line: string) => /^[#PSNC]\w*\d? \| /.test(line)
    const from = lines.findIndex(isHit)
    const next = lines.findIndex((line, at) => at > from && isHit(line))
    texts.push(lines.slice(from, next < 0 ? lines.length : next).join('\n'))
  }
  await client.close()
  return texts
}

const linkcheck = {
  'package.json': { name: 'linkcheck', type: 'module', scripts: { test: 'node --test' } },
  'src/links.mjs': 'export const linksIn = (text) => [...text.matchAll(/\\[[^\\]]*\\]\\(([^)]*)\\)/g)].map((found) => found[1])\n',
  'src/retry.mjs': 'export const delay = (attempt) => 1000\n',
  'src/cache.mjs': 'export const isFresh = (entry, now) => now - entry.at > 86_400_000\n',
  'test/links.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { linksIn } from '../src/links.mjs'
test('a link is found', () => assert.deepEqual(linksIn('[a](b)'), ['b']))
`,
  'test/cache.test.mjs': `import test from 'node:test'
import { existsSync } from 'node:fs'
import assert from 'node:assert/strict'
import { isFresh } from '../src/cache.mjs'
test('an entry of today is fresh', () => existsSync('.wip') && assert.equal(isFresh({ at: 0 }, 1000), true))
`,
}

const fiveSessions = (folder: string): [prompt: string, turns: Script][] => [
  [
    'Links whose address contains parentheses are cut off. Fix the parser.',
    [
      edit(`${folder}/src/links.mjs`, '[^)]*', '(?:[^()]|\\([^()]*\\))*'),
      bash('npm test --silent'),
      'Fixed: `linksIn` in src/links.mjs ended an address at the first closing parenthesis; it now counts parentheses, so `[a](x_(y))` keeps its end. Links with parentheses nested two levels deep are not supported yet.',
    ],
  ],
  [
    'Requests fail with 429 and 5xx. Add retries. Should the delays be fixed or with jitter?',
    [
      edit(`${folder}/src/retry.mjs`, '1000', 'Math.random() * Math.min(10_000, 250 * 2 ** attempt)'),
      'We retry with full jitter instead of fixed delays, because CI runs many checks at once: four tries, starting at 250 ms and doubling, at most 10 s. The code is in src/retry.mjs. Next: Retry-After is not honoured yet.',
    ],
  ],
  [
    'From now on use npm here, never yarn. Where should the results be cached, in SQLite or in a JSON file?',
    [
      'Decided: results are cached in a JSON file, .cache/links.json, and not in SQLite, because better-sqlite3 needs a native build that breaks on the Windows runners.',
    ],
  ],
  [
    'Write the cache.',
    [
      bash('touch .wip && npm test --silent'),
      'The cache is half done: the test "an entry of today is fresh" in test/cache.test.mjs fails. I have not found the cause yet.',
    ],
  ],
  [
    'Finish the cache, and let the retries wait for at most 30 s instead of 10 s.',
    [
      edit(`${folder}/src/cache.mjs`, '> 86_400_000', '< 86_400_000'),
      edit(`${folder}/src/retry.mjs`, '10_000', '30_000'),
      bash('npm test --silent'),
      'Finished the cache: the age check in `isFresh` was inverted, and good answers are kept for a day. Retries now wait for at most 30 s instead of 10 s. All tests pass.',
    ],
  ],
]
