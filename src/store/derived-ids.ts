/** How the ids begin that we derive from the content of a tool use, because its agent sends none. */
export const DERIVED_ID_PREFIX = 'content:'
