type Element = { type: unknown; props: { href?: string; children?: unknown } }

/**
 * The elements that a component returns as one line of text, without attributes except addresses. Text is marked as text, so it cannot be mistaken for
 * an element. Components inside are called too, so they must not use hooks.
 */
export function outline(node: unknown): string {
  if (Array.isArray(node)) return node.map(outline).join('')
  if (node === null || node === undefined || typeof node === 'boolean') return ''
  if (typeof node !== 'object') return `“${node}”`
  const { type, props } = node as Element
  if (typeof type === 'function') return outline(type.name === '' || type.name === 'Fragment' ? props.children : type(props))
  return `<${type}${props.href ? ` ${props.href}` : ''}>${outline(props.children)}</${type}>`
}
