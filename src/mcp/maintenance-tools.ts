import { z } from 'zod'
import { formatAgo } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { SettingValue } from '../wire/contract/settings.ts'
import type { ConsolidationReport } from '../wire/contract/upkeep.ts'
import { dataBlock, idOf, oneLine } from './memory-text.ts'
import { defineTool, projectFor, strictArguments } from './tool.ts'
import { RefusedError } from './worker-client.ts'

export const status = defineTool({
  name: 'memory_status',
  title: 'Memory status',
  description: 'Show the state of memory: counts, waiting jobs, sync, problems.',
  input: strictArguments({}),
  hints: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run: async (deps) => {
    const s = await deps.worker.call('GET /api/status')
    const now = deps.now()
    const damage = s.setAside.map((file) => `the database was damaged and was moved to ${file}; run 'recollect doctor' to see what to do`)
    const problems = [...damage, ...s.problems, ...s.notes.problems.map(({ path, problem }) => `${path}: ${problem}`)]
    return dataBlock('from="memory_status"', [
      `version ${s.version}, started ${formatAgo(s.startedAt, now)}`,
      `sessions: ${s.sessions.all}, live ${s.sessions.live} | notes: ${s.notes.all}, hidden ${s.notes.hidden}, conflicted ${s.notes.conflicted}`,
      `jobs: ${s.jobs.waiting + s.jobs.running} waiting, ${s.jobs.dead} failed | last event: ${s.lastEventAt === null ? 'none' : formatAgo(s.lastEventAt, now)}`,
      `sync: ${s.sync.remote ? `${s.sync.ahead} to send, ${s.sync.behind} to merge` : 'no remote'}${s.sync.last ? `, last ${s.sync.last.outcome} ${formatAgo(s.sync.last.at, now)}` : ''}`,
      ...s.projects.map((p) => `project ${oneLine(p.project, 100)} | ${p.sessions} sessions | ${formatAgo(p.lastAt, now)}`),
      ...problems.map((problem) => `problem: ${oneLine(problem, 300)}`),
    ])
  },
})

export const sync = defineTool({
  name: 'memory_sync',
  title: 'Sync notes',
  description: "Sync notes between the person's machines over git. This also happens automatically at session start and end.",
  input: strictArguments({ dry_run: z.boolean().default(false) }),
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  run: async (deps, { dry_run }, { progress, signal }) => {
    progress(0, 1, 'syncing')
    const r = await deps.worker.call('POST /api/sync', { dryRun: dry_run }, { signal })
    const lines = [
      `${r.outcome}${r.reason ? `: ${oneLine(r.reason, 300)}` : ''}`,
      `committed ${r.committed.length}, received ${r.received.length}, conflicts ${r.kept.length}, ${r.pushed ? 'pushed' : 'nothing pushed'}`,
      ...r.withheld.map(({ path, line }) => `withheld because it may contain a secret: ${oneLine(path, 200)} line ${line}`),
    ]
    if (r.outcome === 'refused') throw new RefusedError(lines.join('\n'), 400)
    return `${dry_run ? 'Nothing was changed. A sync would do this:\n' : ''}${dataBlock('from="memory_sync"', lines)}`
  },
})

export const consolidate = defineTool({
  name: 'memory_consolidate',
  title: 'Consolidate notes',
  description:
    'Fold duplicate notes and merge related ones, or (mode reflect, needs a text model) make lasting notes from sessions. Shows a plan without writing anything; apply: true carries it out; undo reverts the last plan.',
  input: strictArguments({
    mode: z.enum(['consolidate', 'reflect']).default('consolidate'),
    apply: z.boolean().default(false),
    undo: z.union([z.boolean(), z.number().int().min(1)]).default(false),
    project: z.string().max(500).optional(),
  }),
  hints: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  run: async (deps, { mode, apply, undo, project }, { progress, signal }) => {
    const request = { apply, undo, project: projectFor(deps, project) }
    for await (const line of deps.worker.callLines(`POST /api/${mode}`, request, { signal })) {
      switch (line.kind) {
        case 'progress':
          progress(line.done, line.of, line.what)
          break
        case 'failed':
          throw new RefusedError(line.error, 400)
        case 'undone':
          return `Reverted plan ${line.report.plan}: ${line.report.restored} notes restored.`
        case 'done':
          return planText(line.report)
      }
    }
    throw new RefusedError('The worker stopped before it was finished. Call memory_consolidate again to see the current plan.', 500)
  },
})

function planText({ plan, outcome, groups, messages }: ConsolidationReport): string {
  const lines = groups.flatMap((group) => [
    `${group.how} | ${group.refused ? `not done: ${oneLine(group.refused, 160)}` : oneLine(group.reason, 160)}`,
    ...(group.stays ? [`  keeps ${idOf('note', group.stays.id)} ${oneLine(group.stays.title, 120)}`] : []),
    ...group.makes.map((note) => `  writes ${oneLine(note.title, 120)} (${neutralizeText(note.namespace)})`),
    ...group.hides.map((note) => `  hides ${idOf('note', note.id)} ${oneLine(note.title, 120)}`),
  ])
  const result = {
    planned: groups.some((group) => group.refused === null)
      ? 'Nothing was written. To carry out this plan, pass apply: true.'
      : 'Nothing to consolidate.',
    applied: `Done. To revert it within 30 days, pass undo: ${plan}.`,
    replanned: 'Notes changed after the plan was shown, so nothing was written. This is the new plan.',
  }[outcome]
  return `${dataBlock(`from="memory_consolidate" plan="${plan}"`, [...lines, ...messages.map((message) => oneLine(message, 300))])}\n${result}`
}

/**
 * Settings that only a person may change: where memories are sent, what is kept out of them, and where the worker listens. A model that was
 * tricked into changing one could leak all memories or disconnect every session.
 */
const PERSON_ONLY_SETTINGS =
  /^(?:(?:privacy|sync|model|embedder|store)\.|worker\.port$|hooks\.post_tool_use\.(?:skip_tools|exclude_patterns)$)/

export const configure = defineTool({
  name: 'memory_configure',
  title: 'Settings',
  description:
    'List settings with the source of each value, or with key only one. With value, set it; unset: true resets it. Only the person may change privacy, sync, models, secrets and the port.',
  input: strictArguments({
    key: z.string().max(100).optional(),
    value: z.union([z.string().max(2000), z.number(), z.boolean(), z.array(z.string().max(500)).max(200)]).optional(),
    unset: z.boolean().default(false),
  }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async (deps, { key, value, unset }) => {
    const { settings, problems } = await deps.worker.call('GET /api/settings')
    if (key === undefined) {
      if (value !== undefined || unset) throw new RefusedError('Pass the name of the setting as key.', 400)
      return dataBlock('from="memory_configure"', [
        'key | value | source',
        ...settings.map(settingLine),
        ...problems.map((problem) => oneLine(problem, 300)),
      ])
    }
    const known = settings.find((setting) => setting.name === key)
    if (!known) throw new RefusedError(`Unknown setting ${oneLine(key, 60)}. memory_configure without key lists all settings.`, 400)
    if (value === undefined && !unset) return dataBlock('from="memory_configure"', [settingLine(known)])
    if (known.isSecret || PERSON_ONLY_SETTINGS.test(key))
      throw new RefusedError(`Only the person may change ${key}. Ask them to run: recollect config set ${key} <value>`, 400)
    const updated = await deps.worker.call(
      'PUT /api/settings',
      unset || value === undefined ? { name: key, unset: true } : { name: key, value },
    )
    const setting = updated.settings.find(({ name }) => name === key)
    return `${dataBlock('from="memory_configure"', setting ? [settingLine(setting)] : [])}\n${updated.note}`
  },
})

const settingLine = ({ name, value, source }: SettingValue) => `${name} | ${oneLine(JSON.stringify(value), 200)} | ${source}`
