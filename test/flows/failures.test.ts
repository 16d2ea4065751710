import { expect } from 'bun:test'
import { createServer } from 'node:net'
import { clientOrSkip } from '../harness/client.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { runIn } from '../harness/sandbox.ts'
import { journal, transcriptTruth } from '../support/journal.ts'
import { aPerson, briefIn, type Person } from '../support/person.ts'
import { bash, fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()
const steps = [bash('echo one'), bash('echo two'), 'Both steps are done.']

test('a silent stranger on the port from the start: the worker goes elsewhere and the hooks with it', async () => {
  await using stranger = await silentStranger()
  await using person = await aPerson({ port: String(stranger.port), files: project, git: true })
  const first = await runClaude({ sandbox: person, prompt: 'The login test fails. Fix it.', turns: fixTheTest(person.project) })
  expect(first.code).toBe(0)
  await person.settled()
  expect(await person.rows('tool-uses')).toHaveLength(4)
  const found = await findings(person)
  expect(found.Port).toMatchObject({ state: 'warning', says: expect.stringContaining(`another program holds ${stranger.port}`) })
  const second = await runClaude({ sandbox: person, prompt: 'And?', turns: ['Fixed.'] })
  expect(briefIn(requestText(second.requests[0]))).toContain('isValid')
})

test('a stranger that takes the port later: the session is not held up and nothing is lost', async () => {
  await using person = await aPerson({ git: true })
  const { port } = JSON.parse(await person.recollect('status', '--json')) as { port: number }
  await person.recollect('stop')
  await using _stranger = await silentStranger(port)
  const ran = await runClaude({ sandbox: person, prompt: 'Do the steps.', turns: steps })
  expect(ran.code).toBe(0)
  expect(ran.answer).toBe('Both steps are done.')
  await person.settled()
  const [kept, truth] = [await journal(person), await transcriptTruth(person)]
  expect(kept.toolUses).toEqual(truth.toolUses)
  expect(kept.prompts).toEqual(truth.prompts)
  expect((await findings(person)).Port?.state).toBe('warning')
  expect((await findings(person)).Hooks?.state).toBe('ok')
})

const canMount = Bun.spawnSync(['unshare', '--mount', 'true']).success
if (!canMount) console.warn('The flows with a full and a read-only disk are skipped: they need the right to mount.')

test.skipIf(!canMount)('a full disk: the session is undisturbed, doctor names it, and what was missed comes back', async () => {
  await using disk = await smallDisk('size=2m')
  await using person = await aPerson({ git: true, env: { RECOLLECT_HOME: `${disk.path}/home` } })
  await Bun.write(`${disk.path}/ballast`, 'x'.repeat(100))
  Bun.spawnSync(['sh', '-c', `dd if=/dev/zero of=${disk.path}/ballast bs=1024 2>/dev/null || true`])
  const ran = await runClaude({ sandbox: person, prompt: 'Do the steps.', turns: steps })
  expect([ran.code, ran.answer]).toEqual([0, 'Both steps are done.'])
  const sick = await findings(person)
  expect([sick.Disk?.state, sick.Disk?.says]).toEqual(['broken', expect.stringContaining('full')])
  Bun.spawnSync(['rm', `${disk.path}/ballast`])
  await person.recollect('restart')
  await person.settled()
  const [kept, truth] = [await journal(person), await transcriptTruth(person)]
  expect(kept.toolUses).toEqual(truth.toolUses)
  expect(kept.prompts).toEqual(truth.prompts)
})

test.skipIf(!canMount)('a read-only home: the session is undisturbed and doctor names it', async () => {
  await using disk = await smallDisk('size=8m')
  await using person = await aPerson({ git: true, env: { RECOLLECT_HOME: `${disk.path}/home` } })
  await person.recollect('stop')
  disk.remount('ro')
  const ran = await runClaude({ sandbox: person, prompt: 'Do the steps.', turns: steps })
  expect([ran.code, ran.answer]).toEqual([0, 'Both steps are done.'])
  const sick = await findings(person)
  expect([sick.Home?.state, sick.Home?.fix]).toEqual(['broken', expect.stringContaining('read-only')])
  disk.remount('rw')
})

type Finding = { what: string; state: string; says: string; fix?: string }

async function findings(person: Person): Promise<Record<string, Finding>> {
  const { stdout } = await runIn(person, [`${import.meta.dir}/../../bin/recollect`, 'doctor', '--json'])
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  return Object.fromEntries(findings.map((finding) => [finding.what, finding]))
}

/** Somebody else on the port, who takes connections and never says a word. */
async function silentStranger(port = 0) {
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A disk of its own, small enough to fill. */
async function smallDisk(options: string) {
  const path = Bun.spawnSync(['mktemp', '-d', '/tmp/recollect-disk-XXXX']).stdout.toString().trim()
  const mount = (...args: string[]) => {
    const ran = Bun.spawnSync(['mount', ...args])
    if (!ran.success) throw new Error(ran.stderr.toString())
  }
  mount('-t', 'tmpfs', '-o', options, 'tmpfs', path)
  return {
    path,
    remount: (mode: 'ro' | 'rw') => mount('-o', `remount,${mode}`, path),
    [Symbol.asyncDispose]: async () => {
      Bun.spawnSync(['umount', '-l', path])
      Bun.spawnSync(['rmdir', path])
    },
  }
}
