/**
 * Scores distillation, by rules and by every model in the settings of this home. A checklist for each session names the facts that a person
 * would want a month later. A fact counts as kept if one memory of the session matches all of its patterns. An observation that
 * matches no fact is noise. Facts that the agent stated in its answers are counted separately from facts that only its tools showed, because
 * the rules quote answers.
 *
 * There are two sets, scored separately: sessions recorded for this project (`checklists.json`, by path in this repository), and, if they are
 * present, the real sessions in ../shared/eval/transcripts (`checklists-real.json`, by file name). The format is
 *
 *     { "name.jsonl.gz": { "turns": [0, 2], "stated": [["zoneOf", "inclusive|>="]], "toolOnly": [["ISO 4217"]] } }
 *
 * A fact is a list of patterns, case-insensitive, that must all match the same memory. `turns` lists the prompts of the session, counted from
 * 0, that are distilled and scored; without it, all are. The rules also read the turns in between, for the failures these leave open.
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
export type ModelDistiller = { model: TextModel; mode: Mode }

export type DistillResult = {
  distiller: string
  /** Shares between 0 and 1. */
  keptStated: number
  keptToolOnly: number
  noise: number
  statedFacts: number
  toolOnlyFacts: number
  observations: number
  tokensEach: number
  msEach: number
  inputTokens: number
  /** Turns that the model failed to distill, so the rules did. */
  fellBack: number
  /** Facts that no memory has, and titles of observations that match no fact, each after the name of its session. */
  missed: string[]
  noisy: string[]
}

const Fact = z.array(z.string()).min(1)
const Checklist = z.strictObject({ turns: z.array(z.int().min(0)).optional(), stated: z.array(Fact), toolOnly: z.array(Fact) })
const Checklists = z.record(z.string(), Checklist)
type Checklists = z.infer<typeof Checklists>

const ROOT = join(import.meta.dir, '..')
const neverAborted = new AbortController().signal

/** The sessions that have a checklist: our own and, if present, the real ones. */
export function sessionSets(): SessionSet[] {
  const readLists = (file: string) => Checklists.parse(JSON.parse(readFileSync(join(import.meta.dir, file), 'utf8')))
  const real = join(DATA, 'transcripts')
  const hasReal = existsSync(real) && existsSync(join(import.meta.dir, 'checklists-real.json'))
  return [
    { name: 'recorded for this project', folder: ROOT, lists: readLists('checklists.json') },
    ...(hasReal ? [{ name: 'real sessions', folder: real, lists: readLists('checklists-real.json') }] : []),
  ]
}

/** Scores a model, or the rules (null), on a set, turn by turn. Throws if the model needs a person first: a valid key, or credit. */
export async function scoreDistill(
  distiller: ModelDistiller | null,
  { lists, folder }: Pick<SessionSet, 'lists' | 'folder'>,
  progress: (line: string) => void = () => {},
): Promise<DistillResult> {
  const name = distiller?.model.name ?? 'plain'
  const sum = { stated: 0, toolOnly: 0, statedFacts: 0, toolOnlyFacts: 0, tokens: 0, observations: 0 }
  const calls: Calls = { turns: 0, ms: 0, inputTokens: 0, fellBack: 0 }
  const missed: string[] = []
  const noisy: string[] = []
  for (const [index, [session, list]] of Object.entries(lists).entries()) {
    const turns = await checklistTurns(join(folder, session), list.turns)
    const label = `session ${index + 1} of ${Object.keys(lists).length}, ${session}`
    const { observations, summaries } = await distillSession(distiller, turns, calls, label, progress)
    const memories = [...summaries, ...observations.map(({ text }) => text)]
    const matches = (text: string, fact: string[]) => fact.every((pattern) => new RegExp(pattern, 'i').test(text))
    const isKept = (fact: string[]) => memories.some((text) => matches(text, fact))
    sum.statedFacts += list.stated.length
    sum.toolOnlyFacts += list.toolOnly.length
    sum.stated += list.stated.filter(isKept).length
    sum.toolOnly += list.toolOnly.filter(isKept).length
    sum.observations += observations.length
    sum.tokens += observations.reduce((total, { text }) => total + countTokens(text), 0)
    for (const [kind, facts] of [['stated', list.stated] as const, ['tool only', list.toolOnly] as const])
      for (const fact of facts) if (!isKept(fact)) missed.push(`${session}: ${kind} ${fact.join(' + ')}`)
    for (const { title, text } of observations)
      if (![...list.stated, ...list.toolOnly].some((fact) => matches(text, fact))) noisy.push(`${session}: ${title}`)
  }
  return {
    distiller: name,
    keptStated: sum.stated / Math.max(1, sum.statedFacts),
    keptToolOnly: sum.toolOnly / Math.max(1, sum.toolOnlyFacts),
    noise: noisy.length / Math.max(1, sum.observations),
    statedFacts: sum.statedFacts,
    toolOnlyFacts: sum.toolOnlyFacts,
    observations: sum.observations,
    tokensEach: sum.tokens / Math.max(1, sum.observations),
    msEach: calls.ms / Math.max(1, calls.turns),
    inputTokens: calls.inputTokens,
    fellBack: calls.fellBack,
    missed,
    noisy,
  }
}

type Calls = { turns: number; ms: number; inputTokens: number; fellBack: number }
type ChecklistTurn = { turn: Turn; isScored: boolean }

/** The turns of a session, and which of them are scored. Throws on a wrong name or number, which would look like a lost fact. */
async function checklistTurns(transcript: string, scored: number[] | undefined): Promise<ChecklistTurn[]> {
  const turns = await turnsOf(transcript)
  if (turns.length === 0) throw new Error(`there are no turns in ${transcript}`)
  const beyond = scored?.find((number) => number >= turns.length)
  if (beyond !== undefined) throw new Error(`${transcript} has ${turns.length} turns, but its checklist names turn ${beyond}`)
  return turns.map((turn, number) => ({ turn, isScored: scored?.includes(number) ?? true }))
}

/** Distills the scored turns of a session. The rules read the others, for the failures they leave open. */
async function distillSession(
  distiller: ModelDistiller | null,
  turns: ChecklistTurn[],
  calls: Calls,
  label: string,
  progress: (line: string) => void,
): Promise<{ observations: { title: string; text: string }[]; summaries: string[] }> {
  const observations: { title: string; text: string }[] = []
  const summaries: string[] = []
  let openFailures: OpenFailure[] = []
  for (const [number, recorded] of turns.entries()) {
    const turn = { ...recorded.turn, openFailures }
    if (!recorded.isScored) {
      openFailures = distillPlain(turn).openFailures
      continue
    }
    if (distiller) progress(`${distiller.model.name}: ${label}, turn ${number}`)
    const started = performance.now()
    const distilled = distiller ? await distillWithModel(distiller, turn, calls, progress) : distillPlain(turn)
    calls.ms += performance.now() - started
    calls.turns++
    openFailures = distilled.openFailures
    for (const o of distilled.observations)
      observations.push({
        title: o.title,
        text: [o.title, o.subtitle, o.narrative, ...o.facts, ...o.filesModified, ...o.filesRead].join('\n'),
      })
    if (distilled.summary) summaries.push(Object.values(distilled.summary).join('\n'))
  }
  return { observations, summaries }
}

async function distillWithModel(
  { model, mode }: ModelDistiller,
  turn: Turn,
  calls: Calls,
  progress: (line: string) => void,
): Promise<DistillerOutput> {
  const plain = distillPlain(turn)
  const request = { ...turnRequest(turn, mode, { kind: 'initial', project: 'app' }), about: { purpose: 'eval', project: '' } }
  const answer = await askWithRetries(model, request, progress)
  if (answer.kind === 'answered') {
    calls.inputTokens += answer.usage.input
    const parsed = parseDistillAnswer(answer.text)
    if (parsed.kind !== 'unreadable') return groundAnswer(parsed, turn, mode, plain)
    progress(`${model.name} answered in the wrong format`)
  }
  calls.fellBack++
  return plain
}

const MAX_ATTEMPTS = 3
const MAX_RETRY_DELAY_MS = 60_000

/** Retries a busy model, so that it is not scored as a bad one. Throws if retrying cannot help. */
async function askWithRetries(model: TextModel, request: ModelRequest, progress: (line: string) => void): Promise<ModelAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await model.ask(request, neverAborted)
    if (answer.kind === 'answered') return answer
    if (answer.reason === 'auth' || answer.reason === 'quota') throw new Error(answer.message)
    progress(answer.message)
    if (attempt === MAX_ATTEMPTS) return answer
    await Bun.sleep(Math.min(answer.retryAfterMs ?? 0, MAX_RETRY_DELAY_MS))
  }
}

export function distillTable(results: DistillResult[]): string {
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`
  return [
    '| distilled by | stated facts kept | tool-only facts kept | noise | observations | tokens each | ms per turn | input tokens | fell back |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(
      (r) =>
        `| ${r.distiller} | ${percent(r.keptStated)} of ${r.statedFacts} | ${percent(r.keptToolOnly)} of ${r.toolOnlyFacts} | ${percent(r.noise)} | ${r.observations} | ${r.tokensEach.toFixed(0)} | ${r.msEach.toFixed(1)} | ${r.inputTokens} | ${r.fellBack} |`,
    ),
  ].join('\n')
}
