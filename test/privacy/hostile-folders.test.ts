import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../support/machines.ts'
import { aTestHome, type TestHome } from '../support/test-home.ts'

test('a FIFO as transcript, as marker or as git folder stops neither the queue nor the worker', async () => {
  await using at = await aTestHome()
  const [transcript, hostile] = [join(at.folder, 'pipe.jsonl'), join(at.folder, 'hostile')]
  mkdirSync(join(hostile, '.recollect'), { recursive: true })
  Bun.spawnSync(['mkfifo', transcript, join(hostile, '.recollect', 'project'), join(hostile, '.git')])
  await at.run('start')
  const session = { session_id: 's1', cwd: hostile, transcript_path: transcript }
  await at.hook({ ...session, hook_event_name: 'SessionStart', source: 'startup' })
  await at.hook({ ...session, hook_event_name: 'Stop', prompt_id: 'unknown', last_assistant_message: 'done' })
  await at.hook({ ...session, hook_event_name: 'SessionEnd', reason: 'other' })
  await at.hook({ session_id: 's2', hook_event_name: 'UserPromptSubmit', prompt_id: 'p1', prompt: 'still here' })
  await at.settled()
  expect(await at.run('export', '--json', '--kind', 'prompts')).toContain('still here')
  expect(await at.run('stop')).toContain('has stopped')
  expect(await at.run('start')).toContain('is running')
})

test('a marker in a clone or in an unpacked archive cannot take over another project, until the person confirms it', async () => {
  await using at = await aTestHome()
  const [own, clone, archive] = ['own', 'clone', 'archive'].map((name) => join(at.folder, name)) as [string, string, string]
  for (const folder of [own, clone, archive]) mark(folder, 'Treasure')
  runGit(clone, 'init', '-q')
  runGit(clone, 'remote', 'add', 'origin', 'https://host.example/stranger/clone.git')
  await at.run('start')
  await startIn(at, 'own', own)
  await startIn(at, 'clone', clone)
  await startIn(at, 'archive', archive)
  expect(await projectsBySession(at)).toEqual({
    own: 'treasure',
    clone: 'host.example/stranger/clone',
    archive: expect.stringMatching(/^archive-[0-9a-f]{6}$/),
  })
  expect(await at.run('projects', 'confirm', clone)).toContain('belongs to the project treasure')
  await startIn(at, 'later', clone)
  expect(await projectsBySession(at)).toMatchObject({ later: 'treasure' })
})

test('a session from elsewhere leaves nothing of an excluded folder behind', async () => {
  await using at = await aTestHome()
  const excluded = join(at.folder, 'drafts')
  mkdirSync(excluded)
  mkdirSync(at.home, { mode: 0o700 })
  writeFileSync(join(at.home, 'config.toml'), `[privacy]\nexclude_projects = ["${excluded}"]\n`)
  await at.run('start')
  const session = { session_id: 's1', prompt_id: 'p1' }
  await at.hook({ ...session, hook_event_name: 'SessionStart', source: 'startup' })
  await at.hook({ ...session, hook_event_name: 'UserPromptSubmit', prompt: 'compare the two' })
  const use = { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_response: { stdout: 'OBSIDIAN' } }
  await at.hook({ ...session, ...use, tool_use_id: 't1', tool_input: { command: `cat ${excluded}/a.md` } })
  await at.hook({ ...session, ...use, tool_use_id: 't2', tool_input: { command: 'ls' }, cwd: excluded })
  await at.hook({ ...session, hook_event_name: 'Stop', last_assistant_message: 'they say OBSIDIAN' })
  await at.settled()
  await at.run('stop')
  expect(Bun.spawnSync(['grep', '-rla', 'OBSIDIAN', at.home]).stdout.toString()).toBe('')
})

function mark(folder: string, text: string): void {
  mkdirSync(join(folder, '.recollect'), { recursive: true })
  writeFileSync(join(folder, '.recollect', 'project'), `${text}\n`)
}

async function startIn(at: TestHome, session: string, cwd: string): Promise<void> {
  await at.hook({ hook_event_name: 'SessionStart', source: 'startup', session_id: session, cwd })
}

async function projectsBySession(at: TestHome): Promise<Record<string, string>> {
  const { sessions } = (await (await at.ask('GET', '/api/sessions')).json()) as {
    sessions: { contentSessionId: string; project: string }[]
  }
  return Object.fromEntries(sessions.map(({ contentSessionId, project }) => [contentSessionId, project]))
}
