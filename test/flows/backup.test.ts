import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

function people(folder: string) {
  const env = (home: string) => ({
    PATH: process.env.PATH ?? '',
    HOME: folder,
    RECOLLECT_HOME: join(folder, home),
    RECOLLECT_WORKER_PORT: '0',
  })
  const start = (home: string, ...args: string[]) =>
    Bun.spawn([RECOLLECT, ...args], { env: env(home), cwd: folder, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const run = async (home: string, ...args: string[]) => {
    const child = start(home, ...args)
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { stdout, stderr, code }
  }
  const hook = async (home: string, payload: Record<string, unknown>) => {
    const child = Bun.spawn([RECOLLECT, 'hook', 'claude-code'], {
      env: env(home),
      cwd: folder,
      stdin: Buffer.from(JSON.stringify({ cwd: folder, transcript_path: '', ...payload })),
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await child.exited
  }
  return { start, run, hook }
}

const rows = (text: string) => Bun.JSONL.parse(text) as { text: string; title: string }[]

test('a backup made while sessions write contains everything from before it, and is consistent', async () => {
  const folder = mkdtempSync('/tmp/recollect-')
  const { run, hook } = people(folder)
  const file = join(folder, 'b.tar.gz')
  try {
    await run('busy', 'start')
    let written = 0
    let isOver = false
    const writing = (async () => {
      for (; !isOver; written++) {
        await hook('busy', { hook_event_name: 'SessionStart', session_id: `s${written}`, source: 'startup' })
        await hook('busy', {
          hook_event_name: 'UserPromptSubmit',
          session_id: `s${written}`,
          prompt: `Look at the tide table, round ${written}`,
        })
        await run('busy', 'capture', `Tide fact number ${written}`)
      }
    })()
    const saved: { before: number; file: string }[] = []
    for (let round = 1; round <= 4; round++) {
      while (written < round * 2) await Bun.sleep(20)
      const before = written
      expect(await run('busy', 'backup', `${file}.${round}`)).toMatchObject({ code: 0, stderr: '' })
      saved.push({ before, file: `${file}.${round}` })
    }
    isOver = true
    await writing
    for (const [index, { before, file }] of saved.entries()) {
      const home = `restored-${index}`
      expect(await run(home, 'restore', file)).toMatchObject({ code: 0, stderr: '' })
      const prompts = new Set(rows((await run(home, 'export', '--json', '--kind', 'prompts')).stdout).map(({ text }) => text))
      const notes = new Set(rows((await run(home, 'export', '--json', '--kind', 'notes')).stdout).map(({ title }) => title))
      for (let round = 0; round < before; round++) {
        expect(prompts).toContain(`Look at the tide table, round ${round}`)
        expect(notes).toContain(`Tide fact number ${round}`)
      }
      const doctor = JSON.parse((await run(home, 'doctor', '--json')).stdout) as { findings: { what: string; state: string }[] }
      expect(doctor.findings.find(({ what }) => what === 'Database')?.state).toBe('ok')
      await run(home, 'stop')
    }
  } finally {
    await run('busy', 'stop')
    rmSync(folder, { recursive: true, force: true })
  }
}, 300_000)

test('kill -9 at any moment of a restore leaves the old home or the new one, and the other one is not lost', async () => {
  const folder = mkdtempSync('/tmp/recollect-')
  const { start, run } = people(folder)
  const file = join(folder, 'b.tar.gz')
  const titles = async (home: string) => rows((await run(home, 'export', '--json', '--kind', 'notes')).stdout).map(({ title }) => title)
  try {
    await run('new', 'capture', 'From the backup')
    await run('new', 'backup', file)
    await run('new', 'stop')
    const began = performance.now()
    await run('timed', 'restore', file)
    const usualMs = performance.now() - began
    for (let round = 0; round < 10; round++) {
      const home = `home-${round}`
      await run(home, 'capture', 'From the old home')
      await run(home, 'sync')
      const restoring = start(home, 'restore', file, '--yes')
      await Bun.sleep((usualMs * 1.4 * round) / 9)
      restoring.kill('SIGKILL')
      await restoring.exited
      const found = await titles(home)
      expect([['From the old home'], ['From the backup']]).toContainEqual(found)
      const replaced = readdirSync(join(folder, home)).filter((name) => name.startsWith('replaced-'))
      expect([found, replaced.length]).toEqual([found, found[0] === 'From the backup' ? 1 : 0])
      if (replaced[0]) {
        const aside = join(folder, home, replaced[0])
        expect(existsSync(join(aside, 'recollect.db'))).toBe(true)
        expect(await Bun.$`cat ${aside}/memory/*/*.md`.text()).toContain('From the old home')
      }
      expect(existsSync(join(folder, home, 'incoming'))).toBe(false)
      // Whatever happened, the restore works when it is run again.
      await run(home, 'restore', file, '--yes')
      expect(await titles(home)).toEqual(['From the backup'])
      expect(readdirSync(join(folder, home, 'run')).filter((name) => name.startsWith('restore-'))).toEqual([])
      await run(home, 'stop')
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 300_000)
