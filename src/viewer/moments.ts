import type { Observation, Prompt, Summary } from '../core/memory.ts'
import type { ClippedUse, Told, WholeSession } from '../wire/view.ts'

/** One thing that happened in a session, as a replay shows it. */
export type Moment = { key: string; at: number; what: string; title: string } & (
  | { kind: 'prompt'; prompt: Prompt }
  | { kind: 'answer'; prompt: Prompt }
  | { kind: 'tool use'; use: ClippedUse }
  | { kind: 'observation'; observation: Observation }
  | { kind: 'summary'; summary: Summary }
  | { kind: 'told'; told: Told }
)

/** Things of the same instant stand in the order in which they follow from each other. */
const ORDER = ['prompt', 'told', 'tool use', 'observation', 'answer', 'summary']

/** A session in the order it happened. */
export function momentsOf(whole: WholeSession): Moment[] {
  const moments: Moment[] = [
    ...whole.prompts.map(
      (prompt): Moment => ({
        kind: 'prompt',
        key: `prompt:${prompt.id}`,
        at: prompt.at,
        what: prompt.origin === 'person' ? 'asked' : 'notice',
        title: line(prompt.text),
        prompt,
      }),
    ),
    ...whole.prompts.flatMap((prompt): Moment[] =>
      prompt.answer
        ? [
            {
              kind: 'answer',
              key: `answer:${prompt.id}`,
              at: prompt.answeredAt ?? prompt.at,
              what: 'answered',
              title: line(prompt.answer),
              prompt,
            },
          ]
        : [],
    ),
    ...whole.toolUses.map(
      (use): Moment => ({
        kind: 'tool use',
        key: `use:${use.id}`,
        at: use.at,
        what: use.error ? 'failed' : 'tool',
        title: `${use.tool} ${gist(use.input)}`,
        use,
      }),
    ),
    ...whole.observations.map(
      (observation): Moment => ({
        kind: 'observation',
        key: `observation:${observation.id}`,
        at: observation.at,
        what: observation.type,
        title: observation.title,
        observation,
      }),
    ),
    ...whole.summaries.map(
      (summary): Moment => ({
        kind: 'summary',
        key: `summary:${summary.id}`,
        at: summary.at,
        what: 'summary',
        title: line(summary.request || summary.completed || summary.learned),
        summary,
      }),
    ),
    ...whole.injections.map(
      (told): Moment => ({
        kind: 'told',
        key: `told:${told.id}`,
        at: told.at,
        what: 'told',
        title: `${told.event}: ${told.items.filter(({ kind }) => kind !== 'line').length} memories, ${told.tokens} tokens`,
        told,
      }),
    ),
  ]
  return moments.sort((a, b) => a.at - b.at || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
}

const line = (text: string) => text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''

/** What a tool was given, in a few words: its command, its file, its question. */
export function gist(input: string): string {
  const found = /"(?:command|file_path|path|pattern|query|url|description|prompt)"\s*:\s*"((?:[^"\\]|\\.){0,200})/.exec(input)?.[1]
  return (found ?? input).replace(/\\n/g, ' ').replace(/\\(.)/g, '$1').slice(0, 200)
}
