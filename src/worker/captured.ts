import {
  type Draft,
  type EpisodeJob,
  episodeDraft,
  type MarkersJob,
  MOST_MARKED,
  markedDrafts,
  type StatementsJob,
  statedDrafts,
} from '../capture/capture.ts'
import type { Change, Session } from '../core/memory.ts'
import { asData } from '../core/neutral.ts'
import { shorten } from '../core/text.ts'
import { countTokens } from '../core/tokens.ts'
import type { Agent } from '../integrations/agent.ts'
import { keepNote, keepUnderId, type Receipt } from '../notes/notes.ts'
import type { Desk } from './desk.ts'

/** A draft and what became of it. */
export type Captured = { draft: Draft; receipt: Receipt }

/** What came of a prompt's markers. `leftOut` counts what was marked and not taken. */
export type CapturedMarks = { captured: Captured[]; leftOut: number }

/** Keeps what a person marked in a prompt. Doing it again keeps nothing twice: every draft has an id of its own. */
export async function keepMarked(desk: Desk, job: MarkersJob, now: number): Promise<CapturedMarks> {
  const session = await desk.store.sessions.get(job.sessionId)
  const prompt = await desk.store.prompts.numbered(job.sessionId, job.number)
  if (!session || !prompt || prompt.origin !== 'person') return { captured: [], leftOut: 0 }
  const before = await desk.store.prompts.timesBefore(prompt)
  const { drafts, leftOut } = markedDrafts(session, prompt, before, desk.settings.hooks.user_prompt.markers)
  return { captured: await keepAll(desk, drafts, now), leftOut }
}

/** Writes the one note of a session anew, unless there is nothing worth a note in it. */
export async function keepEpisode(desk: Desk, agent: Agent, job: EpisodeJob, now: number): Promise<Receipt | null> {
  const session = await desk.store.sessions.get(job.sessionId)
  if (!session || !desk.settings.hooks.stop.session_analysis) return null
  if (desk.rules(agent).isExcludedProject(session.project, session.folder)) return null
  const draft = episodeDraft({
    session,
    prompts: await desk.store.prompts.ofSession(session.id),
    summaries: await desk.store.summaries.ofSession(session.id),
    files: await filesTouched(desk, agent, session),
    hook: job.hook,
  })
  if (!draft) return null
  const known = await desk.store.notes.ofSession(session.contentSessionId)
  const { receipt, changes } = await keepUnderId(desk.notebook, { ...draft, id: known?.id ?? draft.id }, now)
  desk.announce(changes)
  return receipt
}

/** The files that a session changed, in the order it first did. Observations outlive the tool uses they were made of. */
async function filesTouched(desk: Desk, agent: Agent, session: Session): Promise<string[]> {
  const files = new Set<string>()
  for (const use of desk.store.toolUses.inputsOf(session.id)) {
    const action = agent.readAction({ ...use, output: null, error: null })
    if (action.kind === 'edit' || action.kind === 'write') files.add(relativeTo(session.folder, action.file))
  }
  for (const observation of await desk.store.observations.ofSession(session.id, 10_000)) {
    for (const file of observation.filesModified) files.add(relativeTo(session.folder, file))
  }
  return [...files]
}

const relativeTo = (folder: string, path: string) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path)

/** Keeps what was stated in a session before its conversation is shortened. What an earlier compaction kept is known by its id. */
export async function keepStatements(desk: Desk, agent: Agent, job: StatementsJob, now: number): Promise<Captured[]> {
  const { enabled, confidence_threshold } = desk.settings.hooks.pre_compact
  const session = await desk.store.sessions.get(job.sessionId)
  if (!session || !enabled || desk.rules(agent).isExcludedProject(session.project, session.folder)) return []
  const prompts = await desk.store.prompts.ofSession(session.id)
  return keepAll(desk, statedDrafts(session, prompts, confidence_threshold, desk.settings.hooks.user_prompt.markers), now)
}

async function keepAll(desk: Desk, drafts: Draft[], now: number): Promise<Captured[]> {
  const captured: Captured[] = []
  const changes: Change[] = []
  for (const draft of drafts) {
    const kept = await keepNote(desk.notebook, draft, now)
    captured.push({ draft, receipt: kept.receipt })
    changes.push(...kept.changes)
  }
  desk.announce(changes)
  return captured
}

/** What became of each, one line each, for the model that reads the prompt; empty when there is nothing to say or no room. */
export function receiptPage({ captured, leftOut }: CapturedMarks, tokens: number): string {
  if (captured.length === 0) return ''
  const [head, foot] = ['<recollect-context about="what was marked">', '</recollect-context>']
  const lines: string[] = []
  let left = tokens - countTokens(head) - countTokens(foot) - 2
  // First, because there may be no room for all the others.
  const tooMany = `${captured.length + leftOut} texts are marked; ${leftOut} of them, the last, are not kept: at most ${MOST_MARKED} a prompt are.`
  for (const line of [...(leftOut > 0 ? [tooMany] : []), ...captured.map(receiptLine)]) {
    left -= countTokens(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  return lines.length > 0 ? [head, ...lines, foot].join('\n') : ''
}

function receiptLine({ draft, receipt }: Captured): string {
  const cut = draft.isCut ? '(cut, the prompt is too long to be kept whole) ' : ''
  const said = `${cut}${shorten(asData(draft.body), 100)}`
  switch (receipt.kind) {
    case 'refused':
      return `Not kept (${receipt.reason}): ${said}`
    case 'same':
      // Kept a moment ago, when the same prompt came another way.
      if (receipt.note.id === draft.id) return keptLine(draft, '', said)
      return `Known already, the same as N${receipt.note.id}: ${said}`
    case 'restated':
      return keptLine(draft, `, restates ${receipt.superseded.map((id) => `N${id}`).join(', ')}`, said)
    case 'added':
    case 'updated':
      return keptLine(draft, '', said)
  }
}

const keptLine = ({ id, namespace, scope }: Draft, also: string, said: string) =>
  `Kept as N${id} (${namespace}${scope === 'global' ? ', for every project' : ''}${also}): ${said}`
