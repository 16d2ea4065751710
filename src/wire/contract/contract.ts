/**
 * Every route of the worker's HTTP API, declared once: the worker implements it, and the CLI, MCP, the viewer and the client library call it
 * through `call`. Rooms that must not load zod import only types from here.
 */
import { code } from './code.ts'
import { embedder } from './embedder.ts'
import { feed } from './feed.ts'
import { forget } from './forget.ts'
import { graph } from './graph.ts'
import { hooks } from './hooks.ts'
import { inject } from './inject.ts'
import { mcp } from './mcp.ts'
import { memories } from './memories.ts'
import { notes } from './notes.ts'
import { observations } from './observations.ts'
import { projects } from './projects.ts'
import type { ParsedType, RequestType, ResponseType, RouteOptions } from './route.ts'
import { sessions } from './sessions.ts'
import { settings } from './settings.ts'
import { status } from './status.ts'
import { sync } from './sync.ts'
import { team } from './team.ts'
import { upkeep } from './upkeep.ts'
import { viewer } from './viewer.ts'

/** @internal */
export const contract = {
  ...hooks,
  ...sessions,
  ...inject,
  ...memories,
  ...observations,
  ...code,
  ...graph,
  ...feed,
  ...notes,
  ...forget,
  ...sync,
  ...team,
  ...projects,
  ...settings,
  ...upkeep,
  ...embedder,
  ...status,
  ...viewer,
  ...mcp,
} satisfies Record<`${string} /${string}`, RouteOptions>

/** @internal */
export type Contract = typeof contract
/** @internal */
export type RouteName = keyof Contract
/** @internal */
export type RequestOf<Name extends RouteName> = RequestType<Contract[Name]>
/** @internal */
export type ParsedOf<Name extends RouteName> = ParsedType<Contract[Name]>
/** @internal The response, or for a route with `lines` one line of it. */
export type ResponseOf<Name extends RouteName> = ResponseType<Contract[Name]>
/** @internal Routes that answer with one JSON value. */
export type ValueRoute = { [Name in RouteName]: Contract[Name] extends { lines: true } | { raw: true } ? never : Name }[RouteName]
/** @internal Routes that answer with lines of JSON. */
export type LinesRoute = { [Name in RouteName]: Contract[Name] extends { lines: true } ? Name : never }[RouteName]
