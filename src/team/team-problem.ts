import type { HubReply } from './hub-client.ts'

/** Why something cannot be done, as a message for the person. */
export class TeamProblem extends Error {}

/** The answer, or a problem that says why there is none. */
export function answerOf<T>(reply: HubReply<T>, url: string): T {
  switch (reply.kind) {
    case 'answered':
      return reply.value
    case 'refused':
      throw new TeamProblem(reply.reason)
    case 'unreachable':
      throw new TeamProblem(`the hub at ${url} cannot be reached: ${reply.reason}`)
  }
}
