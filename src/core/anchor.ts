/** The code that a memory speaks of, as it was when the memory was captured. */
export type Anchor = {
  /** Relative to the top folder of the work tree. */
  path: string
  /** The definition, with the containers it is in (`Reader.next`); null where only the file is known, which says nothing about its content. */
  name: string | null
  /** A hash of the definition without comments and layout; empty without a definition. */
  signature: string
  /** Estimates how much of the definition another one has in common; base64. */
  sketch: string
  /** A hash of the definition's first part, such as a function's name and parameters. */
  header: string
  /** The commit that was checked out, and the branch; null outside a repository. */
  commit: string | null
  branch: string | null
}

export const ANCHOR_STATES = ['same', 'changed', 'gone', 'unknown'] as const
/**
 * The result of comparing a memory's code with the working tree. *Gone* means that the definition is nowhere in it; *unknown* makes no claim,
 * because the code could not be looked at or nothing can be said about it.
 */
export type AnchorState = (typeof ANCHOR_STATES)[number]

/** The result of comparing an anchor with the code. */
export type AnchorCheck = {
  state: AnchorState
  /** The file that the definition was moved to. */
  movedTo: string | null
  /** Its new name, if it was renamed. */
  renamedTo: string | null
  /** The new beginning of the definition, if it changed: `localTime(at: Date, zone: string)`. */
  newHeader: string | null
}

export const UNKNOWN_CHECK: AnchorCheck = { state: 'unknown', movedTo: null, renamedTo: null, newHeader: null }

/** The last part of a definition's name. */
export const leafOf = (name: string): string => {
  const section = name.lastIndexOf(' › ')
  if (section >= 0) return name.slice(section + 3)
  return name.slice(name.lastIndexOf('.') + 1) || name
}

/** A commit's hash, whole or shortened. Others write into shared notes, so that a hash from there may be anything. */
export const isCommitHash = (text: string): boolean => /^[0-9a-f]{7,64}$/.test(text)
