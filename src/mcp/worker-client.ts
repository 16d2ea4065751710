/** How the server asks the worker. The worker hands it one that asks itself, without HTTP in between; tests hand it another. */
export type McpWorkerClient = { ask(path: string, question?: McpWorkerRequest): Promise<Response> }

export type McpWorkerRequest = { method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; body?: unknown; signal?: AbortSignal }

/** The worker will not do what was asked, and the message says why, in words for whoever asked. */
export class RefusedError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

/** The worker's JSON. Throws `Refused` with the worker's reason. */
export async function ask<T>(client: McpWorkerClient, path: string, question: McpWorkerRequest = {}): Promise<T> {
  const answer = await acceptedResponse(client, path, question)
  return (await answer.json()) as T
}

/** The lines of a long answer, as they come. */
export async function* askLines<T>(client: McpWorkerClient, path: string, question: McpWorkerRequest): AsyncGenerator<T> {
  const answer = await acceptedResponse(client, path, question)
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of answer.body ?? []) {
    // Whoever asked does not want it any more.
    if (question.signal?.aborted) return
    held += decoder.decode(chunk, { stream: true })
    const lines = held.split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) if (line) yield JSON.parse(line) as T
  }
}

/** A path with those parts of a query that are there. */
export function pathWithQuery(path: string, query: Record<string, string | number | undefined | null>): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null) given.set(name, String(value))
  return given.size === 0 ? path : `${path}?${given}`
}

async function acceptedResponse(client: McpWorkerClient, path: string, question: McpWorkerRequest): Promise<Response> {
  const answer = await client.ask(path, question)
  if (answer.ok) return answer
  const said = await answer.text()
  throw new RefusedError(reasonIn(said), answer.status)
}

function reasonIn(body: string): string {
  try {
    return (JSON.parse(body) as { error?: string }).error ?? body
  } catch {
    return body
  }
}
