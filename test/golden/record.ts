/**
 * Plays the stories with the real client and writes their transcripts to test/fixtures/recorded. Run it by hand when a story or the
 * pinned client changes: `bin/with-bun test/golden/record.ts [names…]`, then `test/golden/update.ts`, and read both diffs.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Script, Turn } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { makeSandbox, type Sandbox, transcripts } from '../harness/sandbox.ts'
import { startTui } from '../harness/tui.ts'
import { anonymous } from './anonymous.ts'
import { STORIES } from './stories/stories.ts'
import type { Story } from './stories/story.ts'

const FOLDER = join(import.meta.dir, '..', 'fixtures', 'recorded')
const FIRST_DAY = Date.UTC(2026, 2, 2, 9)
const DAY = 24 * 60 * 60_000

/** Makes commit hashes reproducible. */
const GIT = {
  GIT_AUTHOR_NAME: 'dev',
  GIT_AUTHOR_EMAIL: 'dev@example.invalid',
  GIT_AUTHOR_DATE: '2026-03-02T09:00:00Z',
  GIT_COMMITTER_NAME: 'dev',
  GIT_COMMITTER_EMAIL: 'dev@example.invalid',
  GIT_COMMITTER_DATE: '2026-03-02T09:00:00Z',
}

const selected = process.argv.slice(2)
for (const [day, story] of STORIES.entries()) {
  if (selected.length > 0 && !selected.includes(story.name)) continue
  // Without these permissions, the client asks before every command once a plan is agreed to.
  const settings = { permissions: { allow: ['Bash', 'Edit', 'Write'] } }
  const sandbox = await makeSandbox({ files: story.files, git: true, env: GIT, settings })
  try {
    await play(story, sandbox)
    save(story, sandbox, FIRST_DAY + day * DAY)
  } finally {
    await sandbox.remove()
  }
}

async function play(story: Story, sandbox: Sandbox): Promise<void> {
  if ('prompts' in story) return playPrompts(story.prompts, sandbox)
  const { args = [], model } = story
  const terminal = await startTui({ sandbox, turns: inFolder(model, sandbox.project), ...(args.length > 0 ? { args } : {}) })
  try {
    await story.person(terminal)
    await terminal.submit('/exit')
    await terminal.waitFor(/client exited/)
  } finally {
    await terminal.close()
  }
}

async function playPrompts(prompts: { says: string; model: Script }[], sandbox: Sandbox): Promise<void> {
  let session: string | null = null
  for (const { says, model } of prompts) {
    const args: string[] = session ? ['--resume', session] : []
    const run = await runClaude({ sandbox, prompt: says, turns: inFolder(model, sandbox.project), args })
    if (run.code !== 0) throw new Error(`the client exited with code ${run.code}: ${run.stderr}`)
    session = String(run.events.find((event) => event.session_id)?.session_id)
  }
}

/** Makes the file paths of a script absolute. */
function inFolder(script: Script, folder: string): Script {
  const withPaths = (turn: Turn): Turn => {
    if (typeof turn === 'string' || !turn.tools) return turn
    return { ...turn, tools: turn.tools.map((tool) => ({ ...tool, input: absoluteInput(tool.input, folder) })) }
  }
  if (Array.isArray(script)) return script.map(withPaths)
  if (typeof script !== 'function') return Object.fromEntries(Object.entries(script).map(([lane, turns]) => [lane, turns.map(withPaths)]))
  return (request) => {
    const turn = script(request)
    return turn === undefined ? turn : withPaths(turn)
  }
}

function absoluteInput(input: Record<string, unknown>, folder: string): Record<string, unknown> {
  return typeof input.file_path === 'string' ? { ...input, file_path: resolve(folder, input.file_path) } : input
}

/** Writes the transcript of the session, and those of its subagents into the folder where our reader looks for them. */
function save({ name, project }: Story, sandbox: Sandbox, startsAt: number): void {
  const written = transcripts(sandbox)
  const main = written.filter(({ file }) => !file.includes('/subagents/'))
  const subagents = written.filter(({ file }) => file.includes('/subagents/'))
  if (main.length !== 1) throw new Error(`expected one session transcript for ${name}, found ${main.length}`)
  const texts = anonymous(
    [...main, ...subagents].map(({ lines }) => lines),
    { root: sandbox.root, project, startsAt },
  )
  rmSync(join(FOLDER, name), { recursive: true, force: true })
  for (const [n, text] of texts.entries()) {
    const file = join(FOLDER, n === 0 ? `${name}.jsonl` : `${name}/subagents/agent-${n}.jsonl`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    console.log(`${file.slice(FOLDER.length + 1)}  ${(text.length / 1024).toFixed(0)} KB`)
  }
}
