/**
 * How well turns are told: plain rules, and every model that the settings of this home name, on recorded sessions. For each session a
 * checklist says what somebody would want to know of it a month later; a fact counts as kept when one memory of the session holds all
 * of its words. An observation that holds none of them is noise. What the agent said in its answer is counted apart from what only its
 * tools showed: rules quote, so the first is easy for them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTold } from '../src/capture/model/answer.ts'
import { grounded } from '../src/capture/model/evidence.ts'
import type { Mode } from '../src/capture/model/mode.ts'
import { turnRequest } from '../src/capture/model/protocol.ts'
import { distillPlain } from '../src/capture/plain/plain.ts'
import type { Distilled, OpenFailure, Turn } from '../src/core/memory.ts'
import { countTokens } from '../src/core/tokens.ts'
import type { TextModel } from '../src/providers/text.ts'
import { turnsOf } from '../test/golden/turns.ts'

export type DistillResult = {
  teller: string
  /** Shares between 0 and 1. */
  kept: number
  keptUnsaid: number
  noise: number
  facts: number
  unsaid: number
  observations: number
  tokensEach: number
  msEach: number
  inputTokens: number
  /** Turns that the model did not tell, and plain rules did. */
  fellBack: number
}

/** Every fact is a list of patterns that must stand in one memory together. */
type Checklists = Record<string, { said: string[][]; unsaid: string[][] }>

const ROOT = join(import.meta.dir, '..')
const never = new AbortController().signal

export async function scoreDistill(teller: { model: TextModel; mode: Mode } | null, only?: string[]): Promise<DistillResult> {
  const lists = JSON.parse(readFileSync(join(import.meta.dir, 'checklists.json'), 'utf8')) as Checklists
  const sum = {
    kept: 0,
    keptUnsaid: 0,
    facts: 0,
    unsaid: 0,
    noise: 0,
    observations: 0,
    tokens: 0,
    ms: 0,
    turns: 0,
    inputTokens: 0,
    fellBack: 0,
  }
  for (const [name, facts] of Object.entries(lists)) {
    if (only && !only.some((part) => name.includes(part))) continue
    const memories: string[] = []
    const observed: string[] = []
    let openFailures: OpenFailure[] = []
    for (const recorded of await turnsOf(join(ROOT, name))) {
      const turn = { ...recorded, openFailures }
      const started = performance.now()
      const told = teller ? await tell(teller, turn, sum) : distillPlain(turn)
      sum.ms += performance.now() - started
      sum.turns++
      openFailures = told.openFailures
      for (const o of told.observations)
        observed.push([o.title, o.subtitle, o.narrative, ...o.facts, ...o.filesModified, ...o.filesRead].join('\n'))
      if (told.summary) memories.push(Object.values(told.summary).join('\n'))
    }
    memories.push(...observed)
    const holds = (text: string, fact: RegExp[]) => fact.every((pattern) => pattern.test(text))
    const [said, unsaid] = [patternsOf(facts.said), patternsOf(facts.unsaid)]
    const kept = (some: RegExp[][]) => some.filter((fact) => memories.some((text) => holds(text, fact))).length
    sum.facts += said.length
    sum.unsaid += unsaid.length
    sum.kept += kept(said)
    sum.keptUnsaid += kept(unsaid)
    sum.noise += observed.filter((text) => ![...said, ...unsaid].some((fact) => holds(text, fact))).length
    sum.observations += observed.length
    sum.tokens += observed.reduce((all, text) => all + countTokens(text), 0)
  }
  return {
    teller: teller?.model.name ?? 'plain',
    kept: sum.kept / Math.max(1, sum.facts),
    keptUnsaid: sum.keptUnsaid / Math.max(1, sum.unsaid),
    noise: sum.noise / Math.max(1, sum.observations),
    facts: sum.facts,
    unsaid: sum.unsaid,
    observations: sum.observations,
    tokensEach: sum.tokens / Math.max(1, sum.observations),
    msEach: sum.ms / Math.max(1, sum.turns),
    inputTokens: sum.inputTokens,
    fellBack: sum.fellBack,
  }
}

const patternsOf = (facts: string[][]) => facts.map((fact) => fact.map((pattern) => new RegExp(pattern, 'i')))

async function tell(
  { model, mode }: { model: TextModel; mode: Mode },
  turn: Turn,
  sum: { inputTokens: number; fellBack: number },
): Promise<Distilled> {
  const plain = distillPlain(turn)
  const answer = await model.ask(
    { ...turnRequest(turn, mode, { kind: 'initial', project: 'app' }), about: { purpose: 'eval', project: '' } },
    never,
  )
  const said = answer.kind === 'answered' ? readTold(answer.text) : null
  if (answer.kind === 'answered') sum.inputTokens += answer.usage.input
  if (!said || said.kind === 'unreadable') {
    sum.fellBack++
    return plain
  }
  return grounded(said, turn, mode, plain)
}

export function distillTable(results: DistillResult[]): string {
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`
  return [
    '| told by | facts kept | of what only tools showed | noise | observations | tokens each | ms per turn | input tokens | fell back |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(
      (r) =>
        `| ${r.teller} | ${percent(r.kept)} of ${r.facts} | ${percent(r.keptUnsaid)} of ${r.unsaid} | ${percent(r.noise)} | ${r.observations} | ${r.tokensEach.toFixed(0)} | ${r.msEach.toFixed(1)} | ${r.inputTokens} | ${r.fellBack} |`,
    ),
  ].join('\n')
}
