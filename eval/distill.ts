/**
 * How well turns are told: plain rules, and every model that the settings of this home name. For each session a checklist says what
 * somebody would want to know of it a month later; a fact counts as kept when one memory of the session holds all of its words. An
 * observation that holds none of them is noise. What the agent said in its answers is counted apart from what only its tools showed:
 * rules quote, so the first is easy for them.
 *
 * There are two sets, scored apart: sessions recorded for this project (`checklists.json`, by their path in this repository), and real
 * sessions of ../shared/eval/transcripts (`checklists-real.json`, by their file name), for whoever has them. The form is
 *
 *     { "name.jsonl.gz": { "turns": [0, 2], "said": [["zoneOf", "inclusive|>="]], "unsaid": [["ISO 4217"]] } }
 *
 * A fact is a list of patterns, without regard to case, that must all stand in one memory. `turns` counts the session's prompts from 0 and
 * names those that are told and scored; without it all are. Rules read the turns in between, for what these leave open.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseDistillAnswer } from '../src/capture/model/distill-answer.ts'
import { groundAnswer } from '../src/capture/model/evidence.ts'
import type { Mode } from '../src/capture/model/mode.ts'
import { turnRequest } from '../src/capture/model/protocol.ts'
import { distillPlain } from '../src/capture/plain/plain.ts'
import type { DistillerOutput, OpenFailure, Turn } from '../src/core/memory.ts'
import { countTokens } from '../src/core/tokens.ts'
import type { ModelAnswer, ModelRequest, TextModel } from '../src/providers/text.ts'
import { turnsOf } from '../test/golden/turns.ts'
import { DATA } from './data.ts'

export type SessionSet = { name: string; folder: string; lists: Checklists }
export type Teller = { model: TextModel; mode: Mode }

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
  /** What no memory holds, and the titles of what was not asked for, each behind the name of its session. */
  missed: string[]
  noisy: string[]
}

const Fact = z.array(z.string()).min(1)
const Checklists = z.record(
  z.string(),
  z.strictObject({ turns: z.array(z.int().min(0)).optional(), said: z.array(Fact), unsaid: z.array(Fact) }),
)
type Checklists = z.infer<typeof Checklists>

const ROOT = join(import.meta.dir, '..')
const never = new AbortController().signal

/** The sessions with a checklist: our own, and the real ones where they are. */
export function sessionSets(): SessionSet[] {
  const listed = (file: string) => Checklists.parse(JSON.parse(readFileSync(join(import.meta.dir, file), 'utf8')))
  const real = join(DATA, 'transcripts')
  const hasReal = existsSync(real) && existsSync(join(import.meta.dir, 'checklists-real.json'))
  return [
    { name: 'recorded for this project', folder: ROOT, lists: listed('checklists.json') },
    ...(hasReal ? [{ name: 'real sessions', folder: real, lists: listed('checklists-real.json') }] : []),
  ]
}

/** Scores rules (null) or a model on a set, one turn after the other. Throws when the model cannot be asked before a person has helped. */
export async function scoreDistill(
  teller: Teller | null,
  { lists, folder }: Pick<SessionSet, 'lists' | 'folder'>,
  progress: (line: string) => void = () => {},
): Promise<DistillResult> {
  const name = teller?.model.name ?? 'plain'
  const sum = { kept: 0, keptUnsaid: 0, facts: 0, unsaid: 0, tokens: 0, ms: 0, turns: 0, observations: 0, inputTokens: 0, fellBack: 0 }
  const missed: string[] = []
  const noisy: string[] = []
  for (const [index, [session, list]] of Object.entries(lists).entries()) {
    const memories: string[] = []
    const observed: { title: string; text: string }[] = []
    let openFailures: OpenFailure[] = []
    for (const [number, recorded] of (await namedTurns(join(folder, session), list.turns)).entries()) {
      const turn = { ...recorded.turn, openFailures }
      if (!recorded.isNamed) {
        openFailures = distillPlain(turn).openFailures
        continue
      }
      if (teller) progress(`${name}: session ${index + 1} of ${Object.keys(lists).length}, turn ${number} of ${session}`)
      const started = performance.now()
      const told = teller ? await tell(teller, turn, sum, progress) : distillPlain(turn)
      sum.ms += performance.now() - started
      sum.turns++
      openFailures = told.openFailures
      for (const o of told.observations)
        observed.push({
          title: o.title,
          text: [o.title, o.subtitle, o.narrative, ...o.facts, ...o.filesModified, ...o.filesRead].join('\n'),
        })
      if (told.summary) memories.push(Object.values(told.summary).join('\n'))
    }
    memories.push(...observed.map(({ text }) => text))
    const holds = (text: string, fact: string[]) => fact.every((pattern) => new RegExp(pattern, 'i').test(text))
    const isKept = (fact: string[]) => memories.some((text) => holds(text, fact))
    sum.facts += list.said.length
    sum.unsaid += list.unsaid.length
    sum.kept += list.said.filter(isKept).length
    sum.keptUnsaid += list.unsaid.filter(isKept).length
    sum.observations += observed.length
    sum.tokens += observed.reduce((all, { text }) => all + countTokens(text), 0)
    for (const [kind, facts] of [['said', list.said] as const, ['unsaid', list.unsaid] as const])
      for (const fact of facts) if (!isKept(fact)) missed.push(`${session}: ${kind} ${fact.join(' + ')}`)
    for (const { title, text } of observed)
      if (![...list.said, ...list.unsaid].some((fact) => holds(text, fact))) noisy.push(`${session}: ${title}`)
  }
  return {
    teller: name,
    kept: sum.kept / Math.max(1, sum.facts),
    keptUnsaid: sum.keptUnsaid / Math.max(1, sum.unsaid),
    noise: noisy.length / Math.max(1, sum.observations),
    facts: sum.facts,
    unsaid: sum.unsaid,
    observations: sum.observations,
    tokensEach: sum.tokens / Math.max(1, sum.observations),
    msEach: sum.ms / Math.max(1, sum.turns),
    inputTokens: sum.inputTokens,
    fellBack: sum.fellBack,
    missed,
    noisy,
  }
}

/** The turns of a session, and which of them the checklist is about. A name or a number that leads nowhere would read as a fact lost. */
async function namedTurns(transcript: string, named: number[] | undefined): Promise<{ turn: Turn; isNamed: boolean }[]> {
  const turns = await turnsOf(transcript)
  if (turns.length === 0) throw new Error(`there are no turns in ${transcript}`)
  const beyond = named?.find((number) => number >= turns.length)
  if (beyond !== undefined) throw new Error(`${transcript} has ${turns.length} turns, and its checklist names turn ${beyond}`)
  return turns.map((turn, number) => ({ turn, isNamed: named?.includes(number) ?? true }))
}

async function tell(
  { model, mode }: Teller,
  turn: Turn,
  sum: { inputTokens: number; fellBack: number },
  progress: (line: string) => void,
): Promise<DistillerOutput> {
  const plain = distillPlain(turn)
  const request = { ...turnRequest(turn, mode, { kind: 'initial', project: 'app' }), about: { purpose: 'eval', project: '' } }
  const answer = await patiently(model, request, progress)
  if (answer.kind === 'answered') {
    sum.inputTokens += answer.usage.input
    const said = parseDistillAnswer(answer.text)
    if (said.kind !== 'unreadable') return groundAnswer(said, turn, mode, plain)
    progress(`${model.name} did not answer in the form it was asked for`)
  }
  sum.fellBack++
  return plain
}

const TRIES = 3
const LONGEST_WAIT_MS = 60_000

/** A model that is busy for a moment is not a model that tells badly, and one that nobody can ask is not scored at all. */
async function patiently(model: TextModel, request: ModelRequest, progress: (line: string) => void): Promise<ModelAnswer> {
  for (let tries = 1; ; tries++) {
    const answer = await model.ask(request, never)
    if (answer.kind === 'answered') return answer
    if (answer.reason === 'auth' || answer.reason === 'quota') throw new Error(answer.message)
    progress(answer.message)
    if (tries === TRIES) return answer
    await Bun.sleep(Math.min(answer.retryAfterMs ?? 0, LONGEST_WAIT_MS))
  }
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
