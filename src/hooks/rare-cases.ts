/**
 * Code that a hook needs only when no worker answers, or for calls that no client makes often. It is one file because the package bundles a hook
 * into two files: this one, and the straight path without it.
 */
export { rememberOffSession } from '../platform/off-sessions.ts'
export { markLate, wakeWorker } from '../wire/absent-worker.ts'
export { ensureWorker } from '../wire/start.ts'
export { replyIfInstalledTwice } from './duplicate-install.ts'
export { injectedTextIn, isScriptEventName, parseScriptEvent, readPiped, scriptEventPayload } from './script-events.ts'
export { spoolPayload } from './spool-payload.ts'
