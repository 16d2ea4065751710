import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { agents } from '../../src/integrations/agent.ts'
import { detectTranscriptFormat } from '../../src/integrations/transcript-format.ts'

const ROOT = join(import.meta.dir, '..', '..')
const REAL = join(ROOT, '..', 'shared', 'eval', 'transcripts')
if (!existsSync(REAL)) console.warn('Skipping the import of real transcripts: ../shared/eval is missing.')

test.skipIf(!existsSync(REAL))('all real transcripts are imported without a lost turn, and a second import adds nothing', async () => {
  const home = mkdtempSync('/tmp/recollect-')
  const run = async (...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_WORKER_PORT: '0' }
    const child = Bun.spawn([join(ROOT, 'bin/recollect'), ...args], { env, stdout: 'pipe', stderr: 'ignore' })
    return child.stdout.text()
  }
  try {
    const truth = { prompts: 0, toolUses: 0, files: 0 }
    for (const path of new Bun.Glob('*.jsonl.gz').scanSync({ cwd: REAL, absolute: true })) {
      const format = await detectTranscriptFormat(path)
      if (format === null) throw new Error(`${path} is no transcript`)
      const agent = await agents[format]()
      truth.files++
      for await (const { items } of agent.readTranscript(path, null)) {
        for (const { event } of items) {
          truth.prompts += Number(event.kind === 'prompt-submitted')
          truth.toolUses += Number(event.kind === 'tool-used' && !agent.skipTools.has(event.tool))
        }
      }
    }
    const first = JSON.parse(await run('import', REAL, '--json'))
    expect(first).toMatchObject({ ...truth, skipped: 0, unreadableLines: 0, sessions: 64 })
    expect(JSON.parse(await run('import', REAL, '--json'))).toMatchObject({ files: 64, prompts: 0, toolUses: 0 })
    expect((await run('export', '--json', '--kind', 'observations')).split('\n').length).toBeGreaterThan(100)
  } finally {
    await run('stop')
    rmSync(home, { recursive: true, force: true })
  }
})
