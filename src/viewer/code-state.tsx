import { TimeAgo } from './components.tsx'
import { Marks } from './marks.tsx'
import { codeMark } from './memory-marks.ts'
import { useFetch } from './use-fetch.ts'
import { runAction } from './user-actions.ts'
import { call } from './worker-requests.ts'

/** How the code that a memory speaks of differs from the working tree, and when a person or a model last confirmed the memory. */
export function CodeState({ id }: { id: string }) {
  const { value } = useFetch('GET /api/memory/:id', { id: id.replace('#', '') })
  if (!value || (!value.code && !value.verified)) return null
  return (
    <section aria-label="Code">
      <h2>Checked against the code</h2>
      {value.code && (
        <p>
          <Marks marks={[codeMark(value.code)]} />
        </p>
      )}
      {value.verified && (
        <p class="dim small">
          Confirmed <TimeAgo at={value.verified.at} />
          {value.verified.commit && ` at commit ${value.verified.commit.slice(0, 8)}`}
        </p>
      )}
      {value.code && (
        <p class="buttons">
          <button type="button" onClick={() => void runAction(call('POST /api/verify', { id, verdict: 'ok' }), 'Confirmed.')}>
            It still holds
          </button>
        </p>
      )}
    </section>
  )
}
