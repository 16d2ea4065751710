import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/builders.ts'
import { aHome } from '../home.ts'
import { aClient } from './client.ts'
import { aSmallDisk, lacksMounts } from './disk.ts'
import { expectHealthy, expectJournalIsTranscript, replaceTraced, waitForEnd } from './recovery.ts'
import { chooseSteps, MANY_TRIES_MS, tryAt } from './seed.ts'
import { type DiskError, lacksStrace, startTracedWorker } from './traced.ts'

const SETTINGS = { RECOLLECT_GIT_HISTORY: 'false' }
const turn = (n: number) => ({ prompt: `Question ${n} about tides`, commands: [`echo ${n}`], answer: `Answer ${n} about tides.` })

/** The home is on a small disk, the project and the transcript on another one. */
async function aHomeOnSmallDisk() {
  const [disk, own] = [await aSmallDisk(24), temporaryFolder()]
  const at = aHome(SETTINGS, disk)
  mkdirSync(join(own.path, 'project'))
  const client = aClient(at, 'cramped', { prefix: disk.prefix, folder: own.path })
  return {
    at,
    disk,
    client,
    [Symbol.asyncDispose]: async () => {
      await at[Symbol.asyncDispose]()
      await disk[Symbol.asyncDispose]()
      own[Symbol.dispose]()
    },
  }
}

const FREE_KILOBYTES = [0, 8, 40, 200, 1000]

// At once, because most of the time the worker waits a minute until it notices that the client is gone.
const atOnce = lacksMounts ? test.skip : test.concurrent

atOnce.each(FREE_KILOBYTES)(
  'a disk with %i KB left: no hook fails, doctor names it, and nothing is missing once there is space',
  async (kilobytes) => {
    await using all = await aHomeOnSmallDisk()
    const { at, disk, client } = all
    await client.start()
    await client.turn(turn(1))
    disk.fill(kilobytes * 1024)
    for (const n of [2, 3]) await client.turn(turn(n))
    if (kilobytes === 0) {
      const named = (await at.doctor()).findings.filter(({ state }) => state !== 'ok').map(({ what }) => what)
      expect(named.some((what) => ['Home', 'Disk'].includes(what))).toBe(true)
    }
    await client.end()
    disk.empty()
    await waitForEnd(at, client)
    await expectJournalIsTranscript(at, [client])
    await expectHealthy(at)
  },
  300_000,
)

test.skipIf(lacksMounts)(
  'a disk that is read-only: no hook fails, doctor names it, and nothing is missing once it can be written',
  async () => {
    await using all = await aHomeOnSmallDisk()
    const { at, disk, client } = all
    await client.start()
    await client.turn(turn(1))
    await at.run('', 'stop')
    await disk.setReadOnly(true)
    for (const n of [2, 3]) await client.turn(turn(n))
    const { code, findings } = await at.doctor()
    expect(code).toBe(1)
    expect(findings.filter(({ state }) => state === 'broken').map(({ says }) => says)).toContainEqual(
      expect.stringMatching(/read-only|EROFS/i),
    )
    await client.end()
    await disk.setReadOnly(false)
    await waitForEnd(at, client)
    await expectJournalIsTranscript(at, [client])
    await expectHealthy(at)
  },
  300_000,
)

test.skipIf(lacksStrace).each<DiskError>(['ENOSPC', 'EROFS', 'EIO'])(
  'writes that fail with %s at any place, for a while: nothing is lost or doubled',
  async (error) => {
    for (const step of chooseSteps(260, 3, error))
      await tryAt(`when writes failed with ${error} from step`, step, async () => {
        await using at = aHome(SETTINGS)
        mkdirSync(join(at.folder, 'project'))
        await at.run('', 'start')
        await at.run('', 'stop')
        const worker = await startTracedWorker(at, { kind: 'error', error, at: step, until: step + 4 })
        const client = aClient(at, 'failing')
        await client.start()
        for (const n of [1, 2, 3]) await client.turn(turn(n))
        await client.end()
        await replaceTraced(at, worker)
        await waitForEnd(at, client)
        await expectJournalIsTranscript(at, [client])
        await expectHealthy(at)
      })
  },
  MANY_TRIES_MS,
)
