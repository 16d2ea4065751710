import { expect } from 'bun:test'
import { clientOrSkip, WITHOUT_HTTP_HOOKS } from '../harness/client.ts'
import { requestText, type Script } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { runIn } from '../harness/sandbox.ts'
import { journal, transcriptTruth } from '../support/journal.ts'
import { aPerson, briefIn, type Row } from '../support/person.ts'
import { bash, fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()

const fix = { prompt: 'The login test fails. Find out why and fix it.' }

test('a resumed session goes on under its own id, and the next one knows both parts', async () => {
  await using person = await aPerson({ files: project, git: true })
  const first = await runClaude({ ...fix, sandbox: person, turns: fixTheTest(person.project) })
  const id = sessionOf(first)
  const resumed = await runClaude({
    sandbox: person,
    prompt: 'Add a changelog entry for the fix.',
    args: ['--resume', id],
    turns: [
      {
        tools: [
          {
            name: 'Write',
            input: {
              file_path: `${person.project}/CHANGELOG.md`,
              content: '# Changelog\n\n- Tokens expire in seconds, not milliseconds.\n',
            },
          },
        ],
      },
      'Added CHANGELOG.md with an entry about token expiry.',
    ],
  })
  expect(sessionOf(resumed)).toBe(id)
  await person.settled()
  expect(await person.rows('sessions')).toHaveLength(1)
  expect((await person.rows('prompts')).map((row) => row.number)).toEqual([1, 2])
  const next = await runClaude({ sandbox: person, prompt: 'Where were we?', turns: ['Here.'] })
  const told = briefIn(firstRequest(next))
  expect(told).toContain('CHANGELOG.md')
  expect(told).toContain('isValid')
})

test('a forked session does not take its parent’s turns as its own', async () => {
  await using person = await aPerson({ files: project, git: true })
  const parent = await runClaude({ ...fix, sandbox: person, turns: fixTheTest(person.project) })
  const fork = await runClaude({
    sandbox: person,
    prompt: 'Now list the files.',
    args: ['--resume', sessionOf(parent), '--fork-session'],
    turns: [bash('ls'), 'There are two folders and a package.json.'],
  })
  expect(sessionOf(fork)).not.toBe(sessionOf(parent))
  await person.settled()
  const uses = await person.rows('tool-uses')
  expect(uses.filter((row) => row.sessionId === sessionOf(parent))).toHaveLength(4)
  expect(uses.filter((row) => row.sessionId === sessionOf(fork))).toHaveLength(1)
  expect((await person.rows('prompts')).map((row) => row.text)).toEqual([fix.prompt, 'Now list the files.'])
})

test('after a compaction the brief is told again, and the client’s own summary is kept', async () => {
  await using person = await aPerson({ files: project, git: true })
  const ran = await runClaude({
    ...fix,
    sandbox: person,
    args: ['--autocompact', '100k'],
    turns: {
      main: [bash('echo first'), { ...bash('echo second'), usage: { input_tokens: 99_000 } }, ...fixTheTest(person.project)],
      compact: ['<analysis>x</analysis>\n<summary>The person wants the login test fixed. Lighthouse is the code word.</summary>'],
    },
  })
  expect(ran.code).toBe(0)
  await person.settled()
  const summaries = await person.rows<Row & { source: string; notes: string }>('summaries')
  expect(summaries.filter((row) => row.source === 'compact').map((row) => row.notes)).toEqual([expect.stringContaining('Lighthouse')])
  const [kept, truth] = [await journal(person), await transcriptTruth(person)]
  expect(kept.toolUses).toEqual(truth.toolUses)
  expect(kept.prompts).toEqual(truth.prompts)
  expect(await person.rows('sessions')).toHaveLength(1)
})

test('a resumed session is told what others did since and nothing it holds already, a fork likewise', async () => {
  await using person = await aPerson({ files: project, git: true })
  const run = (prompt: string, args: string[], turns: Script) => runClaude({ sandbox: person, prompt, args, turns })
  await runClaude({ ...fix, sandbox: person, turns: fixTheTest(person.project) })
  await person.settled()
  const second = await run('List the files.', [], [bash('ls'), 'Two folders and a package.json.'])
  expect(briefIn(firstRequest(second))).toContain('isValid')
  await person.settled()

  const quiet = await run('And now?', ['--resume', sessionOf(second)], ['Nothing new.'])
  expect(briefsIn(firstRequest(quiet))).toHaveLength(1) // the one from its first start, which stands in the conversation
  const fork = await run('And here?', ['--resume', sessionOf(second), '--fork-session'], ['Nothing new here.'])
  expect(briefsIn(firstRequest(fork))).toHaveLength(1)

  const write = { file_path: `${person.project}/NOTES.md`, content: '# Notes\n\nThe lighthouse is painted on Mondays.\n' }
  await run('Write down when the lighthouse is painted.', [], [{ tools: [{ name: 'Write', input: write }] }, 'Wrote NOTES.md.'])
  await person.settled()
  for (const args of [[], ['--fork-session']]) {
    const resumed = await run('What is new?', ['--resume', sessionOf(second), ...args], ['NOTES.md is new.'])
    const told = briefsIn(firstRequest(resumed)).at(-1) ?? ''
    expect(told).toContain('since this one was last told')
    expect(told).toContain('NOTES.md')
    expect(told).not.toContain('isValid')
    await person.settled()
  }
})

test('a session on a branch is told what was last done there, and what goes on elsewhere as such', async () => {
  await using person = await aPerson({ files: project, git: true })
  const git = async (...args: string[]) => void (await runIn(person, ['git', ...args]))
  await git('checkout', '-q', '-b', 'login')
  await runClaude({ ...fix, sandbox: person, turns: fixTheTest(person.project) })
  await git('checkout', '-q', '-b', 'lighthouse')
  const write = { file_path: `${person.project}/NOTES.md`, content: '# Notes\n\nThe lighthouse is painted on Mondays.\n' }
  await runClaude({
    sandbox: person,
    prompt: 'Write down when the lighthouse is painted.',
    turns: [{ tools: [{ name: 'Write', input: write }] }, 'Wrote NOTES.md.'],
  })
  await person.settled()
  await git('checkout', '-q', 'login')
  const back = await runClaude({ sandbox: person, prompt: 'Where were we?', turns: ['At the login test.'] })
  const told = briefIn(firstRequest(back))
  expect(told).toMatch(/Last on this branch \(login\), .*\n- Asked: The login test fails/)
  expect(told).toMatch(/Newer work on branch lighthouse, not here/)
  expect(await person.recollect('search', 'branch:lighthouse', '--json')).toContain('NOTES.md')
  expect(await person.recollect('search', 'branch:lighthouse', '--json')).not.toContain('isValid')
})

test('what a subagent did and answered belongs to its session', async () => {
  await using person = await aPerson({ files: project, git: true })
  const ran = await runClaude({
    sandbox: person,
    prompt: 'Find all callers of isValid.',
    turns: {
      main: [
        {
          tools: [
            {
              name: 'Agent',
              input: {
                description: 'Find callers',
                prompt: 'Find all callers of isValid.',
                subagent_type: 'Explore',
                run_in_background: false,
              },
            },
          ],
        },
        'isValid is called only by its test in test/auth.test.mjs.',
      ],
      sub: [bash('grep -rn isValid .'), 'isValid is called only in test/auth.test.mjs, nowhere else.'],
    },
  })
  expect(ran.code).toBe(0)
  await person.settled()
  const uses = await person.rows<Row & { agentId: string | null }>('tool-uses')
  expect(uses.map((row) => [row.tool, row.agentId !== null])).toEqual(
    expect.arrayContaining([
      ['Bash', true],
      ['Agent', false],
    ]),
  )
  expect(uses).toHaveLength(2)
  const ofSubagent = ran.requests.filter((request) => request.lane === 'sub')
  expect(ofSubagent.length).toBeGreaterThan(0)
  for (const request of ofSubagent) expect(requestText(request)).not.toContain('<recollect-context')
  const summaries = await person.rows<Row & { source: string; learned: string }>('summaries')
  expect(summaries.filter((row) => row.source === 'subagent').map((row) => row.learned)).toEqual([expect.stringContaining('nowhere else')])
  const [kept, truth] = [await journal(person), await transcriptTruth(person)]
  expect(kept.toolUses).toEqual(truth.toolUses)
  const next = await runClaude({ sandbox: person, prompt: 'Who calls isValid?', turns: ['Its test.'] })
  expect(briefIn(firstRequest(next))).toContain('test/auth.test.mjs')
})

test('what is known of a file is told once when it is read again', async () => {
  await using person = await aPerson({ files: project, git: true })
  await runClaude({ ...fix, sandbox: person, turns: fixTheTest(person.project) })
  await person.settled()
  const read = { tools: [{ name: 'Read', input: { file_path: `${person.project}/src/auth.mjs` } }] }
  const ran = await runClaude({ sandbox: person, prompt: 'Look at the code.', turns: [read, read, 'I see.'] })
  const about = (n: number) => requestText(ran.requests[n]).match(/<recollect-context file="src\/auth\.mjs">/g)?.length ?? 0
  expect([about(0), about(1), about(2)]).toEqual([0, 1, 1])
  expect(requestText(ran.requests[1])).toMatch(/<recollect-context file="src\/auth\.mjs">[^<]+memory_get/)
})

test('a wholly private prompt leaves no trace, and mutes its turn', async () => {
  await using person = await aPerson({ files: project, git: true })
  const id = sessionOf(
    await runClaude({
      sandbox: person,
      prompt: '<private>the merger with Umbra</private>',
      turns: [bash('echo umbra-deal'), 'Umbra it is.'],
    }),
  )
  await runClaude({
    sandbox: person,
    prompt: 'List the files.',
    args: ['--resume', id],
    turns: [bash('ls'), 'A package.json and two folders.'],
  })
  await person.settled()
  const kept = [
    await person.rows('prompts'),
    await person.rows('tool-uses'),
    await person.rows('summaries'),
    await person.rows('observations'),
  ]
  expect(JSON.stringify(kept).toLowerCase()).not.toContain('umbra')
  expect((await person.rows('prompts')).map((row) => row.text)).toEqual(['List the files.'])
  expect(await person.rows('tool-uses')).toHaveLength(1)
})

test('a client from before http hooks is given command hooks, and remembers all the same', async () => {
  await using person = await aPerson({ client: WITHOUT_HTTP_HOOKS, files: project, git: true })
  const settings = await Bun.file(`${person.home}/.claude/settings.json`).text()
  expect(settings).not.toContain('"http"')
  const first = await runClaude({ ...fix, sandbox: person, turns: fixTheTest(person.project) })
  expect(first.code).toBe(0)
  await person.settled()
  const [kept, truth] = [await journal(person), await transcriptTruth(person)]
  expect(kept.toolUses).toEqual(truth.toolUses)
  expect(kept.prompts).toEqual(truth.prompts)
  const second = await runClaude({ sandbox: person, prompt: 'What did we do?', turns: ['We fixed it.'] })
  expect(briefIn(firstRequest(second))).toContain('isValid')
})

const briefsIn = (text: string) => text.match(/<recollect-context project=[\s\S]*?<\/recollect-context>/g) ?? []

/** What the model was first told in the conversation; old clients ask it for a title before that. */
function firstRequest(ran: Awaited<ReturnType<typeof runClaude>>): string {
  return requestText(ran.requests.find((request) => request.lane === 'main'))
}

function sessionOf(ran: Awaited<ReturnType<typeof runClaude>>): string {
  return String(ran.events.find((event) => event.session_id)?.session_id)
}
