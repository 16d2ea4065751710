import { distillPlain } from '../../src/capture/plain/plain.ts'
import type { DistillerOutput, OpenFailure } from '../../src/core/memory.ts'
import { STORIES } from './stories/stories.ts'
import { turnsOf } from './turns.ts'

/*
 * The memories that the plain distiller makes from recorded sessions, as readable text. A change that makes a memory worse shows up
 * as a worse sentence in the diff. `bin/with-bun test/golden/update.ts` rewrites the files; read the diff before you commit it.
 */

/** Recordings of the real client in this repository. */
const FIXTURES = ['print-session-resumed', 'interactive-session', 'with-subagents']

/** Stories played with the real client and recorded by `record.ts`. */
const RECORDED = STORIES.map(({ name }) => name)

/** Public sessions outside of the repository. Their tests are skipped on machines that do not have them. */
const SESSIONS = [
  'FSM1+cipher-box__9e4910ab-95a9-4a30-a85e-4677017bfaf0',
  'JanDeDobbeleer+oh-my-posh__63ef6e43-24d7-411b-99ff-ffef458effec',
  'JanDeDobbeleer+oh-my-posh__69d8706c-d098-4239-8a99-f89c153822c3',
  'PackmindHub+context-evaluator__3c794a22-3def-441a-affd-b7ff986fb3bf',
  'PackmindHub+context-evaluator__85ec650c-1911-4729-b965-12859c513c01',
  'entireio+cli__2026-01-12-21a2e002-8b63-45db-8e0d-1',
  'entireio+cli__2026-01-20-20b81bf8-77cd-4205-8ac9-7',
  'entireio+cli__2026-01-27-a2b25ca9-1cbb-41d7-a3b1-8',
]

export type Golden = { name: string; transcript: string; expected: string; isShared: boolean }

export const GOLDEN: Golden[] = [
  ...FIXTURES.map((name) => golden(name, `../fixtures/transcripts/${name}.jsonl`, false)),
  ...RECORDED.map((name) => golden(name, `../fixtures/recorded/${name}.jsonl`, false)),
  ...SESSIONS.map((name) =>
    golden(
      name.replace(/^[^+]*\+([^_]+)__(?:\d{4}-\d\d-\d\d-)?(\w{8}).*$/, '$1-$2'),
      `../../../shared/eval/transcripts/${name}.jsonl.gz`,
      true,
    ),
  ),
]

function golden(name: string, transcript: string, isShared: boolean): Golden {
  const at = (path: string) => Bun.fileURLToPath(new URL(path, import.meta.url))
  return { name, transcript: at(transcript), expected: at(`./plain/${name}.md`), isShared }
}

/** Distills a session turn by turn. Each turn gets the open failures of the turn before. */
export async function render(transcript: string): Promise<string> {
  let openFailures: OpenFailure[] = []
  let title: string | null = null
  const parts: string[] = []
  for (const turn of await turnsOf(transcript)) {
    const output = distillPlain({ ...turn, openFailures })
    openFailures = output.openFailures
    title ??= output.title
    if (output.observations.length > 0 || output.summary) parts.push(renderTurn(turn.promptNumber, output))
  }
  return withoutHomes([`# ${title ?? '(no title)'}`, ...parts].join('\n\n').concat('\n'))
}

function renderTurn(number: number, { observations, summary, openFailures }: DistillerOutput): string {
  const rows = observations.flatMap((o) => [
    `- **${o.type}** ${o.title}`,
    ...(o.subtitle ? [`  ${o.subtitle}`] : []),
    ...(o.narrative ? [`  > ${cut(o.narrative, 160)}`] : []),
    ...o.facts.map((fact) => `  - ${cut(fact, 160)}`),
  ])
  const fields = Object.entries(summary ?? {}).flatMap(([field, text]) => (text ? [`${field}: ${cut(text, 160)}`] : []))
  const open = openFailures.map((failure) => `open: ${failure.command}`)
  return [`## Turn ${number}`, ...rows, '', ...fields, ...open].join('\n')
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}

/** Hides the home folder of the machine on which a session was recorded. */
function withoutHomes(text: string): string {
  return text.replace(/\/(?:Users|home)\/[\w-]+/g, '~')
}
