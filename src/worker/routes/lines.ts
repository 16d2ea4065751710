import type { FailedLine } from '../../wire/contract/upkeep.ts'
import type { Services } from '../services.ts'

/** The status was sent with the first line, so a later failure can only be reported as a line. */
export async function* withFailure<Line>(services: Services, what: string, lines: AsyncIterable<Line>): AsyncGenerator<Line | FailedLine> {
  try {
    yield* lines
  } catch (cause) {
    const error = (cause as Error).message
    services.log.warn(what, { error: error.slice(0, 300) })
    yield { kind: 'failed', error }
  }
}
