import { describe, expect, test } from 'bun:test'
import { AGENT_FIXTURES, type AgentFixture } from '../../test/support/agent-fixtures.ts'
import { nowhere, temporaryFolder } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import type { Action } from '../core/action.ts'
import { NotUnderstood } from '../core/event.ts'
import { ingestWithoutReply } from '../worker/intake.ts'
import { ingestTranscript } from '../worker/reconcile.ts'
import { agents, type TranscriptItem } from './agent.ts'
import { detectTranscriptFormat } from './transcript-format.ts'

/** What every agent must do. Each is tested with the recording of the same session. */
describe.each(AGENT_FIXTURES.map((fixture) => [fixture.agent, fixture] as const))('%s', (name, fixture) => {
  test('understands every recorded payload', async () => {
    const agent = await agents[name]()
    for (const payload of fixture.payloads) {
      const kinds = agent.parsePayload(payload, { at: 1 }).map((event) => event.kind)
      expect([agent.eventName(payload), kinds]).not.toEqual([agent.eventName(payload), ['not-understood']])
      for (const event of agent.parsePayload(payload, { at: 1 })) expect([event.agent, event.cwd]).toEqual([name, '/home/me/project'])
    }
  })

  test('rejects what is not a payload, with a reason that quotes nothing', async () => {
    const agent = await agents[name]()
    for (const payload of [
      null,
      7,
      'text',
      [],
      {},
      { session_id: '' },
      { session_id: '../x', hook_event_name: 'Stop' },
      { hook_event_name: 7 },
    ])
      expect(() => agent.parsePayload(payload, { at: 1 })).toThrow(NotUnderstood)
    expect(agent.parsePayload({ session_id: 's', hook_event_name: 'NoSuchEvent' }, { at: 1 })).toMatchObject([{ kind: 'not-understood' }])
  })

  test('hooks and transcript of a session give the same journal, together and alone', async () => {
    const both = await journalOf(fixture, { hooks: true, transcript: true })
    expect(both).toEqual(await journalOf(fixture, { hooks: false, transcript: true }))
    expect(both.prompts).toEqual([{ text: 'Please change the greeting.', answer: 'Done: greet.txt says hello world.' }])
  })

  test('the transcript may be read before the hooks arrive', async () => {
    expect(await journalOf(fixture, { hooks: true, transcript: true, transcriptFirst: true })).toEqual(
      await journalOf(fixture, { hooks: false, transcript: true }),
    )
  })

  test('tool uses become actions with their file and exit status', async () => {
    const { uses } = await journalOf(fixture, { hooks: true, transcript: true })
    const actions = uses.map(({ action }) => action)
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'command', command: 'cat greet.txt', exitCode: 0 }))
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'command', command: 'cat missing.txt; exit 3', exitCode: 3 }))
    const edits = actions.filter((action) => action.kind === 'edit')
    expect(edits).toHaveLength(1)
    expect(edits[0]).toMatchObject({ file: expect.stringMatching(/(?:^|\/)greet\.txt$/), removed: 'hello', added: 'hello world' })
  })

  test('our own tools, and what we told the model, are not stored', async () => {
    const journal = JSON.stringify(await journalOf(fixture, { hooks: true, transcript: true }))
    expect(journal).not.toMatch(/recollect|CONTEXT_MARKER|MCP_RESULT_MARKER/)
  })

  test('reading the transcript again changes nothing', async () => {
    await using at = await someServices()
    using folder = temporaryFolder()
    const agent = await agents[name]()
    const path = fixture.writeTranscript(folder.path)
    expect(await detectTranscriptFormat(path)).toBe(name)
    const first = await ingestTranscript(at.desk, agent, path)
    expect([first.prompts, first.unreadable]).toEqual([1, 0])
    const before = await journalIn(at)
    expect(await ingestTranscript(at.desk, agent, path)).toMatchObject({ prompts: 0, toolUses: 0, unreadable: 0 })
    expect(await journalIn(at)).toEqual(before)
  })

  test('context goes where the agent reads it, and nothing is said at the end of a turn', async () => {
    const agent = await agents[name]()
    const events = [...new Set(fixture.payloads.map((payload) => agent.eventName(payload) ?? ''))]
    const replies = events.map((event) => [event, JSON.stringify(agent.hostReply(event, { context: `THE CONTEXT ${'x'.repeat(20_000)}` }))])
    const withContext = replies.filter(([, reply]) => reply?.includes('THE CONTEXT')).map(([event]) => event)
    expect(withContext).toEqual(EVENTS_WITH_CONTEXT[name] ?? ['SessionStart', 'UserPromptSubmit', 'PostToolUse'])
    for (const [, reply = ''] of replies) expect(reply.length).toBeLessThan(9_300)
    for (const event of withContext) {
      const reply = agent.hostReply(event ?? '', { context: 'hi' })
      const isAtTop = name === 'copilot' || name === 'opencode'
      expect(reply).toEqual(
        isAtTop ? { additionalContext: 'hi' } : { hookSpecificOutput: { hookEventName: event, additionalContext: 'hi' } },
      )
    }
    for (const event of events) expect(agent.hostReply(event, {})).toEqual({})
  })
})

const EVENTS_WITH_CONTEXT: Record<string, string[]> = {
  'claude-code': ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure'],
  gemini: ['SessionStart', 'BeforeAgent', 'AfterTool'],
}

type Journal = { prompts: { text: string; answer: string | null }[]; uses: { tool: string; failed: boolean; action: Action }[] }
type Parts = { hooks: boolean; transcript: boolean; transcriptFirst?: boolean }

/** The journal after a recorded session arrives through hooks, through its transcript, or both. */
async function journalOf(fixture: AgentFixture, { hooks, transcript, transcriptFirst }: Parts): Promise<Journal> {
  await using at = await someServices()
  using folder = temporaryFolder()
  const agent = await agents[fixture.agent]()
  const path = fixture.writeTranscript(folder.path)
  const readTranscript = () => ingestTranscript(at.desk, agent, path)
  const times = await toolTimes(fixture, folder.path)
  if (transcriptFirst) await readTranscript()
  for (const payload of hooks ? fixture.payloads : []) {
    const sent = { agent, payload: { ...payload, ...('transcript_path' in payload ? { transcript_path: path } : {}) }, context: nowhere }
    await ingestWithoutReply(at.desk, { ...sent, delivery: crypto.randomUUID(), at: times(payload) })
  }
  if (transcript && !transcriptFirst) await readTranscript()
  return journalIn(at)
}

/** When each payload was sent. Some name their time; the others follow the transcript, which the client writes at the same time. */
async function toolTimes(fixture: AgentFixture, folder: string): Promise<(payload: Record<string, unknown>) => number> {
  const agent = await agents[fixture.agent]()
  const items: TranscriptItem[] = []
  for await (const batch of agent.readTranscript(fixture.writeTranscript(folder), null)) items.push(...batch.items)
  const start = Math.min(...items.map(({ event }) => event.at))
  const end = Math.max(...items.map(({ event }) => event.at))
  return (payload) => {
    if (typeof payload.timestamp === 'string') return Date.parse(payload.timestamp)
    const used = items.find(({ event }) => event.kind === 'tool-used' && event.toolUseId === payload.tool_use_id)
    return used?.event.at ?? (/Stop|End/.test(String(payload.hook_event_name)) ? end + 10 : start - 10)
  }
}

async function journalIn({ store }: Pick<Awaited<ReturnType<typeof someServices>>, 'store'>): Promise<Journal> {
  const [session] = await store.sessions.recent(null, 10)
  if (!session) throw new Error('no session was stored')
  const agent = await agents[session.agent]()
  const uses = await store.toolUses.ofSession(session.id, 100)
  const trimmed = (action: Action) => ('output' in action ? { ...action, output: action.output.trim() } : action)
  return {
    prompts: (await store.prompts.ofSession(session.id)).map(({ text, answer }) => ({ text, answer })),
    uses: uses.map((use) => ({ tool: use.tool, failed: use.error !== null, action: trimmed(agent.readAction(use)) })),
  }
}
