import { distillPlain } from '../../src/capture/plain/plain.ts'
import type { DistillerOutput, OpenFailure } from '../../src/core/memory.ts'
import { STORIES } from './stories/stories.ts'
import { turnsOf } from './turns.ts'

/*
 * What the plain distiller makes of recorded sessions, as text one can read in a diff. A change that makes a memory worse shows up
 * here as a worse sentence. `bin/with-bun test/golden/update.ts` writes the files anew; read the diff before keeping it.
 */

/** Recordings of the real client that live in this repository. */
const FIXTURES = ['print-session-resumed', 'interactive-session', 'with-subagents']

/** Stories the real client was played; `record.ts` makes them. */
const RECORDED = STORIES.map(({ name }) => name)

/** Public sessions kept outside of the repository; whoever does not have them skips these. */
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

/** The session distilled turn by turn, each turn given what the one before left open. */
export async function render(transcript: string): Promise<string> {
  let openFailures: OpenFailure[] = []
  let title: string | null = null
  const parts: string[] = []
  for (const turn of await turnsOf(transcript)) {
    const told = distillPlain({ ...turn, openFailures })
    openFailures = told.openFailures
    title ??= told.title
    if (told.observations.length > 0 || told.summary) parts.push(renderTurn(turn.promptNumber, told))
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

/** Whose machine a session was recorded on is nobody's business here. */
function withoutHomes(text: string): string {
  return text.replace(/\/(?:Users|home)\/[\w-]+/g, '~')
}
