import { expect, test } from 'bun:test'
import { homePaths } from '../../src/platform/paths.ts'
import { listen } from '../../src/worker/server.ts'
import { openVisitors } from '../../src/worker/visitors.ts'
import { environment, temporaryFolder } from '../support/builders.ts'

const LONGER_THAN_BUN_WAITS_MS = 13_000

test('a streamed answer may be silent for longer than ten seconds', async () => {
  using folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  async function* lines() {
    await Bun.sleep(LONGER_THAN_BUN_WAITS_MS)
    yield new TextEncoder().encode('at last\n')
  }
  const quiet = { info: () => {}, warn: () => {}, error: () => {} }
  const server = listen(home, 0, 'token', openVisitors(home.visitors), async () => new Response(lines()), quiet)
  try {
    expect(await (await fetch('http://worker/slow', { unix: home.socket })).text()).toBe('at last\n')
  } finally {
    await server.stop()
  }
}, 300_000)
