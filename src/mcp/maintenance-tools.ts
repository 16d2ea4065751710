import { z } from 'zod'
import type { SyncReport } from '../core/sync.ts'
import { formatAgo } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { ConsolidationLine, ConsolidationReport, WorkerStatus } from '../wire/api.ts'
import type { Setting, SettingsInForce } from '../wire/view.ts'
import { dataBlock, idOf, oneLine } from './memory-text.ts'
import { defineTool, projectFor, strictArguments } from './tool.ts'
import { ask, askLines, RefusedError } from './worker-client.ts'

export const status = defineTool({
  name: 'memory_status',
  title: 'How memory is doing',
  description: 'How memory is doing: how much is remembered, what waits, sync, problems.',
  input: strictArguments({}),
  hints: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run: async (means) => {
    const s = await ask<WorkerStatus>(means.client, '/api/status')
    const now = means.now()
    const damage = s.setAside.map((file) => `the database was damaged and is now ${file}; 'recollect doctor' says what to do`)
    const problems = [...damage, ...s.problems, ...s.notes.problems.map(({ path, problem }) => `${path}: ${problem}`)]
    return dataBlock('from="memory_status"', [
      `version ${s.version}, running since ${formatAgo(s.startedAt, now).replace(/ ago$/, '')}`,
      `sessions: ${s.sessions.all}, live ${s.sessions.live} | notes: ${s.notes.all}, hidden ${s.notes.hidden}, conflicted ${s.notes.conflicted}`,
      `jobs: ${s.jobs.waiting + s.jobs.running} waiting, ${s.jobs.dead} failed | last event: ${s.lastEventAt === null ? 'none' : formatAgo(s.lastEventAt, now)}`,
      `sync: ${s.sync.remote ? `${s.sync.ahead} to send, ${s.sync.behind} to take in` : 'no remote'}${s.sync.last ? `, last ${s.sync.last.outcome} ${formatAgo(s.sync.last.at, now)}` : ''}`,
      ...s.projects.map((p) => `project ${oneLine(p.project, 100)} | ${p.sessions} sessions | ${formatAgo(p.lastAt, now)}`),
      ...problems.map((problem) => `problem: ${oneLine(problem, 300)}`),
    ])
  },
})

export const sync = defineTool({
  name: 'memory_sync',
  title: 'Sync notes',
  description: "Bring the notes of the person's machines together over git. It also happens by itself at session start and end.",
  input: strictArguments({ dry_run: z.boolean().default(false) }),
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  run: async (means, { dry_run }, call) => {
    call.progress(0, 1, 'syncing')
    const r = await ask<SyncReport>(means.client, '/api/sync', { method: 'POST', body: { dryRun: dry_run }, signal: call.signal })
    const lines = [
      `${r.outcome}${r.reason ? `: ${oneLine(r.reason, 300)}` : ''}`,
      `committed ${r.committed.length}, received ${r.received.length}, kept beside ${r.kept.length}, ${r.pushed ? 'pushed' : 'nothing pushed'}`,
      ...r.withheld.map((held) => `withheld, it may hold a secret: ${oneLine(held.path, 200)} line ${held.line}`),
    ]
    if (r.outcome === 'refused') throw new RefusedError(lines.join('\n'), 400)
    return `${dry_run ? 'Nothing was changed. Would be:\n' : ''}${dataBlock('from="memory_sync"', lines)}`
  },
})

export const consolidate = defineTool({
  name: 'memory_consolidate',
  title: 'Fold and merge notes',
  description:
    'Fold notes that say the same and merge related ones, or (mode reflect, needs a text model) make lasting notes of sessions. Shows a plan and writes nothing; apply: true does what was shown; undo takes the last plan back.',
  input: strictArguments({
    mode: z.enum(['consolidate', 'reflect']).default('consolidate'),
    apply: z.boolean().default(false),
    undo: z.union([z.boolean(), z.number().int().min(1)]).default(false),
    project: z.string().max(500).optional(),
  }),
  hints: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  run: async (means, { mode, apply, undo, project }, call) => {
    const body = { apply, undo, project: projectFor(means, project) }
    const lines = askLines<ConsolidationLine>(means.client, `/api/${mode}`, { method: 'POST', body, signal: call.signal })
    for await (const line of lines) {
      switch (line.kind) {
        case 'progress':
          call.progress(line.done, line.of, line.what)
          break
        case 'failed':
          throw new RefusedError(line.error, 400)
        case 'undone':
          return `Plan ${line.report.plan} was taken back: ${line.report.restored} notes restored.`
        case 'done':
          return planText(line.report)
      }
    }
    throw new RefusedError('It was broken off before it was over. Nothing was written unless memory_status says so.', 500)
  },
})

function planText({ plan, outcome, groups, messages: said }: ConsolidationReport): string {
  const lines = groups.flatMap((group) => [
    `${group.how} | ${group.refused ? `left alone: ${oneLine(group.refused, 160)}` : oneLine(group.reason, 160)}`,
    ...(group.stays ? [`  stays ${idOf('note', group.stays.id)} ${oneLine(group.stays.title, 120)}`] : []),
    ...group.makes.map((note) => `  makes ${oneLine(note.title, 120)} (${neutralizeText(note.namespace)})`),
    ...group.hides.map((note) => `  hides ${idOf('note', note.id)} ${oneLine(note.title, 120)}`),
  ])
  const told = said.map((sentence) => oneLine(sentence, 300))
  const end = {
    planned: groups.some((group) => group.refused === null) ? 'Nothing was written. apply: true does it.' : 'There is nothing to do.',
    applied: `Done. undo: ${plan} takes it back within 30 days.`,
    replanned: 'Notes have changed since the plan was shown. This is the new one; nothing was written.',
  }[outcome]
  return `${dataBlock(`from="memory_consolidate" plan="${plan}"`, [...lines, ...told])}\n${end}`
}

/**
 * What decides where memories go, what is kept from them and where the worker listens is a person's to set. A model that was talked into
 * changing one of these could send everything to a stranger, or cut off every session.
 */
const PERSON_ONLY_SETTINGS =
  /^(?:(?:privacy|sync|model|embedder|store)\.|worker\.port$|hooks\.post_tool_use\.(?:skip_tools|exclude_patterns)$)/

export const configure = defineTool({
  name: 'memory_configure',
  title: 'Settings',
  description:
    'Settings and where each value comes from; with key only that one; with value sets it (unset: true takes it away). Keys about privacy, sync, models, secrets and the port are for the person alone.',
  input: strictArguments({
    key: z.string().max(100).optional(),
    value: z.union([z.string().max(2000), z.number(), z.boolean(), z.array(z.string().max(500)).max(200)]).optional(),
    unset: z.boolean().default(false),
  }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async (means, { key, value, unset }) => {
    const { settings, problems } = await ask<SettingsInForce>(means.client, '/api/settings')
    if (key === undefined) {
      if (value !== undefined || unset) throw new RefusedError('Which setting? Give key.', 400)
      return dataBlock('from="memory_configure"', [
        'key | value | from',
        ...settings.map(settingLine),
        ...problems.map((problem) => oneLine(problem, 300)),
      ])
    }
    const known = settings.find((setting) => setting.name === key)
    if (!known) throw new RefusedError(`There is no setting ${oneLine(key, 60)}. memory_configure without key lists them.`, 400)
    if (value === undefined && !unset) return dataBlock('from="memory_configure"', [settingLine(known)])
    if (known.isSecret || PERSON_ONLY_SETTINGS.test(key))
      throw new RefusedError(`${key} is for the person to set: recollect config set ${key} <value>. Ask them.`, 400)
    const after = await ask<SettingsInForce & { note: string }>(means.client, '/api/settings', {
      method: 'PUT',
      body: unset ? { name: key, unset } : { name: key, value },
    })
    const now = after.settings.find((setting) => setting.name === key)
    return `${dataBlock('from="memory_configure"', now ? [settingLine(now)] : [])}\n${after.note}`
  },
})

const settingLine = ({ name, value, source }: Setting) => `${name} | ${oneLine(JSON.stringify(value), 200)} | ${source}`
