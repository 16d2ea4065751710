import { describeInjectionEvent } from '../core/injection-event.ts'
import type { Observation, Prompt, Summary } from '../core/memory.ts'
import type { MemoryKind } from '../core/memory-kinds.ts'
import type { RecordedInjection } from '../wire/contract/memories.ts'
import type { ClippedToolUse, SessionContents } from '../wire/contract/sessions.ts'
import type { LiveEvent } from '../wire/live-events.ts'

/** One step in the replay of a session. */
export type ReplayEvent = { key: string; at: number; label: string; title: string } & (
  | { kind: 'prompt'; prompt: Prompt }
  | { kind: 'answer'; prompt: Prompt }
  | { kind: 'tool use'; use: ClippedToolUse }
  | { kind: 'observation'; observation: Observation }
  | { kind: 'summary'; summary: Summary }
  | { kind: 'injection'; injection: RecordedInjection }
)

/** The order of events with the same timestamp. */
const KIND_ORDER = ['prompt', 'injection', 'tool use', 'observation', 'answer', 'summary']

/** Everything in a session, in the order it happened. */
export function listReplayEvents(contents: SessionContents): ReplayEvent[] {
  const events: ReplayEvent[] = [
    ...contents.prompts.map(
      (prompt): ReplayEvent => ({
        kind: 'prompt',
        key: `prompt:${prompt.id}`,
        at: prompt.at,
        label: prompt.origin === 'person' ? 'prompt' : 'notice',
        title: firstLineOf(prompt.text),
        prompt,
      }),
    ),
    ...contents.prompts.flatMap((prompt): ReplayEvent[] =>
      prompt.answer
        ? [
            {
              kind: 'answer',
              key: `answer:${prompt.id}`,
              at: prompt.answeredAt ?? prompt.at,
              label: 'answer',
              title: firstLineOf(prompt.answer),
              prompt,
            },
          ]
        : [],
    ),
    ...contents.toolUses.map(
      (use): ReplayEvent => ({
        kind: 'tool use',
        key: `use:${use.id}`,
        at: use.at,
        label: use.error ? 'failed' : 'tool',
        title: `${use.tool} ${summarizeToolInput(use.input)}`,
        use,
      }),
    ),
    ...contents.observations.map(
      (observation): ReplayEvent => ({
        kind: 'observation',
        key: `observation:${observation.id}`,
        at: observation.at,
        label: observation.type,
        title: observation.title,
        observation,
      }),
    ),
    ...contents.summaries.map(
      (summary): ReplayEvent => ({
        kind: 'summary',
        key: `summary:${summary.id}`,
        at: summary.at,
        label: 'summary',
        title: firstLineOf(summary.request || summary.completed || summary.learned),
        summary,
      }),
    ),
    ...contents.injections.map(
      (injection): ReplayEvent => ({
        kind: 'injection',
        key: `injection:${injection.id}`,
        at: injection.at,
        label: 'injection',
        title: `${describeInjectionEvent(injection.event)}: ${injection.items.filter(({ kind }) => kind !== 'line').length} memories, ${injection.tokens} tokens`,
        injection,
      }),
    ),
  ]
  return events.sort((a, b) => a.at - b.at || KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind))
}

const firstLineOf = (text: string) => text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''

/** The main field of a tool's input, such as its command, file or query. The input may be cut off, so it is not parsed as JSON. */
export function summarizeToolInput(input: string): string {
  const field = /"(?:command|file_path|path|pattern|query|url|description|prompt)"\s*:\s*"((?:[^"\\]|\\.){0,200})/.exec(input)?.[1]
  return (field ?? input).replace(/\\n/g, ' ').replace(/\\(.)/g, '$1').slice(0, 200)
}

/** By the event's own key, or for links that know only the number of a turn, `turn:4`. */
export const isSelected =
  (wanted: string) =>
  (event: ReplayEvent): boolean =>
    event.key === wanted || (event.kind === 'prompt' && wanted === `turn:${event.prompt.number}`)

/** The memory that an event shows; null for tool uses and injections, which are forgotten together with their turn. */
export function memoryOf(event: ReplayEvent): { kind: MemoryKind; id: number } | null {
  switch (event.kind) {
    case 'prompt':
    case 'answer':
      return { kind: 'prompt', id: event.prompt.id }
    case 'observation':
      return { kind: 'observation', id: event.observation.id }
    case 'summary':
      return { kind: 'summary', id: event.summary.id }
    default:
      return null
  }
}

/** The session that a live event belongs to; null for other events. */
export function sessionIdIn({ change }: LiveEvent): number | null {
  switch (change?.kind) {
    case 'session-completed':
    case 'tool-use-added':
      return change.sessionId
    case 'prompt-added':
      return change.prompt.sessionId
    case 'observation-added':
      return change.observation.sessionId
    case 'summary-added':
      return change.summary.sessionId
    default:
      return null
  }
}
