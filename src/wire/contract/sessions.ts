import { z } from 'zod'
import type { Observation, Prompt, Session, Summary, ToolUse } from '../../core/memory.ts'
import type { WorkOutcome } from '../../core/work-outcome.ts'
import type { RecordedInjection } from './memories.ts'
import { flag, projectName, route, rowId, wholeNumber } from './route.ts'

export type InitSessionResponse = {
  /** Null when the session is private. */
  sessionDbId: number | null
  promptNumber: number
  /** True when the prompt was not stored: it was `private`, or `empty`. */
  skipped: boolean
  reason?: 'private' | 'empty'
}
export type InitTurnResponse = { status: 'initialized'; sessionDbId: number; promptNumber: number }
/** `skipped` says in `reason` why nothing was stored. */
export type ReportedResponse = { status: 'queued' } | { status: 'skipped'; reason: string }
export type CompleteSessionResponse = { success: true } | { success: false; message: string }

export type SessionListItem = Session & {
  observations: number
  toolUses: number
  /** Tokens that the session was given from memory. */
  tokensShown: number
  live: boolean
}
export type SessionList = { sessions: SessionListItem[]; total: number }

/** A tool use whose input, output and error are cut to a few hundred characters; `clipped` says whether something is missing. */
export type ClippedToolUse = ToolUse & { clipped: boolean }
export type SessionContents = {
  session: Session
  /** Its outcome: that of its last piece of work that has one. */
  outcome: WorkOutcome | null
  prompts: Prompt[]
  toolUses: ClippedToolUse[]
  observations: Observation[]
  summaries: Summary[]
  injections: RecordedInjection[]
}

/** Enough of a session to name it beside a memory. */
export type SessionLabel = Pick<
  Session,
  'id' | 'contentSessionId' | 'project' | 'agent' | 'branch' | 'promptCount' | 'startedAt' | 'lastEventAt'
> & {
  title: string
}
/** A text with which another person or agent can continue the work of a session. */
export type Handover = { title: string; text: string; tokens: number }
/** All of a session, with full tool uses. */
export type SessionExport = Omit<SessionContents, 'toolUses'> & { toolUses: ToolUse[] }

const contentSessionId = () => z.string().min(1).max(200)

/** Names of the session id in older versions of such programs, and in the examples they were written from. */
const SESSION_ID_NAMES = { claudeSessionId: 'contentSessionId', sessionId: 'contentSessionId' } as const

/** The origin of a new session. `host` is the name of the program that reports it, such as an editor. */
const origin = () => ({
  project: projectName(),
  cwd: z.string().optional(),
  host: z.string().trim().max(100).optional(),
  pid: z
    .number()
    .int()
    .min(2)
    .max(2 ** 31)
    .optional()
    .describe('process of the caller; the session is live while it runs'),
})
const ORIGIN_NAMES = { platformSource: 'host', platform_source: 'host' } as const

const initSession = () =>
  z.object({
    contentSessionId: contentSessionId(),
    prompt: z.string().default(''),
    ...origin(),
  })
const INIT_SESSION_NAMES = { ...SESSION_ID_NAMES, ...ORIGIN_NAMES, userPrompt: 'prompt', user_prompt: 'prompt' } as const

const initTurn = () =>
  z.object({
    id: rowId(),
    project: projectName(),
    userPrompt: z.string().default(''),
    promptNumber: z.number().optional(),
  })
const INIT_TURN_NAMES = { prompt: 'userPrompt' } as const

const reportToolUse = () =>
  z.object({
    contentSessionId: contentSessionId(),
    tool_name: z.string().min(1).max(300),
    tool_input: z.unknown(),
    tool_response: z.unknown().optional(),
    tool_error: z.string().optional().describe('why it failed; that of a command begins with `Exit code 1`'),
    tool_use_id: z.string().max(300).optional(),
    new_turn: flag(false).describe('start a turn without a prompt before it, for work without a request in words'),
    unless_agent: flag(false).describe('skip it while an agent works in the same folder, because the agent reports that work itself'),
    ...origin(),
  })
const TOOL_USE_NAMES = { ...SESSION_ID_NAMES, ...ORIGIN_NAMES, tool_output: 'tool_response' } as const

const summarize = () =>
  z.object({
    contentSessionId: contentSessionId(),
    last_user_message: z.string().default(''),
    last_assistant_message: z.string().default(''),
    ...origin(),
  })
const SUMMARIZE_NAMES = { ...SESSION_ID_NAMES, ...ORIGIN_NAMES } as const

const completeSession = () => z.object({ contentSessionId: contentSessionId(), reason: z.string().default('other') })

/** @internal */
export const sessions = {
  /** Open a session if it is new, and store a prompt. With an empty one, only the session is opened. */
  'POST /api/sessions/init': route({ request: initSession, otherNames: INIT_SESSION_NAMES }).returns<InitSessionResponse>(),
  /** The same as `POST /api/sessions/init`. */
  'POST /sessions/init': route({ request: initSession, otherNames: INIT_SESSION_NAMES }).returns<InitSessionResponse>(),
  /** Announce that a turn has started, and store its prompt if it was not reported before. */
  'POST /api/sessions/:id/init': route({ request: initTurn, otherNames: INIT_TURN_NAMES }).returns<
    InitTurnResponse,
    { 400: 'no session has this id' }
  >(),
  /** The same as `POST /api/sessions/:id/init`. */
  'POST /sessions/:id/init': route({ request: initTurn, otherNames: INIT_TURN_NAMES }).returns<
    InitTurnResponse,
    { 400: 'no session has this id' }
  >(),
  /**
   * Store a tool use. One that is reported twice is stored once: by its id, or without an id when it is the same as the last one of its turn.
   */
  'POST /api/sessions/observations': route({ request: reportToolUse, otherNames: TOOL_USE_NAMES }).returns<ReportedResponse>(),
  /** The same as `POST /api/sessions/observations`. */
  'POST /sessions/observations': route({ request: reportToolUse, otherNames: TOOL_USE_NAMES }).returns<ReportedResponse>(),
  /** Store the agent's answer and end the turn, which is then distilled. A turn whose prompt was never reported gets `last_user_message` as its prompt. */
  'POST /api/sessions/summarize': route({ request: summarize, otherNames: SUMMARIZE_NAMES }).returns<ReportedResponse>(),
  /** The same as `POST /api/sessions/summarize`. */
  'POST /sessions/summarize': route({ request: summarize, otherNames: SUMMARIZE_NAMES }).returns<ReportedResponse>(),
  /** End a session. */
  'POST /api/sessions/complete': route({ request: completeSession, otherNames: SESSION_ID_NAMES }).returns<CompleteSessionResponse>(),
  /** The same as `POST /api/sessions/complete`. */
  'POST /sessions/complete': route({ request: completeSession, otherNames: SESSION_ID_NAMES }).returns<CompleteSessionResponse>(),
  /** Send a `processing` event to the listeners of `/stream`. */
  'POST /api/processing': route({ request: () => z.object({ isProcessing: z.boolean() }) }).returns<{ status: 'ok' }>(),
  /** List sessions, newest first. */
  'GET /api/sessions': route({
    request: () =>
      z.object({
        project: projectName(),
        agent: z.string().max(40).optional(),
        limit: wholeNumber(100, 200),
        offset: wholeNumber(0, 10_000_000),
      }),
    readOnly: true,
  }).returns<SessionList>(),
  /** Get a session with its prompts, tool uses, memories and injections. */
  'GET /api/sessions/:id': route({ request: () => z.object({ id: rowId() }), readOnly: true }).returns<
    SessionContents,
    { 400: 'no session has this id' }
  >(),
  /** Get the titles of sessions by their ids, ours or the agent's. Unknown ids are left out. */
  'GET /api/sessions/labels': route({
    request: () => z.object({ ids: z.string().max(4000).describe('separated by commas') }),
    readOnly: true,
  }).returns<SessionLabel[]>(),
  /** Rename a session. */
  'PATCH /api/sessions/:id': route({ request: () => z.object({ id: rowId(), title: z.string() }) }).returns<
    Session,
    { 400: 'no session has this id' | 'the title is empty or wholly private' }
  >(),
  /** Get all of a session as a file: markdown to read, or JSON. */
  'GET /api/sessions/:id/export': route({
    request: () => z.object({ id: rowId(), format: z.enum(['markdown', 'json']).default('markdown') }),
    readOnly: true,
  }).returns<SessionExport, { 400: 'no session has this id' }>(),
  /** Get a text with which another person or agent can continue the work of a session. */
  'GET /api/sessions/:id/handover': route({ request: () => z.object({ id: rowId() }), readOnly: true }).returns<
    Handover,
    { 400: 'no session has this id' }
  >(),
  /** Delete a session and everything that was made of it. It can be restored with `POST /api/restore`. */
  'DELETE /api/sessions/:id': route({ request: () => z.object({ id: rowId() }) }).returns<
    { removed: number },
    { 400: 'no session has this id' }
  >(),
  /** Get a tool use with its full input and output. */
  'GET /api/tool-uses/:id': route({ request: () => z.object({ id: rowId() }), readOnly: true }).returns<
    ToolUse,
    { 400: 'no tool use has this id' }
  >(),
}
