/**
 * MCP: memory as tools, resources and prompts for any client that speaks the protocol, old (2025-11-25 and before) or new
 * (2026-07-28). This is the server itself; it runs inside the worker and asks it through a `Client`, never the database. Each
 * session's own process is `shim.ts`, which only carries lines and has nothing of this in it.
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
import { capture, forget, update } from './note-tools.ts'
import { addPrompts } from './prompts.ts'
import { openResourceChangeFeed, type ResourceChangeFeed } from './resource-changes.ts'
import { addResources } from './resources.ts'
import { get, graph, recall, timeline } from './search-tools.ts'
import type { Tool, ToolCallContext, ToolDeps } from './tool.ts'
import { type McpWorkerClient, RefusedError } from './worker-client.ts'

export type { McpWorkerClient } from './worker-client.ts'

const TOOLS: Tool[] = [recall, timeline, get, capture, update, forget, graph, status, sync, consolidate, configure]

/** Seen by the model before any tool is: it should look here before it asks the person or reads half the repository again. */
export const INSTRUCTIONS =
  'Recollect remembers what earlier sessions in this project did, decided, fixed and learned. Before you ask the person something, explore, or solve a problem that may have come up before, search with memory_recall; read what matters with memory_get. Keep decisions, lessons and conventions that later sessions should know with memory_capture.'

/** Everything that serves MCP in one worker. */
export function openMcp(client: McpWorkerClient, now: () => number = Date.now) {
  const changes = openResourceChangeFeed(client)
  const means = (project: string | null): ToolDeps => ({ client, project, now })
  const http = createMcpHandler(({ era, requestInfo }) => memoryServer(means(projectIn(requestInfo)), era === 'modern'), {
    bus: { publish: () => {}, subscribe: (listener) => changes.subscribe((changed) => eventsOf(changed).forEach(listener)) },
  })
  const lasting = openLegacySessions(
    (request) => {
      const server = memoryServer(means(projectIn(request)), true)
      return { server, subscribed: trackSubscriptions(server) }
    },
    changes,
    now,
  )
  return {
    /** One request to `/mcp`. Whoever calls has checked the token, the Host and the Origin. */
    handleRequest: async (request: Request): Promise<Response> => (await lasting(request)) ?? http.fetch(request),
    /** One client for as long as it stays, a message at a time. */
    connect: (project: string | null, send: (message: string) => void) => connectClient(means(project), changes, send),
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

function connectClient(means: ToolDeps, changes: ResourceChangeFeed, send: (message: string) => void): McpClientConnection {
  const wire: Transport = {
    start: async () => {},
    send: async (message: JSONRPCMessage) => send(JSON.stringify(message)),
    close: async () => wire.onclose?.(),
  }
  const instances: { server: McpServer; subscribed: Set<string> }[] = []
  const serving = serveStdio(
    ({ era }) => {
      const server = memoryServer(means, true)
      // The new protocol keeps subscriptions by itself; the old one has two requests for them.
      const subscribed = era === 'legacy' ? trackSubscriptions(server) : null
      instances.splice(0, instances.length, { server, subscribed: subscribed ?? ALL_RESOURCES })
      return server
    },
    { transport: wire },
  )
  const stop = changes.subscribe((changed) => {
    for (const { server, subscribed } of instances) {
      if (!server.isConnected()) continue
      if (changed.list) server.sendResourceListChanged()
      for (const uri of changed.resources) if (subscribed.has(uri)) void server.server.sendResourceUpdated({ uri }).catch(() => {})
    }
  })
  return {
    receive: (text) => {
      const message = readMessage(text)
      if (message.kind === 'read') wire.onmessage?.(message.value)
      else send(JSON.stringify(message.answer))
    },
    close: () => {
      stop()
      void serving.close()
    },
  }
}

/** A message, or what to say to one that is none: whoever waits for an answer must not wait for ever. */
function readMessage(text: string): { kind: 'read'; value: JSONRPCMessage } | { kind: 'unusable'; answer: object } {
  let id: unknown = null
  try {
    const value: unknown = JSON.parse(text)
    id = (value as { id?: unknown } | null)?.id ?? null
    return { kind: 'read', value: parseJSONRPCMessage(value) }
  } catch {
    return { kind: 'unusable', answer: { jsonrpc: '2.0', id, error: { code: -32600, message: 'this is not a JSON-RPC request' } } }
  }
}

/** The entry lets through what the client listens to. */
const ALL_RESOURCES = { has: () => true } as unknown as Set<string>

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
 * A server with all that memory offers. Cheap: over HTTP one is made for every request of a client that did not open. Such an old one
 * has no line on which it could be told of changes (`tells` false), so none are promised.
 */
function memoryServer(means: ToolDeps, tells: boolean): McpServer {
  const capabilities = { tools: {}, resources: { subscribe: tells, listChanged: tells }, prompts: {}, completions: {} }
  const server = new McpServer({ name: 'recollect', title: 'Recollect', version: VERSION }, { instructions: INSTRUCTIONS, capabilities })
  for (const tool of TOOLS) addTool(server, means, tool)
  addResources(server, means)
  addPrompts(server, means)
  return server
}

function addTool(server: McpServer, means: ToolDeps, { name, title, description, input, hints, alwaysLoaded, run }: Tool): void {
  const meta = alwaysLoaded ? { _meta: { 'anthropic/alwaysLoad': true } } : {}
  server.registerTool(name, { title, description, inputSchema: input, annotations: hints, ...meta }, async (given, context) => {
    const token = context.mcpReq._meta?.progressToken
    const call: ToolCallContext = {
      signal: context.mcpReq.signal,
      progress: (done, of, message) => {
        if (token === undefined) return
        const params = { progressToken: token, progress: done, total: of, message }
        // A client that has gone does not want to hear it.
        void context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
      },
    }
    try {
      return textResult(await run(means, given, call))
    } catch (cause) {
      if (cause instanceof RefusedError) return { ...textResult(cause.message), isError: true }
      throw cause
    }
  })
}

/** Text alone: a client that is given structured content too shows that one to the model and drops the text. */
const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
