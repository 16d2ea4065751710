/**
 * How much of what the next session touches did the brief already name? Replays real transcripts in the order they happened: before
 * each session the brief of its project is written, then the session is read, and the files it touches are looked for in the brief.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type DistillJob, take } from '../src/capture/capture.ts'
import { distillTurn } from '../src/capture/turns.ts'
import type { AgentEvent } from '../src/core/event.ts'
import { asProjectKey } from '../src/core/ids.ts'
import { type BriefScore, newBriefScore } from '../src/evaluate/evaluate.ts'
import { claudeCode } from '../src/integrations/agent.ts'
import { DATA, hasData } from './data.ts'
import { filledStore, rules } from './ingest.ts'

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
    await score.add(store, { project, at: session.startedAt, branch: session.items[0]?.branch ?? null, touched: filesOf(session) })
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

function filesOf(session: Session): Set<string> {
  const files = new Set<string>()
  for (const { event } of session.items) {
    const path = event.kind === 'tool-used' && event.error === null ? claudeCode.fileOf(event.input) : null
    if (path?.startsWith(`${session.folder}/`)) files.add(path.slice(session.folder.length + 1))
  }
  return files
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

if (import.meta.main && hasData) {
  const r = await scoreBrief()
  const line = (name: string, share: number, tokens: number) =>
    `${name.padEnd(28)} names ${(100 * share).toFixed(1)} % of the files touched, ${Math.round(tokens)} tokens`
  console.log(`${r.sessions} sessions that had a past`)
  console.log(line('brief', r.ours, r.oursTokens))
  console.log(line('newest 50 observations', r.baseline, r.baselineTokens))
}
