/**
 * How much of what a session touches did its brief already name? Replays real transcripts in the order they happened: before each session
 * its brief is written; then the session is read, and the things it touches are searched in the brief.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { take } from '../src/capture/capture.ts'
import type { AgentEvent } from '../src/core/event.ts'
import { asProjectKey, type ProjectKey } from '../src/core/ids.ts'
import { type BriefScore, footprintOf, newBriefScore } from '../src/evaluate/evaluate.ts'
import { claudeCode } from '../src/integrations/agent.ts'
import type { Store } from '../src/store/store.ts'
import { someServices } from '../test/support/services.ts'
import { DATA, hasData, NO_DATA } from './data.ts'
import { rules } from './ingest.ts'
import { briefTable } from './table.ts'

type ReplayedSession = {
  project: string
  folder: string
  startedAt: number
  items: { event: AgentEvent; uuid: string | null; branch: string | null }[]
}

export async function scoreBrief(): Promise<BriefScore> {
  const score = newBriefScore()
  await replay(async (store, project, session) => {
    await score.add(store, { project, at: session.startedAt, branch: session.items[0]?.branch ?? null, footprint: touchedIn(session) })
  })
  return score.result()
}

/**
 * Reads the real sessions in the order they happened, each to its end and in the same way as the worker, which also writes the session's
 * note. Calls `before` ahead of each session, with the store as it was then.
 */
export async function replay(before: (store: Store, project: ProjectKey, session: ReplayedSession) => Promise<void>): Promise<void> {
  await using at = await someServices()
  for (const session of await realSessions()) {
    const project = asProjectKey(session.project)
    await before(at.store, project, session)
    await at.store.transaction(async () => {
      for (const { event, uuid, branch } of withSessionEnd(session.items)) {
        const from = { projectFolder: session.folder, clientPid: null, entrypoint: null, project, branch }
        await take(at.store, event, from, rules, { uuid })
      }
    })
    await at.desk.queue.drained()
  }
}

/** Appends the end of the session, which a transcript does not contain. */
function withSessionEnd(items: ReplayedSession['items']): ReplayedSession['items'] {
  return [
    ...items,
    ...items.slice(-1).map((last) => ({ ...last, event: { ...last.event, kind: 'session-ended' as const, reason: 'other' } })),
  ]
}

function touchedIn({ folder, items }: ReplayedSession) {
  const prompts = items.flatMap(({ event }) => (event.kind === 'prompt-submitted' && event.origin === 'person' ? [event.text] : []))
  const uses = items.flatMap(({ event }) => (event.kind === 'tool-used' ? [event] : []))
  const toJson = (value: unknown) => JSON.stringify(value ?? null)
  return footprintOf(
    folder,
    prompts,
    uses.map(({ tool, input, output, error }) => ({
      action: claudeCode.readAction({ tool, input: toJson(input), output: toJson(output), error }),
      error,
    })),
  )
}

async function realSessions(): Promise<ReplayedSession[]> {
  const folder = join(DATA, 'transcripts')
  const sessions: ReplayedSession[] = []
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.jsonl.gz'))) {
    const path = join(folder, name)
    if ((await claudeCode.detectTranscriptFormat(path)) !== 'claude-code') continue
    const items: ReplayedSession['items'] = []
    let cwd = '/'
    for await (const batch of claudeCode.readTranscript(path, null)) {
      items.push(...batch.items)
      cwd = batch.facts.cwd ?? cwd
    }
    // The file name contains the repository. The folder does not identify it: people had checkouts in several places.
    if (items.length > 0) sessions.push({ project: name.split('__')[0] ?? name, folder: cwd, startedAt: items[0]?.event.at ?? 0, items })
  }
  return sessions.sort((a, b) => a.startedAt - b.startedAt)
}

if (import.meta.main) {
  parseArguments('npm run eval:brief', {})
  console.log(hasData ? briefTable(await scoreBrief()) : NO_DATA)
}
