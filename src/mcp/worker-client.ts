import { type FailedReply, type HttpRequest, openCaller, type ThrowingCaller, throwing } from '../wire/call.ts'

/** How the server reaches the worker. It runs inside the worker, so `transport` calls the routes without a socket; tests pass another one. */
export type McpWorkerClient = { transport(request: HttpRequest): Promise<Response> }

/** The worker, or a tool itself, refuses a request. The message is for the model that made it. */
export class RefusedError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

/** Calls the worker's routes. Throws a `RefusedError` with the worker's reason. */
export const openWorkerCaller = ({ transport }: McpWorkerClient): ThrowingCaller => throwing(openCaller(transport), toError)

function toError(failure: FailedReply): Error {
  switch (failure.kind) {
    case 'refused':
      return new RefusedError(failure.reason, failure.status)
    case 'late':
      return new Error('the worker did not reply in time')
    case 'unreachable':
      return new Error(failure.reason)
  }
}
