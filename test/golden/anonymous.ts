import type { TranscriptLine } from '../harness/sandbox.ts'

export type Scene = {
  /** The folder that contained the home and the project of the recording. */
  root: string
  project: string
  /** The start time to give to the session. */
  startsAt: number
}

/**
 * Makes the transcripts of a session anonymous and reproducible: keeps only the lines that our reader uses, moves paths to
 * `/home/dev/<project>`, numbers ids in the order of their appearance, and shifts times. A new recording of the same session then differs
 * only where the client behaved differently.
 */
export function anonymous(transcripts: TranscriptLine[][], scene: Scene): string[] {
  const kept = transcripts.map((lines) => lines.filter(isKept))
  const startedAt = Math.min(...kept.flat().flatMap(({ timestamp }) => (typeof timestamp === 'string' ? Date.parse(timestamp) : [])))
  const ids = new Map<string, number>()
  const numberOf = (id: string) => ids.get(id) ?? (ids.set(id, ids.size + 1).get(id) as number)
  // Names that the client generates look like ordinary words, so replace only those that some line uses as agent id or slug.
  const names = new Set(kept.flat().flatMap(({ agentId, slug }) => [agentId, slug].filter((name) => typeof name === 'string')))
  const rewrite = (line: TranscriptLine) => {
    let text = JSON.stringify(line)
    for (const [from, to] of pathReplacements(scene)) text = text.replaceAll(from, to)
    for (const name of names) text = text.replaceAll(name, (id) => `a${padded(numberOf(id), 16)}`)
    return text
      .replace(UUID, (id) => `00000000-0000-4000-8000-${padded(numberOf(id), 12)}`)
      .replace(MODEL_ID, (id, kind) => `${kind}_${padded(numberOf(id), 24)}`)
      .replace(TIMESTAMP, (timestamp) => new Date(Date.parse(timestamp) - startedAt + scene.startsAt).toISOString())
  }
  return kept.map((lines) => lines.map((line) => `${rewrite(line)}\n`).join(''))
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
const MODEL_ID = /\b(toolu|msg)_[0-9a-f]{24}\b/g
const TIMESTAMP = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** Other lines are bookkeeping of the client: requests, available tools and skills, costs. */
function isKept({ type, attachment }: TranscriptLine): boolean {
  if (type === 'attachment') return (attachment as { type?: string } | undefined)?.type === 'queued_command'
  return ['user', 'assistant', 'system', 'custom-title', 'ai-title', 'summary'].includes(type)
}

/** Paths as they occur in text, and as the slugs that the client makes from them. */
function pathReplacements({ root, project }: Scene): [string, string][] {
  const paths: [string, string][] = [
    [`${root}/project`, `/home/dev/${project}`],
    [`${root}/home`, '/home/dev'],
    [`${root}/tmp`, '/tmp'],
  ]
  const slug = (path: string) => path.replace(/[^A-Za-z0-9]/g, '-')
  return [...paths, ...paths.map(([from, to]): [string, string] => [slug(from), slug(to)])]
}

const padded = (number: number, length: number) => String(number).padStart(length, '0')
