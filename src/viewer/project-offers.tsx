import type { OfferedJoin } from '../wire/contract/projects.ts'
import { formatCount } from './formats.ts'
import { useFetch } from './use-fetch.ts'
import { runAction } from './user-actions.ts'
import { call } from './worker-requests.ts'

/** Projects that may be the same one under two keys, each with a button to join them and one to keep them apart. */
export function ProjectOffers() {
  const offers = useFetch('GET /api/projects/offers', {})
  if (!offers.value || offers.value.length === 0) return null
  return (
    <section class="column offers stack" aria-label="Projects that may be the same">
      {offers.value.map((offer) => (
        <Offer key={`${offer.from} ${offer.into}`} offer={offer} />
      ))}
    </section>
  )
}

function Offer({ offer: { name, from, into, memories } }: { offer: OfferedJoin }) {
  const join = () =>
    void runAction(call('POST /api/projects/join', { from, into }), `${from} now belongs to ${into}.`, () =>
      call('POST /api/projects/split', { project: from }),
    )
  const keepApart = () => void runAction(call('POST /api/projects/apart', { a: from, b: into }), `${from} and ${into} stay two projects.`)
  return (
    <div class="card panel stack">
      <p>
        <b>{name}</b> has two keys: <span class="mono">{from}</span> and <span class="mono">{into}</span>.{' '}
        {formatCount(memories, 'memory', 'memories')} came from an import or another machine. Is it one project?
      </p>
      <p class="buttons">
        <button type="button" class="primary" onClick={join}>
          Join
          <span class="sr">
            {' '}
            {from} and {into}
          </span>
        </button>{' '}
        <button type="button" onClick={keepApart}>
          Keep apart
          <span class="sr">
            {' '}
            {from} and {into}
          </span>
        </button>
      </p>
    </div>
  )
}
