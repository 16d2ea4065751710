/** Failures of the worker or the program during a session stay invisible to the person, and no event is lost. */
import { expect } from 'bun:test'
import { join } from 'node:path'
import { clientOrSkip } from '../harness/client.ts'
import { runClaude } from '../harness/run-claude.ts'
import { runIn } from '../harness/sandbox.ts'
import { startTui } from '../harness/tui.ts'
import { journal, transcriptTruth } from '../support/journal.ts'
import { aPerson, type Person } from '../support/person.ts'
import { copyProgram } from '../support/program-copy.ts'
import { bash } from '../support/scripts.ts'

const hasTmux = Bun.which('tmux') !== null
if (!hasTmux) console.warn('Skipping the interactive flows: they need tmux.')
const test = await clientOrSkip()

/** An incident in the middle of a session. The client runs it as a command, so the hooks of that command meet it first. */
const TROUBLES = {
  'the worker is stopped': ({ program }: Scene) => `${program} stop`,
  'the worker is killed': ({ pid }: Scene) => `kill -9 ${pid}`,
  'the worker is frozen': ({ pid }: Scene) => `kill -STOP ${pid}`,
  'the program is deleted': ({ program, pid }: Scene) => `rm -rf ${join(program, '..', '..')}; kill -9 ${pid}`,
}
type Scene = { program: string; pid: number }

for (const [trouble, deed] of Object.entries(TROUBLES)) {
  for (const mcp of ['with MCP', 'without MCP']) {
    test(`${trouble} during a headless session ${mcp}`, async () => {
      await using scene = await aScene(mcp === 'with MCP')
      const { person } = scene
      const turns = [bash('echo one'), bash(deed(scene)), bash('echo two'), largeFile(person), 'All steps are done.']
      const ran = await runClaude({ sandbox: person, prompt: 'Do the steps.', turns })
      expect([ran.code, ran.answer, ran.stderr]).toEqual([0, 'All steps are done.', ''])
      expectUnseen(ran.stdout)
      await scene.expectNothingLost()
    }, 300_000)

    test.skipIf(!hasTmux)(
      `${trouble} during an interactive session ${mcp}`,
      async () => {
        await using scene = await aScene(mcp === 'with MCP')
        const { person } = scene
        const turns = [
          bash('echo one'),
          'The first step is done.',
          bash(deed(scene)),
          bash('echo two'),
          'The second step is done.',
          largeFile(person),
          'The last step is done.',
        ]
        const tui = await startTui({ sandbox: person, turns })
        try {
          await tui.waitFor(/❯|>/, 60_000)
          await Bun.sleep(1500)
          for (const [prompt, answer] of [
            ['Do the first step.', /The first step is done/],
            ['Do the second step.', /The second step is done/],
            ['Do the last step.', /The last step is done/],
          ] as const) {
            await tui.submit(prompt)
            await tui.waitFor(answer, 60_000)
            // The hooks of the end of the turn have run when the client accepts the next prompt.
            await Bun.sleep(1000)
            expectUnseen(tui.screen())
          }
          await tui.submit('/exit')
          await tui.waitFor(/client exited/, 60_000)
          expectUnseen(tui.screen())
        } finally {
          await tui.close()
        }
        await scene.expectNothingLost()
      },
      300_000,
    )
  }
}

/** More than fits into a pipe, so the client notices if a hook ends without reading. */
const largeFile = ({ project }: Person) => ({
  tools: [{ name: 'Write', input: { file_path: join(project, 'large.txt'), content: 'A line of text.\n'.repeat(20_000) } }],
})

/** The client's words for a hook that failed, and the causes it would name. Descriptions of its own commands contain some of them. */
function expectUnseen(shown: string): void {
  const lines = shown.split('\n').filter((line) => !/^\{"type":"system","subtype":"(?:init|commands_changed)"/.test(line))
  const TROUBLE = /.{0,80}(?:hook[^\n]{0,40}(?:error|fail|timed out|cancel)|non-blocking|\becon|http 40\d|not found|no such file).{0,80}/i
  expect(lines.flatMap((line) => TROUBLE.exec(line)?.[0] ?? [])).toEqual([])
}

/** A person, and a stranger who listens on the port that the worker should have, and takes the one that it has when the worker is gone. */
async function aScene(mcp: boolean) {
  await using stack = new AsyncDisposableStack()
  const heard: string[] = []
  const stranger = (port: number) =>
    Bun.listen({
      hostname: '127.0.0.1',
      port,
      socket: { open: () => void heard.push('a connection'), data: (_, data) => void heard.push(String(data)) },
    })
  const first = stranger(0)
  stack.defer(() => first.stop(true))
  const person = stack.use(await aPerson({ git: true, init: null, port: String(first.port), env: { RECOLLECT_HOOK_WAIT_MS: '' } }))
  const program = copyProgram(join(person.root, 'program')).command
  const start = async (...args: string[]) => {
    const ran = await runIn(person, [program, ...args])
    if (ran.code !== 0) throw new Error(`recollect ${args.join(' ')} ended with ${ran.code}: ${ran.stderr}`)
  }
  await start('init', '--yes', ...(mcp ? [] : ['--no-mcp']))
  await start('start')
  const { pid, port } = (await Bun.file(join(person.home, '.recollect', 'run', 'worker.json')).json()) as { pid: number; port: number }
  let second: ReturnType<typeof stranger> | null = null
  const taking = setInterval(() => {
    try {
      second ??= stranger(port)
    } catch {
      // The worker still has it.
    }
  }, 20)
  stack.defer(() => {
    clearInterval(taking)
    second?.stop(true)
    continueProcess(pid)
  })
  const disposables = stack.move()
  return {
    person: person as Person,
    program,
    pid,
    expectNothingLost: async () => {
      continueProcess(pid)
      await person.recollect('start')
      await person.settled()
      const [stored, truth] = [await journal(person), await transcriptTruth(person)]
      expect(stored.toolUses).toEqual(truth.toolUses)
      expect(stored.prompts).toEqual(truth.prompts)
      expect(truth.toolUses.length).toBeGreaterThan(3)
      expect(heard).toEqual([])
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

/** Wakes a frozen worker; it may also be gone. */
function continueProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // It has ended.
  }
}
