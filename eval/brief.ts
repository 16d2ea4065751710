/**
 * How much of what the next session touches did the brief already name? Replays real transcripts in the order they happened: before
 * each session the brief of its project is written, then the session is read, and the files it touches are looked for in the brief.
 * Beside it: the newest 50 observations in full, which is what others inject.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type DistillJob, distillTurn, take } from '../src/capture/capture.ts'
import type { AgentEvent } from '../src/core/event.ts'
import { asProjectKey } from '../src/core/ids.ts'
import { countTokens } from '../src/core/tokens.ts'
import { BRIEF_BUDGET, briefFor } from '../src/inject/brief.ts'
import { claudeCode } from '../src/integrations/agent.ts'
import { DATA, hasData } from './data.ts'
import { filledStore, rules } from './ingest.ts'

type Session = {
  project: string
  folder: string
  startedAt: number
  items: { event: AgentEvent; uuid: string | null; branch: string | null }[]
}

export async function scoreBrief() {
  const sessions = await realSessions()
  const sums = { sessions: 0, ours: 0, oursTokens: 0, baseline: 0, baselineTokens: 0 }
  using filled = await filledStore([])
  const { store } = filled
  for (const session of sessions) {
    const project = asProjectKey(session.project)
    const touched = filesOf(session)
    const branch = session.items[0]?.branch ?? null
    const brief = await briefFor(store, project, session.startedAt, BRIEF_BUDGET, undefined, { branch })
    const newest = (await store.observations.recent(project, 50))
      .map((o) => [`#${o.id} ${o.type} ${o.title}`, o.subtitle, o.narrative, ...o.facts, ...o.filesModified, ...o.filesRead].join('\n'))
      .join('\n')
    if (touched.size > 0 && newest) {
      sums.sessions++
      sums.ours += named(touched, brief.text)
      sums.oursTokens += brief.tokens
      sums.baseline += named(touched, newest)
      sums.baselineTokens += countTokens(newest)
    }
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
  const n = sums.sessions
  return {
    sessions: n,
    ours: sums.ours / n,
    oursTokens: sums.oursTokens / n,
    baseline: sums.baseline / n,
    baselineTokens: sums.baselineTokens / n,
  }
}

/** The share of the touched files that a text names, by path or by file name. */
function named(touched: Set<string>, text: string): number {
  const found = [...touched].filter((path) => text.includes(path) || text.includes(path.split('/').at(-1) ?? path))
  return found.length / touched.size
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
