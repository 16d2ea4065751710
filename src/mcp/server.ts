/**
 * MCP: memory as tools, resources and prompts, for clients of the old protocol (up to 2025-11-25) and the new one (2026-07-28).
 * This server runs inside the worker and calls the worker's routes; it never touches the database. The process that a client
 * starts for a session is `shim.ts`, which only relays messages.
 */
import {
  type CallToolResult,
  createMcpHandler,
  type JSONRPCMessage,
  McpServer,
  parseJSONRPCMessage,
  type ServerEvent,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { VERSION } from '../platform/version.ts'
import { openLegacySessions } from './legacy-http-sessions.ts'
import { configure, consolidate, status, sync } from './maintenance-tools.ts'
import { capture, forget, update, verify } from './note-tools.ts'
import { addPrompts } from './prompts.ts'
import { openResourceChangeFeed, type ResourceChangeFeed } from './resource-changes.ts'
import { addResources } from './resources.ts'
import { get, graph, recall, timeline } from './search-tools.ts'
import type { Tool, ToolCallContext, ToolDeps } from './tool.ts'
import { requestWithOwnNames, withOwnNames } from './tool-aliases.ts'
import { type McpWorkerClient, openWorkerCaller, RefusedError } from './worker-client.ts'

export type { McpWorkerClient } from './worker-client.ts'

const TOOLS: Tool[] = [recall, timeline, get, capture, update, forget, verify, graph, status, sync, consolidate, configure]

/** The model reads this before it sees any tool. It should make the model search memory before it asks the person or explores the repository. */
export const INSTRUCTIONS =
  'Recollect remembers what earlier sessions in this project did, decided, fixed and learned. Before you ask the person something, explore, or solve a problem that may have come up before, search with memory_recall; read what matters with memory_get. Save decisions, lessons and conventions that later sessions should know with memory_capture.'

/** The MCP side of a worker. */
export function openMcp(client: McpWorkerClient, now: () => number = Date.now) {
  const changes = openResourceChangeFeed(client)
  const worker = openWorkerCaller(client)
  const depsFor = (project: string | null): ToolDeps => ({ worker, project, now })
  const http = createMcpHandler(({ era, requestInfo }) => memoryServer(depsFor(projectIn(requestInfo)), era === 'modern'), {
    bus: { publish: () => {}, subscribe: (listener) => changes.subscribe((changed) => eventsOf(changed).forEach(listener)) },
  })
  const handleLegacy = openLegacySessions(
    (request) => {
      const server = memoryServer(depsFor(projectIn(request)), true)
      return { server, subscribed: trackSubscriptions(server) }
    },
    changes,
    now,
  )
  return {
    /** Answers one request to `/mcp`. The caller has already checked the token, the Host and the Origin. */
    handleRequest: async (request: Request): Promise<Response> => {
      const own = await requestWithOwnNames(request)
      return (await handleLegacy(own)) ?? http.fetch(own)
    },
    /** Serves one client over a connection that lasts, one message at a time. */
    connect: (project: string | null, send: (message: string) => void) => connectClient(depsFor(project), changes, send),
  }
}

function projectIn(request: Request | undefined): string | null {
  return (request && new URL(request.url).searchParams.get('project')?.slice(0, 500)) || null
}

function eventsOf(changed: { list: boolean; resources: string[] }): ServerEvent[] {
  const updated = changed.resources.map((uri) => ({ kind: 'resource_updated' as const, uri }))
  return changed.list ? [{ kind: 'resources_list_changed' }, ...updated] : updated
}

export type McpClientConnection = { receive(message: string): void; close(): void }

function connectClient(deps: ToolDeps, changes: ResourceChangeFeed, send: (message: string) => void): McpClientConnection {
  const transport: Transport = {
    start: async () => {},
    send: async (message: JSONRPCMessage) => send(JSON.stringify(message)),
    close: async () => transport.onclose?.(),
  }
  const instances: { server: McpServer; subscribed: Pick<Set<string>, 'has'> }[] = []
  const serving = serveStdio(
    ({ era }) => {
      const server = memoryServer(deps, true)
      // `serveStdio` handles subscriptions of the new protocol; those of the old one are two requests that we handle.
      const subscribed = era === 'legacy' ? trackSubscriptions(server) : null
      instances.splice(0, instances.length, { server, subscribed: subscribed ?? ALL_RESOURCES })
      return server
    },
    { transport },
  )
  const unsubscribe = changes.subscribe((changed) => {
    for (const { server, subscribed } of instances) {
      if (!server.isConnected()) continue
      if (changed.list) server.sendResourceListChanged()
      for (const uri of changed.resources) if (subscribed.has(uri)) void server.server.sendResourceUpdated({ uri }).catch(() => {})
    }
  })
  return {
    receive: (text) => {
      const message = readMessage(text)
      if (message.kind === 'valid') transport.onmessage?.(message.value)
      else send(JSON.stringify(message.reply))
    },
    close: () => {
      unsubscribe()
      void serving.close()
    },
  }
}

/** Parses a message. An invalid one gets an error as its reply, because its sender may be waiting. */
function readMessage(text: string): { kind: 'valid'; value: JSONRPCMessage } | { kind: 'invalid'; reply: object } {
  let id: unknown = null
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && 'id' in value) id = value.id
    return { kind: 'valid', value: parseJSONRPCMessage(withOwnNames(value)) }
  } catch {
    return { kind: 'invalid', reply: { jsonrpc: '2.0', id, error: { code: -32600, message: 'this is not a JSON-RPC message' } } }
  }
}

/** For the new protocol, where `serveStdio` filters updates itself. */
const ALL_RESOURCES = { has: () => true }

function trackSubscriptions(server: McpServer): Set<string> {
  const subscribed = new Set<string>()
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  return subscribed
}

/**
 * A server with all tools, resources and prompts. It is cheap: an HTTP client without a session gets a new one for each request.
 * `canNotify` is false if there is no connection on which such a client could receive changes.
 */
function memoryServer(deps: ToolDeps, canNotify: boolean): McpServer {
  const capabilities = { tools: {}, resources: { subscribe: canNotify, listChanged: canNotify }, prompts: {}, completions: {} }
  const server = new McpServer({ name: 'recollect', title: 'Recollect', version: VERSION }, { instructions: INSTRUCTIONS, capabilities })
  for (const tool of TOOLS) addTool(server, deps, tool)
  addResources(server, deps)
  addPrompts(server, deps)
  return server
}

function addTool(server: McpServer, deps: ToolDeps, { name, title, description, input, hints, alwaysLoaded, run }: Tool): void {
  const meta = alwaysLoaded ? { _meta: { 'anthropic/alwaysLoad': true } } : {}
  server.registerTool(name, { title, description, inputSchema: input, annotations: hints, ...meta }, async (args, context) => {
    const token = context.mcpReq._meta?.progressToken
    const call: ToolCallContext = {
      signal: context.mcpReq.signal,
      progress: (done, of, message) => {
        if (token === undefined) return
        const params = { progressToken: token, progress: done, total: of, message }
        // The client may be gone.
        void context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
      },
    }
    try {
      return textResult(await run(deps, args, call))
    } catch (cause) {
      if (cause instanceof RefusedError) return { ...textResult(cause.message), isError: true }
      throw cause
    }
  })
}

/** Text only: a client that also gets structured content shows the model that, and drops the text. */
const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
