import type { FixedCheck, Observation, OpenFailure, Prompt, Session } from '../core/memory.ts'
import { shorten } from '../core/text.ts'
import type { DocumentRef, Link, Store } from '../store/store.ts'
import { mayBeSameCheck } from './plain/check-scope.ts'
import { fileKind } from './plain/paths.ts'

/** How many turns of its session a failure is followed. */
const MAX_TURNS_FOLLOWED = 20
/** How many turns of other sessions are looked at for a failure that was left open. */
const MAX_TURNS_OF_OTHER_SESSIONS = 20
/** A shorter name may be any word. */
const MIN_TEST_NAME_CHARS = 8

type TurnWithObservations = { session: Session; prompt: Prompt; observations: Observation[] }

/**
 * What failed and what put it right: within the turn, in turns of one session, and in a later session that met the same failure. It looks
 * both ways along the session, because any of its turns may be told again. The check that failed is where the link comes from.
 */
export async function fixLinks(store: Store, session: Session, prompt: Prompt): Promise<Link[]> {
  const told = { session, prompt, observations: await observationsOf(store, session.id, prompt.number) }
  const { mended = [] } = await store.prompts.traces(prompt)
  return [...linkFixesInTurn(told, mended), ...(await linkFixesInSession(store, told)), ...(await linkFixesAcrossSessions(store, told))]
}

/** The work that a check failed on, where what mended it is a memory of its own; else the prompt, when it had told of the failure. */
function linkFixesInTurn({ prompt, observations }: TurnWithObservations, mended: FixedCheck[]): Link[] {
  return proofsIn(observations).flatMap(({ fix, command, signs }) => {
    const apart = mended.find((one) => one.isApart && isFailureOf(one, command))
    const before = apart ? observations.filter((o) => o.id !== fix.id && isChangeObservation(o) && o.at <= apart.failedAt) : []
    const broken = before.sort((a, b) => a.at - b.at || a.id - b.id).at(-1)
    if (broken) return linkToFix(refOf('observation', broken.id), fix, command)
    const isReported = prompt.origin === 'person' && signs.some((sign) => isLongEnoughName(sign) && prompt.text.includes(sign))
    return isReported ? linkToFix(refOf('prompt', prompt.id), fix, command) : []
  })
}

const isChangeObservation = ({ type }: Observation) => type !== 'discovery' && type !== 'decision'

/** Every failure that one turn left open and a later one did not. */
async function linkFixesInSession(store: Store, { session, prompt }: TurnWithObservations): Promise<Link[]> {
  const left = await store.prompts.openFailuresAround(prompt, MAX_TURNS_FOLLOWED)
  const links: Link[] = []
  for (const [n, now] of left.entries()) {
    for (const failure of left[n - 1]?.open ?? []) {
      const isOver = !now.open.some(({ command }) => command === failure.command)
      if (!isOver || prompt.number < failure.promptNumber || prompt.number > now.number) continue
      const fix = await findFix(store, session.id, failure, now)
      const seen = fix && (await findFailureMemory(store, session.id, failure))
      if (fix && seen) links.push(...linkToFix(seen, fix, shorten(failure.command, 80)))
    }
  }
  return links
}

/** The observation that says it put the failure right; where a turn only saw that it passes, the last change of code before that. */
async function findFix(
  store: Store,
  sessionId: number,
  failure: OpenFailure,
  now: { number: number; open: OpenFailure[] },
): Promise<Observation | null> {
  const here = await observationsOf(store, sessionId, now.number)
  const proof = proofsIn(here).find(({ command }) => isFailureOf(failure, command))
  if (proof) return proof.fix
  const prompt = await store.prompts.byNumber(sessionId, now.number)
  const { passes = [] } = prompt ? await store.prompts.traces(prompt) : {}
  const isSeen = passes.some(({ command }) => mayBeSameCheck(command, failure.command))
  if (!isSeen || here.some((o) => o.filesModified.length > 0) || now.open.some((f) => f.promptNumber === now.number)) return null
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

/** In another session the same command may fail for another reason: it must be the same test, or the same error of the same command. */
async function linkFixesAcrossSessions(store: Store, { session, prompt, observations }: TurnWithObservations): Promise<Link[]> {
  const proofs = proofsIn(observations)
  const failures = proofs.length === 0 ? [] : await store.links.failuresBefore(session.project, prompt.at, MAX_TURNS_OF_OTHER_SESSIONS)
  const broken = failures
    .filter(({ sessionId }) => sessionId !== session.id)
    .flatMap(({ sessionId, open }) => open.map((failure) => ({ sessionId, failure })))
  const links: Link[] = []
  for (const { fix, command, signs } of proofs) {
    const same = broken.find(({ failure }) => isSameFailure(failure, command, signs))
    const seen = same && (await findFailureMemory(store, same.sessionId, same.failure))
    if (seen) links.push(...linkToFix(seen, fix, command))
  }
  return links
}

function isSameFailure(failure: OpenFailure, command: string, signs: string[]): boolean {
  const named = (sign: string) => failure.names.some((name) => name.includes(sign))
  if (signs.some((sign) => isLongEnoughName(sign) && named(sign))) return true
  return isFailureOf(failure, command) && signs.some((sign) => sign.length > 3 && (named(sign) || failure.error.includes(sign)))
}

/** That an observation put a check right, with the tests or the error by which the failure is known. */
type FixProof = { fix: Observation; command: string; signs: string[] }

/** Only an observation that changed something tells of a failure it has solved; one that did not tells of one it has left. */
function proofsIn(observations: Observation[]): FixProof[] {
  return observations
    .filter((o) => o.filesModified.length > 0)
    .flatMap((fix) =>
      fix.facts.flatMap((fact) => {
        const [, command, said = ''] = /^`([^`]+)` failed(?=[:;])(?:: (.*?))?(?:; passes now|;?…)?$/.exec(fact) ?? []
        // A test is named behind its file, where its runner says that at all.
        const signs = said.split('; ').map((sign) => sign.split(' › ').at(-1) ?? '')
        return command ? [{ fix, command, signs: signs.filter(Boolean) }] : []
      }),
    )
}

const isLongEnoughName = (sign: string) => sign.length >= MIN_TEST_NAME_CHARS
const isFailureOf = (failure: { command: string }, command: string) => shorten(failure.command, 80) === command

/** The memory in which a failure was seen: the observation that tells of it, else the turn's last one, else its prompt. */
async function findFailureMemory(store: Store, sessionId: number, failure: OpenFailure): Promise<DocumentRef | null> {
  const refs = await store.links.documentsOfTurn(sessionId, failure.promptNumber)
  const observed = refs.filter((ref) => ref.kind === 'observation')
  const texts = await store.observations.get(observed.map(({ ref }) => Number(ref)))
  const telling = texts.find((o) => [o.title, ...o.facts].some((text) => text.includes(shorten(failure.command, 60))))
  return (telling && refOf('observation', telling.id)) ?? observed.at(-1) ?? refs.find((ref) => ref.kind === 'prompt') ?? null
}

/** Nothing is linked to itself: a turn may have seen in one memory both that something fails and what helped. */
function linkToFix(from: DocumentRef, fix: Observation, origin: string): Link[] {
  const to = refOf('observation', fix.id)
  return from.kind === to.kind && from.ref === to.ref ? [] : [{ from, to, relation: 'failed-then-fixed', origin, at: fix.at }]
}

const refOf = (kind: DocumentRef['kind'], id: number): DocumentRef => ({ kind, ref: String(id) })
