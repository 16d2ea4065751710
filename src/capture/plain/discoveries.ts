import type { PerformedAction } from '../../core/action.ts'
import type { ObservationDraft } from '../../core/memory.ts'
import { firstLine, shorten } from '../../core/text.ts'
import { describeFailure } from './failures.ts'
import { contentLength, headlineOf, isContent, narrativeOf, pointsOf, STRONG_HEADLINE_SCORE } from './headline.ts'
import { abbreviateList, unique } from './lists.ts'
import { conceptsOf } from './observation-types.ts'
import { baseName } from './paths.ts'
import { isExplanation } from './phrases.ts'
import { type ProseItem, readProse } from './prose.ts'
import { asTitle, questionTitle } from './title.ts'
import type { TurnFacts } from './turn-facts.ts'

/** Characters of content below which an answer is a remark, not a finding. */
const MIN_FINDING_CHARS = 220

/** What a turn that changed nothing found out: one observation from the answer, whatever was read for it. */
export function observeDiscovery(reading: TurnFacts): ObservationDraft[] {
  const { turn, answerItems: said } = reading
  const content = said.filter(isContent)
  const looked = turn.actions.filter(
    (act) => !act.failed && !act.interrupted && ['read', 'search', 'command', 'fetch', 'delegate'].includes(act.action.kind),
  )
  // With nothing looked at, only an answer that explains something about the code is worth keeping.
  const explains = content.some((s) => isExplanation(s.text)) || content.filter((s) => s.text.includes('`')).length >= 2
  if (contentLength(said) < MIN_FINDING_CHARS || (looked.length === 0 && (!explains || turn.origin === 'machine'))) return []
  const mentions = unique([...reading.filesRead.map(baseName), ...reading.searchPatterns]).filter((name) => name.length > 3)
  const headline = headlineOf(said, mentions)
  const title =
    headline && headline.score >= STRONG_HEADLINE_SCORE
      ? asTitle(headline.text)
      : (questionTitle(reading.request, 100) ?? (headline ? asTitle(headline.text) : ''))
  if (title === '') return []
  const narrative = narrativeOf(said, 800)
  const sources = turn.actions.flatMap((act) => (act.action.kind === 'fetch' && !act.failed ? act.action.target : []))
  const facts = [...pointsOf(said, mentions, 7), ...(sources.length > 0 ? [`sources: ${abbreviateList(unique(sources), 3)}`] : [])]
  return [
    {
      type: 'discovery',
      title,
      subtitle: reading.request.isMeaningful ? `Asked: ${shorten(reading.request.text, 150)}` : describeLookups(reading),
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
export function observeOpenFailure(reading: TurnFacts): ObservationDraft[] {
  const here = reading.open.filter((failure) => failure.promptNumber === reading.turn.promptNumber && !/^git /.test(failure.command))
  const [first] = here
  if (!first) return []
  const said = reading.answerItems
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
export function observeDelegatedWork(reading: TurnFacts): ObservationDraft[] {
  const all = reading.turn.actions.flatMap((act) => reportOf(act) ?? [])
  // Helpers that were sent to read or write for a change are part of it; what they looked into stands by itself.
  const isForWork = reading.changes.length > 0 || reading.turn.actions.some((act) => act.action.kind === 'plan')
  // And where the answer tells more than they did, they are what the answer was made from.
  const reports = all.filter(
    ({ task, said }) => (!isForWork || LOOKS_INTO.test(task)) && contentLength(said) > contentLength(reading.answerItems),
  )
  if (reports.length <= 2) return reports.map(({ task, said, act }) => observeReport(task, said, act))
  const gists = reports.map(({ task, said }) => shorten(`${task}: ${headlineOf(said, [])?.text ?? narrativeOf(said, 200)}`, 240))
  const last = reports.at(-1)?.act
  return [
    {
      type: 'discovery',
      title: asTitle(
        `${reports.length} subagents: ${abbreviateList(
          reports.map((r) => r.task),
          3,
        )}`,
      ),
      subtitle: reading.request.isMeaningful ? `Asked: ${shorten(reading.request.text, 150)}` : '',
      narrative: narrativeOf(reading.answerItems, 800),
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

function observeReport(task: string, said: ProseItem[], act: PerformedAction): ObservationDraft {
  const best = headlineOf(said, [])
  const headline = best && best.score >= STRONG_HEADLINE_SCORE ? best.text : null
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

function reportOf(act: PerformedAction): { task: string; said: ProseItem[]; act: PerformedAction } | null {
  const { action } = act
  if (action.kind !== 'delegate' || act.failed || act.interrupted || !action.answer) return null
  const said = readProse(action.answer.replace(/<(\w[\w-]*)>[^<]{0,200}<\/\1>/g, ''))
  return contentLength(said) >= 2 * MIN_FINDING_CHARS ? { task: firstLine(action.task, 80), said, act } : null
}

function describeLookups(reading: TurnFacts): string {
  const files = reading.filesRead.length > 0 ? `read ${abbreviateList(reading.filesRead.map(baseName), 4)}` : ''
  const searched = reading.searchPatterns.length > 0 ? `searched ${abbreviateList(reading.searchPatterns, 2)}` : ''
  return shorten([files, searched].filter(Boolean).join('; '), 160)
}

function mostUsed(acts: PerformedAction[]): string | null {
  const counts = new Map<string, number>()
  for (const act of acts) counts.set(act.tool, (counts.get(act.tool) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
}
