import type { OfferedJoin } from '../wire/contract/projects.ts'
import { call } from './call.ts'
import { currentProject } from './current-project.ts'
import { dim, plural, print } from './print.ts'

/** Projects that may be this folder's, or another of this machine, under a second key. */
export const joinOffers = (): Promise<OfferedJoin[]> => call('GET /api/projects/offers', { project: currentProject() })

/** Prints how to join projects that may be the same. */
export async function printJoinOffers(): Promise<void> {
  for (const offer of await joinOffers()) {
    print(describeJoinOffer(offer))
    print(dim(`  ${joinAdvice(offer)}`))
  }
}

export const describeJoinOffer = ({ name, from, into, memories }: OfferedJoin) =>
  `${from} and ${into} are both called ${name}; ${plural(memories, 'memory', 'memories')} came from an import or another machine`

export const joinAdvice = ({ from, into }: OfferedJoin) =>
  `If they are one project: recollect projects join ${from} ${into}. If not: recollect projects apart ${from} ${into}`
