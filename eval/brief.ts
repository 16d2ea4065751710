/**
 * How much of what the next session touches did the brief already name? Replays real transcripts in the order they happened: before
 * each session the brief of its project is written, then the session is read, and what it touches is looked for in the brief.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type DistillJob, take } from '../src/capture/capture.ts'
import { distillTurn } from '../src/capture/turns.ts'
import type { AgentEvent } from '../src/core/event.ts'
import { asProjectKey } from '../src/core/ids.ts'
import { type BriefScore, newBriefScore, touchedBy } from '../src/evaluate/evaluate.ts'
import { claudeCode } from '../src/integrations/agent.ts'
import { DATA, hasData } from './data.ts'
import { filledStore, rules } from './ingest.ts'
import { briefTable } from './table.ts'

type Session = {
  project: string
  folder: string
  startedAt: number
  items: { event: AgentEvent; uuid: string | null; branch: string | null }[]
}

export async function scoreBrief(): Promise<BriefScore> {
  const score = newBriefScore()
  using filled = await filledStore([])
  const { store } = filled
  for (const session of await realSessions()) {
    const project = asProjectKey(session.project)
    await score.add(store, { project, at: session.startedAt, branch: session.items[0]?.branch ?? null, touched: touchedIn(session) })
    await store.transaction(async () => {
      for (const { event, uuid, branch } of session.items) {
        await take(store, event, { projectFolder: session.folder, clientPid: null, entrypoint: null, project, branch }, rules, { uuid })
      }
    })
    for (let job = await store.jobs.claim(Date.now()); job; job = await store.jobs.claim(Date.now())) {
      const { id, payload } = job
      await store.transaction(async () => {
        await distillTurn(store, payload as DistillJob, claudeCode.readAction)
        await store.jobs.done(id)
      })
    }
  }
  return score.result()
}

function touchedIn({ folder, items }: Session) {
  const asked = items.flatMap(({ event }) => (event.kind === 'prompt-submitted' && event.origin === 'person' ? [event.text] : []))
  const uses = items.flatMap(({ event }) => (event.kind === 'tool-used' ? [event] : []))
  const written = (value: unknown) => JSON.stringify(value ?? null)
  return touchedBy(
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
    if ((await claudeCode.formatOf(path)) !== 'claude-code') continue
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

if (import.meta.main && hasData) console.log(briefTable(await scoreBrief()))
