import { entitiesIn } from '../core/entities.ts'
import type { Note } from '../core/note.ts'
import { looksLikeInstruction } from '../core/untrusted-text.ts'
import type { ProposedMemory } from './consolidation-answer.ts'

/**
 * Why a memory cannot be taken from its sources; null when it can. Every claim names notes that were in the question, and no number, file,
 * symbol or address stands in it that stands in none of them: words may be put anew, facts may not.
 */
export function whyUngrounded(memory: ProposedMemory, notes: Map<string, Note>): string | null {
  const cited = new Set<string>()
  for (const claim of memory.claims) {
    const unknown = claim.sources.find((source) => !notes.has(source))
    if (unknown) return `a claim names the source "${unknown.slice(0, 40)}", which was not in the question`
    for (const source of claim.sources) cited.add(source)
    const strange = findUnsupported(claim.text, textOf(claim.sources, notes))
    if (strange) return `a claim speaks of "${strange}", and none of its sources does`
  }
  const strange = findUnsupported(memory.title, textOf([...cited], notes))
  if (strange) return `the title "${memory.title.slice(0, 60)}" speaks of "${strange}", and none of its sources does`
  const order = [memory.title, ...memory.claims.map((claim) => claim.text)].find(looksLikeInstruction)
  return order ? `it reads like an order to a model ("${order.slice(0, 60)}")` : null
}

const textOf = (sources: string[], notes: Map<string, Note>) =>
  sources
    .map((source) => {
      const note = notes.get(source)
      return note ? `${note.title}\n${note.namespace} ${note.tags.join(' ')}\n${note.body}` : ''
    })
    .join('\n')
    .toLowerCase()

/** A number or a name that a text holds and its source does not. */
function findUnsupported(text: string, source: string): string | null {
  const numbers = text.match(/\d+(?:[.,:]\d+)*/g) ?? []
  const names = entitiesIn(text).map(({ name }) => name)
  return [...numbers, ...names].find((part) => !source.includes(part.toLowerCase())) ?? null
}
