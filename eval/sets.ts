import { asProjectKey } from '../src/core/ids.ts'
import { newScore, type Result } from '../src/evaluate/evaluate.ts'
import { type Meaning, search } from '../src/retrieval/search.ts'
import type { Store } from '../src/store/store.ts'
import { type CommitRecall, commitRecall, type LocomoConversation, locomo } from './data.ts'
import { type Fed, filledStore, tellAll } from './ingest.ts'

/** Prepares what finds by meaning for a filled store; null where the words decide alone. */
export type Prepare = (store: Store) => Promise<Meaning | null>

/** LoCoMo, answerable questions: which turn answers. A turn is a prompt, a conversation a project. */
export async function scoreLocomo(prepare: Prepare, share = 1): Promise<Result> {
  const score = newScore()
  for (const [index, conversation] of locomo().entries()) {
    const project = asProjectKey(`locomo-${index}`)
    using filled = await filledStore(turnsOf(conversation, project))
    const meaning = await prepare(filled.store)
    const unitOf = await promptIds(
      filled.store,
      conversation.units.map((unit) => unit.id),
    )
    const asked = conversation.questions.filter((q) => q.category <= 4 && q.evidence.length > 0)
    for (const question of asked.filter((_, i) => i % Math.round(1 / share) === 0)) {
      const hits = await search(filled.store, question.text, { project, kinds: ['prompt'], limit: 10 }, meaning)
      score.add(
        hits.map((hit) => unitOf.get(hit.id) ?? ''),
        new Set(question.evidence),
      )
    }
  }
  return score.result()
}

/** CommitRecall: which session made the commit. Sessions are ranked by their best hit, whatever kind of memory that is. */
export async function scoreCommitRecall(prepare: Prepare, share = 1): Promise<Result> {
  const data = commitRecall()
  const project = asProjectKey('commit-recall')
  using filled = await filledStore(exchangesOf(data, project))
  await tellAll(filled.store)
  const meaning = await prepare(filled.store)
  const sessions = new Map<number, string>()
  for (const session of filled.store.sessions.each()) sessions.set(session.id, session.contentSessionId)
  const score = newScore()
  for (const question of data.questions.filter((_, i) => i % Math.round(1 / share) === 0)) {
    const hits = await search(filled.store, question.query, { project, limit: 150 }, meaning)
    score.add([...new Set(hits.map((hit) => sessions.get(hit.sessionId ?? -1) ?? ''))], new Set(question.gold))
  }
  return score.result()
}

function* turnsOf(conversation: LocomoConversation, project: ReturnType<typeof asProjectKey>): Generator<Fed> {
  for (const [index, unit] of conversation.units.entries()) {
    const event = { kind: 'prompt-submitted', promptId: unit.id, origin: 'person', text: unit.text } as const
    yield { session: `session-${unit.session}`, project, at: unit.session * 1e9 + index * 1000, event }
  }
}

export function* exchangesOf(data: CommitRecall, project: ReturnType<typeof asProjectKey>): Generator<Fed> {
  for (const session of data.sessions) {
    for (const [index, exchange] of session.exchanges.entries()) {
      const at = Date.parse(session.started) + index * 60_000
      const promptId = `${session.id}-${index}`
      if (!exchange.prompt.trim()) continue
      yield { session: session.id, project, at, event: { kind: 'prompt-submitted', promptId, origin: 'person', text: exchange.prompt } }
      for (const [number, text] of exchange.tools.entries()) {
        const use = toolUseOf(text)
        if (use) yield { session: session.id, project, at: at + number, event: { ...use, promptId, toolUseId: `${promptId}-${number}` } }
      }
      // As the client tells it: a turn ends with what was said last.
      const answer = exchange.answer.findLast((text) => text.trim()) ?? ''
      yield { session: session.id, project, at: at + 50_000, event: { kind: 'turn-ended', promptId, answer } }
    }
  }
}

/** The set has a tool use as one line of 300 characters at most: its name and the values of its input, without what it answered. */
function toolUseOf(line: string) {
  const [, tool = '', rest = ''] = /^(\w+) ([\s\S]*)$/.exec(line) ?? []
  const input = inputOf(tool, rest)
  return input && ({ kind: 'tool-used', tool, input, output: '', error: null, interrupted: false, agentId: null } as const)
}

function inputOf(tool: string, rest: string): Record<string, string> | null {
  const [, path = '', after = ''] = /(\/\S+)\s?([\s\S]*)$/.exec(rest) ?? []
  switch (tool) {
    case 'Read':
      return { file_path: path }
    case 'Write':
      return { file_path: path, content: after }
    case 'Edit':
      // Where the old text ends and the new begins, the line does not say.
      return { file_path: path, old_string: '', new_string: after }
    case 'Bash':
      return { command: rest }
    case 'Grep':
      return { pattern: rest.split(' ')[0] ?? '', path }
    case 'Glob':
      return { pattern: rest }
    case 'Task':
      return { description: rest.slice(0, 60), prompt: rest }
    case 'ExitPlanMode':
      return { plan: rest }
    default:
      return null
  }
}

/** Which unit each stored prompt is, by the order they were fed in. */
async function promptIds(store: Store, units: string[]): Promise<Map<string, string>> {
  const ids = [...store.prompts.each(null)].map((row) => row.id).sort((a, b) => a - b)
  if (ids.length !== units.length) throw new Error(`fed ${units.length} turns and found ${ids.length}`)
  return new Map(ids.map((id, index) => [String(id), units[index] ?? '']))
}
