import type { JSX } from 'preact'
import { type MarkdownBlock, type MarkdownInline, parseInline, parseMarkdown } from './markdown.ts'

/** Recalled text as a person reads it. It is built node by node: nothing in it can become markup. */
export function Markdown({ text }: { text: string }) {
  return <div class="prose">{parseMarkdown(text).map(renderBlock)}</div>
}

/** A line of it. */
export function MarkdownLine({ text }: { text: string }) {
  return <span class="prose">{parseInline(text).map(renderInline)}</span>
}

function renderBlock(part: MarkdownBlock): JSX.Element {
  switch (part.kind) {
    case 'heading':
      return <h3>{part.inline.map(renderInline)}</h3>
    case 'paragraph':
      return <p>{part.inline.map(renderInline)}</p>
    case 'code':
      return <pre>{part.text}</pre>
    case 'quote':
      return <blockquote>{part.blocks.map(renderBlock)}</blockquote>
    case 'list':
      return part.ordered ? <ol>{part.items.map(renderListItem)}</ol> : <ul>{part.items.map(renderListItem)}</ul>
    case 'rule':
      return <hr />
  }
}

const renderListItem = (blocks: MarkdownBlock[]) => (
  <li>{blocks.map((part) => (part.kind === 'paragraph' ? <span>{part.inline.map(renderInline)}</span> : renderBlock(part)))}</li>
)

function renderInline(part: MarkdownInline): JSX.Element | string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code>{part.text}</code>
    case 'strong':
      return <strong>{part.inline.map(renderInline)}</strong>
    case 'em':
      return <em>{part.inline.map(renderInline)}</em>
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer">
          {part.inline.map(renderInline)}
        </a>
      )
  }
}
