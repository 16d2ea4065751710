import { join } from 'node:path'
import { readIfThere } from '../platform/files.ts'
import { shippedFilesFolder } from '../platform/shipped-files.ts'

/** What `recollect help` explains besides commands. The text is in the guides. */
export const TOPICS: Record<string, { about: string; file: string; section?: string }> = {
  markers: { about: 'how a sentence in a prompt becomes a note', file: 'notes.md', section: 'How notes are created' },
  filters: { about: 'filters for search, such as type:bugfix or path:src', file: 'search.md', section: 'Filters' },
  time: { about: 'how search understands “yesterday” and “last week”', file: 'search.md', section: 'Time' },
  privacy: { about: 'text that is never stored', file: 'privacy.md' },
  deleting: { about: 'what else a deletion removes, and the copies that stay elsewhere', file: 'deleting.md' },
  'project-keys': { about: 'which project a memory belongs to', file: 'settings.md', section: 'Which project a memory belongs to' },
  settings: { about: 'all settings', file: 'settings.md' },
  hooks: { about: 'calling Recollect from your own hooks and scripts', file: 'cli.md', section: 'Hooks and scripts of your own' },
  machines: { about: 'sharing notes between machines', file: 'sync.md' },
  'exit-codes': { about: 'the exit codes and their meaning', file: 'cli.md', section: 'Exit codes and errors' },
}

export function topicList(): string {
  const width = Math.max(...Object.keys(TOPICS).map((name) => name.length))
  return Object.entries(TOPICS)
    .map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`)
    .join('\n')
}

/** The text of a topic from its guide; null if the topic is unknown. */
export function topicText(name: string): string | null {
  const topic = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined
  if (!topic) return null
  const guide = readIfThere(join(shippedFilesFolder(), 'docs', 'guide', topic.file))
  if (guide === null) throw new Error(`this installation lacks the guide ${topic.file}; install recollect again`)
  return topic.section ? sectionOf(guide, topic.section) : guide.trim()
}

/** One section of a page, with its title. */
function sectionOf(page: string, title: string): string {
  const [before, ...rest] = page.split(new RegExp(`^## ${RegExp.escape(title)}$`, 'm'))
  const body = rest.join('')
  if (before === undefined || !body) throw new Error(`no guide has a section “${title}”`)
  return `# ${title}${body.split(/^## /m)[0]?.trimEnd()}`
}
