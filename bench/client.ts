import { claudeClient, PINNED } from '../test/harness/client.ts'
import type { ModelRequest } from '../test/harness/fake-anthropic.ts'
import { runClaude } from '../test/harness/run-claude.ts'
import { aPerson, type Person } from '../test/support/person.ts'
import { median, spawnWith } from './measure.ts'

const TOOL_USES = 20
const FILES = Object.fromEntries(Array.from({ length: TOOL_USES }, (_, n) => [`notes/${n}.txt`, `Seen on day ${n}.\n`]))

/**
 * The milliseconds that our hooks add to each tool use of the real client, with the time of `node -e 0` for comparison; or why this cannot be
 * measured here. The client reads files one by one, without and with hooks in turns.
 */
export async function measureHooksInClient(rounds: number): Promise<{ kind: 'measured'; times: Record<string, number> } | Skipped> {
  try {
    await claudeClient()
  } catch (cause) {
    return { kind: 'skipped', why: `Claude Code ${PINNED} is not available: ${(cause as Error).message}` }
  }
  await using without = await aPerson({ files: FILES, init: null })
  await using hooked = await aPerson({ files: FILES, init: ['--no-mcp'] })
  const rows: { node: number; without: number; hooked: number }[] = []
  // The first round is a warm-up: disk caches, and the client's own files in a new home.
  for (let round = -1; round < rounds; round++) {
    const row = {
      node: median(await nodeTimes()),
      without: median(await toolUseTimes(without)),
      hooked: median(await toolUseTimes(hooked)),
    }
    if (round >= 0) rows.push(row)
  }
  return {
    kind: 'measured',
    times: {
      'node -e 0': median(rows.map((row) => row.node)),
      'a tool use without hooks': median(rows.map((row) => row.without)),
      // Compared within a round, because the machine may be busier in the next one.
      'added by hooks': median(rows.map((row) => row.hooked - row.without)),
    },
  }
}

type Skipped = { kind: 'skipped'; why: string }

/** The time between each answer of the model and the client's next request: the tool and its hooks. */
async function toolUseTimes(person: Person): Promise<number[]> {
  const reads = Object.keys(FILES).map((file) => ({ tools: [{ name: 'Read', input: { file_path: `${person.project}/${file}` } }] }))
  const { code, requests, stderr } = await runClaude({ sandbox: person, prompt: 'Read the notes.', turns: [...reads, 'Read.'] })
  const mainRequests = requests.filter((request) => request.lane === 'main')
  if (code !== 0 || mainRequests.length !== TOOL_USES + 1)
    throw new Error(`the client ended with ${code} after ${mainRequests.length} requests: ${stderr}`)
  return mainRequests.slice(1).map((request, n) => request.at - (mainRequests[n] as ModelRequest).answeredAt)
}

async function nodeTimes(): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < 5; n++) {
    const started = performance.now()
    await spawnWith(['node', '-e', '0'], '', {})
    times.push(performance.now() - started)
  }
  return times
}
