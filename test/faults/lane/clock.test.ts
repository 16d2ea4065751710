import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/builders.ts'
import { aHome } from '../home.ts'
import { aClient } from './client.ts'
import { expectHealthy, expectJournalIsTranscript, recover } from './recovery.ts'

const HOUR = 3_600_000
const turn = (n: number) => ({ prompt: `Question ${n} about tides`, commands: [`echo ${n}`], answer: `Answer ${n} about tides.` })

test.each([
  ['back two hours', -2 * HOUR],
  ['forward ten days', 240 * HOUR],
])(
  'a clock that is set %s during a session: nothing is lost, the session ends and gets its note',
  async (_, jump) => {
    using clock = aClock()
    // Every event reaches the worker at once: one from the spool would not happen now, and its session would end when its client is found to be gone.
    await using at = aHome({ ...clock.env, RECOLLECT_GIT_HISTORY: 'false', RECOLLECT_HOOK_WAIT_MS: '60000' })
    mkdirSync(join(at.folder, 'project'))
    await at.run('', 'start')
    const client = aClient(at, 'jumping', { now: clock.now })
    await client.start()
    await client.turn(turn(1))
    clock.shift(jump)
    await client.turn(turn(2))
    await client.end()
    await recover(at)
    await expectJournalIsTranscript(at, [client])
    const ended = async () => (await at.rows('sessions')).map(({ status }) => status)
    expect(await ended()).toEqual(['completed'])
    // Resumed with the clock as it was before, and ended again.
    clock.shift(0)
    const again = aClient(at, 'jumping', { now: clock.now, continues: client })
    await again.start('resume')
    await again.turn(turn(3))
    await again.end()
    await recover(at)
    await expectJournalIsTranscript(at, [again])
    expect(await ended()).toEqual(['completed'])
    expect((await at.rows('notes')).filter(({ type }) => type === 'episodic')).toHaveLength(1)
    await expectHealthy(at)
  },
  300_000,
)

function aClock() {
  const folder = temporaryFolder()
  const file = join(folder.path, 'offset')
  let offset = 0
  const shift = (ms: number) => {
    offset = ms
    writeFileSync(file, String(ms))
  }
  shift(0)
  return {
    shift,
    now: () => Date.now() + offset,
    env: { SHIFTED_CLOCK: file, BUN_OPTIONS: `--preload ${join(import.meta.dir, 'shifted-clock.ts')}` },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
