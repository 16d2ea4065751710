import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSandbox, type RunOptions, runIn, type Sandbox, type SandboxOptions } from '../harness/sandbox.ts'
import { isAtRest } from './at-rest.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

/** A person with Claude Code and Recollect in a temporary home. */
export type Person = Sandbox & {
  /** Runs the command line. Throws with its output if it fails. */
  recollect(...args: string[]): Promise<string>
  rows<T = Row>(kind: 'tool-uses' | 'prompts' | 'observations' | 'summaries' | 'sessions'): Promise<T[]>
  /** Resolves when no jobs or spooled events are left. */
  settled(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type Row = {
  sessionId: string
  toolUseId: string
  tool: string
  text: string
  answer: string | null
  title: string
  project: string
  [key: string]: unknown
}

/** On a busy machine the worker may answer later than hooks usually wait. Tests of what is shown must not depend on that. */
const PATIENT_HOOK_MS = '8000'

/** `init` is how the hooks are installed; null leaves them out. */
export async function aPerson(options: SandboxOptions & { init?: string[] | null; port?: string } = {}): Promise<Person> {
  const { init = [], port = String(20_000 + Math.floor(Math.random() * 30_000)), ...sandboxOptions } = options
  const sandbox = await makeSandbox({
    ...sandboxOptions,
    env: { RECOLLECT_WORKER_PORT: port, RECOLLECT_HOOK_WAIT_MS: PATIENT_HOOK_MS, ...sandboxOptions.env },
  })
  const person: Person = {
    ...sandbox,
    recollect: (...args) => recollectIn(sandbox, args),
    rows: async <T>(kind: string) => {
      const out = await recollectIn(sandbox, ['export', '--json', '--kind', kind])
      return Bun.JSONL.parse(out) as T[]
    },
    settled: async () => {
      const until = Date.now() + MAX_SETTLE_MS
      for (let quiet = 0; quiet < 2; ) {
        const ran = await runIn(sandbox, [RECOLLECT, 'status', '--json'])
        if (Date.now() > until) throw new Error(`the worker did not finish its jobs: ${ran.stdout}${ran.stderr}\n${endOfLog(sandbox)}`)
        // On a busy machine the worker may answer later than `status` waits.
        if (ran.code === 2) continue
        if (ran.code !== 0) throw new Error(`recollect status ended with ${ran.code}: ${ran.stderr || ran.stdout}`)
        quiet = isAtRest(JSON.parse(ran.stdout)) ? quiet + 1 : 0
        await Bun.sleep(50)
      }
    },
    [Symbol.asyncDispose]: async () => {
      await runIn(sandbox, [RECOLLECT, 'stop'])
      await sandbox.remove()
    },
  }
  if (init) await person.recollect('init', '--yes', ...init)
  return person
}

/** Longer than any test needs, even on a busy machine: after this long something hangs, and the error shows the log. */
const MAX_SETTLE_MS = 200_000

function endOfLog({ home }: Sandbox): string {
  const log = join(home, '.recollect', 'logs', 'worker.log')
  return existsSync(log) ? readFileSync(log, 'utf8').slice(-3000) : 'There is no worker log.'
}

async function recollectIn(sandbox: Sandbox, args: string[], options: RunOptions = {}): Promise<string> {
  const ran = await runIn(sandbox, [RECOLLECT, ...args], options)
  if (ran.code !== 0) throw new Error(`recollect ${args.join(' ')} ended with ${ran.code}: ${ran.stderr || ran.stdout}`)
  return ran.stdout
}

/** The brief that Recollect put into a request. */
export function briefIn(text: string): string {
  return text.match(/<recollect-context project=[\s\S]*?<\/recollect-context>/)?.[0] ?? ''
}
