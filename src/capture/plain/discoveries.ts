import type { PerformedAction } from '../../core/action.ts'
import type { ObservationDraft } from '../../core/memory.ts'
import { type ProseItem, readProse } from '../../core/prose.ts'
import { firstLine, shorten } from '../../core/text.ts'
import { describeFailure } from './failures.ts'
import { contentLength, headlineOf, isContent, narrativeOf, pointsOf, STRONG_HEADLINE_SCORE } from './headline.ts'
import { abbreviateList, unique } from './lists.ts'
import { conceptsOf } from './observation-types.ts'
import { baseName } from './paths.ts'
import { isExplanation } from './phrases.ts'
import { asTitle, questionTitle } from './title.ts'
import type { TurnFacts } from './turn-facts.ts'

/** An answer with less content is a remark, not a finding. */
const MIN_FINDING_CHARS = 220

/** One observation from the answer of a turn that changed nothing. */
export function observeDiscovery(turnFacts: TurnFacts): ObservationDraft[] {
  const { turn, answerItems } = turnFacts
  const content = answerItems.filter(isContent)
  const lookups = turn.actions.filter(
    (use) => !use.failed && !use.interrupted && ['read', 'search', 'command', 'fetch', 'delegate'].includes(use.action.kind),
  )
  // If the agent looked at nothing, keep only an answer that explains something about the code.
  const explains = content.some((s) => isExplanation(s.text)) || content.filter((s) => s.text.includes('`')).length >= 2
  if (contentLength(answerItems) < MIN_FINDING_CHARS || (lookups.length === 0 && (!explains || turn.origin === 'machine'))) return []
  const mentions = unique([...turnFacts.filesRead.map(baseName), ...turnFacts.searchPatterns]).filter((name) => name.length > 3)
  const headline = headlineOf(answerItems, mentions)
  const title =
    headline && headline.score >= STRONG_HEADLINE_SCORE
      ? asTitle(headline.text)
      : (questionTitle(turnFacts.request, 100) ?? (headline ? asTitle(headline.text) : ''))
  if (title === '') return []
  const narrative = narrativeOf(answerItems, 800)
  const sources = turn.actions.flatMap((use) => (use.action.kind === 'fetch' && !use.failed ? use.action.target : []))
  const facts = [...pointsOf(answerItems, mentions, 7), ...(sources.length > 0 ? [`sources: ${abbreviateList(unique(sources), 3)}`] : [])]
  return [
    {
      type: 'discovery',
      title,
      subtitle: turnFacts.request.isMeaningful ? `Asked: ${shorten(turnFacts.request.text, 150)}` : describeLookups(turnFacts),
      narrative,
      facts,
      concepts: conceptsOf('discovery', `${title} ${narrative}`),
      filesRead: turnFacts.filesRead,
      filesModified: [],
      tool: mostUsedTool(lookups),
      at: lookups.at(-1)?.at ?? turn.at,
    },
  ]
}

/** A check that failed and was left failing, so that the next session does not have to discover it again. */
export function observeOpenFailure(turnFacts: TurnFacts): ObservationDraft[] {
  const failures = turnFacts.open.filter(
    (failure) => failure.promptNumber === turnFacts.turn.promptNumber && !/^git /.test(failure.command),
  )
  const [first] = failures
  if (!first) return []
  const { answerItems } = turnFacts
  return [
    {
      type: 'discovery',
      title: asTitle(`\`${first.command}\` fails: ${first.names[0] ?? first.error}`),
      subtitle: first.names.length > 1 ? `${first.names.length} failing tests` : shorten(first.error, 160),
      narrative: narrativeOf(answerItems, 800),
      facts: [...failures.map(describeFailure), ...pointsOf(answerItems, [], 4)].slice(0, 8),
      concepts: ['gotcha'],
      filesRead: turnFacts.filesRead,
      filesModified: [],
      tool: 'Bash',
      at: first.at,
    },
  ]
}

/** Reports of subagents: one observation each for up to two of them, one shared observation for more. */
export function observeDelegatedWork(turnFacts: TurnFacts): ObservationDraft[] {
  const all = turnFacts.turn.actions.flatMap((use) => reportOf(use) ?? [])
  // Subagents that helped with a change are part of that change. Investigations are findings of their own.
  const isForWork = turnFacts.changes.length > 0 || turnFacts.turn.actions.some((use) => use.action.kind === 'plan')
  // An answer with more content already includes what the subagent reported.
  const reports = all.filter(
    ({ task, items }) => (!isForWork || INVESTIGATES.test(task)) && contentLength(items) > contentLength(turnFacts.answerItems),
  )
  if (reports.length <= 2) return reports.map(observeReport)
  const gists = reports.map(({ task, items }) => shorten(`${task}: ${headlineOf(items, [])?.text ?? narrativeOf(items, 200)}`, 240))
  const last = reports.at(-1)?.use
  return [
    {
      type: 'discovery',
      title: asTitle(
        `${reports.length} subagents: ${abbreviateList(
          reports.map((r) => r.task),
          3,
        )}`,
      ),
      subtitle: turnFacts.request.isMeaningful ? `Asked: ${shorten(turnFacts.request.text, 150)}` : '',
      narrative: narrativeOf(turnFacts.answerItems, 800),
      facts: gists.slice(0, 8),
      concepts: ['how-it-works'],
      filesRead: [],
      filesModified: [],
      tool: last?.tool ?? null,
      at: last?.at ?? turnFacts.turn.at,
    },
  ]
}

const INVESTIGATES = /review|investigat|research|analy[sz]|audit|diagnos|root cause|debug|compare|assess/i

type SubagentReport = { task: string; items: ProseItem[]; use: PerformedAction }

function observeReport({ task, items, use }: SubagentReport): ObservationDraft {
  const best = headlineOf(items, [])
  const headline = best && best.score >= STRONG_HEADLINE_SCORE ? best.text : null
  const narrative = narrativeOf(items, 800)
  return {
    type: 'discovery',
    title: asTitle(headline ? `${task}: ${headline}` : task),
    subtitle: headline ? shorten(headline, 160) : '',
    narrative,
    facts: pointsOf(items, [], 8),
    concepts: conceptsOf('discovery', narrative),
    filesRead: [],
    filesModified: [],
    tool: use.tool,
    at: use.at,
  }
}

function reportOf(use: PerformedAction): SubagentReport | null {
  const { action } = use
  if (action.kind !== 'delegate' || use.failed || use.interrupted || !action.answer) return null
  const items = readProse(action.answer.replace(/<(\w[\w-]*)>[^<]{0,200}<\/\1>/g, ''))
  return contentLength(items) >= 2 * MIN_FINDING_CHARS ? { task: firstLine(action.task, 80), items, use } : null
}

function describeLookups(turnFacts: TurnFacts): string {
  const files = turnFacts.filesRead.length > 0 ? `read ${abbreviateList(turnFacts.filesRead.map(baseName), 4)}` : ''
  const searched = turnFacts.searchPatterns.length > 0 ? `searched ${abbreviateList(turnFacts.searchPatterns, 2)}` : ''
  return shorten([files, searched].filter(Boolean).join('; '), 160)
}

function mostUsedTool(uses: PerformedAction[]): string | null {
  const counts = new Map<string, number>()
  for (const use of uses) counts.set(use.tool, (counts.get(use.tool) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
}
