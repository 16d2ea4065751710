import { basename } from 'node:path'
import { queueStatements } from '../capture/capture.ts'
import { asContentSessionId } from '../core/ids.ts'
import type { Jobs } from '../core/job.ts'
import type { Session } from '../core/memory.ts'
import type { Agent } from '../integrations/agent.ts'
import { detectTranscriptFormat } from '../integrations/transcript-format.ts'
import type { CapturedTranscript } from '../wire/contract/upkeep.ts'
import { saveEpisodeNote } from './draft-notes.ts'
import { importTranscripts } from './import-transcripts.ts'
import { ingestTranscript } from './reconcile.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

/**
 * Reads a transcript and writes the note of its session at once. A session that is about to be compacted goes on; otherwise it is over, unless its
 * client still runs.
 */
export async function captureTranscript(
  services: Services,
  agent: Agent,
  path: string,
  source: Jobs['episode']['hook'],
): Promise<CapturedTranscript> {
  const format = await detectTranscriptFormat(path).catch(() => null)
  if (format !== agent.name) throw new BadRequest(`${path} is not a transcript of ${agent.title}`)
  if (source === 'precompact') await ingestTranscript(services, agent, path)
  else {
    for await (const line of importTranscripts(services, { agents: [agent.name], paths: [path], since: null, project: null }))
      if (line.kind === 'skipped') throw new BadRequest(`${path}: ${line.reason}`)
  }
  const session = await sessionIn(services, agent, path)
  if (!session) return { session: null, note: null, reason: 'it has no session, or one that may not be recorded' }
  if (source === 'precompact')
    await services.store.transaction(() => queueStatements(services.store, session.id, source, session.lastEventAt))
  services.queue.kick()
  const receipt = await saveEpisodeNote(services, { sessionId: session.id, hook: source }, Date.now())
  const { contentSessionId: id, project } = session
  if (receipt === null) return { session: id, note: null, reason: 'skipped trivial session' }
  if (receipt.kind === 'refused') return { session: id, note: null, reason: receipt.reason }
  return { session: id, note: { id: receipt.note.id, title: receipt.note.title, project } }
}

/** The session that a transcript is about: its lines name it, or else the file. */
async function sessionIn({ store }: Services, agent: Agent, path: string): Promise<Session | null> {
  for await (const { facts } of agent.readTranscript(path, null)) {
    const id = facts.sessionId ?? basename(path).replace(/\.jsonl(?:\.gz)?$/, '')
    return store.sessions.find(agent.name, asContentSessionId(id))
  }
  return null
}
