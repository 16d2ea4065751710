/**
 * `bin/with-bun eval/rules.ts`: reads the mentors' words of MemoryCode as sessions, and compares the brief of a new session with the rules
 * that hold in the end. `--show` prints every rule that is missing, every extracted one that is not in the set, and every replaced one.
 */
import { parseArguments } from '../scripts/arguments.ts'
import { asProjectKey } from '../src/core/ids.ts'
import type { Note } from '../src/core/note.ts'
import { briefFor } from '../src/inject/brief.ts'
import { someServices } from '../test/support/services.ts'
import { hasData, type MemoryCode, memoryCode, NO_DATA } from './data.ts'
import { linkReplacements } from './decisions.ts'
import { ingestInto } from './ingest.ts'

export type RuleScore = {
  /** Rules that hold, and how many of them a line of the brief states. */
  rules: number
  shown: number
  /** Replaced rules, and how many of them an unmarked line still states. */
  replaced: number
  stale: number
  /** How many of these lines state no rule that holds: "class names end with 'x'" reads almost like the rule for function names. */
  reallyStale: number
  /** Extracted rules, also replaced ones, and how many of them are in the set. */
  extracted: number
  known: number
}

export async function scoreRules(show = false): Promise<RuleScore> {
  const score: RuleScore = { rules: 0, shown: 0, replaced: 0, stale: 0, reallyStale: 0, extracted: 0, known: 0 }
  await using at = await someServices()
  const { dialogues } = memoryCode()
  const projectOf = ({ id }: MemoryCode['dialogues'][number]) => asProjectKey(`mentor${id}`)
  for (const dialogue of dialogues) {
    await at.store.transaction(() => ingestInto(at.store, eventsOf(dialogue, projectOf(dialogue))))
    await at.desk.queue.drained()
  }
  await linkReplacements(at.store)
  const now = Date.now()
  for (const dialogue of dialogues) {
    const project = projectOf(dialogue)
    const { text } = await briefFor(at.store, { project, now })
    const current = text.split('\n').filter((line) => !MARK.test(line))
    const all = await at.store.notes.list({ project, namespace: 'rules', hidden: true, now, limit: 1000 })
    addDialogue(score, dialogue, current, all, show ? console.log : () => {})
  }
  return score
}

function addDialogue(
  score: RuleScore,
  { id, rules }: MemoryCode['dialogues'][number],
  current: string[],
  all: Note[],
  log: (line: string) => void,
): void {
  const holding = (text: string) =>
    rules
      .filter((one) => states(one.rule, text))
      .map((one) => one.rule)
      .join(' | ')
  for (const { rule, replaces } of rules) {
    score.rules++
    if (current.some((text) => states(rule, text))) score.shown++
    else log(`${id} missing: ${rule}`)
    for (const old of replaces) {
      score.replaced++
      const stale = current.filter((text) => states(old, text))
      const really = stale.find((text) => !rules.some((one) => states(one.rule, text)))
      if (stale.length > 0) score.stale++
      if (really) score.reallyStale++
      if (really) log(`${id} stale: ${old}\n    ${really}`)
      else
        for (const text of stale)
          log(`${id} reads like a replaced rule: ${old}\n    ${text}\n    holds: ${holding(text)} | replaced by: ${rule}`)
    }
  }
  const known = rules.flatMap(({ rule, replaces }) => [rule, ...replaces])
  for (const { body } of all) {
    score.extracted++
    if (known.some((rule) => states(rule, body))) score.known++
    else log(`${id} not in the set: ${body}`)
  }
}

function* eventsOf({ sessions }: MemoryCode['dialogues'][number], project: ReturnType<typeof asProjectKey>) {
  for (const { id, started, exchanges } of sessions) {
    let at = Date.parse(started)
    const event = <E>(event: E) => {
      at += 40_000
      return { session: id, project, at, event }
    }
    for (const [n, { prompt, answer }] of exchanges.entries()) {
      const promptId = `${id}-${n}`
      if (!prompt) continue
      yield event({ kind: 'prompt-submitted' as const, promptId, text: prompt, origin: 'person' as const })
      yield event({ kind: 'turn-ended' as const, promptId, answer: answer.at(-1) ?? '' })
    }
    yield event({ kind: 'session-ended' as const, reason: 'other' })
  }
}

/** Words that mark a rule as one that does not hold any more. */
const MARK = /replaced|superseded|no longer/i

/** Whether a text states a rule: all its quoted values and enough of its words. */
function states(rule: string, text: string): boolean {
  const quoted = [...rule.matchAll(/'([^']+)'/g)].map((match) => match[1]?.toLowerCase() ?? '')
  if (quoted.length === 0) return share(rule, text) >= 0.6
  return quoted.every((value) => text.toLowerCase().includes(value)) && share(rule.replace(/'[^']*'/g, ''), text) >= 0.4
}

function share(rule: string, text: string): number {
  const [wanted, found] = [tellingWords(rule), tellingWords(text)]
  return [...wanted].filter((word) => found.has(word)).length / Math.max(1, wanted.size)
}

const tellingWords = (text: string) =>
  new Set((text.toLowerCase().match(/[a-z_]{3,}|\d+/g) ?? []).filter((word) => !STOP_WORDS.has(word)).map((word) => word.slice(0, 5)))
const STOP_WORDS = new Set(
  'the and are for with not only must from into after before than then when ever never any all each this that one two keep over under'.split(
    ' ',
  ),
)

if (import.meta.main) {
  const { values } = parseArguments('bin/with-bun eval/rules.ts [--show]', { show: { type: 'boolean', default: false } } as const)
  if (hasData) console.log(await scoreRules(values.show))
  else console.log(NO_DATA)
}
