/** Importing transcripts, until their memories are made: simulated ones, or copies of those in a folder. bench/import.ts [megabytes | folder] */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitWithUsageError, parseArguments } from '../scripts/arguments.ts'
import { openStore } from '../src/store/store.ts'
import { spawnWith } from './measure.ts'
import { recordResult } from './result.ts'
import { simulatedSession } from './simulated-client.ts'

const [wanted = '20'] = parseArguments('bench/import.ts [megabytes | folder]', {}, { words: true }).positionals
const isNumber = /^[1-9]\d*$/.test(wanted)
if (!isNumber && !existsSync(wanted)) exitWithUsageError(`"${wanted}" is neither a number of megabytes nor a folder`)
const HOUR_MS = 3_600_000
const HISTORY_AGE_MS = 40 * 24 * HOUR_MS
const SECONDS_PER_LINE = 10
const folder = mkdtempSync(join(tmpdir(), 'rc-import-'))
const transcripts = join(folder, '.claude', 'projects', 'bench')
const env = { HOME: folder, RECOLLECT_WORKER_PORT: '0' }
const recollect = (...args: string[]) => spawnWith([new URL('../bin/recollect', import.meta.url).pathname, ...args], '', env)

try {
  const megabytes = isNumber ? writeTranscripts(Number(wanted)) : copyTranscripts(wanted)
  await recollect('start')
  const started = performance.now()
  await recollect('import', transcripts, '--json')
  const seconds = (performance.now() - started) / 1000
  await recollect('stop')
  const store = await openStore(join(folder, '.recollect', 'recollect.db'), { readonly: true })
  const bytes = store.bytes() / Math.max(1, await store.documents.count(null))
  store.close()
  console.log(`${megabytes.toFixed(1)} MB of transcripts in ${seconds.toFixed(1)} s: ${(megabytes / seconds).toFixed(1)} MB/s, goal 40`)
  console.log(`${bytes.toFixed(0)} bytes per memory`)
  if (isNumber) {
    recordResult({ part: 'Import', name: 'transcripts, memories made', value: megabytes / seconds, unit: 'MB/s', goal: 40 })
    recordResult({ part: 'Import', name: 'database per memory', value: bytes, unit: 'bytes' })
  }
} finally {
  await recollect('stop')
  rmSync(folder, { recursive: true, force: true })
}

function copyTranscripts(from: string): number {
  cpSync(from, transcripts, { recursive: true })
  const files = [...new Bun.Glob('**/*').scanSync(transcripts)]
  return files.reduce((total, file) => total + statSync(join(transcripts, file)).size, 0) / 1e6
}

function writeTranscripts(megabytes: number): number {
  const project = join(folder, 'project')
  for (const path of [transcripts, project]) mkdirSync(path, { recursive: true })
  let total = 0
  for (let number = 1; total < megabytes * 1e6; number++) {
    const session = simulatedSession(number, project, transcripts)
    // History is older than the half hour in which turns are tied to the code on disk.
    const startedAt = Date.now() - HISTORY_AGE_MS + number * HOUR_MS
    const dated = (line: object, index: number) => ({
      ...line,
      timestamp: new Date(startedAt + index * SECONDS_PER_LINE * 1000).toISOString(),
    })
    const lines = [...session.steps].flatMap((step) => step.lines).map(dated)
    writeFileSync(session.transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    total += statSync(session.transcript).size
  }
  return total / 1e6
}
