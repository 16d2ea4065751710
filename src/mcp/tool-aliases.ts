import { isJsonObject, jsonFields } from '../core/json-object.ts'

/** Arguments that other memory servers call differently, by tool. */
const OTHER_ARGUMENTS: Record<string, Record<string, string>> = {
  memory_capture: { content: 'text' },
  memory_update: { content: 'text' },
}

/**
 * A message with our names: tools may be called with dots (`memory.capture`), and some arguments by the names of other memory servers. These names are
 * accepted but not listed, because every schema costs tokens. Other messages are returned unchanged.
 */
export function withOwnNames(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(withOwnNames)
  const { method, params } = jsonFields(message)
  const { name, arguments: given, ...rest } = jsonFields(params)
  if (method !== 'tools/call' || typeof name !== 'string') return message
  const own = ownToolName(name)
  return { ...jsonFields(message), params: { ...rest, name: own, ...(given === undefined ? {} : { arguments: renamed(own, given) }) } }
}

/** Dots in names become underscores in some clients, so our names have none. */
const ownToolName = (name: string) => (/^memory\.[a-z]+$/.test(name) ? name.replace('.', '_') : name)

function renamed(tool: string, given: unknown): unknown {
  const others = Object.hasOwn(OTHER_ARGUMENTS, tool) ? OTHER_ARGUMENTS[tool] : undefined
  if (!others || !isJsonObject(given)) return given
  const fields = { ...given }
  for (const [other, own] of Object.entries(others)) {
    if (!Object.hasOwn(fields, other) || Object.hasOwn(fields, own)) continue
    fields[own] = fields[other]
    delete fields[other]
  }
  return fields
}

/** The same for a request over HTTP, which names the tool in a header too. */
export async function requestWithOwnNames(request: Request): Promise<Request> {
  if (request.method !== 'POST') return request
  const text = await request.text()
  const headers = new Headers(request.headers)
  const named = headers.get('mcp-name')
  if (named) headers.set('mcp-name', ownToolName(named))
  headers.delete('content-length')
  return new Request(request.url, { method: 'POST', headers, body: translated(text), signal: request.signal })
}

/** Text that is not JSON stays as it is, and is answered with an error. */
function translated(text: string): string {
  try {
    return JSON.stringify(withOwnNames(JSON.parse(text)))
  } catch {
    return text
  }
}
