import { join } from 'node:path'
import { readIfThere } from '../platform/files.ts'
import { shippedFilesFolder } from '../platform/shipped-files.ts'

/** What the help can tell besides commands. It is written once, in the guides; here is only where. */
export const TOPICS: Record<string, { about: string; file: string; section?: string }> = {
  markers: { about: 'how a sentence of a prompt becomes a note', file: 'notes.md', section: 'Ways in' },
  filters: { about: 'what search understands besides words', file: 'search.md', section: 'Filters' },
  time: { about: 'how search understands “yesterday” and “last week”', file: 'search.md', section: 'Time' },
  privacy: { about: 'what is never kept', file: 'settings.md', section: 'Private parts' },
  projects: { about: 'which project a memory belongs to', file: 'settings.md', section: 'Which project a memory belongs to' },
  settings: { about: 'every setting there is', file: 'settings.md' },
  hooks: { about: 'calling Recollect from hooks and scripts of your own', file: 'cli.md', section: 'Hooks and scripts of your own' },
  machines: { about: 'notes on several machines', file: 'sync.md' },
  'exit-codes': { about: 'what a program can tell from how a command ended', file: 'cli.md', section: 'Exit codes and errors' },
}

export function topicList(): string {
  const width = Math.max(...Object.keys(TOPICS).map((name) => name.length))
  return Object.entries(TOPICS)
    .map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`)
    .join('\n')
}

/** The text of a topic, from its guide; null when there is no such topic. */
export function topicText(name: string): string | null {
  const topic = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined
  if (!topic) return null
  const guide = readIfThere(join(shippedFilesFolder(), 'docs', 'guide', topic.file))
  if (guide === null) throw new Error(`the guide ${topic.file} did not come along with this installation`)
  return topic.section ? sectionOf(guide, topic.section) : guide.trim()
}

/** One section of a page, with its title. */
function sectionOf(page: string, title: string): string {
  const [before, ...rest] = page.split(new RegExp(`^## ${RegExp.escape(title)}$`, 'm'))
  const body = rest.join('')
  if (before === undefined || !body) throw new Error(`a guide has no section “${title}”`)
  return `# ${title}${body.split(/^## /m)[0]?.trimEnd()}`
}
