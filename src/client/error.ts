import type { FailedReply } from '../wire/call.ts'

/** A call failed: the worker is not running (`unreachable`), did not answer in time (`late`), or refused the request (`refused`, with its `status`). */
export class RecollectError extends Error {
  constructor(
    readonly kind: 'unreachable' | 'late' | 'refused',
    message: string,
    readonly status: number | null = null,
  ) {
    super(message)
    this.name = 'RecollectError'
  }
}

/** @internal */
export function recollectError(failure: FailedReply, socket: string, timeoutMs: number): RecollectError {
  switch (failure.kind) {
    case 'unreachable':
      return new RecollectError('unreachable', `no worker answers at ${socket} (${failure.reason}); start it with: recollect start`)
    case 'late':
      return new RecollectError('late', `the worker did not answer within ${timeoutMs} ms`)
    case 'refused':
      return new RecollectError('refused', failure.reason, failure.status)
  }
}
