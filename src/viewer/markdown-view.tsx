import type { MarkedToken, Token, Tokens } from 'marked'
import type { JSX } from 'preact'
import { knownTokens, parseInline, parseMarkdown, webAddress } from './markdown.ts'

/** A memory's text, formatted. It becomes elements one by one, so no text in it can become markup. */
export function Markdown({ text }: { text: string }) {
  return <div class="prose">{parseMarkdown(text).map(renderToken)}</div>
}

/** A single line of text, formatted. */
export function MarkdownLine({ text }: { text: string }) {
  return <span class="prose">{parseInline(text).map(renderToken)}</span>
}

const renderAll = (tokens: Token[]) => knownTokens(tokens).map(renderToken)

function renderToken(token: MarkedToken): JSX.Element | string | null {
  switch (token.type) {
    case 'heading':
      return <h3>{renderAll(token.tokens)}</h3>
    case 'paragraph':
      return <p>{renderAll(token.tokens)}</p>
    case 'text':
      return token.tokens ? <span>{renderAll(token.tokens)}</span> : token.text
    case 'escape':
      return token.text
    case 'code':
      return <pre>{token.text}</pre>
    case 'codespan':
      return <code>{token.text}</code>
    case 'blockquote':
      return <blockquote>{renderAll(token.tokens)}</blockquote>
    case 'list':
      return renderList(token)
    case 'table':
      return renderTable(token)
    case 'strong':
      return <strong>{renderAll(token.tokens)}</strong>
    case 'em':
      return <em>{renderAll(token.tokens)}</em>
    case 'del':
      return <del>{renderAll(token.tokens)}</del>
    case 'link':
    case 'image':
      return renderLink(token)
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ '
    case 'hr':
      return <hr />
    case 'br':
      return <br />
    case 'space':
      return null
    default:
      return token.raw
  }
}

function renderList({ ordered, start, items }: Tokens.List) {
  const children = items.map((item) => <li>{renderAll(item.tokens)}</li>)
  return ordered ? <ol start={start === '' ? 1 : start}>{children}</ol> : <ul>{children}</ul>
}

function renderTable({ header, rows }: Tokens.Table) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and a keyboard must be able to scroll it
    <div class="table" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((cell) => (
              <th scope="col" class={cell.align ?? undefined}>
                {renderAll(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell) => (
                <td class={cell.align ?? undefined}>{renderAll(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Only addresses on the web become links; other links stay as they were written. An image becomes a link, because the page loads nothing from elsewhere. */
function renderLink(token: Tokens.Link | Tokens.Image) {
  const href = webAddress(token.href)
  if (!href) return token.raw
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {token.type === 'image' ? token.text || href : renderAll(token.tokens)}
    </a>
  )
}
