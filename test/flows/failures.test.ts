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

test('another program on the port from the start: the worker uses another port', async () => {
  await using occupant = await occupyPort()
  await using person = await aPerson({ port: String(occupant.port), files: project, git: true })
  const first = await runClaude({ sandbox: person, prompt: 'The login test fails. Fix it.', turns: fixTheTest(person.project) })
  expect(first.code).toBe(0)
  await person.settled()
  expect(await person.rows('tool-uses')).toHaveLength(4)
  const found = await findings(person)
  expect(found.Port).toMatchObject({ state: 'warning', says: expect.stringContaining(`another program uses ${occupant.port}`) })
  const second = await runClaude({ sandbox: person, prompt: 'And?', turns: ['Fixed.'] })
  expect(briefIn(requestText(second.requests[0]))).toContain('isValid')
})

test('another program that takes the port later: the session is not delayed and nothing is lost', async () => {
  await using person = await aPerson({ git: true })
  const { port } = JSON.parse(await person.recollect('status', '--json')) as { port: number }
  await person.recollect('stop')
  await using _occupant = await occupyPort(port)
  const ran = await runClaude({ sandbox: person, prompt: 'Do the steps.', turns: steps })
  expect(ran.code).toBe(0)
  expect(ran.answer).toBe('Both steps are done.')
  await person.settled()
  const [stored, truth] = [await journal(person), await transcriptTruth(person)]
  expect(stored.toolUses).toEqual(truth.toolUses)
  expect(stored.prompts).toEqual(truth.prompts)
  expect((await findings(person)).Port?.state).toBe('warning')
  expect((await findings(person)).Hooks?.state).toBe('ok')
})

const canMount = Bun.spawnSync(['unshare', '--mount', 'true']).success
if (!canMount) console.warn('Skipping the flows with a full and a read-only disk: they need permission to mount.')

test.skipIf(!canMount)('a full disk: the session is undisturbed, doctor reports it, and missed events are recovered', async () => {
  await using disk = await smallDisk('size=4m')
  await using person = await aPerson({ git: true, env: { RECOLLECT_HOME: `${disk.path}/home` } })
  await Bun.write(`${disk.path}/ballast`, 'x'.repeat(100))
  Bun.spawnSync(['sh', '-c', `dd if=/dev/zero of=${disk.path}/ballast bs=1024 2>/dev/null || true`])
  const ran = await runClaude({ sandbox: person, prompt: 'Do the steps.', turns: steps })
  expect([ran.code, ran.answer]).toEqual([0, 'Both steps are done.'])
  const report = await findings(person)
  expect([report.Disk?.state, report.Disk?.says]).toEqual(['broken', expect.stringContaining('full')])
  Bun.spawnSync(['rm', `${disk.path}/ballast`])
  await person.recollect('restart')
  await person.settled()
  const [stored, truth] = [await journal(person), await transcriptTruth(person)]
  expect(stored.toolUses).toEqual(truth.toolUses)
  expect(stored.prompts).toEqual(truth.prompts)
})

test.skipIf(!canMount)('a read-only home: the session is undisturbed and doctor reports it', async () => {
  await using disk = await smallDisk('size=8m')
  await using person = await aPerson({ git: true, env: { RECOLLECT_HOME: `${disk.path}/home` } })
  await person.recollect('stop')
  disk.remount('ro')
  const ran = await runClaude({ sandbox: person, prompt: 'Do the steps.', turns: steps })
  expect([ran.code, ran.answer]).toEqual([0, 'Both steps are done.'])
  const report = await findings(person)
  expect([report.Home?.state, report.Home?.fix]).toEqual(['broken', expect.stringContaining('read-only')])
  disk.remount('rw')
})

type Finding = { what: string; state: string; says: string; fix?: string }

async function findings(person: Person): Promise<Record<string, Finding>> {
  const { stdout } = await runIn(person, [`${import.meta.dir}/../../bin/recollect`, 'doctor', '--json'])
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  return Object.fromEntries(findings.map((finding) => [finding.what, finding]))
}

/** Another program on the port, which accepts connections and never answers. */
async function occupyPort(port = 0) {
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

/** A separate disk, small enough to fill. */
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
