import type { TranscriptLine } from '../harness/sandbox.ts'

export type Scene = {
  /** The folder that held the home and the project of the recording. */
  root: string
  project: string
  /** When the session shall have begun. */
  startsAt: number
}

/**
 * The transcripts of one session as anybody's: the lines our reader looks at, in `/home/dev/<project>`, with ids counted in the
 * order they appear and with times as far apart as they were. Recording a session again changes only what really differs.
 */
export function anonymous(transcripts: TranscriptLine[][], scene: Scene): string[] {
  const kept = transcripts.map((lines) => lines.filter(isKept))
  const began = Math.min(...kept.flat().flatMap(({ timestamp }) => (typeof timestamp === 'string' ? Date.parse(timestamp) : [])))
  const ids = new Map<string, number>()
  const numberOf = (id: string) => ids.get(id) ?? (ids.set(id, ids.size + 1).get(id) as number)
  // Names the client makes up look like any other word: only those that a line gives as an agent's or a plan's are looked for.
  const names = new Set(kept.flat().flatMap(({ agentId, slug }) => [agentId, slug].filter((name) => typeof name === 'string')))
  const rewrite = (line: TranscriptLine) => {
    let text = JSON.stringify(line)
    for (const [from, to] of placesOf(scene)) text = text.replaceAll(from, to)
    for (const name of names) text = text.replaceAll(name, (id) => `a${padded(numberOf(id), 16)}`)
    return text
      .replace(UUID, (id) => `00000000-0000-4000-8000-${padded(numberOf(id), 12)}`)
      .replace(MODEL_ID, (id, kind) => `${kind}_${padded(numberOf(id), 24)}`)
      .replace(MOMENT, (moment) => new Date(Date.parse(moment) - began + scene.startsAt).toISOString())
  }
  return kept.map((lines) => lines.map((line) => `${rewrite(line)}\n`).join(''))
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
const MODEL_ID = /\b(toolu|msg)_[0-9a-f]{24}\b/g
const MOMENT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** The rest is the client's book-keeping: what it sent, which tools and skills there were, how much it cost. */
function isKept({ type, attachment }: TranscriptLine): boolean {
  if (type === 'attachment') return (attachment as { type?: string } | undefined)?.type === 'queued_command'
  return ['user', 'assistant', 'system', 'custom-title', 'ai-title', 'summary'].includes(type)
}

/** Paths as they stand in text, and as the client makes one word of them. */
function placesOf({ root, project }: Scene): [string, string][] {
  const places: [string, string][] = [
    [`${root}/project`, `/home/dev/${project}`],
    [`${root}/home`, '/home/dev'],
    [`${root}/tmp`, '/tmp'],
  ]
  const slug = (path: string) => path.replace(/[^A-Za-z0-9]/g, '-')
  return [...places, ...places.map(([from, to]): [string, string] => [slug(from), slug(to)])]
}

const padded = (number: number, length: number) => String(number).padStart(length, '0')
