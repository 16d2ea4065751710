import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentName } from '../../core/agent.ts'
import type { AgentEvent } from '../../core/event.ts'
import type { Checkpoint, TranscriptBatch, TranscriptItem } from '../transcript.ts'
import { transcriptFormat } from '../transcript-format.ts'
import { compactSummary, noticeText } from './payload.ts'
import { readTranscript, subagentTranscripts } from './transcript.ts'

const FIXTURES = join(import.meta.dir, '../../../test/fixtures/transcripts')
const REAL = join(import.meta.dir, '../../../../shared/eval/transcripts')
const folder = mkdtempSync(join(tmpdir(), 'recollect-transcripts-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a transcript gives prompts, tool uses and answers, and nothing else', async () => {
  const { items, facts, unreadable } = await readAll(join(FIXTURES, 'print-session-resumed.jsonl'))
  expect(outline(items)).toEqual([
    ['prompt', 'The login test fails for every token. Find out why and fix it.'],
    ['Read', 'toolu_fake000001'],
    ['Bash', 'toolu_fake000002'],
    ['Bash failed', 'toolu_fake000003'],
    ['Edit', 'toolu_fake000004'],
    ['Bash', 'toolu_fake000005'],
    ['Read failed', 'toolu_fake000006'],
    ['Write', 'toolu_fake000007'],
    ['Bash', 'toolu_fake000008'],
    ['answer', 'Fixed: `isValid` compared seconds with milliseconds. The test passes, and the decision is noted in docs/decisions.md.'],
    ['prompt', 'Add a line to the README about it.'],
    ['Edit', 'toolu_fake000009'],
    ['answer', 'Done.'],
  ])
  expect(unreadable).toBe(0)
  expect(facts).toEqual({
    sessionId: '5e551011-0000-4000-8000-000000000001',
    cwd: '/home/dev/project',
    gitBranch: 'main',
    version: '2.1.325',
    entrypoint: 'sdk-cli',
    title: null,
    firstAt: Date.parse('2026-11-15T19:03:30.517Z'),
    lastAt: Date.parse('2026-11-15T19:03:36.427Z'),
  })
})

test('a slash command that the model answered is a prompt, one that the client answered is not', async () => {
  const { items } = await readAll(join(FIXTURES, 'interactive-session.jsonl'))
  expect(outline(items)).toEqual([
    ['prompt', 'hello'],
    ['answer', 'Good morning.'],
    ['prompt', 'create notes.txt'],
    ['Bash', 'toolu_fake000023'],
    ['answer', 'Created notes.txt.'],
    ['prompt', '/review src/auth.ts'],
    ['answer', 'src/auth.ts looks right.'],
    ['compacted', '1. Primary Request and Intent: create notes.txt and review src/auth.ts.'],
  ])
})

test('the report of a background agent opens a machine turn', async () => {
  const { items } = await readAll(join(FIXTURES, 'with-subagents.jsonl'))
  expect(outline(items)).toEqual([
    ['prompt', 'Who calls isValid?'],
    ['Agent', 'toolu_fake000014'],
    ['Agent', 'toolu_fake000016'],
    ['answer', 'An agent is still checking the docs.'],
    ['notice', 'Agent "Check docs" finished'],
    ['answer', 'Nobody else calls it, and the docs do not mention it.'],
  ])
})

test('a subagent’s tool uses belong to the session that started it, and its last text is its answer', async () => {
  const path = join(FIXTURES, 'subagent-2.jsonl')
  const { items } = await readAll(path)
  expect(items.map((item) => item.event)).toMatchObject([
    { kind: 'tool-used', session: '5e551011-0000-4000-8000-000000000085', agentId: 'a321d5877f28ff382', transcript: null },
    {
      kind: 'subagent-ended',
      agentId: 'a321d5877f28ff382',
      agentType: 'Explore',
      promptId: '5e551011-0000-4000-8000-000000000086',
      answer: 'isValid is used only in src/auth.ts.',
      transcript: path,
    },
  ])
})

test('an event has the time, folder, id and turn of its line', async () => {
  const { items } = await readAll(join(FIXTURES, 'print-session.jsonl'))
  expect(items.find((item) => item.event.kind === 'tool-used' && item.event.toolUseId === 'toolu_fake000008')).toMatchObject({
    uuid: '5e551011-0000-4000-8000-000000000045',
    turn: '5e551011-0000-4000-8000-000000000007',
    event: {
      at: Date.parse('2026-11-15T19:03:34.487Z'),
      cwd: '/home/dev/project/docs',
      promptId: '5e551011-0000-4000-8000-000000000002',
      input: { command: 'cd docs && ls', description: 'List docs' },
      output: { stdout: 'decisions.md' },
    },
  })
})

test('a tool use is the same from the transcript and from the hook', async () => {
  const { items } = await readAll(join(FIXTURES, 'print-session.jsonl'))
  const failed = items.find((item) => item.event.kind === 'tool-used' && item.event.error?.startsWith('File does not exist'))
  expect(failed?.event).toMatchObject({ output: undefined, interrupted: false })
  expect(JSON.stringify(items)).not.toContain('originalFile')
})

test('a prompt typed during a turn belongs to that turn, in every format that clients have used', async () => {
  const queued = (prompt: string, commandMode = 'prompt') =>
    entry('attachment', { attachment: { type: 'queued_command', prompt, commandMode } })
  const { items } = await readLines([
    user('start', { promptId: 'p1' }),
    toolUse('t1'),
    result('t1', { promptId: 'p1' }),
    queued('and look at the README'),
    queued('<task-notification><summary>Agent done</summary></task-notification>', 'task-notification'),
    queued('ls', 'bash'),
    toolUse('t2'),
    user(
      [
        { type: 'tool_result', tool_use_id: 't2', content: 'ok' },
        { type: 'text', text: 'use pagination' },
      ],
      { promptId: 'p1' },
    ),
    assistantText('done'),
  ])
  expect(outline(items)).toEqual([
    ['prompt', 'start'],
    ['Bash', 't1'],
    ['prompt', 'and look at the README'],
    ['notice', 'Agent done'],
    ['Bash', 't2'],
    ['prompt', 'use pagination'],
    ['answer, so far', 'done'],
  ])
  expect(items.every((item) => 'promptId' in item.event && item.event.promptId === 'p1')).toBeTrue()
  expect(new Set(items.map((item) => item.turn)).size).toBe(1)
})

test('lines that the client writes in the person’s name are not prompts', async () => {
  const { items } = await readLines([
    user('<local-command-caveat>Caveat</local-command-caveat>', { isMeta: true }),
    user('<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>'),
    user('<local-command-stdout></local-command-stdout>'),
    user('<command-name>/model</command-name><command-args>opus</command-args>'),
    entry('system', { subtype: 'local_command', content: '<local-command-stdout>Set</local-command-stdout>' }),
    user('<bash-input>ls</bash-input>'),
    user('<bash-stdout>a.ts</bash-stdout><bash-stderr></bash-stderr>'),
    user([{ type: 'text', text: 'Base directory for this skill' }], { isMeta: true }),
    user([
      { type: 'text', text: '<ide_opened_file>a.ts</ide_opened_file>' },
      { type: 'text', text: 'why?' },
    ]),
    assistantText('because'),
    user([{ type: 'text', text: '[Request interrupted by user]' }]),
    entry('progress', { data: { message: { type: 'user', message: { content: 'inner' } } } }),
    entry('queue-operation', { operation: 'enqueue', content: 'later' }),
    entry('api-request', {}),
  ])
  expect(outline(items)).toEqual([
    ['prompt', 'why?'],
    ['answer', 'because'],
  ])
})

test('the turn of a ! command has its own answer, not that of the previous prompt', async () => {
  const { items } = await readLines([
    user('first', { promptId: 'p1' }),
    assistantText('one'),
    entry('system', { subtype: 'turn_duration' }),
    user('<bash-input>ls</bash-input>', { promptId: 'p2' }),
    user('<bash-stdout>a.ts</bash-stdout>', { promptId: 'p2' }),
    assistantText('there is a.ts'),
    entry('system', { subtype: 'stop_hook_summary' }),
    entry('system', { subtype: 'turn_duration' }),
  ])
  expect(items.filter((item) => item.event.kind === 'turn-ended')).toMatchObject([
    { event: { promptId: 'p1', answer: 'one' } },
    { event: { promptId: 'p2', answer: 'there is a.ts' }, turn: null },
  ])
})

test('a tool use that the person stopped is marked as interrupted, and the turn ends without an answer', async () => {
  const rejected = "The user doesn't want to proceed with this tool use. The tool use was rejected."
  const { items } = await readLines([
    user('go'),
    assistantText('Trying.'),
    toolUse('t1'),
    user([{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: rejected }], { toolUseResult: 'User rejected tool use' }),
    user([{ type: 'text', text: '[Request interrupted by user for tool use]' }]),
    user('another'),
  ])
  expect(items.map((item) => item.event)).toMatchObject([
    { kind: 'prompt-submitted', text: 'go' },
    { kind: 'tool-used', interrupted: true, error: rejected },
    { kind: 'turn-ended', answer: '' },
    { kind: 'prompt-submitted', text: 'another' },
  ])
})

test('the answer is the whole text of the last message; an API error is not an answer', async () => {
  const { items } = await readLines([
    user('one'),
    assistantText('Let me look.', { id: 'm1' }),
    toolUse('t1', { id: 'm1' }),
    result('t1'),
    assistantText('First part.', { id: 'm2' }),
    assistantText('Second part.', { id: 'm2' }),
    user('two'),
    assistantText('API Error: 500', { id: 'm3' }, { isApiErrorMessage: true }),
    user('three'),
    assistantText('No response requested.', { id: 'm4', model: '<synthetic>' }),
  ])
  expect(outline(items)).toEqual([
    ['prompt', 'one'],
    ['Bash', 't1'],
    ['answer', 'First part.\nSecond part.'],
    ['prompt', 'two'],
    ['answer', ''],
    ['prompt', 'three'],
  ])
})

test('a turn that a stop hook continued ends again, with the later answer', async () => {
  const stop = entry('system', { subtype: 'stop_hook_summary' })
  const { items } = await readLines([user('go'), assistantText('first'), stop, assistantText('second'), stop])
  expect(outline(items)).toEqual([
    ['prompt', 'go'],
    ['answer', 'first'],
    ['answer', 'second'],
  ])
})

test('lines that a fork copied keep their ids and times, so the caller can recognise them', async () => {
  const forked = (uuid: string, text: string) => ({ ...user(text, { promptId: 'fork' }), uuid, timestamp: '2026-01-01T00:00:00.000Z' })
  const { items } = await readLines([
    forked('u1', 'first'),
    assistantText('one'),
    forked('u2', 'second'),
    assistantText('two'),
    user('own', { promptId: 'fork' }),
  ])
  expect(outline(items).map(([, text]) => text)).toEqual(['first', 'one', 'second', 'two', 'own'])
  expect(items.map((item) => item.turn).slice(0, 4)).toEqual(['u1', 'u1', 'u2', 'u2'])
  expect(items[0]).toMatchObject({ uuid: 'u1', event: { at: Date.parse('2026-01-01T00:00:00.000Z'), promptId: 'fork' } })
})

test('a title that a person gave is not replaced by the client’s', async () => {
  const titles = [
    entry('summary', { summary: 'S', uuid: 'end', leafUuid: 'end' }),
    entry('ai-title', { aiTitle: 'A' }),
    entry('custom-title', { customTitle: 'Mine' }),
  ]
  expect((await readLines(titles.slice(0, 2))).facts.title).toBe('A')
  expect((await readLines([...titles, ...titles.slice(0, 2)])).facts.title).toBe('Mine')
})

test('a session does not get the name of another session that is in its file', async () => {
  const name = (summary: string, leafUuid: string) => ({ type: 'summary', summary, leafUuid })
  const [asked, answered] = [user('one', { uuid: 'asked' }), assistantText('two', {}, { uuid: 'answered' })]
  const titled = async (...lines: object[]) => (await readLines(lines)).facts.title
  expect(await titled(name('Of another', 'elsewhere'), asked, answered)).toBeNull()
  expect(await titled(name('Own', 'answered'), name('Of another', 'elsewhere'), asked, answered)).toBe('Own')
  expect(await titled(asked, name('Own', 'asked'), answered, name('Newer', 'answered'), name('Of another', 'elsewhere'))).toBe('Newer')
  expect(await titled(asked, name('Own', 'asked'), entry('ai-title', { aiTitle: 'Newest' }), name('Of another', 'elsewhere'))).toBe(
    'Newest',
  )
})

test('the name of a session is found when its line is read later, and when it was read before', async () => {
  const path = join(folder, 'named.jsonl')
  const lines = [
    user('one', { uuid: 'first' }),
    { type: 'summary', summary: 'Own', leafUuid: 'last' },
    assistantText('two', {}, { uuid: 'last' }),
  ]
  const written = (count: number) =>
    Bun.write(
      path,
      lines
        .slice(0, count)
        .map((line) => `${json(line)}\n`)
        .join(''),
    )
  await written(2)
  const before = await readAll(path)
  expect(before.facts.title).toBeNull()
  expect(json(before.resume)).not.toContain('Own')
  await written(3)
  expect((await readAll(path, before.checkpoint)).facts.title).toBe('Own')
  lines.push({ type: 'summary', summary: 'Newer', leafUuid: 'first' })
  await written(4)
  expect((await readAll(path, before.checkpoint)).facts.title).toBe('Newer')
})

test('reading continues from a checkpoint of an older version', async () => {
  const path = join(folder, 'older.jsonl')
  await Bun.write(path, `${json(user('one'))}\n`)
  const { checkpoint } = await readAll(path)
  const { names: _, ...older } = { names: [], ...checkpoint.state }
  await Bun.write(
    path,
    `${json(user('one'))}\n${json(assistantText('two', {}, { uuid: 'two' }))}\n${json({ type: 'summary', summary: 'Own', leafUuid: 'two' })}\n`,
  )
  expect((await readAll(path, { ...checkpoint, state: older })).facts.title).toBe('Own')
})

test('two objects on one line are both read', async () => {
  const glued = `${json(user('one } { "x', { uuid: 'one' }))}${json(assistantText('answer'))}{"type":"summary","summary":"T","leafUuid":"one"}\n${json(user('two'))}\n`
  const { items, facts, unreadable } = await readText(glued)
  expect(outline(items).map(([, text]) => text)).toEqual(['one } { "x', 'answer', 'two'])
  expect(facts.title).toBe('T')
  expect(unreadable).toBe(0)
})

test('a line cut off by a crash is lost, but not the line after it', async () => {
  const torn = json(assistantText('lost, with an {"inner":{"type":"user"}} inside')).slice(0, -9)
  const { items, unreadable } = await readText(
    `${json(user('one'))}\n${torn}${json(user('two'))}\n\0\0\0${json(assistantText('three'))}\nnot json\n[1]\n7\n`,
  )
  expect(outline(items).map(([, text]) => text)).toEqual(['one', '', 'two', 'three'])
  expect(unreadable).toBe(4)
})

test('an incomplete last line waits until it is complete', async () => {
  const path = join(folder, 'growing.jsonl')
  const whole = `${json(user('one'))}\n${json(assistantText('eins, zwei, drei 🎉'))}\n`
  const half = Buffer.from(whole).subarray(0, -12)
  await Bun.write(path, half)
  const first = await readAll(path)
  expect(outline(first.items)).toEqual([['prompt', 'one']])
  expect(first.unreadable).toBe(0)
  expect(first.checkpoint.offset).toBe(whole.indexOf('\n') + 1)
  await Bun.write(path, whole)
  expect(outline((await readAll(path, first.checkpoint)).items)).toEqual([['answer, so far', 'eins, zwei, drei 🎉']])
})

test('a complete last line counts even without its newline', async () => {
  const path = join(folder, 'no-newline.jsonl')
  await Bun.write(path, json(user('one')))
  const first = await readAll(path)
  expect(outline(first.items)).toEqual([['prompt', 'one']])
  await Bun.write(path, `${json(user('one'))}\n${json(user('two'))}\n`)
  expect(outline((await readAll(path, first.checkpoint)).items)).toEqual([
    ['answer', ''],
    ['prompt', 'two'],
  ])
})

test('reading a growing file in steps gives the same as reading it at once', async () => {
  const random = seeded(20261115)
  const texts = await Promise.all(
    readdirSync(FIXTURES)
      .sort()
      .map((name) => Bun.file(join(FIXTURES, name)).bytes()),
  )
  texts.push(Buffer.from(`${json(user('a'))}${json(assistantText('b'))}\n${json(user('c ü 🎉'))}\r\n\n${json(user('/x'))}\n`))
  for (const bytes of texts) {
    const path = join(folder, 'steps.jsonl')
    await Bun.write(path, bytes)
    const atOnce = await readAll(path)
    for (let round = 0; round < 5; round++) {
      const items: TranscriptItem[] = []
      let last: TranscriptItem[] = []
      let from: Checkpoint | null = null
      for (let size = 0; size < bytes.length; ) {
        size = Math.min(bytes.length, size + 1 + Math.floor(random() ** 3 * bytes.length * 0.4))
        await Bun.write(path, bytes.subarray(0, size))
        const read = await readAll(path, from)
        items.push(...read.items.filter((item) => !item.provisional))
        last = read.items.filter((item) => item.provisional)
        // A checkpoint is stored as JSON between two reads.
        from = JSON.parse(JSON.stringify(read.checkpoint))
      }
      expect([...items, ...last]).toEqual(atOnce.items)
      expect(from?.offset).toBe(atOnce.checkpoint.offset)
    }
  }
})

test('a long file comes in batches, each with a checkpoint', async () => {
  const path = join(folder, 'long.jsonl')
  const lines = Array.from({ length: 300 }, (_, i) => [user(`prompt ${i}`), assistantText('x'.repeat(5_000))]).flat()
  await Bun.write(path, `${lines.map(json).join('\n')}\n`)
  const batches = await Array.fromAsync(readTranscript(path, null))
  expect(batches.length).toBeGreaterThan(4)
  expect(batches.reduce((sum, batch) => sum + batch.bytes, 0)).toBe(Bun.file(path).size)
  const middle = batches[2]?.checkpoint ?? null
  const rest = await readAll(path, middle)
  expect(rest.items).toEqual(batches.slice(3).flatMap((batch) => batch.items))
})

test('a packed transcript is read like a plain one, and an incomplete last line is lost', async () => {
  const plain = await Bun.file(join(FIXTURES, 'with-subagents.jsonl')).bytes()
  const path = join(folder, 'packed.jsonl.gz')
  await Bun.write(path, Bun.gzipSync(plain))
  const packed = await readAll(path)
  expect(outline(packed.items)).toEqual(outline((await readAll(join(FIXTURES, 'with-subagents.jsonl'))).items))
  expect(packed.unreadable).toBe(0)
  await Bun.write(path, Bun.gzipSync(plain.slice(0, -50)))
  expect((await readAll(path)).unreadable).toBe(1)
  await Bun.write(path, 'not packed at all')
  await expect(readAll(path)).rejects.toThrow(`could not read the transcript ${path}`)
})

test('a line that is too long is skipped and counted', async () => {
  const path = join(folder, 'endless.jsonl')
  await Bun.write(
    path,
    `${json(user('one'))}\n{"type":"progress","data":"${'x'.repeat(65 * 1024 * 1024)}"}\n${json(assistantText('two'))}\n`,
  )
  const { items, unreadable, checkpoint } = await readAll(path)
  expect(outline(items).map(([, text]) => text)).toEqual(['one', 'two'])
  expect(unreadable).toBe(1)
  expect(checkpoint.offset).toBe(Bun.file(path).size)
  rmSync(path)
})

test('a missing file gives nothing, and a file that became shorter is read from its start', async () => {
  expect(await Array.fromAsync(readTranscript(join(folder, 'gone.jsonl'), null))).toEqual([])
  const path = join(folder, 'shorter.jsonl')
  await Bun.write(path, `${json(user('one'))}\n${json(user('two'))}\n`)
  const { checkpoint } = await readAll(path)
  await Bun.write(path, `${json(user('new'))}\n`)
  expect(outline((await readAll(path, checkpoint)).items)).toEqual([['prompt', 'new']])
})

test('lines of any shape are handled', async () => {
  const odd = [
    { type: 'user' },
    { type: 'user', message: null },
    { type: 'user', message: { content: 7 } },
    { type: 'user', message: { content: [null, 7, { type: 'tool_result' }, { type: 'tool_result', tool_use_id: '__proto__' }] } },
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use' }, { type: 'tool_use', id: '__proto__', name: 'Bash' }, { type: 'text', text: 7 }] },
    },
    { type: 'attachment', attachment: 'x' },
    { type: 'user', sessionId: 'a/b', timestamp: 'yesterday', uuid: 7, message: { content: 'kept' } },
  ]
  const { items, unreadable } = await readLines(odd)
  expect(items.at(-1)).toMatchObject({ uuid: null, event: { text: 'kept', session: expect.stringMatching(/^lines-/), at: 0 } })
  expect(unreadable).toBe(0)
})

test('the transcripts of subagents are found beside their session’s transcript', async () => {
  const path = join(folder, 'parent.jsonl')
  expect(await subagentTranscripts(path)).toEqual([])
  const subagents = join(folder, 'parent', 'subagents')
  mkdirSync(join(subagents, 'workflows'), { recursive: true })
  for (const name of ['agent-b.jsonl', 'agent-a.jsonl', 'agent-a.meta.json', 'agent-acompact-1.jsonl', 'workflows/agent-c.jsonl']) {
    await Bun.write(join(subagents, name), '')
  }
  expect(await subagentTranscripts(path)).toEqual(
    ['agent-a.jsonl', 'agent-b.jsonl', 'workflows/agent-c.jsonl'].map((name) => join(subagents, name)),
  )
})

test('the first lines show which agent wrote a file', () => {
  expect(transcriptFormat('{"timestamp":"2026-06-18T00:57:05.559Z","type":"session_meta","payload":{"id":"x","base_instruct')).toBe('codex')
  expect(transcriptFormat('{"type":"session.start","data":{"sessionId":"x","producer":"copilot-agent"')).toBe('copilot')
  expect(transcriptFormat('{"type":"summary","summary":"T","leafUuid":"x"}\n')).toBe('claude-code')
  expect(transcriptFormat('\n{"type":"mode","mode":"normal","sessionId":"x"}')).toBe('claude-code')
  expect(transcriptFormat(json(user('what is "type":"session_meta"?')))).toBe('claude-code')
  for (const text of ['', 'hello', '{"type":"x"}', '[]']) expect(transcriptFormat(text)).toBeNull()
})

type Listed = { file: string; format: string; prompts: number; tool_uses: number }
const real: Listed[] = existsSync(REAL) ? await Bun.file(join(REAL, 'MANIFEST.json')).json() : []

test.skipIf(real.length === 0)(
  'real sessions (skipped where the shared transcripts are absent) are recognised by their format',
  async () => {
    for (const { file, format } of real) {
      expect(transcriptFormat((await realText(file)).slice(0, 4_096))).toBe(format.replace('-cli', '') as AgentName)
    }
  },
)

test.skipIf(real.length === 0)(
  'real sessions (skipped where the shared transcripts are absent) lose no prompt and no tool use',
  async () => {
    const listed = real.filter(({ format }) => format === 'claude-code')
    expect(listed).toHaveLength(54)
    for (const { file, prompts, tool_uses } of listed) {
      const { items, unreadable } = await readAll(join(REAL, `${file}.gz`))
      const count = await independentCount(file)
      const person = items.filter((item) => item.event.kind === 'prompt-submitted')
      const used = items.filter((item) => item.event.kind === 'tool-used')
      // The list counts every line in the person's name, and every tool call, even without a result.
      expect({ file, unreadable, prompts: person.length + count.notPrompts - count.queued, used: used.length + count.unanswered }).toEqual({
        file,
        unreadable: 0,
        prompts,
        used: tool_uses,
      })
    }
  },
)

/** The three lines of the real files that contain a second object. */
const GLUED = /\}\{"(?:type":"summary|type":"file-history-snapshot)"/

/** Counts line by line, without the reader's code, what the list calls a prompt and the reader does not. */
async function independentCount(file: string): Promise<{ notPrompts: number; queued: number; unanswered: number }> {
  const text = await realText(file)
  const own: string[] = []
  const called = new Set<string>()
  const answered = new Set<string>()
  for (const line of text.split('\n').filter((one) => /"type":"(?:user|assistant)"/.test(one) && !GLUED.test(one))) {
    const { type, message, isMeta, isCompactSummary } = JSON.parse(line)
    const blocks: Record<string, string>[] = typeof message?.content === 'string' ? [{ text: message.content }] : (message?.content ?? [])
    for (const { type: kind, id, tool_use_id } of blocks) {
      if (kind === 'tool_use' && id) called.add(id)
      if (kind === 'tool_result' && tool_use_id) answered.add(tool_use_id)
    }
    const words = blocks.find((block) => block.text)?.text
    if (type === 'user' && words && !isMeta) own.push(isCompactSummary ? '<local-command-stdout>' : words)
  }
  const isOutput = (words = '') => words.startsWith('<local-command-stdout>')
  const notPrompts = own.filter(
    (words, i) => isOutput(words) || /^(?:\[Request interrupted|<bash-)/.test(words) || (/^<command-/.test(words) && isOutput(own[i + 1])),
  )
  const queued = text.match(/"type":"queued_command"/g)?.length ?? 0
  return { notPrompts: notPrompts.length, queued, unanswered: called.difference(answered).size }
}

async function realText(file: string): Promise<string> {
  return new TextDecoder().decode(Bun.gunzipSync(await Bun.file(join(REAL, `${file}.gz`)).bytes()))
}

/** All items of a transcript, and the last batch. */
async function readAll(path: string, from: Checkpoint | null = null): Promise<TranscriptBatch> {
  const batches = await Array.fromAsync(readTranscript(path, from))
  const last = batches.at(-1)
  if (!last) throw new Error(`${path} gave no batch`)
  return { ...last, items: batches.flatMap((batch) => batch.items) }
}

const readLines = (lines: object[]) => readText(lines.map((line) => `${json(line)}\n`).join(''))

async function readText(text: string): Promise<TranscriptBatch> {
  const path = join(folder, `lines-${next++}.jsonl`)
  await Bun.write(path, text)
  return readAll(path)
}

/** Each event as kind and text, to compare whole sessions. */
function outline(items: TranscriptItem[]): string[][] {
  return items.map(({ event, provisional }) => {
    const [what, text] = inShort(event)
    return [provisional ? `${what}, so far` : what, text]
  })
}

function inShort(event: AgentEvent): [string, string] {
  switch (event.kind) {
    case 'prompt-submitted':
      return event.origin === 'person' ? ['prompt', event.text] : ['notice', noticeText(event.text).replace(/\s+/g, ' ').trim()]
    case 'tool-used':
      return [event.error === null ? event.tool : `${event.tool} failed`, event.toolUseId ?? '']
    case 'turn-ended':
      return ['answer', event.answer ?? '']
    case 'compacted':
      return ['compacted', compactSummary(event.summary)]
    default:
      return [event.kind, '']
  }
}

let next = 0
const json = (line: object) => JSON.stringify(line)
const entry = (type: string, fields: object): object => ({
  type,
  uuid: `u${next++}`,
  sessionId: 's',
  timestamp: '2026-11-15T12:00:00.000Z',
  ...fields,
})
const user = (content: unknown, fields = {}) => entry('user', { message: { role: 'user', content }, ...fields })
const result = (id: string, fields = {}) => user([{ type: 'tool_result', tool_use_id: id, content: 'ok' }], fields)
const assistant = (block: object, message = {}, fields = {}) =>
  entry('assistant', { message: { id: `m${next++}`, content: [block], ...message }, ...fields })
const assistantText = (text: string, message = {}, fields = {}) => assistant({ type: 'text', text }, message, fields)
const toolUse = (id: string, message = {}) => assistant({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }, message)

/** The same numbers in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
