import {
  type CapturedNoteDraft,
  draftMarkedNotes,
  draftStatedNotes,
  type EpisodeJob,
  episodeDraft,
  MAX_MARKED_PER_PROMPT,
  type MarkersJob,
  type StatementsJob,
} from '../capture/capture.ts'
import type { Change, Session } from '../core/memory.ts'
import { shorten } from '../core/text.ts'
import { countTokens } from '../core/tokens.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { Agent } from '../integrations/agent.ts'
import { type NoteSaveReceipt, saveNote, saveNoteUnderId } from '../notes/notes.ts'
import type { Services } from './services.ts'

/** A draft and what became of it. */
export type DraftOutcome = { draft: CapturedNoteDraft; receipt: NoteSaveReceipt }

/** What came of a prompt's markers. `leftOut` counts what was marked and not taken. */
export type MarkedDraftOutcomes = { outcomes: DraftOutcome[]; leftOut: number }

/** Keeps what a person marked in a prompt. Doing it again keeps nothing twice: every draft has an id of its own. */
export async function saveMarkedNotes(desk: Services, job: MarkersJob, now: number): Promise<MarkedDraftOutcomes> {
  const session = await desk.store.sessions.get(job.sessionId)
  const prompt = await desk.store.prompts.byNumber(job.sessionId, job.number)
  if (!session || !prompt || prompt.origin !== 'person') return { outcomes: [], leftOut: 0 }
  const before = await desk.store.prompts.countSameTextBefore(prompt)
  const { drafts, leftOut } = draftMarkedNotes(session, prompt, before, desk.settings.hooks.user_prompt.markers)
  return { outcomes: await saveDrafts(desk, drafts, now), leftOut }
}

/** Writes the one note of a session anew, unless there is nothing worth a note in it. */
export async function saveEpisodeNote(desk: Services, agent: Agent, job: EpisodeJob, now: number): Promise<NoteSaveReceipt | null> {
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
  const { receipt, changes } = await saveNoteUnderId(desk.notebook, { ...draft, id: known?.id ?? draft.id }, now)
  desk.announce(changes)
  return receipt
}

/** The files that a session changed, in the order it first did. Observations outlive the tool uses they were made of. */
async function filesTouched(desk: Services, agent: Agent, session: Session): Promise<string[]> {
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
export async function saveStatementNotes(desk: Services, agent: Agent, job: StatementsJob, now: number): Promise<DraftOutcome[]> {
  const { enabled, confidence_threshold } = desk.settings.hooks.pre_compact
  const session = await desk.store.sessions.get(job.sessionId)
  if (!session || !enabled || desk.rules(agent).isExcludedProject(session.project, session.folder)) return []
  const prompts = await desk.store.prompts.ofSession(session.id)
  return saveDrafts(desk, draftStatedNotes(session, prompts, confidence_threshold, desk.settings.hooks.user_prompt.markers), now)
}

async function saveDrafts(desk: Services, drafts: CapturedNoteDraft[], now: number): Promise<DraftOutcome[]> {
  const captured: DraftOutcome[] = []
  const changes: Change[] = []
  for (const draft of drafts) {
    const kept = await saveNote(desk.notebook, draft, now)
    captured.push({ draft, receipt: kept.receipt })
    changes.push(...kept.changes)
  }
  desk.announce(changes)
  return captured
}

/** What became of each, one line each, for the model that reads the prompt; empty when there is nothing to say or no room. */
export function receiptPage({ outcomes: captured, leftOut }: MarkedDraftOutcomes, tokens: number): string {
  if (captured.length === 0) return ''
  const [head, foot] = ['<recollect-context about="what was marked">', '</recollect-context>']
  const lines: string[] = []
  let left = tokens - countTokens(head) - countTokens(foot) - 2
  // First, because there may be no room for all the others.
  const tooMany = `${captured.length + leftOut} texts are marked; ${leftOut} of them, the last, are not kept: at most ${MAX_MARKED_PER_PROMPT} a prompt are.`
  for (const line of [...(leftOut > 0 ? [tooMany] : []), ...captured.map(receiptLine)]) {
    left -= countTokens(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  return lines.length > 0 ? [head, ...lines, foot].join('\n') : ''
}

function receiptLine({ draft, receipt }: DraftOutcome): string {
  const cut = draft.isCut ? '(cut, the prompt is too long to be kept whole) ' : ''
  const said = `${cut}${shorten(neutralizeText(draft.body), 100)}`
  switch (receipt.kind) {
    case 'refused':
      return `Not kept (${receipt.reason}): ${said}`
    case 'same':
      // Kept a moment ago, when the same prompt came another way.
      if (receipt.note.id === draft.id) return savedLine(draft, '', said)
      return `Known already, the same as N${receipt.note.id}: ${said}`
    case 'restated':
      return savedLine(draft, `, restates ${receipt.superseded.map((id) => `N${id}`).join(', ')}`, said)
    case 'added':
    case 'updated':
      return savedLine(draft, '', said)
  }
}

const savedLine = ({ id, namespace, scope }: CapturedNoteDraft, also: string, said: string) =>
  `Kept as N${id} (${namespace}${scope === 'global' ? ', for every project' : ''}${also}): ${said}`
