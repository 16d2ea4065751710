/**
 * Every way in which text gets into a home. A suite that checks what is stored (private text, secrets, deletion) runs each of its cases through
 * each row, so a new entrance is covered by adding a row here.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type AgentName, SERVED_AGENTS } from '../../src/core/agent.ts'
import { spoolPayload } from '../../src/hooks/spool-payload.ts'
import { homePaths } from '../../src/platform/paths.ts'
import { environment } from './builders.ts'
import { claudeMem13Database } from './claude-mem-13.ts'
import { RECOLLECT } from './mcp.ts'
import { aRepository } from './repository.ts'
import { subcogDatabase } from './subcog.ts'
import type { TestHome } from './test-home.ts'

/** A text and a name for it that is unique and fit for file names and ids. */
export type Sent = { id: string; text: string }

export type Entrance = {
  name: string
  /** Sends every text, in every field that this way has. The worker runs, unless `isOffline`. */
  send(at: TestHome, sent: readonly Sent[]): Promise<void>
  /** The texts arrive while no worker runs; the suite then looks at the home, and starts the worker. */
  isOffline?: true
  /** Files of the person in the home, which keep what the person wrote. */
  ownFiles?(at: TestHome, sent: readonly Sent[]): string[]
}

export const ENTRANCES: readonly Entrance[] = [
  { name: 'a hook', send: async (at, sent) => deliver(sent, (payload) => at.hook(payload)) },
  { name: 'hooks of the other agents', send: deliverByAgents },
  { name: 'the spool', isOffline: true, send: (at, sent) => deliver(sent, async (payload) => spool(at, payload)) },
  { name: 'a transcript at the end of its session', send: reconcileTranscript },
  { name: 'the import of transcripts', send: importTranscripts },
  { name: 'the import of an export', send: importExport },
  { name: 'the import of a claude-mem database', send: importClaudeMem },
  { name: 'the import of markdown files', send: importMarkdown },
  { name: 'the import of the client’s own memory', send: importNativeMemory },
  { name: 'the git history', send: importGitHistory },
  { name: 'git notes in a repository', send: importGitNotes },
  { name: 'the database of Subcog', send: importSubcog },
  { name: 'the HTTP API', send: callApi },
  { name: 'MCP', send: callTools },
  { name: 'the viewer', send: editInViewer },
  {
    name: 'a note file',
    send: writeNoteFiles,
    ownFiles: (at, sent) => sent.flatMap(({ id }) => noteFiles(at, id)),
  },
]

/** A few at a time, as several sessions would. */
async function inParallel(sent: readonly Sent[], send: (one: Sent) => Promise<void>): Promise<void> {
  const waiting = [...sent]
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) await send(one)
    }),
  )
}

/** A field that takes only short texts. Half a private part or half a secret would be another text. */
const fitting = (text: string, max: number) => (text === '' || text.length > max ? 'none' : text)

const linesOf = (text: string) => text.split('\n')

/** The tool uses of one turn: the text in every shape in which a tool reports it. */
function toolCalls({ id, text }: Sent) {
  const lines = linesOf(text)
  const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [' first', ...lines.map((line) => `+${line}`), ' last'] }]
  return [
    { tool_name: 'Bash', tool_input: { command: text }, tool_response: { stdout: text, stderr: text } },
    {
      tool_name: 'Edit',
      tool_input: { file_path: '/src/a.ts', old_string: 'x', new_string: text },
      tool_response: { filePath: '/src/a.ts', oldString: 'x', newString: text, originalFile: text, structuredPatch: patch },
    },
    {
      tool_name: 'Write',
      tool_input: { file_path: '/src/b.ts', content: text },
      tool_response: { type: 'update', structuredPatch: patch },
    },
    {
      tool_name: 'NotebookEdit',
      tool_input: { notebook_path: '/src/c.ipynb', new_source: text },
      tool_response: { cells: [{ cell_type: 'code', source: lines.map((line) => `${line}\n`), outputs: [{ text: lines }] }] },
    },
    {
      tool_name: 'mcp__files__read',
      tool_input: { path: '/src/a.ts' },
      tool_response: lines.map((line) => ({ type: 'text', text: line })),
    },
    { tool_name: 'Read', tool_input: { file_path: '/src/a.ts' }, tool_response: { type: 'text', file: { content: text } } },
    { tool_name: 'Bash', tool_input: { command: 'make' }, tool_response: `Exit code 1\n${text}` },
  ].map((call, i) => ({ tool_use_id: `${id}-${i}`, ...call }))
}

/** Sessions of a few turns, as hooks report them. */
async function deliver(sent: readonly Sent[], send: (payload: object) => Promise<void>): Promise<void> {
  await inParallel(sent, async ({ id, text }) => {
    const session = { session_id: `session-${id}`, prompt_id: `prompt-${id}` }
    await send({ hook_event_name: 'UserPromptSubmit', ...session, prompt: `Look at this:\n${text}` })
    await send({ hook_event_name: 'PostToolBatch', ...session, tool_calls: toolCalls({ id, text }) })
    await send({
      hook_event_name: 'PostToolUseFailure',
      ...session,
      tool_name: 'Bash',
      tool_use_id: `${id}-f`,
      tool_input: {},
      error: text,
    })
    await send({
      hook_event_name: 'SubagentStop',
      ...session,
      agent_id: `agent-${id}`,
      agent_type: text,
      last_assistant_message: `found:\n${text}`,
    })
    await send({ hook_event_name: 'Stop', ...session, last_assistant_message: `Done.\n${text}` })
    const notices = { session_id: `notice-${id}` }
    // The place where a long notice is cut must not matter.
    const long = `<task-notification>${'word '.repeat(36)}\n${text}</task-notification>`
    const short = `<task-notification><summary>${text}</summary></task-notification>`
    await send({ hook_event_name: 'UserPromptSubmit', ...notices, prompt_id: `long-${id}`, prompt: long })
    await send({ hook_event_name: 'UserPromptSubmit', ...notices, prompt_id: `short-${id}`, prompt: short })
    const compaction = { session_id: `compaction-${id}`, trigger: 'auto' }
    await send({ hook_event_name: 'PostCompact', ...compaction, compact_summary: `<analysis>x</analysis>\n<summary>${text}</summary>` })
  })
}

const OTHER_AGENTS: AgentName[] = SERVED_AGENTS.filter((name) => name !== 'claude-code')

/** The same text as each of the other agents reports it: in a prompt, in a command and its output, in an edit, in an error and in an answer. */
async function deliverByAgents(at: TestHome, sent: readonly Sent[]): Promise<void> {
  await inParallel(sent, async ({ id, text }) => {
    const prompt = `Look at this:\n${text}`
    const patch = `*** Begin Patch\n*** Update File: /src/a.ts\n@@\n-x\n${text}\n*** Add File: /src/b.ts\n${text}\n*** End Patch`
    const of = (agent: AgentName) => ({ session_id: `${agent}-${id}`, timestamp: new Date().toISOString() })
    // Two agents for each text, in turn. All of them for all texts would take minutes.
    const turn = sent.findIndex((one) => one.id === id)
    const send = async (agent: AgentName, events: object[]) => {
      const place = OTHER_AGENTS.indexOf(agent)
      if (place !== turn % OTHER_AGENTS.length && place !== (turn + 2) % OTHER_AGENTS.length) return
      for (const [i, event] of events.entries())
        await at.hook({ ...of(agent), turn_id: `t-${id}`, prompt_id: `p-${id}`, tool_use_id: `${id}-${i}`, ...event }, agent)
    }
    await send('codex', [
      { hook_event_name: 'UserPromptSubmit', prompt },
      { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: { command: text }, tool_response: text },
      { hook_event_name: 'PostToolUse', tool_name: 'apply_patch', tool_input: { command: patch }, tool_response: `Exit code: 1\n${text}` },
      { hook_event_name: 'Stop', last_assistant_message: `Done.\n${text}` },
    ])
    await send('copilot', [
      { hook_event_name: 'UserPromptSubmit', prompt },
      {
        hook_event_name: 'PostToolUse',
        tool_name: 'Bash',
        tool_input: { command: text },
        tool_result: { text_result_for_llm: `${text}\n<exited with exit code 1>` },
      },
      {
        hook_event_name: 'PostToolUse',
        tool_name: 'Edit',
        tool_input: { path: '/src/a.ts', old_str: 'x', new_str: text },
        tool_result: { text_result_for_llm: text },
      },
      { hook_event_name: 'PostToolUseFailure', tool_name: 'Read', tool_input: { path: '/src/a.ts' }, error: text },
    ])
    const shell = `<untrusted_context>\nOutput: ${text}\nExit Code: 1\n</untrusted_context>`
    await send('gemini', [
      { hook_event_name: 'BeforeAgent', prompt: `<hook_context>x</hook_context>\n\n${prompt}` },
      { hook_event_name: 'AfterTool', tool_name: 'run_shell_command', tool_input: { command: text }, tool_response: { llmContent: shell } },
      {
        hook_event_name: 'AfterTool',
        tool_name: 'replace',
        tool_input: { file_path: '/src/a.ts', new_string: text },
        tool_response: { llmContent: text, returnDisplay: { fileDiff: text } },
      },
      {
        hook_event_name: 'AfterTool',
        tool_name: 'read_file',
        tool_input: {},
        tool_response: { llmContent: linesOf(text).map((line) => ({ text: line })), error: { message: text } },
      },
      { hook_event_name: 'AfterAgent', prompt_response: `Done.\n${text}` },
    ])
    await send('qwen', [
      { hook_event_name: 'UserPromptSubmit', prompt, submitted_prompt: prompt },
      { hook_event_name: 'PostToolUseFailure', tool_name: 'run_shell_command', tool_input: { command: text }, error: shell },
      {
        hook_event_name: 'PostToolUse',
        tool_name: 'read_file',
        tool_input: { file_path: '/src/a.ts' },
        tool_response: { llmContent: text },
      },
      { hook_event_name: 'Stop', last_assistant_message: `Done.\n${text}` },
    ])
    await send('opencode', [
      { hook_event_name: 'UserPromptSubmit', prompt: `"${prompt}"` },
      {
        hook_event_name: 'PostToolUse',
        tool_name: 'bash',
        tool_input: { command: text },
        tool_response: { output: text, metadata: { exit: 1 } },
      },
      {
        hook_event_name: 'PostToolUse',
        tool_name: 'edit',
        tool_input: { filePath: '/src/a.ts', newString: text },
        tool_response: { output: text, metadata: { diff: text } },
      },
      { hook_event_name: 'PostToolUseFailure', tool_name: 'read', tool_input: {}, error: text },
      { hook_event_name: 'Stop', last_assistant_message: `Done.\n${text}` },
    ])
  })
}

/** The hook's own code; starting a process for each payload would take minutes. */
function spool(at: TestHome, payload: object): void {
  const home = homePaths(environment(at.folder, { home: at.home }))
  const bytes = new TextEncoder().encode(JSON.stringify({ cwd: at.project, ...payload }))
  const context = { projectFolder: at.project, clientPid: null, entrypoint: null }
  spoolPayload(home, bytes, false, { delivery: crypto.randomUUID(), agent: 'claude-code', at: Date.now(), context })
}

/** The lines of a transcript with one turn for each text. */
function transcriptLines(session: string, cwd: string, sent: readonly Sent[], title?: string): string {
  let clock = Date.UTC(2026, 0, 1)
  let count = 0
  const line = (type: string, fields: object) => {
    clock += 1000
    return JSON.stringify({
      type,
      uuid: `${session}-${++count}`,
      timestamp: new Date(clock).toISOString(),
      sessionId: session,
      cwd,
      ...fields,
    })
  }
  const lines = sent.flatMap(({ id, text }) => {
    const promptId = `prompt-${id}`
    const user = (content: unknown, more: object = {}) => line('user', { promptId, message: { role: 'user', content }, ...more })
    const assistant = (content: unknown) => line('assistant', { message: { id: `m${count}`, role: 'assistant', content } })
    const blocks = linesOf(text).map((one) => ({ type: 'text', text: one }))
    return [
      user(`Look at this:\n${text}`),
      ...toolCalls({ id, text }).flatMap(({ tool_use_id, tool_name, tool_input, tool_response }) => [
        assistant([{ type: 'tool_use', id: tool_use_id, name: tool_name, input: tool_input }]),
        user([{ type: 'tool_result', tool_use_id, content: blocks }], { toolUseResult: tool_response }),
      ]),
      assistant([{ type: 'text', text: 'Done.' }, ...blocks]),
      user(`<task-notification><summary>${text}</summary></task-notification>`, { promptId: `notice-${id}` }),
      user(`This session is being continued from a previous conversation.\nSummary:\n${text}`, {
        isCompactSummary: true,
        promptId: undefined,
      }),
    ]
  })
  if (title) lines.push(JSON.stringify({ type: 'custom-title', customTitle: title, sessionId: session }))
  return `${lines.join('\n')}\n`
}

async function reconcileTranscript(at: TestHome, sent: readonly Sent[]): Promise<void> {
  for (let from = 0; from < sent.length; from += 40) {
    const session = `transcript-${from}`
    const path = join(at.folder, `${session}.jsonl`)
    writeFileSync(path, transcriptLines(session, at.project, sent.slice(from, from + 40)))
    await at.hook({ hook_event_name: 'SessionStart', source: 'startup', session_id: session, transcript_path: path })
    await at.hook({ hook_event_name: 'SessionEnd', reason: 'other', session_id: session, transcript_path: path })
  }
}

async function importTranscripts(at: TestHome, sent: readonly Sent[]): Promise<void> {
  const folder = join(at.folder, 'history')
  mkdirSync(folder)
  for (const one of sent)
    writeFileSync(join(folder, `import-${one.id}.jsonl`), transcriptLines(`import-${one.id}`, at.project, [one], one.text))
  await at.run('import', folder)
}

async function importExport(at: TestHome, sent: readonly Sent[]): Promise<void> {
  const rows = sent.flatMap(({ id, text }, n) => {
    const session = { sessionId: `export-${id}`, agent: 'claude-code', project: 'app' }
    const at = 1_760_000_000_000 + n * 1000
    return [
      { ...session, folder: '/home/dev/app', branch: text, title: text, host: fitting(text, 200), startedAt: at, lastEventAt: at },
      { ...session, origin: 'person', text: `Look at this:\n${text}`, answer: `Done.\n${text}`, at },
      {
        ...session,
        promptNumber: 1,
        type: 'change',
        title: text,
        subtitle: text,
        narrative: text,
        facts: ['one', ...linesOf(text)],
        tags: linesOf(text),
        filesRead: linesOf(text),
        filesModified: [text],
        tool: text,
        model: text,
        at,
      },
      {
        ...session,
        promptNumber: 1,
        source: 'turn',
        ...Object.fromEntries(['request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'].map((field) => [field, text])),
        model: 'plain',
        at,
      },
      {
        id: `export-${id}`,
        type: 'semantic',
        title: fitting(text, 500),
        namespace: 'context',
        tags: linesOf(text).map((line) => fitting(line, 200)),
        body: `Keep this:\n${text}`,
        scope: 'project',
        project: 'app',
        createdAt: at,
        updatedAt: at,
        session: fitting(text, 500),
        machine: '',
        source: 'human',
      },
    ]
  })
  const path = join(at.folder, 'export.jsonl')
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  await at.run('import', '--from', 'jsonl', path)
}

async function importClaudeMem(at: TestHome, sent: readonly Sent[]): Promise<void> {
  const path = join(at.folder, 'claude-mem.db')
  const observed = (text: string) => ({
    type: text,
    title: text,
    narrative: text,
    concepts: linesOf(text),
    modified: [text, ...linesOf(text)],
  })
  const sessions = sent.map(({ id, text }) => ({
    id: `claude-mem-${id}`,
    project: 'app',
    cwd: text,
    platform: fitting(text, 100),
    prompts: [`Look at this:\n${text}`],
    observations: [observed(text)],
    summary: { request: text, learned: text },
  }))
  const byHand = { id: 'manual-content-app-claude', project: 'app', observations: sent.map(({ text }) => observed(text)) }
  claudeMem13Database(path, [...sessions, byHand])
  await at.run('import', '--from', 'claude-mem', path)
}

async function importMarkdown(at: TestHome, sent: readonly Sent[]): Promise<void> {
  const [markdown, anamnesis] = [join(at.folder, 'markdown'), join(at.folder, 'anamnesis')]
  for (const folder of [markdown, anamnesis]) mkdirSync(folder)
  for (const { id, text } of sent) {
    writeFileSync(join(markdown, `${id}.md`), `Some words.\n\n# ${text}\n\n${text}\n`)
    const front = [
      `id: anamnesis-${id}`,
      'type: semantic',
      `title: ${JSON.stringify(fitting(text, 500))}`,
      'project: app',
      `machine_id: ${JSON.stringify(fitting(text, 200))}`,
    ]
    writeFileSync(join(anamnesis, `${id}.md`), `---\n${front.join('\n')}\n---\nKeep this:\n${text}\n`)
  }
  await at.run('import', '--from', 'markdown', markdown)
  await at.run('import', '--from', 'anamnesis', anamnesis)
}

async function importNativeMemory(at: TestHome, sent: readonly Sent[]): Promise<void> {
  const name = at.project.replaceAll('/', '-')
  const folder = join(at.folder, '.claude', 'projects', name, 'memory')
  mkdirSync(folder, { recursive: true })
  const opening = { type: 'user', uuid: 'u1', sessionId: 's', cwd: at.project, message: { role: 'user', content: 'hello' } }
  writeFileSync(join(at.folder, '.claude', 'projects', name, 's.jsonl'), `${JSON.stringify(opening)}\n`)
  for (const { id, text } of sent)
    writeFileSync(join(folder, `${id}.md`), `---\ndescription: ${JSON.stringify(text)}\n---\nSome words.\n\n## ${text}\n\n${text}\n`)
  await at.run('import', '--native')
}

/** One commit for each text, which is its subject, its message, its author or the name of a file. */
async function importGitHistory(at: TestHome, sent: readonly Sent[]): Promise<void> {
  const folder = join(at.folder, 'repository')
  mkdirSync(folder)
  const name = (text: string) => (/^[^\n<>"\\\0]{1,200}$/.test(text) && !text.includes('/') ? text : 'none')
  const commits = sent.flatMap(({ id, text }) => [
    { message: `Look at this: ${id}\n\n${text}\n`, author: name(text), files: [name(text)] },
    { message: text },
  ])
  aRepository(folder).addCommits(commits)
  await at.run('import', '--from', 'git', folder)
}

/** Lines of the mirror, of the person and of another, and memories in another program's form. */
async function importGitNotes(at: TestHome, sent: readonly Sent[]): Promise<void> {
  const folder = join(at.folder, 'mirrored')
  mkdirSync(folder)
  const repository = aRepository(folder)
  const commit = repository.commit('first')
  repository.git(['config', 'user.email', 'me@example.org'])
  const line = ({ id, text }: Sent, author: string) =>
    JSON.stringify({
      id: `${author}-${id}`,
      updated: 1000,
      deleted: null,
      machine: fitting(text, 200),
      author: `${text.includes('\n') ? 'nobody' : fitting(text, 200)}\n<${author}@example.org>`,
      type: 'semantic',
      title: fitting(text, 300),
      tags: [fitting(text, 60) || 'tag'],
      created: 1000,
      body: `Keep this:\n${text}`,
    })
  const lines = sent.flatMap((one, n) => [line(one, 'other'), ...(n % 4 === 0 ? [line(one, 'me')] : [])])
  repository.git(['notes', '--ref=mem/context', 'add', '-F', '-', commit], `${lines.join('\n')}\n`)
  for (const { id, text } of sent.slice(0, 50)) {
    const other = repository.commit(`for ${id}`)
    const blob = repository.git(['hash-object', '-w', '--stdin'], `---\nnamespace: learnings\n---\nKeep this:\n${text}\n`)
    repository.git(['notes', '--ref=mem/learnings', 'add', '-C', blob, other])
  }
  await at.run('import', '--from', 'git-notes', folder)
}

async function importSubcog(at: TestHome, sent: readonly Sent[]): Promise<void> {
  const path = join(at.folder, 'index.db')
  subcogDatabase(
    path,
    sent.map(({ id, text }) => ({ id, body: `Keep this:\n${text}`, project: fitting(text, 200), tags: [fitting(text, 60)] })),
  )
  await at.run('import', '--from', 'subcog', path)
}

async function callApi(at: TestHome, sent: readonly Sent[]): Promise<void> {
  await inParallel(sent, async ({ id, text }) => {
    const contentSessionId = `api-${id}`
    await at.ask('POST', '/api/sessions/init', {
      contentSessionId,
      cwd: at.project,
      host: fitting(text, 100),
      prompt: `Look at this:\n${text}`,
    })
    for (const { tool_name, tool_input, tool_response, tool_use_id } of toolCalls({ id, text }).slice(0, 5))
      await at.ask('POST', '/api/sessions/observations', { contentSessionId, tool_name, tool_input, tool_response, tool_use_id })
    await at.ask('POST', '/api/sessions/summarize', { contentSessionId, last_assistant_message: `Done.\n${text}` })
    await at.ask('POST', '/api/notes', {
      body: `Keep this:\n${text}`,
      title: fitting(text, 200),
      tags: [fitting(text, 200)],
      project: at.project,
    })
    await at.ask('POST', '/api/context/inject', { project: at.project, prompt: text })
    await at.ask('POST', '/api/search', { query: fitting(text, 500) })
  })
}

async function callTools(at: TestHome, sent: readonly Sent[]): Promise<void> {
  const client = new Client({ name: 'a test', version: '1' })
  await client.connect(new StdioClientTransport({ command: RECOLLECT, args: ['mcp'], env: at.env, cwd: at.project, stderr: 'ignore' }))
  for (const { text } of sent) {
    const named = { title: fitting(text, 200), tags: [fitting(text, 80)] }
    const saved = await client.callTool({ name: 'memory_capture', arguments: { text: `Keep this:\n${text}`, ...named } })
    const [id] = /N[0-9A-Z]{8}/.exec(JSON.stringify(saved.content)) ?? []
    if (id) await client.callTool({ name: 'memory_update', arguments: { id, text: `Rather this:\n${text}`, ...named } })
    if (id) await client.callTool({ name: 'memory_verify', arguments: { id, verdict: 'correct', text: `In fact:\n${text}` } })
    await client.callTool({ name: 'memory_recall', arguments: { query: fitting(text, 400) } })
  }
  await client.close()
}

/** The requests that the viewer makes when a person saves an edited note, with the cookie of a browser that signed in. */
async function editInViewer(at: TestHome, sent: readonly Sent[]): Promise<void> {
  const { url } = JSON.parse(await at.run('view', '--json')) as { url: string }
  const entered = await fetch(url, { redirect: 'manual' })
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const { origin } = new URL(url)
  const ask = async (method: string, path: string, body: object) => {
    const headers = { cookie, origin, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'x-recollect': '1' }
    const answer = await fetch(origin + path, { method, headers, body: JSON.stringify(body) })
    return { ok: answer.ok, value: (await answer.json()) as { note?: { id: string }; sessionDbId?: number } }
  }
  for (const { id, text } of sent) {
    const added = await ask('POST', '/api/notes', { body: `A note about ${id}`, project: at.project })
    if (!added.ok) throw new Error(`the viewer could not add a note: ${JSON.stringify(added.value)}`)
    const edited = { body: `Keep this:\n${text}`, title: fitting(text, 200), tags: linesOf(text).map((line) => fitting(line, 200)) }
    await ask('PATCH', `/api/notes/${added.value.note?.id}`, edited)
    const opened = await ask('POST', '/api/sessions/init', {
      contentSessionId: `renamed-${id}`,
      project: at.project,
      prompt: 'Look at the tides',
    })
    await ask('PATCH', `/api/sessions/${opened.value.sessionDbId}`, { title: text })
  }
}

const noteFiles = (at: TestHome, id: string) =>
  [join('memory', 'app', `disk-${id}.md`), join('local', 'app', `own-${id}.md`)].map((path) => join(at.home, path))

async function writeNoteFiles(at: TestHome, sent: readonly Sent[]): Promise<void> {
  for (const folder of ['memory', 'local']) mkdirSync(join(at.home, folder, 'app'), { recursive: true })
  for (const { id, text } of sent)
    for (const path of noteFiles(at, id)) {
      const name = path.slice(path.lastIndexOf('/') + 1, -3)
      const front = [
        `id: ${name}`,
        'type: semantic',
        `title: ${JSON.stringify(fitting(text, 500))}`,
        `tags: ${JSON.stringify(linesOf(text).map((line) => fitting(line, 200)))}`,
        `session: ${JSON.stringify(fitting(text, 400))}`,
        ...['colour: |', ...linesOf(text).map((line) => `  ${line}`)],
      ]
      writeFileSync(path, `---\n${front.join('\n')}\n---\n\nKeep this:\n${text}\n`)
    }
}
