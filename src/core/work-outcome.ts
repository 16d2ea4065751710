/** The outcome of the work that a memory belongs to. */
export type WorkOutcome = {
  /** The id of the prompt whose answer is the result: P9. */
  id: string
  /** What that answer concludes, in its own words. */
  text: string
  /** Whether the memory is itself the result, belongs to the same work, was replaced by newer work, or only one of its values was. */
  of: 'this turn' | 'this work' | 'newer work' | 'newer value'
  /** The id of the result that this one replaced; null if it replaced none. */
  replaced: string | null
}

/** An outcome as one sentence next to its memory. */
export function describeOutcome({ id, text, of, replaced }: WorkOutcome): string {
  switch (of) {
    case 'this turn':
      return `This replaced ${replaced}.`
    case 'this work':
      return `Outcome of this work (${id}${replaced ? `, replaced ${replaced}` : ''}): ${text}`
    case 'newer value':
      return `Changed later (${id}): ${text}`
    case 'newer work':
      return `Replaced by ${id}: ${text}`
  }
}

/** The outcomes of a list of memories, a sentence or nothing for each. One that a memory above has too is only named. */
export function describeOutcomes(outcomes: (WorkOutcome | null)[]): string[] {
  return outcomes.map((outcome, place) => {
    if (!outcome) return ''
    const isRepeated =
      outcome.of !== 'this turn' && outcomes.slice(0, place).some((other) => other?.id === outcome.id && other.of === outcome.of)
    return isRepeated ? `${REPEATED[outcome.of]} ${outcome.id}, above.` : describeOutcome(outcome)
  })
}

const REPEATED = {
  'this turn': 'This is',
  'this work': 'Outcome of this work:',
  'newer work': 'Replaced by',
  'newer value': 'Changed later:',
} satisfies Record<WorkOutcome['of'], string>
