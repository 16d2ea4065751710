/** Memories as markdown for chats and hovers. Recalled text is data: nothing in it becomes a link, an image, a heading or markup. */
import type { CodeMemory, Hit, MemoryResponse, RememberedDefinition, SessionListItem } from '../../src/client/client.ts'
import { agentTitle } from '../../src/core/agent.ts'
import { parseMemoryId, shortMemoryId } from '../../src/core/memory-kinds.ts'
import { shorten } from '../../src/core/text.ts'
import { formatAgo } from '../../src/core/time-format.ts'
import { describeOutcome } from '../../src/core/work-outcome.ts'

/** Shows a text as it is. A picture in it would be loaded from the network. */
export const plain = (text: string): string =>
  text
    .replace(/[\\`*_{}[\]<>#!|~&$]/g, (sign) => (sign === '<' ? '&lt;' : sign === '>' ? '&gt;' : sign === '&' ? '&amp;' : `\\${sign}`))
    .replace(/\b(https?|ftp|file|command|vscode)(:)/gi, '$1\u200b$2')
    .replace(/^(\s*)(\d+)([.)])/gm, '$1$2\\$3')
    .replace(/^(\s*)([-+])/gm, '$1\\$2')

/** The lines of a brief without what each would cost a model to read. */
const withoutCosts = (brief: string): string => brief.replace(/ · ~\d+t$| \(id · age · kind · what · cost\)(?=:$)/gm, '')

/** A brief for a person: each line on its own, under headings that stand out. */
export const briefText = (brief: string): string =>
  withoutCosts(brief)
    .split('\n')
    .map((line) => (/^[^·]*:$/.test(line) ? `\n**${plain(line.slice(0, -1))}**  ` : `${plain(line)}  `))
    .join('\n')
    .trim()

/** How a memory is linked; an empty text leaves the link out. */
export type LinkTo = (id: string) => string

/** A link that our own command opens. */
export const linkToMemory: LinkTo = (id) => `command:recollect.openMemory?${encodeURIComponent(JSON.stringify([id]))}`

const oneLine = (text: string, max: number) => plain(shorten(text.replace(/\s+/g, ' ').trim(), max))
export const linked = (id: string, linkTo: LinkTo) => {
  const named = parseMemoryId(id)
  const shown = plain(named ? shortMemoryId(named.kind, named.ref) : id)
  return linkTo(id) === '' ? shown : `[${shown}](${linkTo(id)})`
}

const originOf = ({ agent, host }: Pick<CodeMemory, 'agent' | 'host'>) => (host ?? (agent === null ? '' : agentTitle(agent))).slice(0, 60)

/** The words of a memory beyond its title, and the outcome of its work. */
function detailOf(response: MemoryResponse): string[] {
  const said = wordsOf(response).filter((text) => text.trim() !== '' && text.trim() !== response.title?.trim())
  const outcome = response.outcome && response.outcome.of !== 'this turn' ? [describeOutcome(response.outcome)] : []
  return [...said, ...outcome]
}

function wordsOf(response: MemoryResponse): string[] {
  switch (response.kind) {
    case 'note':
      return response.memory ? [response.memory.body] : []
    case 'observation':
      return response.memory ? [response.memory.narrative, ...response.memory.facts] : []
    case 'summary':
      return response.memory ? [response.memory.learned, response.memory.completed, response.memory.nextSteps] : []
    case 'prompt':
      return response.memory ? [response.memory.answer ?? response.memory.text] : []
    case 'commit':
      return response.memory ? [response.memory.body] : []
  }
}

/** The answer to a search. */
export function hitsText(hits: Hit[], now: number, linkTo: LinkTo): string {
  return hits
    .map(({ id, type, title, snippet, at }) => {
      const more = snippet !== '' && !snippet.startsWith(title.slice(0, 60)) ? `\n  ${oneLine(snippet, 240)}` : ''
      return `- **${oneLine(title, 160)}** (${plain(type)}, ${formatAgo(at, now)}, ${linked(id, linkTo)})${more}`
    })
    .join('\n')
}

/** Why code is as it is: the memories about each definition, with their words. `details` are the full memories, by id. */
export function whyText(definitions: RememberedDefinition[], details: Map<string, MemoryResponse>, now: number, linkTo: LinkTo): string {
  return definitions
    .map(({ name, memories }) =>
      [`**\`${name.replaceAll('`', '')}\`**`, ...memories.map((one) => memoryText(one, details, now, linkTo))].join('\n\n'),
    )
    .join('\n\n')
}

const MAX_DETAILS = 4

export function memoryText(
  memory: CodeMemory,
  details: Map<string, MemoryResponse>,
  now: number,
  linkTo: LinkTo,
  detailCharacters = 600,
): string {
  const origin = originOf(memory)
  const about = [plain(memory.type), formatAgo(memory.at, now), ...(origin ? [plain(origin)] : []), linked(memory.id, linkTo)].join(' · ')
  const mark = memory.code ? [`*${oneLine(memory.code.text, 200)}*`] : []
  const found = details.get(memory.id)
  const words = found
    ? detailOf(found)
        .slice(0, MAX_DETAILS)
        .map((text) => oneLine(text, detailCharacters))
    : []
  return [`**${oneLine(memory.title, 200)}**  \n${about}`, ...mark, ...words].join('\n\n')
}

/** Recent sessions, for a stand-up. */
export function sessionsText(sessions: SessionListItem[], now: number): string {
  return sessions
    .map(({ title, agent, host, branch, lastEventAt, live }) => {
      const who = plain(originOf({ agent, host }))
      return `- **${oneLine(title ?? 'Session without a title', 160)}** (${who}${branch ? `, ${plain(branch)}` : ''}, ${live ? 'still open' : formatAgo(lastEventAt, now)})`
    })
    .join('\n')
}
