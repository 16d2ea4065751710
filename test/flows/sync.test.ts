/** Two machines of a person: two homes, each with a worker, and one remote, used through the command line and the hook. */
import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/builders.ts'
import { aRemote } from '../support/machines.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

test('a note from one machine is found on the other after its next session starts', async () => {
  using remote = aRemote()
  await using laptop = aHome()
  await using desktop = aHome()
  await laptop.recollect('init', '--yes', '--remote', remote.path)
  await desktop.recollect('init', '--yes', '--remote', remote.path)
  await laptop.recollect('capture', 'Deploys go out on Fridays after lunch.', '--project', 'shop')
  await laptop.hook({ hook_event_name: 'SessionStart', source: 'startup' })
  await laptop.until(async () => (await laptop.state()).ahead === 0 && (await laptop.state()).waiting === 0)
  const reply = await desktop.hook({ hook_event_name: 'SessionStart', source: 'resume' })
  expect(JSON.parse(reply)).toBeObject()
  await desktop.until(async () => (await desktop.recollect('search', 'deploys', '--all')).includes('Fridays'))
  const status = JSON.parse(await desktop.recollect('status', '--json'))
  expect(status.sync).toMatchObject({ ahead: 0, behind: 0, conflicted: [], last: { outcome: 'synced' } })
}, 300_000)

function aHome() {
  const folder = temporaryFolder()
  const project = join(folder.path, 'project')
  mkdirSync(project)
  const env = {
    PATH: process.env.PATH,
    HOME: folder.path,
    RECOLLECT_HOME: join(folder.path, '.recollect'),
    CLAUDE_CONFIG_DIR: join(folder.path, '.claude'),
    RECOLLECT_WORKER_PORT: '0',
  }
  const run = async (args: string[], stdin = '') => {
    const child = Bun.spawn([RECOLLECT, ...args], { cwd: project, env, stdin: new Blob([stdin]), stdout: 'pipe', stderr: 'pipe' })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(`recollect ${args.join(' ')} ended with ${code}: ${err}${out}`)
    return out
  }
  return {
    recollect: (...args: string[]) => run(args),
    state: async () => JSON.parse(await run(['sync', 'status', '--json'])) as { ahead: number; waiting: number },
    hook: (payload: Record<string, unknown>) =>
      run(
        ['hook', 'claude-code'],
        JSON.stringify({ session_id: 's1', cwd: project, transcript_path: join(folder.path, 't.jsonl'), ...payload }),
      ),
    until: async (isSo: () => Promise<boolean>) => {
      for (const end = Date.now() + 60_000; !(await isSo()); await Bun.sleep(100))
        if (Date.now() > end) throw new Error('it never came to be')
    },
    [Symbol.asyncDispose]: async () => {
      await run(['stop'])
      folder[Symbol.dispose]()
    },
  }
}
