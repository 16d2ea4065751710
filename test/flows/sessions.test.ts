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

test('a resumed session keeps its id, and the next session knows both parts', async () => {
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
  const brief = briefIn(firstRequest(next))
  expect(brief).toContain('CHANGELOG.md')
  expect(brief).toContain('isValid')
})

test('a forked session does not contain its parent’s turns', async () => {
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

test('a compaction loses nothing, and the client’s own summary is stored', async () => {
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
  const [stored, truth] = [await journal(person), await transcriptTruth(person)]
  expect(stored.toolUses).toEqual(truth.toolUses)
  expect(stored.prompts).toEqual(truth.prompts)
  expect(await person.rows('sessions')).toHaveLength(1)
})

test('a resumed or forked session is shown what other sessions did since, and nothing it already knows', async () => {
  await using person = await aPerson({ files: project, git: true })
  const run = (prompt: string, args: string[], turns: Script) => runClaude({ sandbox: person, prompt, args, turns })
  await runClaude({ ...fix, sandbox: person, turns: fixTheTest(person.project) })
  await person.settled()
  const second = await run('List the files.', [], [bash('ls'), 'Two folders and a package.json.'])
  expect(briefIn(firstRequest(second))).toContain('isValid')
  await person.settled()

  const quiet = await run('And now?', ['--resume', sessionOf(second)], ['Nothing new.'])
  expect(briefsIn(firstRequest(quiet))).toHaveLength(1) // the one from its first start, which is part of the conversation
  const fork = await run('And here?', ['--resume', sessionOf(second), '--fork-session'], ['Nothing new here.'])
  expect(briefsIn(firstRequest(fork))).toHaveLength(1)

  const write = { file_path: `${person.project}/NOTES.md`, content: '# Notes\n\nThe lighthouse is painted on Mondays.\n' }
  await run('Write down when the lighthouse is painted.', [], [{ tools: [{ name: 'Write', input: write }] }, 'Wrote NOTES.md.'])
  await person.settled()
  for (const args of [[], ['--fork-session']]) {
    const resumed = await run('What is new?', ['--resume', sessionOf(second), ...args], ['NOTES.md is new.'])
    const brief = briefsIn(firstRequest(resumed)).at(-1) ?? ''
    expect(brief).toContain('since your last brief')
    expect(brief).toContain('NOTES.md')
    expect(brief).not.toContain('isValid')
    await person.settled()
  }
})

test('a resumed session does not hear again of a failure that it has repaired', async () => {
  await using person = await aPerson({ files: project, git: true })
  const run = async (prompt: string, args: string[], turns: Script) => {
    const ran = await runClaude({ sandbox: person, prompt, args, turns })
    await person.settled()
    return ran
  }
  const first = await run('Run the tests.', [], [bash('npm test'), 'The login test fails.'])
  const second = await run(fix.prompt, [], fixTheTest(person.project))
  expect(briefIn(firstRequest(second))).toMatch(/`npm test` fail|Failed when last run/)
  const quiet = await run('And now?', ['--resume', sessionOf(second)], ['Nothing new.'])
  expect(briefsIn(firstRequest(quiet))).toHaveLength(1)
  const write = { file_path: `${person.project}/NOTES.md`, content: '# Notes\n\nThe lighthouse is painted on Mondays.\n' }
  const more = [{ tools: [{ name: 'Write', input: write }] }, 'Wrote NOTES.md.']
  await run('Write down when the lighthouse is painted.', ['--resume', sessionOf(first)], more)
  const resumed = await run('What is new?', ['--resume', sessionOf(second)], ['NOTES.md is new.'])
  const briefs = briefsIn(firstRequest(resumed))
  expect(briefs).toHaveLength(2)
  expect(briefs.at(-1)).toContain('NOTES.md')
  expect(briefs.at(-1)).not.toMatch(/npm test|Failed when last run/)
})

test('a session on a branch is shown the last work there, and newer work on other branches as such', async () => {
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
  const brief = briefIn(firstRequest(back))
  expect(brief).toMatch(
    /Last on this branch \(login\), .*The login test fails\. Find out why and fix it\n- Reported \(P1\): Fixed: `isValid`/,
  )
  expect(brief).toMatch(/Newer work on branch lighthouse, not here/)
  expect(await person.recollect('search', 'branch:lighthouse', '--json')).toContain('NOTES.md')
  expect(await person.recollect('search', 'branch:lighthouse', '--json')).not.toContain('isValid')
})

test('tool uses and answers of a subagent belong to its session', async () => {
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
  const [stored, truth] = [await journal(person), await transcriptTruth(person)]
  expect(stored.toolUses).toEqual(truth.toolUses)
  const next = await runClaude({ sandbox: person, prompt: 'Who calls isValid?', turns: ['Its test.'] })
  expect(briefIn(firstRequest(next))).toContain('test/auth.test.mjs')
})

test('memories about a file are shown once when it is read again', async () => {
  await using person = await aPerson({ files: project, git: true })
  await runClaude({ ...fix, sandbox: person, turns: fixTheTest(person.project) })
  await person.settled()
  const read = { tools: [{ name: 'Read', input: { file_path: `${person.project}/src/auth.mjs` } }] }
  const ran = await runClaude({ sandbox: person, prompt: 'Look at the code.', turns: [read, read, 'I see.'] })
  const about = (n: number) => requestText(ran.requests[n]).match(/<recollect-context file="src\/auth\.mjs">/g)?.length ?? 0
  expect([about(0), about(1), about(2)]).toEqual([0, 1, 1])
  expect(requestText(ran.requests[1])).toMatch(/<recollect-context file="src\/auth\.mjs">[^<]+memory_get/)
})

test('nothing of a fully private prompt or its turn is stored', async () => {
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
  const stored = [
    await person.rows('prompts'),
    await person.rows('tool-uses'),
    await person.rows('summaries'),
    await person.rows('observations'),
  ]
  expect(JSON.stringify(stored).toLowerCase()).not.toContain('umbra')
  expect((await person.rows('prompts')).map((row) => row.text)).toEqual(['List the files.'])
  expect(await person.rows('tool-uses')).toHaveLength(1)
})

test('RECOLLECT=off keeps one session out of memory, also when its transcript is imported later', async () => {
  await using person = await aPerson({ files: project, git: true })
  const off = { RECOLLECT: 'off' }
  const ran = await runClaude({ sandbox: person, prompt: 'The merger with Umbra.', turns: [bash('echo umbra'), 'Umbra it is.'], env: off })
  expect([ran.code, ran.answer]).toEqual([0, 'Umbra it is.'])
  expect(JSON.stringify(ran.requests)).not.toContain('memory_recall')
  await runClaude({ sandbox: person, prompt: 'List the files.', turns: [bash('ls'), 'Two folders.'] })
  await person.recollect('import')
  await person.settled()
  expect((await person.rows('prompts')).map((row) => row.text)).toEqual(['List the files.'])
  expect(await person.rows('sessions')).toHaveLength(1)
})

test('an old client stores everything too', async () => {
  await using person = await aPerson({ client: WITHOUT_HTTP_HOOKS, files: project, git: true })
  const first = await runClaude({ ...fix, sandbox: person, turns: fixTheTest(person.project) })
  expect(first.code).toBe(0)
  await person.settled()
  const [stored, truth] = [await journal(person), await transcriptTruth(person)]
  expect(stored.toolUses).toEqual(truth.toolUses)
  expect(stored.prompts).toEqual(truth.prompts)
  const second = await runClaude({ sandbox: person, prompt: 'What did we do?', turns: ['We fixed it.'] })
  expect(briefIn(firstRequest(second))).toContain('isValid')
})

const briefsIn = (text: string) => text.match(/<recollect-context project=[\s\S]*?<\/recollect-context>/g) ?? []

/** The text of the first request of the conversation; old clients request a title before that. */
function firstRequest(ran: Awaited<ReturnType<typeof runClaude>>): string {
  return requestText(ran.requests.find((request) => request.lane === 'main'))
}

function sessionOf(ran: Awaited<ReturnType<typeof runClaude>>): string {
  return String(ran.events.find((event) => event.session_id)?.session_id)
}
