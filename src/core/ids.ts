/** Text with a brand, so that a session id cannot be used as a project key. */
declare const kind: unique symbol
type Id<K extends string> = string & { readonly [kind]: K }

/** The session id that the agent gave its conversation. Together with the agent's name, events find their session by it. */
export type ContentSessionId = Id<'content-session'>

/** The session id of the memory side. Null until a distiller has reported or made one; never equal to the content id. */
export type MemorySessionId = Id<'memory-session'>

/** Which project a memory belongs to; see `projectKey` for how it is found. */
export type ProjectKey = Id<'project'>

/** Call these where text enters the program. */
export const asContentSessionId = (text: string) => text as ContentSessionId
export const asMemorySessionId = (text: string) => text as MemorySessionId
export const asProjectKey = (text: string) => text as ProjectKey

/** The project of memories that apply to every project. */
export const GLOBAL_PROJECT = asProjectKey('global')
