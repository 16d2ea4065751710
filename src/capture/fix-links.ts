import { compareSuites } from '../core/check-command.ts'
import type { FixedCheck, Observation, OpenFailure, Prompt, Session } from '../core/memory.ts'
import { shorten } from '../core/text.ts'
import type { DocumentRef, Link, Store } from '../store/store.ts'
import { fileKind } from './plain/paths.ts'

/** How many turns of the same session are searched for the fix of a failure. */
const MAX_TURNS_FOLLOWED = 20
/** How many turns of other sessions are searched for an open failure. */
const MAX_TURNS_OF_OTHER_SESSIONS = 20
/** A shorter name could be any word. */
const MIN_TEST_NAME_CHARS = 8

type TurnWithObservations = { session: Session; prompt: Prompt; observations: Observation[] }

/**
 * Links from a failure to its fix: within the turn, between turns of the session, and across sessions that met the same failure. It looks at
 * earlier and later turns of the session, because any of them may be distilled again. `origin` of a link is the command that failed.
 */
export async function fixLinks(store: Store, session: Session, prompt: Prompt): Promise<Link[]> {
  const turn = { session, prompt, observations: await observationsOf(store, session.id, prompt.number) }
  const { mended: fixed = [] } = await store.prompts.traces(prompt)
  return [...linkFixesInTurn(turn, fixed), ...(await linkFixesInSession(store, turn)), ...(await linkFixesAcrossSessions(store, turn))]
}

/** From the change that broke a check, if its fix is a separate observation; otherwise from the prompt, if it reported the failure. */
function linkFixesInTurn({ prompt, observations }: TurnWithObservations, fixed: FixedCheck[]): Link[] {
  return proofsIn(observations).flatMap(({ fix, command, symptoms }) => {
    const separateFix = fixed.find((check) => check.isApart && isFailureOf(check, command))
    const before = separateFix ? observations.filter((o) => o.id !== fix.id && isChangeObservation(o) && o.at <= separateFix.failedAt) : []
    const broken = before.sort((a, b) => a.at - b.at || a.id - b.id).at(-1)
    if (broken) return linkToFix(refOf('observation', broken.id), fix, command)
    const isReported = prompt.origin === 'person' && symptoms.some((symptom) => isLongEnoughName(symptom) && prompt.text.includes(symptom))
    return isReported ? linkToFix(refOf('prompt', prompt.id), fix, command) : []
  })
}

const isChangeObservation = ({ type }: Observation) => type !== 'discovery' && type !== 'decision'

/** For each failure that one turn left open and the next one solved. */
async function linkFixesInSession(store: Store, { session, prompt }: TurnWithObservations): Promise<Link[]> {
  const turns = await store.prompts.openFailuresAround(prompt, MAX_TURNS_FOLLOWED)
  const links: Link[] = []
  for (const [n, now] of turns.entries()) {
    for (const failure of turns[n - 1]?.open ?? []) {
      const isSolved = !failure.isUnclear && !now.open.some(({ command }) => command === failure.command)
      if (!isSolved || prompt.number < failure.promptNumber || prompt.number > now.number) continue
      const fix = await findFix(store, session.id, failure, now)
      const memory = fix && (await findFailureMemory(store, session.id, failure))
      if (fix && memory) links.push(...linkToFix(memory, fix, shorten(failure.command, 80)))
    }
  }
  return links
}

/** The observation that reports the fix. If the turn only saw the check pass, the last observation before it that changed code. */
async function findFix(
  store: Store,
  sessionId: number,
  failure: OpenFailure,
  now: { number: number; open: OpenFailure[] },
): Promise<Observation | null> {
  const observations = await observationsOf(store, sessionId, now.number)
  const proof = proofsIn(observations).find(({ command }) => isFailureOf(failure, command))
  if (proof) return proof.fix
  const prompt = await store.prompts.byNumber(sessionId, now.number)
  const { passes = [] } = prompt ? await store.prompts.traces(prompt) : {}
  const hasPassed = passes.some((pass) => pass.command === failure.command || (pass.isWhole && compareSuites(pass, failure) === 'same'))
  if (!hasPassed || observations.some((o) => o.filesModified.length > 0) || now.open.some((f) => f.promptNumber === now.number)) return null
  for (let number = now.number - 1; number > Math.max(failure.promptNumber, now.number - MAX_TURNS_FOLLOWED); number--) {
    const change = (await observationsOf(store, sessionId, number)).findLast((o) => o.filesModified.some(canFixCheck))
    if (change) return change
  }
  return null
}

const canFixCheck = (path: string) => fileKind(path) !== 'docs'

async function observationsOf(store: Store, sessionId: number, number: number): Promise<Observation[]> {
  const refs = await store.links.documentsOfTurn(sessionId, number)
  return store.observations.get(refs.filter(({ kind }) => kind === 'observation').map(({ ref }) => Number(ref)))
}

/** In another session a command may fail for another reason, so require the same test, or the same error of the same command. */
async function linkFixesAcrossSessions(store: Store, { session, prompt, observations }: TurnWithObservations): Promise<Link[]> {
  const proofs = proofsIn(observations)
  const failures = proofs.length === 0 ? [] : await store.links.failuresBefore(session.project, prompt.at, MAX_TURNS_OF_OTHER_SESSIONS)
  const broken = failures
    .filter(({ sessionId }) => sessionId !== session.id)
    .flatMap(({ sessionId, open }) => open.map((failure) => ({ sessionId, failure })))
  const links: Link[] = []
  for (const { fix, command, symptoms } of proofs) {
    const same = broken.find(({ failure }) => isSameFailure(failure, command, symptoms))
    const memory = same && (await findFailureMemory(store, same.sessionId, same.failure))
    if (memory) links.push(...linkToFix(memory, fix, command))
  }
  return links
}

function isSameFailure(failure: OpenFailure, command: string, symptoms: string[]): boolean {
  const isNamed = (symptom: string) => failure.names.some((name) => name.includes(symptom))
  if (symptoms.some((symptom) => isLongEnoughName(symptom) && isNamed(symptom))) return true
  return (
    isFailureOf(failure, command) && symptoms.some((symptom) => symptom.length > 3 && (isNamed(symptom) || failure.error.includes(symptom)))
  )
}

/** An observation that fixed a check. `symptoms` are the failed tests or the error message. */
type FixProof = { fix: Observation; command: string; symptoms: string[] }

/** A failure in the facts of an observation that changed files is solved. Without changed files, it is still open. */
function proofsIn(observations: Observation[]): FixProof[] {
  return observations
    .filter((o) => o.filesModified.length > 0)
    .flatMap((fix) =>
      fix.facts.flatMap((fact) => {
        const [, command, details = ''] = /^`([^`]+)` failed(?=[:;])(?:: (.*?))?(?:; passes now|;?…)?$/.exec(fact) ?? []
        // Some test runners print the file before the test name.
        const symptoms = details.split('; ').map((symptom) => symptom.split(' › ').at(-1) ?? '')
        return command ? [{ fix, command, symptoms: symptoms.filter(Boolean) }] : []
      }),
    )
}

const isLongEnoughName = (symptom: string) => symptom.length >= MIN_TEST_NAME_CHARS
const isFailureOf = (failure: { command: string }, command: string) => shorten(failure.command, 80) === command

/** The memory of a failure: the observation that names its command, otherwise the last observation of the turn, otherwise the prompt. */
async function findFailureMemory(store: Store, sessionId: number, failure: OpenFailure): Promise<DocumentRef | null> {
  const refs = await store.links.documentsOfTurn(sessionId, failure.promptNumber)
  const observed = refs.filter((ref) => ref.kind === 'observation')
  const texts = await store.observations.get(observed.map(({ ref }) => Number(ref)))
  const naming = texts.find((o) => [o.title, ...o.facts].some((text) => text.includes(shorten(failure.command, 60))))
  return (naming && refOf('observation', naming.id)) ?? observed.at(-1) ?? refs.find((ref) => ref.kind === 'prompt') ?? null
}

/** No link if one observation describes both the failure and its fix. */
function linkToFix(from: DocumentRef, fix: Observation, origin: string): Link[] {
  const to = refOf('observation', fix.id)
  return from.kind === to.kind && from.ref === to.ref ? [] : [{ from, to, relation: 'failed-then-fixed', origin, at: fix.at }]
}

const refOf = (kind: DocumentRef['kind'], id: number): DocumentRef => ({ kind, ref: String(id) })
