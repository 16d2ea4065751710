/** A mark: its kind decides how it looks, and people read its words. `about` is a longer explanation, `href` makes it a link. */
export type MarkText = { kind: MarkKind; words: string; about?: string | undefined; href?: string | undefined }

/** How each kind of mark looks. A new kind of mark is a row here. */
const MARK_TONES = {
  agent: 'plain',
  branch: 'plain',
  project: 'plain',
  kind: 'plain',
  unused: 'plain',
  pinned: 'accent',
  proposed: 'accent',
  accepted: 'good',
  live: 'good',
  used: 'good',
  same: 'good',
  replaced: 'warning',
  outdated: 'warning',
  undone: 'warning',
  rejected: 'warning',
  failed: 'warning',
} as const satisfies Record<string, 'plain' | 'accent' | 'good' | 'warning'>

export type MarkKind = keyof typeof MARK_TONES

/** Short facts beside a title: the agent and branch of a session, or that a memory was replaced, is proposed or pinned. */
export function Marks({ marks }: { marks: (MarkText | null)[] }) {
  const shown = marks.filter((mark) => mark !== null)
  if (shown.length === 0) return null
  return (
    <span class="marks">
      {shown.map(({ kind, words, about, href }) => {
        const look = `mark ${MARK_TONES[kind]}`
        return href ? (
          <a class={look} href={href} title={about}>
            {words}
          </a>
        ) : (
          <span class={look} title={about}>
            {words}
          </span>
        )
      })}
    </span>
  )
}
