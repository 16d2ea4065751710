import type { Acted } from '../../core/action.ts'
import type { ObservationDraft } from '../../core/memory.ts'
import { firstLine, shorten } from '../../core/text.ts'
import { describeFailure } from './failures.ts'
import { headlineOf, isContent, narrativeOf, pointsOf, STRONG, weightOf } from './headline.ts'
import { conceptsOf } from './kinds.ts'
import { some, unique } from './lists.ts'
import { baseName } from './paths.ts'
import { isExplanation } from './phrases.ts'
import { readProse, type Said } from './prose.ts'
import type { Reading } from './reading.ts'
import { asTitle, questionTitle } from './title.ts'

/** Characters of content below which an answer is a remark, not a finding. */
const SUBSTANTIAL = 220

/** What a turn that changed nothing found out: one observation from the answer, whatever was read for it. */
export function discoveryRow(reading: Reading): ObservationDraft[] {
  const { turn, said } = reading
  const content = said.filter(isContent)
  const looked = turn.acts.filter(
    (act) => !act.failed && !act.interrupted && ['read', 'search', 'command', 'fetch', 'delegate'].includes(act.action.kind),
  )
  // With nothing looked at, only an answer that explains something about the code is worth keeping.
  const explains = content.some((s) => isExplanation(s.text)) || content.filter((s) => s.text.includes('`')).length >= 2
  if (weightOf(said) < SUBSTANTIAL || (looked.length === 0 && (!explains || turn.origin === 'machine'))) return []
  const mentions = unique([...reading.filesRead.map(baseName), ...reading.searched]).filter((name) => name.length > 3)
  const headline = headlineOf(said, mentions)
  const title =
    headline && headline.score >= STRONG
      ? asTitle(headline.text)
      : (questionTitle(reading.asked, 100) ?? (headline ? asTitle(headline.text) : ''))
  if (title === '') return []
  const narrative = narrativeOf(said, 800)
  const sources = turn.acts.flatMap((act) => (act.action.kind === 'fetch' && !act.failed ? act.action.target : []))
  const facts = [...pointsOf(said, mentions, 7), ...(sources.length > 0 ? [`sources: ${some(unique(sources), 3)}`] : [])]
  return [
    {
      type: 'discovery',
      title,
      subtitle: reading.asked.isMeaningful ? `Asked: ${shorten(reading.asked.text, 150)}` : lookedAt(reading),
      narrative,
      facts,
      concepts: conceptsOf('discovery', `${title} ${narrative}`),
      filesRead: reading.filesRead,
      filesModified: [],
      tool: mostUsed(looked),
      at: looked.at(-1)?.at ?? turn.at,
    },
  ]
}

/** A check that was seen to fail and was left so. The next session should not find that out again. */
export function failureRow(reading: Reading): ObservationDraft[] {
  const here = reading.open.filter((failure) => failure.promptNumber === reading.turn.promptNumber && !/^git /.test(failure.command))
  const [first] = here
  if (!first) return []
  const said = reading.said
  return [
    {
      type: 'discovery',
      title: asTitle(`\`${first.command}\` fails: ${first.names[0] ?? first.error}`),
      subtitle: first.names.length > 1 ? `${first.names.length} failing tests` : shorten(first.error, 160),
      narrative: narrativeOf(said, 800),
      facts: [...here.map(describeFailure), ...pointsOf(said, [], 4)].slice(0, 8),
      concepts: ['gotcha'],
      filesRead: reading.filesRead,
      filesModified: [],
      tool: 'Bash',
      at: first.at,
    },
  ]
}

/** What subagents reported. One row each for one or two; more of them worked on one thing and share a row. */
export function delegateRows(reading: Reading): ObservationDraft[] {
  const all = reading.turn.acts.flatMap((act) => reportOf(act) ?? [])
  // Helpers that were sent to read or write for a change are part of it; what they looked into stands by itself.
  const isForWork = reading.changes.length > 0 || reading.turn.acts.some((act) => act.action.kind === 'plan')
  // And where the answer tells more than they did, they are what the answer was made from.
  const reports = all.filter(({ task, said }) => (!isForWork || LOOKS_INTO.test(task)) && weightOf(said) > weightOf(reading.said))
  if (reports.length <= 2) return reports.map(({ task, said, act }) => delegateRow(task, said, act))
  const gists = reports.map(({ task, said }) => shorten(`${task}: ${headlineOf(said, [])?.text ?? narrativeOf(said, 200)}`, 240))
  const last = reports.at(-1)?.act
  return [
    {
      type: 'discovery',
      title: asTitle(
        `${reports.length} subagents: ${some(
          reports.map((r) => r.task),
          3,
        )}`,
      ),
      subtitle: reading.asked.isMeaningful ? `Asked: ${shorten(reading.asked.text, 150)}` : '',
      narrative: narrativeOf(reading.said, 800),
      facts: gists.slice(0, 8),
      concepts: ['how-it-works'],
      filesRead: [],
      filesModified: [],
      tool: last?.tool ?? null,
      at: last?.at ?? reading.turn.at,
    },
  ]
}

const LOOKS_INTO = /review|investigat|research|analy[sz]|audit|diagnos|root cause|debug|compare|assess/i

function delegateRow(task: string, said: Said[], act: Acted): ObservationDraft {
  const best = headlineOf(said, [])
  const headline = best && best.score >= STRONG ? best.text : null
  const narrative = narrativeOf(said, 800)
  return {
    type: 'discovery',
    title: asTitle(headline ? `${task}: ${headline}` : task),
    subtitle: headline ? shorten(headline, 160) : '',
    narrative,
    facts: pointsOf(said, [], 8),
    concepts: conceptsOf('discovery', narrative),
    filesRead: [],
    filesModified: [],
    tool: act.tool,
    at: act.at,
  }
}

function reportOf(act: Acted): { task: string; said: Said[]; act: Acted } | null {
  const { action } = act
  if (action.kind !== 'delegate' || act.failed || act.interrupted || !action.answer) return null
  const said = readProse(action.answer.replace(/<(\w[\w-]*)>[^<]{0,200}<\/\1>/g, ''))
  return weightOf(said) >= 2 * SUBSTANTIAL ? { task: firstLine(action.task, 80), said, act } : null
}

function lookedAt(reading: Reading): string {
  const files = reading.filesRead.length > 0 ? `read ${some(reading.filesRead.map(baseName), 4)}` : ''
  const searched = reading.searched.length > 0 ? `searched ${some(reading.searched, 2)}` : ''
  return shorten([files, searched].filter(Boolean).join('; '), 160)
}

function mostUsed(acts: Acted[]): string | null {
  const counts = new Map<string, number>()
  for (const act of acts) counts.set(act.tool, (counts.get(act.tool) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
}
