/** How large a piece of data may be. Every room takes its limit from here, so sender, receiver and storage agree. */

const KB = 1024
const MB = 1024 * KB

/**
 * One hook payload, one HTTP request to the worker, one line of a transcript, of an export or of a streamed response. All have the same limit:
 * a payload that the worker accepts can also be read back from the transcript, and a hook never sends one that the worker would reject.
 */
export const MAX_PAYLOAD_BYTES = 64 * MB

/** One MCP message. The worker closes the connection on a longer one, so the shim must reject it first. */
export const MAX_MCP_MESSAGE_BYTES = 16 * MB

/** A payload that a hook writes to the spool. Removing private text from a larger one takes longer than a hook may run. */
export const MAX_SPOOLED_PAYLOAD_BYTES = MB

/** A text in the journal: a prompt, an answer, the output of a tool. Longer ones are clipped. */
export const MAX_STORED_CHARS = 64 * KB

/** A note's file. Larger files are not read as notes. */
export const MAX_NOTE_BYTES = 256 * KB

/** "64 MB", for messages. */
export const inMegabytes = (bytes: number): string => `${bytes / MB} MB`
