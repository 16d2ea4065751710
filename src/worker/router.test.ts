import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { addObservations, observation, openSession, summary } from '../../test/support/builders.ts'
import { aControl } from '../../test/support/control.ts'
import { someServices } from '../../test/support/services.ts'
import { transcript } from '../../test/support/transcript.ts'
import { until } from '../../test/support/until.ts'
import { asProjectKey } from '../core/ids.ts'
import { openRouter } from './router.ts'
import { listen } from './server.ts'

test('a session can be opened, reported and completed under either name of its id', async () => {
  for (const name of ['claudeSessionId', 'contentSessionId']) {
    await using at = await anApi()
    const session = { [name]: 's1' }
    expect(await at.post('/api/sessions/init', { ...session, project: 'Shop', prompt: 'Add a cart' })).toEqual({
      sessionDbId: 1,
      promptNumber: 1,
      skipped: false,
    })
    expect(await at.post('/api/sessions/init', { ...session, project: 'Shop', prompt: 'And a checkout' })).toEqual({
      sessionDbId: 1,
      promptNumber: 2,
      skipped: false,
    })
    expect(await at.post('/sessions/1/init', { project: 'Shop', userPrompt: 'And a checkout', promptNumber: 2 })).toEqual({
      status: 'initialized',
      sessionDbId: 1,
      promptNumber: 2,
    })
    const use = { ...session, tool_name: 'Bash', tool_input: { command: 'make' }, tool_response: { stdout: 'ok' } }
    expect(await at.post('/api/sessions/observations', use)).toEqual({ status: 'queued' })
    expect(
      await at.post('/api/sessions/summarize', {
        ...session,
        last_user_message: 'And a checkout',
        last_assistant_message: 'Both are there.',
      }),
    ).toEqual({ status: 'queued' })
    expect(await at.post('/api/sessions/complete', { ...session, reason: 'exit' })).toEqual({ success: true })
    await at.desk.queue.drained()
    expect([...at.store.prompts.each(asProjectKey('shop'))].map((p) => [p.text, p.answer])).toEqual([
      ['Add a cart', null],
      ['And a checkout', 'Both are there.'],
    ])
    expect(await at.store.sessions.get(1)).toMatchObject({ status: 'completed', project: 'shop' })
  }
})

test('a tool use that is reported twice is stored once, with or without an id', async () => {
  await using at = await anApi()
  const use = { contentSessionId: 's1', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: 'x' }
  for (const body of [use, use, { ...use, tool_use_id: 't1' }, { ...use, tool_use_id: 't1' }])
    await at.post('/api/sessions/observations', body)
  expect([...at.store.toolUses.each(null)]).toHaveLength(2)
})

test('a prompt or tool use that is not stored is reported as skipped, with the reason', async () => {
  await using at = await anApi()
  const session = { contentSessionId: 's1' }
  const use = { ...session, tool_name: 'Bash', tool_input: {}, tool_response: {} }
  expect(await at.post('/api/sessions/observations', { ...use, tool_name: 'TodoWrite' })).toEqual({
    status: 'skipped',
    reason: 'tool_excluded',
  })
  expect(await at.post('/api/sessions/init', { ...session, prompt: '<private>x</private>' })).toEqual({
    sessionDbId: 1,
    promptNumber: 0,
    skipped: true,
    reason: 'private',
  })
  expect(await at.post('/api/sessions/observations', use)).toEqual({ status: 'skipped', reason: 'private' })
  expect(await at.post('/api/sessions/complete', { contentSessionId: 'unknown' })).toEqual({ success: false, message: 'no such session' })
  expect(await at.post('/api/sessions/summarize', { contentSessionId: 'unknown' })).toEqual({
    status: 'skipped',
    reason: 'no such session',
  })
  expect(await at.store.sessions.recent(null, 9)).toHaveLength(1)
})

test.each<[string, string]>([
  ['half an object', '{"contentSessionId":'],
  ['empty', ''],
  ['null', 'null'],
  ['a list', '[1]'],
  ['an object with a number as session id', '{"contentSessionId":7}'],
  ['bytes', '\xff\xfe'],
])('a body that is %s is answered with 400 in JSON, without a stack trace', async (_, body) => {
  await using at = await anApi()
  for (const path of [
    '/api/sessions/init',
    '/api/sessions/observations',
    '/api/sessions/summarize',
    '/api/sessions/complete',
    '/api/processing',
    '/api/observations/batch',
  ]) {
    const answer = await at.ask(path, { method: 'POST', body })
    expect([path, answer.status]).toEqual([path, 400])
    const text = await answer.text()
    expect(Object.keys(JSON.parse(text))).toEqual(['error'])
    expect(text).not.toMatch(/\.ts\b|at \w+ \(|ZodError/)
  }
})

test.each([
  '/api/search?limit=many',
  '/api/search?kind=poem',
  '/api/search?since=never',
  '/api/timeline?anchor=99',
  '/api/timeline?anchor=x',
  '/api/timeline?depth_before=-1',
  '/api/injections?limit=x',
  '/api/injections?limit=-1',
  '/api/audit?limit=1e9',
  '/api/export',
  '/api/export?kind=secrets',
  '/api/context/inject',
])('%s is refused with a reason', async (path) => {
  await using at = await anApi()
  const answer = await at.ask(path)
  expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([400, ['error']])
})

test('the loopback port has no route for hooks, even for the owner', async () => {
  await using at = await anApi()
  const payload = JSON.stringify({ session_id: 's1', cwd: '/p', hook_event_name: 'UserPromptSubmit', prompt: 'go' })
  for (const path of ['/hook/claude-code', '//hook/claude-code', '/%68ook/claude-code', '/hook/claude-code/', '/x/../hook/claude-code']) {
    const refused = await at.ask(path, { method: 'POST', body: payload })
    expect([path, refused.status]).toEqual([path, 404])
  }
  expect((await at.ask('/hook/claude-code', { method: 'POST', body: payload, headers: {} })).status).toBe(401)
  expect([...at.store.prompts.each(null)]).toEqual([])
  const reported = await at.hook('claude-code', payload)
  expect([reported.status, await reported.json()]).toEqual([200, {}])
  expect([...at.store.prompts.each(null)]).toHaveLength(1)
})

test('a hook gets 200 and an object, whatever it sends', async () => {
  await using at = await anApi()
  for (const [agent, body] of [
    ['claude-code', 'not JSON'],
    ['claude-code', '{}'],
    ['claude-code', 'null'],
    ['nobody', '{}'],
  ]) {
    const answer = await at.hook(agent ?? '', body ?? '')
    expect([answer.status, await answer.json()]).toEqual([200, {}])
  }
})

test('the context of a hook is read from its header, and a broken header is ignored', async () => {
  await using at = await anApi()
  const send = (session_id: string, context: string) =>
    at.hook('claude-code', JSON.stringify({ session_id, cwd: '/elsewhere', hook_event_name: 'SessionStart' }), {
      'x-recollect-context': context,
    })
  await send('s1', encodeURIComponent(JSON.stringify({ projectFolder: '/home/dev/ünï', clientPid: process.pid })))
  await send('s2', encodeURIComponent(JSON.stringify({ projectFolder: 7, clientPid: 'x' })))
  await send('s3', '%E0%A4%A')
  expect((await at.store.sessions.recent(null, 9)).map((s) => [s.contentSessionId as string, s.folder, s.clientPid]).sort()).toEqual([
    ['s1', '/home/dev/ünï', process.pid],
    ['s2', '/elsewhere', null],
    ['s3', '/elsewhere', null],
  ])
})

test('memories can be searched, read, shown in a timeline and exported', async () => {
  await using at = await anApi()
  await addObservations(at.store, [
    observation({ title: 'Fixed the pelican', at: 1000 }),
    observation({ title: 'Fed the heron', at: 2000 }),
  ])
  expect(await at.get('/api/search?query=pelican')).toMatchObject({ hits: [{ title: 'Fixed the pelican', id: '1' }] })
  expect(await at.get('/api/search?query=pelican&project=app')).toMatchObject({ hits: [{ id: '1' }] })
  expect(await at.get('/api/search?query=pelican&project=other')).toMatchObject({ hits: [] })
  expect(await at.post('/api/observations/batch', { ids: ['2', 99, 1] })).toMatchObject([{ id: 2 }, { id: 1 }])
  expect(await at.get('/api/timeline?anchor=1')).toMatchObject({
    anchor: 'observation:1',
    project: 'app',
    items: [{ id: '1', anchor: true }, { id: '2' }],
  })
  const lines = await (await at.ask('/api/export?kind=observations')).text()
  expect(Bun.JSONL.parse(lines)).toMatchObject([{ title: 'Fixed the pelican', sessionId: 's1' }, { title: 'Fed the heron' }])
})

test('with widen, a search without close hits in its project covers all projects and says so', async () => {
  await using at = await anApi()
  await addObservations(at.store, [
    observation({ title: 'Fixed the pelican', at: 1000 }),
    observation({ title: 'Fed the heron', at: 2000 }),
  ])
  await at.post('/api/sessions/init', { contentSessionId: 'z', project: 'zoo', prompt: 'Where do otters sleep?' })
  await at.post('/api/sessions/complete', { contentSessionId: 'z' })
  const search = async (query: string, project: string, widen = true) => {
    const found = (await at.post('/api/search', { query, project, widen })) as {
      hits: { project: string }[]
      project: string | null
      message: string
    }
    return [found.project, found.message, [...new Set(found.hits.map((hit) => hit.project))]]
  }
  expect(await search('pelican', 'app')).toEqual(['app', '', ['app']])
  expect(await search('otters', 'app')).toEqual([null, 'Nothing found in this project; from all projects:', ['zoo']])
  expect(await search('otters', 'app', false)).toEqual(['app', '', []])
  expect(await search('otters', 'nowhere')).toEqual([null, 'Nothing from this project is remembered; from all projects:', ['zoo']])
  expect(await search('walrus', 'nowhere')).toEqual([null, '', []])
  const more = { query: 'pelican', project: 'app', widen: true, limit: 1, offset: 5 }
  expect(await at.post('/api/search', more)).toMatchObject({ project: 'app', hits: [], message: '' })
})

test('a timeline has the requested number of memories on each side of a time or a memory', async () => {
  await using at = await anApi()
  await addObservations(
    at.store,
    [1, 2, 3, 4, 5].map((n) => observation({ title: `Fed heron ${n}`, at: n * 1000 })),
  )
  const ids = async (query: string) => ((await at.get(`/api/timeline?${query}`)) as { items: { id: string }[] }).items.map(({ id }) => id)
  expect(await ids('at=2500&depth_before=1&depth_after=2')).toEqual(['2', '3', '4'])
  expect(await ids('at=2500&depth_before=0&depth_after=0')).toEqual([])
  expect(await ids('anchor=3&depth_before=1&depth_after=1')).toEqual(['2', '3', '4'])
  expect(await ids('at=2500&depth_before=1&depth_after=0&project=nowhere')).toEqual([])
  expect(await ids('at=2500&depth_before=1&depth_after=0&project=nowhere&widen=1')).toEqual(['2'])
})

test('times are written as in a query, and an invalid one is refused with examples', async () => {
  await using at = await anApi()
  const day = (iso: string) => new Date(`${iso}T12:00`).getTime()
  await addObservations(at.store, [
    observation({ title: 'Fed heron 1', at: day('2026-02-21') }),
    observation({ title: 'Fed heron 2', at: day('2026-02-22') }),
  ])
  const around = (await at.get('/api/timeline?at=2026-02-22&depth_before=0&depth_after=1')) as { items: { title: string }[] }
  expect(around.items.map(({ title }) => title)).toEqual(['Fed heron 2'])
  const found = (await at.post('/api/search', { query: 'heron', before: '2026-02-22' })) as { hits: { title: string }[] }
  expect(found.hits.map(({ title }) => title)).toEqual(['Fed heron 1'])
  for (const [path, body] of [
    ['/api/timeline', { at: '2026-02-30' }],
    ['/api/search', { query: 'heron', since: 'never' }],
    ['/api/import', { since: 'soon' }],
    ['/api/redistill', { since: '' }],
  ] as const)
    expect(JSON.stringify(await at.post(path, body))).toContain(
      'is not a time; use for example 2026-03-01, march, 7d, yesterday, “last week”',
    )
})

test('a timeline around a query finds its anchor by meaning, like a search', async () => {
  await using at = await anApi()
  await addObservations(at.store, [
    observation({ title: 'Fixed the pelican', at: 1000 }),
    observation({ title: 'Fed the heron', at: 2000 }),
  ])
  const fed = await at.store.documents.locationOf('observation', '2')
  at.desk.semanticSearch = async () => [{ documentId: fed?.documentId ?? 0, score: 1, cosine: 0.9 }]
  expect(await at.post('/api/timeline', { query: 'grey birds' })).toMatchObject({ anchor: 'observation:2', isClose: true })
})

test('a query of any length, in any script, is answered', async () => {
  await using at = await anApi()
  await addObservations(at.store, [observation({ title: 'Fixed the pelican' })])
  for (const long of ['x y z '.repeat(3000), '潮位'.repeat(10_000), '🐟'.repeat(40_000)]) {
    const query = `pelican ${long}`
    expect(await at.post('/api/search', { query })).toMatchObject({ hits: [{ id: '1' }] })
    expect(await at.post('/api/timeline', { query })).toMatchObject({ anchor: 'observation:1' })
  }
  expect(await at.get(`/api/search?query=pelican${'+z'.repeat(6000)}`)).toMatchObject({ hits: [{ id: '1' }] })
})

test('a brief is available as text or with its reasons, and never exceeds its budget', async () => {
  await using at = await anApi()
  await addObservations(at.store, [observation({ title: 'Fixed the pelican' })])
  const text = await at.ask('/api/context/inject?project=app')
  expect([text.headers.get('content-type'), await text.text()]).toEqual([
    expect.stringContaining('text/markdown'),
    expect.stringContaining('pelican'),
  ])
  expect(await at.get('/api/context/inject?project=app&format=json')).toMatchObject({
    project: 'app',
    items: [
      { kind: 'line', id: 'frame' },
      { kind: 'observation', id: 1 },
    ],
  })
  expect(await at.get('/api/context/inject?project=app&format=json&branch=login')).toMatchObject({
    branch: 'login',
    text: expect.stringContaining('Fixed the pelican'),
    omitted: [],
  })
  expect(await (await at.ask('/api/context/inject?project=app&tokens=5')).text()).toBe('')
  expect(await (await at.ask('/api/context/inject?project=app&tokens=1e99')).text()).toContain('pelican')
  expect(await (await at.ask('/api/context/inject?project=app&tokens=lots')).text()).toContain('pelican')
  expect(await (await at.ask('/api/context/inject?project=unknown')).text()).toBe('')
})

test('the memories that a prompt recalls are available, with those that were omitted and why', async () => {
  await using at = await anApi()
  const others = Array.from({ length: 12 }, (_, i) => observation({ title: `Chore ${i} about boats and weather` }))
  await addObservations(at.store, [observation({ title: 'Pelican invoices are numbered by the ledger' }), ...others])
  const ask = (prompt: string) => at.get(`/api/context/inject?project=app&format=json&prompt=${encodeURIComponent(prompt)}`)
  expect(await ask('who numbers pelican invoices?')).toMatchObject({
    text: expect.stringContaining('numbered by the ledger'),
    items: [{ kind: 'line' }, { kind: 'observation', id: 1, why: expect.stringContaining('% of the prompt’s significant words') }],
  })
  expect(await ask('which museum has a pelican?')).toMatchObject({
    text: '',
    omitted: [
      {
        kind: 'observation',
        id: 1,
        why: expect.stringMatching(/^below the threshold: it contains only 1 of the prompt’s significant words \(score \d/),
      },
    ],
    message: '',
  })
  expect(await ask('commit and push')).toMatchObject({ text: '', omitted: [], message: expect.stringMatching(/^it is small talk/) })
  expect(await ask('does the xylophone glisten?')).toMatchObject({
    text: '',
    omitted: [],
    message: 'no memory of this project is close to it',
  })
})

test('a memory has the same title and project in full as in lists', async () => {
  await using at = await anApi()
  const session = await openSession(at.store, 'menu')
  const prompt = await at.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: '7', at: 5 })
  if (!prompt) throw new Error('the prompt was not stored')
  await at.store.prompts.setAnswer(prompt, 'The pelican references are gone.', 6)
  const turn = summary({ request: '7 (Remove pelican references)', completed: 'They are gone' })
  await at.store.transaction(() => at.store.summaries.put('turn', { ...turn, sessionId: session.id }))
  const { items } = (await at.get(`/api/timeline?anchor=P${prompt.id}`)) as { items: { kind: string; title: string }[] }
  const listed = (kind: string) => items.find((item) => item.kind === kind)?.title
  expect(listed('prompt')).toContain('7 (Remove pelican references)')
  expect(await at.post('/api/memories/batch', { ids: [`P${prompt.id}`, 'S1', 'P99'] })).toMatchObject([
    { kind: 'prompt', title: listed('prompt'), project: 'app', memory: { text: '7' } },
    { kind: 'summary', title: listed('summary'), project: 'app' },
    { kind: 'prompt', title: null, project: null, memory: null },
  ])
})

test('a project is found by its key, its folder, or its name if only one project has it', async () => {
  await using at = await anApi()
  for (const [session, project] of [
    ['s1', 'host.example/one/shop'],
    ['s2', 'host.example/two/shop'],
    ['s3', 'host.example/one/blog'],
  ]) {
    await at.post('/api/sessions/init', { contentSessionId: session, project, prompt: 'pelican' })
    await at.post('/api/sessions/complete', { contentSessionId: session })
  }
  const found = async (project: string) =>
    (
      (await at.get(`/api/search?query=pelican&kind=prompt&project=${encodeURIComponent(project)}`)) as { hits: { project: string }[] }
    ).hits.map((hit) => hit.project)
  expect(await found('host.example/two/shop')).toEqual(['host.example/two/shop'])
  expect(await found('Blog')).toEqual(['host.example/one/blog'])
  const ambiguous = await at.ask('/api/search?query=pelican&project=shop')
  expect([ambiguous.status, await ambiguous.text()]).toEqual([400, expect.stringContaining('two/shop')])
  const problem = expect.stringMatching(/^shop could be (?:one|two)\/shop or (?:one|two)\/shop$/)
  expect(await found('two/shop')).toEqual(['host.example/two/shop'])
  expect(await at.get('/api/search?query=pelican%20project:shop')).toMatchObject({
    hits: [],
    projectProblem: problem,
    problems: [{ message: problem }],
  })
  expect(await at.get('/api/search?query=pelican%20project:blog')).toMatchObject({ projectProblem: null, problems: [] })
  expect(await found(at.folder)).toEqual([])
})

test('a session belongs to the same project whether it names it by folder, by short name or in capitals', async () => {
  await using at = await anApi()
  const repository = join(at.folder, 'Shop')
  mkdirSync(join(repository, '.git'), { recursive: true })
  await Bun.write(join(repository, '.git', 'HEAD'), 'ref: refs/heads/carts\n')
  await Bun.write(join(repository, '.git', 'config'), '[remote "origin"]\n  url = git@host.example:one/shop.git\n')
  const use = { tool_name: 'Bash', tool_input: { command: 'make' }, tool_response: 'ok' }
  await at.post('/api/sessions/observations', { contentSessionId: 's1', project: repository, ...use })
  await at.post('/api/sessions/init', { contentSessionId: 's2', project: `${repository}/`, prompt: 'go' })
  await at.post('/api/sessions/init', { contentSessionId: 's3', project: 'Shop', prompt: 'go' })
  await at.post('/api/sessions/init', { contentSessionId: 's4', project: 'Host.example/One/Shop', prompt: 'go' })
  await at.post('/api/sessions/init', { contentSessionId: 's1', project: 'blog', prompt: 'go' })
  const sessions = (await at.store.sessions.recent(null, 9)).sort((a, b) => a.id - b.id)
  expect(sessions.map((one) => [one.contentSessionId, one.project, one.branch])).toEqual([
    ['s1', asProjectKey('host.example/one/shop'), 'carts'],
    ['s2', asProjectKey('host.example/one/shop'), 'carts'],
    ['s3', asProjectKey('host.example/one/shop'), null],
    ['s4', asProjectKey('host.example/one/shop'), null],
  ])
  expect(sessions[1]?.folder).toBe(repository)
})

test('a path means the clone that has it as its key, and with a slash at the end the folder itself', async () => {
  await using at = await anApi()
  const clone = join(at.folder, 'clone')
  mkdirSync(join(clone, '.git'), { recursive: true })
  await Bun.write(join(clone, '.git', 'config'), '[remote "origin"]\n  url = /usr\n') // a folder that exists on every machine, in lower case
  await at.post('/api/sessions/init', { contentSessionId: 's1', project: clone, prompt: 'pelican' })
  const projectOf = async (name: string) =>
    ((await at.get(`/api/context/inject?format=json&project=${encodeURIComponent(name)}`)) as { project: string }).project
  expect(await projectOf('/usr')).toBe('/usr')
  expect(await projectOf(clone)).toBe('/usr')
  expect(await projectOf('/usr/')).toMatch(/^usr-[0-9a-f]{6}$/)
})

test('listeners get live events, and one that reconnects gets those it missed', async () => {
  await using at = await anApi()
  await at.post('/api/processing', { isProcessing: true })
  const first = await at.hear({}, 'processing')
  expect(first).toMatch(/event: hello[\s\S]*id: run-2\nevent: processing\ndata: \{"isProcessing":false\}/)
  await at.post('/api/processing', { isProcessing: true })
  expect(await at.hear({ 'last-event-id': 'run-2' }, 'processing')).toMatch(/id: run-3\nevent: processing\ndata: \{"isProcessing":true\}/)
  expect(await at.hear({ 'last-event-id': 'before-2' }, 'reset')).toContain('event: reset')
  await until(() => at.desk.stream.listeners() === 0)
})

test('an import reports its progress and its result line by line', async () => {
  await using at = await anApi()
  const history = join(at.folder, 'history')
  mkdirSync(history)
  await Bun.write(join(history, 's1.jsonl'), transcript('s1', [{ prompt: 'go', answer: 'done' }]))
  const lines = Bun.JSONL.parse(
    await (await at.ask('/api/import', { method: 'POST', body: JSON.stringify({ paths: [history] }) })).text(),
  ) as { kind: string }[]
  expect(lines[0]).toMatchObject({ kind: 'progress', files: 1 })
  expect(lines.at(-1)).toMatchObject({ kind: 'done', files: 1, prompts: 1 })
})

test('the status has counts, failed jobs can be retried, and the database can be checked', async () => {
  await using at = await anApi()
  await at.post('/api/sessions/init', { contentSessionId: 's1', prompt: 'go' })
  await at.store.jobs.add('sync', 'k', {}, 1, Date.now() + 60_000)
  expect(await at.get('/api/status')).toMatchObject({
    sessions: { live: 1, open: 1, all: 1 },
    jobs: { waiting: 1 },
    spooled: 0,
    problems: [],
  })
  expect(await at.get('/api/check')).toEqual({ damage: [] })
  expect(await at.post('/api/jobs/retry', {})).toEqual({ revived: 0 })
})

test('an unknown path or method is answered with 404 in JSON', async () => {
  await using at = await anApi()
  for (const [method, path] of [
    ['GET', '/nowhere'],
    ['DELETE', '/api/status'],
    ['GET', '/api/sessions/init'],
    ['POST', '/sessions/x/init'],
    ['GET', '/../../etc/passwd'],
  ]) {
    const answer = await at.ask(path ?? '', { method: method ?? '' })
    expect([answer.status, await answer.json()]).toEqual([404, { error: expect.stringMatching(/^there is no /) }])
  }
  expect((await at.ask('/sessions/99/init', { method: 'POST', body: '{}' })).status).toBe(400)
})

/** The API of a worker without the process around it. */
test('only the owner may consolidate, reflect and clean up, and gets the results line by line', async () => {
  await using at = await anApi()
  const linesOf = async (path: string, body: object) => {
    const answer = await at.ask(path, { method: 'POST', body: JSON.stringify(body) })
    return Bun.JSONL.parse(await answer.text()) as { kind: string; report?: unknown; error?: string }[]
  }
  for (const text of ['Use Bun.', 'Use Node.']) await at.post('/api/notes', { body: text, project: 'shop' })
  expect((await linesOf('/api/consolidate', { project: 'shop' })).at(-1)).toMatchObject({
    kind: 'done',
    report: { outcome: 'planned', groups: [] },
  })
  expect((await linesOf('/api/reflect', {})).at(-1)).toMatchObject({
    kind: 'done',
    report: { messages: [expect.stringContaining('text model')] },
  })
  expect((await linesOf('/api/gc', { dryRun: true })).at(-1)).toMatchObject({ kind: 'done', report: { dryRun: true } })
  for (const body of [{ undo: 7 }, { undo: 'x' }, { apply: 'yes' }, { project: 7 }]) {
    const answer = await at.ask('/api/consolidate', { method: 'POST', body: JSON.stringify(body) })
    expect(answer.status).toBe(400)
  }
})

async function anApi() {
  const at = await someServices()
  const token = 'owner-token'
  const control = aControl({ port: () => listening.port })
  const listening = listen(at.desk.home, 0, token, at.desk.visitors, openRouter(at.desk, control), at.desk.log)
  const owner = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${listening.port}${path}`, { headers: owner, ...init })
  return {
    ...at,
    ask,
    hook: (agent: string, body: string, headers: Record<string, string> = {}) =>
      fetch(`http://worker/hook/${agent}`, { unix: at.desk.home.socket, method: 'POST', body, headers }),
    get: async (path: string): Promise<unknown> => (await ask(path)).json(),
    post: async (path: string, body: object): Promise<unknown> => (await ask(path, { method: 'POST', body: JSON.stringify(body) })).json(),
    /** Listens until an event of this kind arrives; sends a `processing` event first. */
    hear: async (headers: Record<string, string>, until: string): Promise<string> => {
      const listening = new AbortController()
      const answer = await ask('/stream', { headers: { ...owner, ...headers }, signal: listening.signal })
      if (!('last-event-id' in headers)) at.desk.stream.publish({ type: 'processing', data: { isProcessing: false } })
      let heard = ''
      for await (const part of answer.body ?? []) {
        heard += new TextDecoder().decode(part)
        if (heard.includes(`event: ${until}`)) break
      }
      listening.abort()
      return heard
    },
    [Symbol.asyncDispose]: async () => {
      await listening.stop()
      await at[Symbol.asyncDispose]()
    },
  }
}
