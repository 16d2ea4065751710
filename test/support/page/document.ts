/**
 * As much of a browser's document as preact and the viewer use: elements with attributes, events that bubble, focus, and selectors. There is no layout,
 * so every element is as large as a test says, and no style. What only a browser can tell is in `test/flows`.
 */
type Listener = { type: string; handle: (this: PageElement, event: PageEvent) => void; isCapturing: boolean }
type EventFields = Partial<Pick<PageEvent, 'key' | 'button' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'isComposing'>>

export class PageEvent {
  target: PageElement | null = null
  currentTarget: PageElement | null = null
  key = ''
  button = 0
  ctrlKey = false
  metaKey = false
  shiftKey = false
  altKey = false
  isComposing = false
  timeStamp = performance.now()
  defaultPrevented = false
  isStopped = false
  constructor(
    readonly type: string,
    fields: EventFields = {},
    readonly bubbles = true,
  ) {
    Object.assign(this, fields)
  }
  preventDefault(): void {
    this.defaultPrevented = true
  }
  stopPropagation(): void {
    this.isStopped = true
  }
}

class PageNode {
  parentNode: PageElement | null = null
  constructor(
    readonly ownerDocument: PageDocument,
    readonly nodeType: 1 | 3,
  ) {}
  get nextSibling(): PageNode | null {
    const siblings = this.parentNode?.childNodes ?? []
    return siblings[siblings.indexOf(this) + 1] ?? null
  }
  remove(): void {
    this.parentNode?.removeChild(this)
  }
}

export class PageText extends PageNode {
  constructor(
    document: PageDocument,
    public data: string,
  ) {
    super(document, 3)
  }
}

export class PageElement extends PageNode {
  readonly childNodes: PageNode[] = []
  readonly attributes = new Map<string, string>()
  readonly style: Record<string, string> = {}
  readonly listeners: Listener[] = []
  readonly namespaceURI = 'http://www.w3.org/1999/xhtml'
  readonly isContentEditable = false
  readonly clientHeight = 340
  private scrolled = 0
  checked = false
  private ownValue: string | null = null
  constructor(
    document: PageDocument,
    readonly localName: string,
  ) {
    super(document, 1)
  }

  get tagName(): string {
    return this.localName.toUpperCase()
  }
  get type(): string {
    return this.getAttribute('type') ?? ''
  }
  get firstChild(): PageNode | null {
    return this.childNodes[0] ?? null
  }
  get children(): PageElement[] {
    return this.childNodes.filter((node) => node instanceof PageElement)
  }
  get textContent(): string {
    return this.childNodes.map((node) => (node instanceof PageElement ? node.textContent : (node as PageText).data)).join('')
  }
  get dataset(): Record<string, string> {
    return Object.fromEntries([...this.attributes].flatMap(([name, value]) => (name.startsWith('data-') ? [[name.slice(5), value]] : [])))
  }
  get scrollTop(): number {
    return this.scrolled
  }
  set scrollTop(top: number) {
    if (top !== this.scrolled) setTimeout(() => this.dispatchEvent(new PageEvent('scroll', {}, false)))
    this.scrolled = top
  }
  get value(): string {
    return this.ownValue ?? this.getAttribute('value') ?? ''
  }
  set value(value: string) {
    this.ownValue = String(value)
  }
  get disabled(): boolean {
    return this.hasAttribute('disabled')
  }
  set disabled(isDisabled: boolean) {
    if (isDisabled) this.setAttribute('disabled', '')
    else this.removeAttribute('disabled')
  }

  insertBefore(node: PageNode, before: PageNode | null): PageNode {
    node.remove()
    const at = before ? this.childNodes.indexOf(before) : this.childNodes.length
    this.childNodes.splice(at, 0, node)
    node.parentNode = this
    return node
  }
  removeChild(node: PageNode): PageNode {
    this.childNodes.splice(this.childNodes.indexOf(node), 1)
    node.parentNode = null
    if (node instanceof PageElement && node.contains(this.ownerDocument.activeElement)) this.ownerDocument.activeElement = null
    return node
  }
  contains(node: PageNode | null): boolean {
    for (let at = node; at; at = at.parentNode) if (at === this) return true
    return false
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null
  }
  hasAttribute(name: string): boolean {
    return this.attributes.has(name)
  }
  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value))
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name)
  }

  addEventListener(type: string, handle: Listener['handle'], options: boolean | { signal?: AbortSignal } = false): void {
    this.listeners.push({ type, handle, isCapturing: options === true })
    if (typeof options === 'object') options.signal?.addEventListener('abort', () => this.removeEventListener(type, handle))
  }
  removeEventListener(type: string, handle: Listener['handle']): void {
    const at = this.listeners.findIndex((listener) => listener.type === type && listener.handle === handle)
    if (at >= 0) this.listeners.splice(at, 1)
  }
  /** True unless a listener prevented what the browser does by itself. */
  dispatchEvent(event: PageEvent): boolean {
    event.target = this
    const path: PageElement[] = []
    for (let at: PageElement | null = this; at; at = at.parentNode) path.unshift(at)
    const run = (element: PageElement, isCapturing: boolean) => {
      event.currentTarget = element
      for (const listener of [...element.listeners])
        if (listener.type === event.type && listener.isCapturing === isCapturing) listener.handle.call(element, event)
    }
    for (const element of path) if (!event.isStopped) run(element, true)
    for (const element of event.bubbles ? path.reverse() : [this]) if (!event.isStopped) run(element, false)
    return !event.defaultPrevented
  }
  /** A click, and what the browser does with it. */
  click(): void {
    if (this.disabled || !this.dispatchEvent(new PageEvent('click'))) return
    const form = this.closest('form')
    if (this.localName === 'button' && this.type === 'submit' && form) form.dispatchEvent(new PageEvent('submit'))
  }
  focus(): void {
    if (this.ownerDocument.activeElement === this) return
    this.ownerDocument.activeElement = this
    this.dispatchEvent(new PageEvent('focus', {}, false))
  }
  blur(): void {
    if (this.ownerDocument.activeElement === this) this.ownerDocument.activeElement = null
  }
  showModal(): void {
    this.setAttribute('open', '')
  }
  scrollTo(_left: number, top: number): void {
    this.scrollTop = top
  }
  scrollIntoView(): void {}
  getBoundingClientRect() {
    return { left: 0, right: 0, top: 0, height: 0 }
  }

  querySelectorAll(selector: string): PageElement[] {
    return this.children.flatMap((child) => [...(child.matches(selector) ? [child] : []), ...child.querySelectorAll(selector)])
  }
  querySelector(selector: string): PageElement | null {
    return this.querySelectorAll(selector)[0] ?? null
  }
  closest(selector: string): PageElement | null {
    return this.matches(selector) ? this : (this.parentNode?.closest(selector) ?? null)
  }
  matches(selector: string): boolean {
    return selector.split(', ').some((one) => matchesPath(this, one.split(' ')))
  }
}

/** The document, which is also its root element. */
export class PageDocument extends PageElement {
  activeElement: PageElement | null = null
  visibilityState = 'visible'
  title = ''
  readonly documentElement: PageElement
  readonly body: PageElement
  constructor() {
    // The document of a document is the document itself.
    super(null as never, '#document')
    Object.assign(this, { ownerDocument: this })
    this.documentElement = this.insertBefore(new PageElement(this, 'html'), null) as PageElement
    this.body = this.documentElement.insertBefore(new PageElement(this, 'body'), null) as PageElement
  }
  createElementNS(_namespace: string, name: string): PageElement {
    return new PageElement(this, name)
  }
  createTextNode(text: string): PageText {
    return new PageText(this, text)
  }
}

/** `main .scroll` and `li > *`: the last part is the element itself. */
function matchesPath(element: PageElement, parts: string[]): boolean {
  const own = parts.at(-1) ?? '*'
  if (!matchesOne(element, own)) return false
  const rest = parts.slice(0, -1)
  if (rest.length === 0) return true
  const isDirect = rest.at(-1) === '>'
  const above = isDirect ? rest.slice(0, -1) : rest
  for (let at = element.parentNode; at; at = isDirect ? null : at.parentNode) if (matchesPath(at, above)) return true
  return false
}

/** A tag, classes and attributes, such as `dialog.wide[open]` or `a[href^="/"]`. */
function matchesOne(element: PageElement, selector: string): boolean {
  const classes = (element.getAttribute('class') ?? '').split(' ')
  const parts = selector.match(/^[\w*-]+|\.[\w-]+|\[[^\]]+\]/g) ?? []
  return parts.every((part) => {
    if (part.startsWith('.')) return classes.includes(part.slice(1))
    if (!part.startsWith('[')) return part === '*' || part === element.localName
    const [, name = '', operator, wanted = ''] = /^\[([\w-]+)(?:(\^?=)"(.*)")?\]$/.exec(part) ?? []
    const value = element.getAttribute(name)
    if (value === null) return false
    return operator === undefined || (operator === '^=' ? value.startsWith(wanted) : value === wanted)
  })
}
