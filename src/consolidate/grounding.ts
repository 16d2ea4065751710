import { entitiesIn } from '../core/entities.ts'
import type { Note } from '../core/note.ts'
import { looksLikeInstruction } from '../core/untrusted-text.ts'
import type { ProposedMemory } from './consolidation-answer.ts'

/**
 * Why a memory is not supported by its sources; null if it is. Every claim must name notes from the request, and every number, file, symbol and
 * address in it must occur in them: a model may rephrase, but not add facts.
 */
export function whyUngrounded(memory: ProposedMemory, notes: Map<string, Note>): string | null {
  const cited = new Set<string>()
  for (const claim of memory.claims) {
    const unknown = claim.sources.find((source) => !notes.has(source))
    if (unknown) return `a claim names the source "${unknown.slice(0, 40)}", which was not in the request`
    for (const source of claim.sources) cited.add(source)
    const unsupported = findUnsupported(claim.text, textOf(claim.sources, notes))
    if (unsupported) return `a claim mentions "${unsupported}", which none of its sources does`
  }
  const unsupported = findUnsupported(memory.title, textOf([...cited], notes))
  if (unsupported) return `the title "${memory.title.slice(0, 60)}" mentions "${unsupported}", which none of its sources does`
  const instruction = [memory.title, ...memory.claims.map((claim) => claim.text)].find(looksLikeInstruction)
  return instruction ? `it reads like an instruction to a model ("${instruction.slice(0, 60)}")` : null
}

const textOf = (sources: string[], notes: Map<string, Note>) =>
  sources
    .map((source) => {
      const note = notes.get(source)
      return note ? `${note.title}\n${note.namespace} ${note.tags.join(' ')}\n${note.body}` : ''
    })
    .join('\n')
    .toLowerCase()

/** A number or name in a text that does not occur in its source. */
function findUnsupported(text: string, source: string): string | null {
  const numbers = text.match(/\d+(?:[.,:]\d+)*/g) ?? []
  const names = entitiesIn(text).map(({ name }) => name)
  return [...numbers, ...names].find((part) => !source.includes(part.toLowerCase())) ?? null
}
