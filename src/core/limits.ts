/** How much data may cross from one process to another. Every room takes its limit from here, so sender and receiver agree. */

const MB = 1024 * 1024

/**
 * One hook payload, one HTTP request to the worker, one line of a transcript, of an export or of a streamed response. All have the same limit:
 * a payload that the worker accepts can also be read back from the transcript, and a hook never sends one that the worker would reject.
 */
export const MAX_PAYLOAD_BYTES = 64 * MB

/** One MCP message. The worker closes the connection on a longer one, so the shim must reject it first. */
export const MAX_MCP_MESSAGE_BYTES = 16 * MB

/** A payload that a hook writes to the spool. Removing private text from a larger one takes longer than a hook may run. */
export const MAX_SPOOLED_PAYLOAD_BYTES = MB

/** "64 MB", for messages. */
export const inMegabytes = (bytes: number): string => `${bytes / MB} MB`
