import type { JSX } from 'preact'
import { type Block, type Inline, parseInline, parseMarkdown } from './markdown.ts'

/** Recalled text as a person reads it. It is built node by node: nothing in it can become markup. */
export function Markdown({ text }: { text: string }) {
  return <div class="prose">{parseMarkdown(text).map(block)}</div>
}

/** A line of it. */
export function MarkdownLine({ text }: { text: string }) {
  return <span class="prose">{parseInline(text).map(inline)}</span>
}

function block(part: Block): JSX.Element {
  switch (part.kind) {
    case 'heading':
      return <h3>{part.inline.map(inline)}</h3>
    case 'paragraph':
      return <p>{part.inline.map(inline)}</p>
    case 'code':
      return <pre>{part.text}</pre>
    case 'quote':
      return <blockquote>{part.blocks.map(block)}</blockquote>
    case 'list':
      return part.ordered ? <ol>{part.items.map(item)}</ol> : <ul>{part.items.map(item)}</ul>
    case 'rule':
      return <hr />
  }
}

const item = (blocks: Block[]) => (
  <li>{blocks.map((part) => (part.kind === 'paragraph' ? <span>{part.inline.map(inline)}</span> : block(part)))}</li>
)

function inline(part: Inline): JSX.Element | string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code>{part.text}</code>
    case 'strong':
      return <strong>{part.inline.map(inline)}</strong>
    case 'em':
      return <em>{part.inline.map(inline)}</em>
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer">
          {part.inline.map(inline)}
        </a>
      )
  }
}
