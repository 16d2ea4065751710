/** Text that names one kind of thing. The brand keeps a session id from standing where a project key belongs. */
declare const kind: unique symbol
type Id<K extends string> = string & { readonly [kind]: K }

/** The session id that the agent gave its conversation. Together with the agent's name, events find their session by it. */
export type ContentSessionId = Id<'content-session'>

/** The session id of the memory side. Null until a distiller has reported or made one; never the content id. */
export type MemorySessionId = Id<'memory-session'>

/** Which project a memory belongs to; see `projectKey` for how it is found. */
export type ProjectKey = Id<'project'>

/** Call these where the text enters the program; inside, the type is the proof. */
export const asContentSessionId = (text: string) => text as ContentSessionId
export const asMemorySessionId = (text: string) => text as MemorySessionId
export const asProjectKey = (text: string) => text as ProjectKey

/** The project of memories that belong to no folder in particular. */
export const GLOBAL_PROJECT = asProjectKey('global')
