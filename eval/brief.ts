/**
 * How much of what a session is shown does it use later? Replays real transcripts in the order they happened: before each session its brief is
 * written, and what each of its prompts recalls; then it is compared with what the session goes on to say and do.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { take } from '../src/capture/capture.ts'
import type { AgentEvent } from '../src/core/event.ts'
import { asProjectKey, type ProjectKey } from '../src/core/ids.ts'
import { type BriefScore, type EvaluatedSession, newBriefScore, wordsOfAction } from '../src/evaluate/evaluate.ts'
import { briefFor, recallFor } from '../src/inject/brief.ts'
import { claudeCode } from '../src/integrations/agent.ts'
import { detectTranscriptFormat } from '../src/integrations/transcript-format.ts'
import type { Store } from '../src/store/store.ts'
import { someServices } from '../test/support/services.ts'
import { DATA, hasData, NO_DATA } from './data.ts'
import { rules } from './ingest.ts'
import { meaningIn, shippedTable } from './meaning.ts'
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
    const branch = session.items[0]?.branch ?? null
    await score.add(store, { project, at: session.startedAt, branch, turns: turnsOf(session) }, await meaningIn(store, shippedTable))
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

/** What each prompt of the person was followed by, until the next one. */
export function turnsOf({ items }: ReplayedSession): EvaluatedSession['turns'] {
  const turns: EvaluatedSession['turns'] = []
  for (const { event } of items) {
    if (event.kind === 'prompt-submitted' && event.origin === 'person') turns.push({ prompt: event.text, followed: [] })
    if (event.kind === 'turn-ended') turns.at(-1)?.followed.push(event.answer ?? '')
    if (event.kind !== 'tool-used' || event.error !== null) continue
    const [input, output] = [JSON.stringify(event.input ?? null), JSON.stringify(event.output ?? null)]
    turns.at(-1)?.followed.push(wordsOfAction(claudeCode.readAction({ tool: event.tool, input, output, error: null })))
  }
  return turns
}

async function realSessions(): Promise<ReplayedSession[]> {
  const folder = join(DATA, 'transcripts')
  const sessions: ReplayedSession[] = []
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.jsonl.gz'))) {
    const path = join(folder, name)
    if ((await detectTranscriptFormat(path)) !== 'claude-code') continue
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

/** Prints each brief of a session with earlier memories beside the first prompts of that session and the ends of their answers, for a reader. */
async function printBriefs(): Promise<void> {
  let count = 0
  await replay(async (store, project, session) => {
    const turns = turnsOf(session)
    if (turns.length === 0 || (await store.observations.recent(project, 1)).length === 0) return
    const branch = session.items[0]?.branch ?? null
    const { text, tokens } = await briefFor(store, { project, now: session.startedAt, branch })
    console.log(`\n\n######## ${++count} · ${project} · ${new Date(session.startedAt).toISOString()} · branch ${branch} · ${tokens} tokens`)
    console.log(`${text}\n---- then:`)
    for (const { prompt, followed } of turns.slice(0, 8))
      console.log(
        `> ${prompt.slice(0, 600).replaceAll('\n', '\n  ')}\n    = ${(followed.findLast(Boolean) ?? '').slice(0, 350).replaceAll('\n', ' ')}`,
      )
  })
}

/** Prints what each prompt recalls, beside the prompt and the end of its answer, for a reader. */
async function printRecalls(): Promise<void> {
  let count = 0
  await replay(async (store, project, session) => {
    const meaning = await meaningIn(store, shippedTable)
    for (const [n, { prompt, followed }] of turnsOf(session).entries()) {
      const { text } = await recallFor(store, { project, id: null }, prompt, session.startedAt, n === 0 ? 1000 : 400, meaning)
      if (text === '') continue
      console.log(`\n\n######## ${++count} · ${project} · ${new Date(session.startedAt).toISOString()} · prompt ${n + 1}`)
      console.log(`> ${prompt.slice(0, 1500).replaceAll('\n', '\n  ')}\n${text}\n    = ${(followed.findLast(Boolean) ?? '').slice(0, 700)}`)
    }
  })
}

if (import.meta.main) {
  const { values } = parseArguments('npm run eval:brief [-- --read | --recalls]', {
    read: { type: 'boolean', default: false },
    recalls: { type: 'boolean', default: false },
  } as const)
  if (!hasData) console.log(NO_DATA)
  else if (values.read) await printBriefs()
  else if (values.recalls) await printRecalls()
  else console.log(briefTable(await scoreBrief()))
}
