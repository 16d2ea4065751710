import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { take } from '../../src/capture/capture.ts'
import type { SessionEvent } from '../../src/core/event.ts'
import { asContentSessionId } from '../../src/core/ids.ts'
import { claudeCode } from '../../src/integrations/agent.ts'
import { setAside } from '../../src/store/store.ts'
import { syncNotes } from '../../src/sync/sync.ts'
import { openCaller, throwing } from '../../src/wire/call.ts'
import type { RequestOf } from '../../src/wire/contract/contract.ts'
import type { ForgetReport } from '../../src/wire/contract/forget.ts'
import { runConsolidation } from '../../src/worker/consolidation.ts'
import { ingestDelivery } from '../../src/worker/intake.ts'
import { openRouter } from '../../src/worker/router.ts'
import { inProcessTransport } from '../../src/worker/server.ts'
import { event, nowhere, prompt, toolUse } from '../support/builders.ts'
import { aControl } from '../support/control.ts'
import { someServices } from '../support/services.ts'
import { openWorkerDatabase } from '../support/worker-database.ts'

/** Words that occur nowhere else, so that any piece of them that is left was left by us. */
export const WORDS = ['zorbluxian', 'quimperdol', 'velkuntrix', 'mordavishk', 'trasquelon']
export const SENTENCE = WORDS.join(' ')
const HOUR = 60 * 60_000

export type Home = Awaited<ReturnType<typeof aHome>>

/** A home with a real store, notes and routes. */
export async function aHome(settings: Record<string, string> = {}) {
  const at = await someServices({ RECOLLECT_EMBEDDER_PROVIDER: 'none', ...settings })
  const project = join(at.folder, 'app')
  mkdirSync(join(project, 'src'), { recursive: true })
  const caller = throwing(
    openCaller(inProcessTransport(openRouter(at.desk, aControl()), at.desk.log)),
    (failure) => new Error(failure.kind === 'refused' ? `${failure.status} ${failure.reason}` : failure.kind),
  )
  let clock = Date.now() - 6 * HOUR
  return {
    ...at,
    project,
    home: at.desk.home.folder,
    ...caller,
    now: () => clock,
    later: (ms: number) => {
      clock += ms
      return clock
    },
    /** Reports an event as a hook would, one minute after the last. */
    report: async (said: SessionEvent, session = 's-one', given: { at?: number; uuid?: string } = {}) => {
      clock += 60_000
      const reported = event(said, { session: asContentSessionId(session), at: given.at ?? clock, cwd: project })
      const line = given.uuid ? { uuid: given.uuid } : null
      return at.store.transaction(() => take(at.store, reported, nowhere, at.desk.rules(claudeCode), line))
    },
    forget: async (request: RequestOf<'POST /api/forget'>): Promise<ForgetReport> => {
      for await (const line of caller.callLines('POST /api/forget', request)) {
        if (line.kind === 'failed') throw new Error(line.error)
        if (line.kind === 'done') return line.report
      }
      throw new Error('the deletion did not end')
    },
  }
}

const turn = (id: string, text: string, uses: SessionEvent[], answer: string): SessionEvent[] => [
  prompt(text, id),
  ...uses,
  { kind: 'turn-ended', promptId: id, answer },
]

/**
 * Three turns of a session, of which the second says the sentence in every way a turn can. It has since been noted, summarized, shown to
 * another session, committed to git, planned for consolidation, spooled again, and left in a database that was set aside.
 */
export async function aStory(at: Home): Promise<{ promptId: number }> {
  const file = join(at.project, 'src', 'tide.ts')
  const edit = (id: string, promptId: string, text: string) =>
    toolUse(id, { promptId, tool: 'Edit', input: { file_path: file, old_string: 'a', new_string: text }, output: {} })
  const failed = { command: 'npm test' }
  const decision = `[decision] We decided to call the vault ${SENTENCE}. Put that into the file.`
  const events = [
    ...turn(
      't1',
      'Show the tide table in local time',
      [edit('u1', 't1', 'const zone = local')],
      'The table now uses local time everywhere.',
    ),
    ...turn(
      't2',
      decision,
      [
        edit('u2', 't2', `export const vault = '${SENTENCE}'`),
        toolUse('u3', { promptId: 't2', input: failed, output: undefined, error: `Error: ${SENTENCE} is not defined` }),
      ],
      `We agreed that the vault is called ${SENTENCE}; it is in src/tide.ts and one test still fails.`,
    ),
    ...turn(
      't3',
      'yes, do that',
      [toolUse('u4', { promptId: 't3', input: failed, output: { stdout: '12 passed' } })],
      'Done, the tests pass.',
    ),
    { kind: 'compacting' as const, promptId: 't3' },
    { kind: 'compacted' as const, promptId: 't3', summary: `They named the vault ${SENTENCE} and the tests pass.` },
    { kind: 'session-ended' as const, reason: 'exit' },
  ]
  for (const one of events) await at.report(one)
  await at.desk.queue.drained()
  // Once more, now that the turns are distilled.
  await at.store.transaction(() => at.store.jobs.add('episode', '1', { sessionId: 1, hook: 'session-end' }, Date.now()))
  await at.desk.queue.drained()
  for (const [name, payload] of [
    ['SessionStart', { source: 'startup' }],
    ['UserPromptSubmit', { prompt: 'What did we decide to call the vault?', prompt_id: 'q1' }],
  ] as const) {
    const host = { hook_event_name: name, session_id: 's-two', cwd: at.project, transcript_path: '', ...payload }
    await ingestDelivery(at.desk, { agent: claudeCode, payload: host, context: nowhere, delivery: null, at: at.later(60_000) })
  }
  await syncNotes(at.desk.notebook, { remote: '', fetch: false, push: false }, Date.now())
  for await (const _ of runConsolidation(at.desk, 'consolidate', { apply: false, project: null }));
  const { home } = at.desk
  const again = { hook_event_name: 'UserPromptSubmit', session_id: 's-one', cwd: at.project, prompt: decision, prompt_id: 't2' }
  const spooled = { delivery: 'd1', agent: 'claude-code', at: at.now() - 5 * 60_000, context: nowhere, payload: again }
  mkdirSync(home.spoolSetAside, { recursive: true })
  writeFileSync(join(home.spool, '000000000000001-d1.json'), JSON.stringify(spooled))
  writeFileSync(join(home.spoolSetAside, 'one.json'), `{"session_id":"s-one","prompt":"${SENTENCE}`)
  writeFileSync(`${home.database}.old`, SENTENCE)
  setAside(`${home.database}.old`, new Date())
  // The name that `setAside` gives to a damaged database.
  for (const name of readdirSync(home.folder).filter((name) => name.startsWith('recollect.db.old')))
    writeFileSync(join(home.folder, name.replace('.old', '')), readFileSync(join(home.folder, name)))
  for (const name of readdirSync(home.folder).filter((name) => name.startsWith('recollect.db.old')))
    await Bun.file(join(home.folder, name)).delete()
  const [, second] = await at.store.prompts.ofSession(1)
  return { promptId: second?.id ?? 0 }
}

/** Where any piece of five letters of the words is left below a folder: in files, in every git object, and in the indexes of the database. */
export async function residue(folder: string, { except = [] as string[], isJustErased = false } = {}): Promise<string[]> {
  const found = new Set<string>()
  for (const path of filesBelow(folder)) {
    if (except.some((part) => path.includes(part))) continue
    const piece = pieceIn(readFileSync(path))
    if (piece) found.add(`${path.slice(folder.length + 1)} has ${piece}`)
    if (path.endsWith('/.git/HEAD')) {
      const objects = Bun.spawnSync(['git', '--git-dir', path.slice(0, -'/HEAD'.length), 'cat-file', '--batch-all-objects', '--batch'])
      const inGit = pieceIn(objects.stdout)
      if (inGit) found.add(`${path.slice(folder.length + 1)} objects have ${inGit}`)
    }
    if (path.endsWith('/recollect.db')) for (const problem of inDatabase(path, isJustErased)) found.add(problem)
  }
  return [...found]
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

const PIECES = WORDS.flatMap((word) => Array.from({ length: word.length - 4 }, (_, from) => word.slice(from, from + 5)))

function pieceIn(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('latin1').toLowerCase()
  const hex = (piece: string) => Buffer.from(piece).toString('hex')
  return PIECES.find((piece) => text.includes(piece) || text.includes(hex(piece))) ?? null
}

/** Terms are stored without the letters they share with the term before, and deleted rows of an index as tombstones: ask the index itself. */
function inDatabase(path: string, isJustErased: boolean): string[] {
  const db = openWorkerDatabase(path)
  try {
    return ['fulltext', 'surroundings', 'trigrams', 'deeds', 'traits'].flatMap((table) => {
      db.run(`CREATE VIRTUAL TABLE temp.${table}_terms USING fts5vocab (main, ${table}, 'row')`)
      const terms = (db.query(`SELECT term FROM temp.${table}_terms`).all() as { term: string }[]).map(({ term }) => term)
      const starts = WORDS.map((word) => (table === 'trigrams' ? word.slice(1, 4) : word.slice(0, 5)))
      const left = terms.filter((term) => starts.some((start) => term.startsWith(start)))
      // Tombstones of deleted rows: their words would still be in the segment, with positions.
      const buried = db.query(`SELECT count(*) AS n FROM ${table}_data WHERE id >= (65536 << 37)`).get() as { n: number }
      return [
        ...left.map((term) => `${table} has the term ${term}`),
        ...(isJustErased && buried.n > 0 ? [`${table} has ${buried.n} pages of deleted rows`] : []),
      ]
    })
  } finally {
    db.close()
  }
}
