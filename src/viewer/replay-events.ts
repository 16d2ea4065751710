import type { Observation, Prompt, Summary } from '../core/memory.ts'
import type { ClippedUse, RecordedInjection, SessionContents } from '../wire/view.ts'

/** One thing that happened in a session, as a replay shows it. */
export type ReplayEvent = { key: string; at: number; label: string; title: string } & (
  | { kind: 'prompt'; prompt: Prompt }
  | { kind: 'answer'; prompt: Prompt }
  | { kind: 'tool use'; use: ClippedUse }
  | { kind: 'observation'; observation: Observation }
  | { kind: 'summary'; summary: Summary }
  | { kind: 'told'; injection: RecordedInjection }
)

/** Things of the same instant stand in the order in which they follow from each other. */
const KIND_ORDER = ['prompt', 'told', 'tool use', 'observation', 'answer', 'summary']

/** A session in the order it happened. */
export function listReplayEvents(whole: SessionContents): ReplayEvent[] {
  const moments: ReplayEvent[] = [
    ...whole.prompts.map(
      (prompt): ReplayEvent => ({
        kind: 'prompt',
        key: `prompt:${prompt.id}`,
        at: prompt.at,
        label: prompt.origin === 'person' ? 'asked' : 'notice',
        title: firstLineOf(prompt.text),
        prompt,
      }),
    ),
    ...whole.prompts.flatMap((prompt): ReplayEvent[] =>
      prompt.answer
        ? [
            {
              kind: 'answer',
              key: `answer:${prompt.id}`,
              at: prompt.answeredAt ?? prompt.at,
              label: 'answered',
              title: firstLineOf(prompt.answer),
              prompt,
            },
          ]
        : [],
    ),
    ...whole.toolUses.map(
      (use): ReplayEvent => ({
        kind: 'tool use',
        key: `use:${use.id}`,
        at: use.at,
        label: use.error ? 'failed' : 'tool',
        title: `${use.tool} ${summarizeToolInput(use.input)}`,
        use,
      }),
    ),
    ...whole.observations.map(
      (observation): ReplayEvent => ({
        kind: 'observation',
        key: `observation:${observation.id}`,
        at: observation.at,
        label: observation.type,
        title: observation.title,
        observation,
      }),
    ),
    ...whole.summaries.map(
      (summary): ReplayEvent => ({
        kind: 'summary',
        key: `summary:${summary.id}`,
        at: summary.at,
        label: 'summary',
        title: firstLineOf(summary.request || summary.completed || summary.learned),
        summary,
      }),
    ),
    ...whole.injections.map(
      (told): ReplayEvent => ({
        kind: 'told',
        key: `told:${told.id}`,
        at: told.at,
        label: 'told',
        title: `${told.event}: ${told.items.filter(({ kind }) => kind !== 'line').length} memories, ${told.tokens} tokens`,
        injection: told,
      }),
    ),
  ]
  return moments.sort((a, b) => a.at - b.at || KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind))
}

const firstLineOf = (text: string) => text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''

/** What a tool was given, in a few words: its command, its file, its question. */
export function summarizeToolInput(input: string): string {
  const found = /"(?:command|file_path|path|pattern|query|url|description|prompt)"\s*:\s*"((?:[^"\\]|\\.){0,200})/.exec(input)?.[1]
  return (found ?? input).replace(/\\n/g, ' ').replace(/\\(.)/g, '$1').slice(0, 200)
}
