import { type ComponentChild, type ComponentType, h, options, render } from 'preact'
import { startLiveEvents } from '../../../src/viewer/live.ts'
import { navigate, watchAddressBar } from '../../../src/viewer/router.ts'
import { listenForKeys } from '../../../src/viewer/shortcuts.ts'
import { toast } from '../../../src/viewer/user-actions.ts'
import type { ResponseOf, RouteName } from '../../../src/wire/contract/contract.ts'
import { until } from '../until.ts'
import { PageDocument, PageElement, PageEvent, type PageText } from './document.ts'

/** A response with only the fields that a test is about. */
type Part<T> = T extends string
  ? T extends object
    ? string
    : T
  : T extends (infer Item)[]
    ? Part<Item>[]
    : T extends object
      ? { [Field in keyof T]?: Part<T[Field]> }
      : T
type SentRequest = { route: string; path: string; query: Record<string, string>; body: Record<string, unknown> }
/** The worker's answers, by route. Other routes are refused, as by a worker that is busy. */
export type WorkerAnswers = {
  [Name in RouteName]?: Part<ResponseOf<Name>> | ((request: SentRequest) => Part<ResponseOf<Name>> | Response | Promise<Response>)
}

export type OpenedPage = {
  /** The text on the screen, a line for each block, without keys and pictures. */
  readonly text: string
  /** Path and query in the address bar. */
  readonly address: string
  readonly document: PageDocument
  /** The requests so far, oldest first. */
  readonly requests: SentRequest[]
  requestsTo(route: RouteName): SentRequest[]
  /** The texts of all elements that a selector matches. */
  texts(selector: string): string[]
  /** A button or link by what a screen reader says; with an open dialog only in it. */
  control(name: string | RegExp): PageElement
  hasControl(name: string | RegExp): boolean
  /** An input by its label. */
  field(label: string | RegExp): PageElement
  click(name: string | RegExp): Promise<void>
  /** Writes into an input, or chooses an option, and leaves it. */
  fill(label: string | RegExp, value: string): Promise<void>
  /** Writes into an input that keeps the focus. */
  typeInto(label: string | RegExp, value: string): Promise<void>
  /** Switches a checkbox or radio button. */
  check(label: string | RegExp, isChecked?: boolean): Promise<void>
  press(key: string, held?: { ctrlKey?: boolean; altKey?: boolean; metaKey?: boolean; isComposing?: boolean }): Promise<void>
  go(href: string): Promise<void>
  /** A live event from the worker. */
  send(type: string, change?: object): Promise<void>
  /** Ends the stream of live events. */
  disconnect(): Promise<void>
  /** Waits until nothing is under way: no request, no effect. */
  settle(): Promise<void>
  until(isTrue: () => boolean): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

let lastLiveEvent = 0

/** Opens a part of the viewer in a document of its own, with a worker that answers what the test says. */
export async function openPage(Page: ComponentType, address: string, answers: WorkerAnswers = {}): Promise<OpenedPage> {
  const document = new PageDocument()
  const restoreGlobals = replaceGlobals(browserGlobals(document))
  const worker = answeringWorker(answers)
  const restoreFetch = replaceGlobals({ fetch: worker.fetch })
  const stop = new AbortController()
  // Effects run after a frame is painted; nothing is painted here.
  options.requestAnimationFrame = (callback) => void setTimeout(callback)
  toast.value = null
  history.replaceState(null, '', address)
  watchAddressBar()
  listenForKeys()
  const live = startLiveEvents(stop.signal)
  const root = document.body.insertBefore(document.createElementNS('', 'main'), null) as unknown as Parameters<typeof render>[1]
  try {
    render(h(Page, {}), root)
  } catch (error) {
    stop.abort()
    restoreFetch()
    restoreGlobals()
    throw error
  }

  const settle = async () => {
    for (let quietTurns = 0; quietTurns < 4; quietTurns = worker.isBusy() ? 0 : quietTurns + 1)
      await new Promise((resolve) => setTimeout(resolve))
  }
  const scope = () => document.querySelector('dialog[open]') ?? document
  const fill = async (label: string | RegExp, change: (field: PageElement) => void, events = ['input', 'change']) => {
    const field = fieldNamed(scope(), label)
    field.focus()
    change(field)
    for (const type of events) field.dispatchEvent(new PageEvent(type))
    await settle()
  }
  await settle()
  return {
    document,
    requests: worker.requests,
    get text() {
      return readableText(document.body)
    },
    get address() {
      return location.pathname + location.search
    },
    requestsTo: (route) => worker.requests.filter((request) => request.route === route),
    texts: (selector) => document.querySelectorAll(selector).map(readableText),
    control: (name) => controlNamed(scope(), name),
    hasControl: (name) => controlsIn(scope()).some((control) => isNamed(nameOf(control), name)),
    field: (label) => fieldNamed(scope(), label),
    click: async (name) => {
      controlNamed(scope(), name).click()
      await settle()
    },
    fill: (label, value) =>
      fill(label, (field) => {
        field.value = value
      }),
    typeInto: (label, value) =>
      fill(
        label,
        (field) => {
          field.value = value
        },
        ['input'],
      ),
    check: (label, isChecked = true) =>
      fill(label, (field) => {
        field.checked = isChecked
      }),
    press: async (key, held = {}) => {
      const target = document.activeElement ?? document.body
      const isUnhandled = target.dispatchEvent(new PageEvent('keydown', { key, ...held }))
      if (isUnhandled && (key === 'Enter' || key === ' ') && target.localName === 'button') target.click()
      if (isUnhandled && key === 'Enter' && target.localName === 'a') target.click()
      await settle()
    },
    go: async (href) => {
      navigate(href)
      await settle()
    },
    send: async (type, change) => {
      worker.send(`id: test-${++lastLiveEvent}\nevent: ${type}\ndata: ${JSON.stringify(change ? { kind: type, ...change } : null)}\n\n`)
      await settle()
    },
    disconnect: async () => {
      worker.disconnect()
      await settle()
    },
    settle,
    until: (isTrue) => until(isTrue, `on the page: ${isTrue}`),
    [Symbol.asyncDispose]: async () => {
      render(null as ComponentChild, root)
      // A test that failed may have left a request without its answer.
      worker.giveUp()
      await settle()
      stop.abort()
      await live
      delete options.requestAnimationFrame
      restoreFetch()
      restoreGlobals()
    },
  }
}

/** A worker whose answers a test makes up, with a stream of live events. */
function answeringWorker(answers: WorkerAnswers) {
  const requests: SentRequest[] = []
  let pending = 0
  let isOver = false
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>()
  const encoder = new TextEncoder()
  const answer = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, searchParams } = new URL(address, 'http://viewer.test')
    const method = init.method ?? 'GET'
    const route = Object.keys(answers)
      .filter((name) => matchesRoute(name, method, pathname))
      .sort((a, b) => a.split(':').length - b.split(':').length)[0]
    if (pathname === '/stream' && route === undefined) return openStream(init.signal ?? null)
    const request = {
      route: route ?? `${method} ${pathname}`,
      path: pathname,
      query: Object.fromEntries(searchParams),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : {},
    }
    requests.push(request)
    const given = route === undefined ? new Response('{"error":"busy"}', { status: 503 }) : answers[route as RouteName]
    const value: unknown = typeof given === 'function' ? await given(request as never) : given
    if (init.signal?.aborted) throw new DOMException('aborted', 'AbortError')
    return value instanceof Response ? value : Response.json(value)
  }
  const openStream = (signal: AbortSignal | null): Response => {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        streams.add(controller)
        controller.enqueue(encoder.encode('event: hello\ndata: null\n\n'))
        signal?.addEventListener('abort', () => {
          if (streams.delete(controller)) controller.error(new DOMException('aborted', 'AbortError'))
        })
      },
    })
    return new Response(stream)
  }
  return {
    requests,
    isBusy: () => pending > 0 && !isOver,
    giveUp: () => {
      isOver = true
    },
    disconnect: () => {
      for (const controller of streams) controller.close()
      streams.clear()
    },
    send: (text: string) => {
      for (const controller of streams) controller.enqueue(encoder.encode(text))
    },
    fetch: async (address: string, init?: RequestInit) => {
      const isStream = address === '/stream'
      if (!isStream) pending++
      try {
        return await answer(address, init)
      } finally {
        if (!isStream) pending--
      }
    },
  }
}

function matchesRoute(name: string, method: string, pathname: string): boolean {
  const [routeMethod, template = ''] = name.split(' ')
  return routeMethod === method && new RegExp(`^${template.replace(/:\w+/g, '[^/]+')}$`).test(pathname)
}

/** The parts of a browser besides the document that the viewer uses. */
function browserGlobals(document: PageDocument): Record<string, unknown> {
  const entries = ['/']
  const location = {
    get pathname() {
      return new URL(entries.at(-1) ?? '/', 'http://viewer.test').pathname
    },
    get search() {
      return new URL(entries.at(-1) ?? '/', 'http://viewer.test').search
    },
  }
  const windowEvents = new PageElement(document, 'window')
  const history = {
    get length() {
      return entries.length
    },
    pushState: (_state: unknown, _title: string, href: string) => void entries.push(href),
    replaceState: (_state: unknown, _title: string, href: string) => void entries.splice(-1, 1, href),
    back: () => {
      if (entries.length > 1) entries.pop()
      windowEvents.dispatchEvent(new PageEvent('popstate'))
    },
  }
  const stored = new Map<string, string>()
  const window = { document }
  class NoObserver {
    observe(): void {}
    disconnect(): void {}
  }
  return {
    document,
    location,
    history,
    window: Object.assign(window, { top: window }),
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    },
    matchMedia: () => ({ matches: false }),
    addEventListener: windowEvents.addEventListener.bind(windowEvents),
    dispatchEvent: windowEvents.dispatchEvent.bind(windowEvents),
    Element: PageElement,
    HTMLElement: PageElement,
    ResizeObserver: NoObserver,
    IntersectionObserver: NoObserver,
  }
}

function replaceGlobals(replacements: Record<string, unknown>): () => void {
  const before = Object.keys(replacements).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  for (const [name, value] of Object.entries(replacements))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  return () => {
    for (const [name, descriptor] of before)
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
  }
}

const BLOCKS =
  'article aside blockquote caption dd details dialog div dl dt fieldset figure form h1 h2 h3 header label legend li main nav ol p pre section summary table td th tr ul button select'.split(
    ' ',
  )

/** A text as it is read aloud, more or less. */
function readableText(element: PageElement): string {
  return collectText(element)
    .split('\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}

function collectText(element: PageElement): string {
  if (element.localName === 'kbd' || element.getAttribute('aria-hidden') === 'true' || element.hasAttribute('hidden')) return ''
  if (element.localName === 'select') {
    const chosen = element.querySelectorAll('option').find((option) => option.value === element.value)
    return `\n${chosen?.textContent ?? ''}\n`
  }
  const inside = element.childNodes.map((node) => (node instanceof PageElement ? collectText(node) : (node as PageText).data)).join('')
  return BLOCKS.includes(element.localName) ? `\n${inside}\n` : inside
}

const nameOf = (element: PageElement) => element.getAttribute('aria-label') ?? readableText(element).replaceAll('\n', ' ')
const isNamed = (name: string, wanted: string | RegExp) => (typeof wanted === 'string' ? name === wanted : wanted.test(name))
const controlsIn = (scope: PageElement) => scope.querySelectorAll('button, a, summary')

function controlNamed(scope: PageElement, name: string | RegExp): PageElement {
  const all = controlsIn(scope)
  const found = all.find((control) => isNamed(nameOf(control), name))
  if (!found) throw new Error(`no button or link is named ${name}; there are: ${all.map(nameOf).join(' | ')}`)
  return found
}

function fieldNamed(scope: PageElement, label: string | RegExp): PageElement {
  const all = scope.querySelectorAll('input, select, textarea')
  const labelOf = (field: PageElement): string => {
    const own = field.getAttribute('aria-label')
    if (own !== null) return own
    const around =
      field.closest('label') ?? scope.querySelectorAll('label').find((one) => one.getAttribute('for') === field.getAttribute('id'))
    const text = around?.childNodes.map((node) =>
      node === field ? '' : node instanceof PageElement ? collectText(node) : (node as PageText).data,
    )
    return (text ?? []).join('').replace(/\s+/g, ' ').trim()
  }
  const found = all.find((field) => isNamed(labelOf(field), label))
  if (!found) throw new Error(`no field is labelled ${label}; there are: ${all.map(labelOf).join(' | ')}`)
  return found
}
