import { type CapturedNoteDraft, draftMarkedNotes, MAX_MARKED_PER_PROMPT } from '../capture/capture.ts'
import type { Jobs } from '../core/job.ts'
import type { Change, Session } from '../core/memory.ts'
import { shortMemoryId } from '../core/memory-kinds.ts'
import { shorten } from '../core/text.ts'
import { countTokens } from '../core/tokens.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { defaultAgent } from '../integrations/agent.ts'
import { type NoteSaveReceipt, saveNote, saveNoteUnderId } from '../notes/notes.ts'
import type { Services } from './services.ts'

export type DraftOutcome = { draft: CapturedNoteDraft; receipt: NoteSaveReceipt }

/** What became of a prompt's markers. `leftOut` counts the marked texts beyond the limit. */
export type MarkedDraftOutcomes = { outcomes: DraftOutcome[]; leftOut: number }

/** Saves what a person marked in a prompt. Each draft has an id of its own, so a second call saves nothing twice. */
export async function saveMarkedNotes(services: Services, job: Jobs['markers'], now: number): Promise<MarkedDraftOutcomes> {
  const session = await services.store.sessions.get(job.sessionId)
  const prompt = await services.store.prompts.byNumber(job.sessionId, job.number)
  if (!session || !prompt || prompt.origin !== 'person') return { outcomes: [], leftOut: 0 }
  const before = await services.store.prompts.countSameTextBefore(prompt)
  const { drafts, leftOut } = draftMarkedNotes(session, prompt, before, services.settings.hooks.user_prompt.markers)
  return { outcomes: await saveDrafts(services, drafts, now, session), leftOut }
}

/** Writes or updates the note about a session. Null when the session has nothing worth a note, or must have none. */
export async function saveEpisodeNote(services: Services, job: Jobs['episode'], now: number): Promise<NoteSaveReceipt | null> {
  const session = await services.store.sessions.get(job.sessionId)
  const { stop, pre_compact } = services.settings.hooks
  const isWanted = stop.session_analysis && (job.hook === 'precompact' ? pre_compact.enabled : stop.enabled)
  if (!session || !isWanted || isExcluded(services, session)) return null
  const { episodeDraft } = await import('../capture/turns.ts')
  const draft = episodeDraft(await episodeOf(services, session, job.hook))
  if (!draft) return null
  const known = await services.store.notes.ofSession(session.contentSessionId)
  const { receipt, changes } = await saveNoteUnderId(services.notebook, { ...draft, id: known?.id ?? draft.id }, now)
  services.announce(changes)
  await anchorNewNotes(services, changes, session)
  return receipt
}

/** The sources of the note of a session. */
export const episodeOf = async (services: Services, session: Session, hook: Jobs['episode']['hook']) => ({
  session,
  prompts: await services.store.prompts.ofSession(session.id),
  summaries: await services.store.summaries.ofSession(session.id),
  files: await filesTouched(services, session),
  hook,
})

export const isExcluded = (services: Services, session: Session) =>
  services.rules(defaultAgent).isExcludedProject(session.project, session.folder)

/** The files a session changed, in the order of their first change. Observations outlive the tool uses they were made from. */
async function filesTouched(services: Services, session: Session): Promise<string[]> {
  const files = new Set<string>()
  const agent = await services.agents[session.agent]()
  for (const use of services.store.toolUses.inputsOf(session.id)) {
    const action = agent.readAction({ ...use, output: null, error: null })
    if (action.kind === 'edit' || action.kind === 'write') files.add(relativeTo(session.folder, action.file))
  }
  for (const observation of await services.store.observations.ofSession(session.id, 10_000)) {
    for (const file of observation.filesModified) files.add(relativeTo(session.folder, file))
  }
  return [...files]
}

const relativeTo = (folder: string, path: string) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path)

export async function saveDrafts(services: Services, drafts: CapturedNoteDraft[], now: number, session: Session): Promise<DraftOutcome[]> {
  const outcomes: DraftOutcome[] = []
  const changes: Change[] = []
  for (const draft of drafts) {
    const saved = await saveNote(services.notebook, draft, now)
    outcomes.push({ draft, receipt: saved.receipt })
    changes.push(...saved.changes)
  }
  services.announce(changes)
  await anchorNewNotes(services, changes, session)
  return outcomes
}

/** Ties notes of a session to code. What an import brings may speak of code as it was long ago. */
async function anchorNewNotes(services: Services, changes: Change[], session: Session): Promise<void> {
  const notes = changes.flatMap((change) => (change.kind === 'note-changed' && change.note.source !== 'import' ? [change.note] : []))
  if (notes.length === 0 || Date.now() - session.lastEventAt > MAX_SESSION_AGE_MS) return
  await (await import('./anchor-turn.ts')).anchorNotes(services, notes, session.folder, session.id)
}

const MAX_SESSION_AGE_MS = 60 * 60_000

/** One line per marked text for the model that reads the prompt; empty when nothing was marked or the budget is too small. */
export function receiptPage({ outcomes, leftOut }: MarkedDraftOutcomes, tokens: number): string {
  if (outcomes.length === 0) return ''
  const [head, foot] = ['<recollect-context about="marked texts">', '</recollect-context>']
  const lines: string[] = []
  let left = tokens - countTokens(head) - countTokens(foot) - 2
  // First, because the others may not all fit.
  const tooMany = `${outcomes.length + leftOut} texts are marked, but only ${MAX_MARKED_PER_PROMPT} per prompt are saved. The last ${leftOut} were not saved.`
  for (const line of [...(leftOut > 0 ? [tooMany] : []), ...outcomes.map(receiptLine)]) {
    left -= countTokens(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  return lines.length > 0 ? [head, ...lines, foot].join('\n') : ''
}

function receiptLine({ draft, receipt }: DraftOutcome): string {
  const cut = draft.isCut ? '(cut, because the prompt is too long) ' : ''
  const text = `${cut}${shorten(neutralizeText(draft.body), 100)}`
  switch (receipt.kind) {
    case 'refused':
      return `Not saved (${receipt.reason}): ${text}`
    case 'same':
      // The same prompt was delivered twice, and this draft was saved the first time.
      if (receipt.note.id === draft.id) return savedLine(draft, '', text)
      return `Already saved as ${shortMemoryId('note', receipt.note.id)}: ${text}`
    case 'restated':
      return savedLine(draft, `, restates ${receipt.superseded.map((id) => shortMemoryId('note', id)).join(', ')}`, text)
    case 'added':
    case 'updated':
      return savedLine(draft, '', text)
  }
}

const savedLine = ({ id, namespace, scope }: CapturedNoteDraft, also: string, text: string) =>
  `Saved as ${shortMemoryId('note', id)} (${namespace}${scope === 'global' ? ', for every project' : ''}${also}): ${text}`
