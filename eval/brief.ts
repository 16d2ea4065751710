/**
 * How much of what the next session touches did the brief already name? Replays real transcripts in the order they happened: before
 * each session the brief of its project is written, then the session is read, and what it touches is looked for in the brief.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { given } from '../scripts/given.ts'
import { take } from '../src/capture/capture.ts'
import type { AgentEvent } from '../src/core/event.ts'
import { asProjectKey, type ProjectKey } from '../src/core/ids.ts'
import { type BriefScore, footprintOf, newBriefScore } from '../src/evaluate/evaluate.ts'
import { claudeCode } from '../src/integrations/agent.ts'
import type { Store } from '../src/store/store.ts'
import { aDesk } from '../test/support/desk.ts'
import { DATA, hasData, NO_DATA } from './data.ts'
import { rules } from './ingest.ts'
import { briefTable } from './table.ts'

type Session = {
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
 * Reads the real sessions in the order they happened, each to its end and as the worker does it, so that its note is written too; what is
 * remembered before each is there to be looked at.
 */
export async function replay(before: (store: Store, project: ProjectKey, session: Session) => Promise<void>): Promise<void> {
  await using at = await aDesk()
  for (const session of await realSessions()) {
    const project = asProjectKey(session.project)
    await before(at.store, project, session)
    await at.store.transaction(async () => {
      for (const { event, uuid, branch } of ended(session.items)) {
        const from = { projectFolder: session.folder, clientPid: null, entrypoint: null, project, branch }
        await take(at.store, event, from, rules, { uuid })
      }
    })
    await at.desk.queue.drained()
  }
}

/** A transcript does not say that the session is over. */
function ended(items: Session['items']): Session['items'] {
  return [
    ...items,
    ...items.slice(-1).map((last) => ({ ...last, event: { ...last.event, kind: 'session-ended' as const, reason: 'other' } })),
  ]
}

function touchedIn({ folder, items }: Session) {
  const asked = items.flatMap(({ event }) => (event.kind === 'prompt-submitted' && event.origin === 'person' ? [event.text] : []))
  const uses = items.flatMap(({ event }) => (event.kind === 'tool-used' ? [event] : []))
  const written = (value: unknown) => JSON.stringify(value ?? null)
  return footprintOf(
    folder,
    asked,
    uses.map(({ tool, input, output, error }) => ({
      action: claudeCode.readAction({ tool, input: written(input), output: written(output), error }),
      error,
    })),
  )
}

async function realSessions(): Promise<Session[]> {
  const folder = join(DATA, 'transcripts')
  const sessions: Session[] = []
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.jsonl.gz'))) {
    const path = join(folder, name)
    if ((await claudeCode.detectTranscriptFormat(path)) !== 'claude-code') continue
    const items: Session['items'] = []
    let folderOf = '/'
    for await (const batch of claudeCode.readTranscript(path, null)) {
      items.push(...batch.items)
      folderOf = batch.facts.cwd ?? folderOf
    }
    // The file's name says which repository it comes from; people had it in several folders.
    if (items.length > 0)
      sessions.push({ project: name.split('__')[0] ?? name, folder: folderOf, startedAt: items[0]?.event.at ?? 0, items })
  }
  return sessions.sort((a, b) => a.startedAt - b.startedAt)
}

if (import.meta.main) {
  given('npm run eval:brief', {})
  console.log(hasData ? briefTable(await scoreBrief()) : NO_DATA)
}
