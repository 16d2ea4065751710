import type { MarkText } from './marks.tsx'

/** Lists put a mark into the title of work that is no longer in force, as `[undone by P7] …`. Here it becomes a mark of its own. */
export function splitMark(title: string): { title: string; mark: MarkText | null } {
  const [, words, rest] = MARKED_TITLE.exec(title) ?? []
  return words !== undefined && rest !== undefined ? { title: rest, mark: { kind: 'undone', words } } : { title, mark: null }
}

const MARKED_TITLE = /^\[((?:undone|on no branch|abandoned)[^\]]{0,80})\] ([\s\S]*)$/
