import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..', '..')
const KEY = `ghp_${'a1B2c3D4'.repeat(5)}`

/** Sends marker words through every input, then searches every byte of the home. */
test('no file of the home contains private text or secrets, through whichever input they came', async () => {
  const folder = mkdtempSync('/tmp/recollect-')
  const home = join(folder, 'r')
  const run = async (args: string[], stdin = '') => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder, RECOLLECT_HOME: home, RECOLLECT_WORKER_PORT: '0' }
    const child = Bun.spawn([join(ROOT, 'bin/recollect'), ...args], { env, stdin: new Blob([stdin]), stdout: 'pipe', stderr: 'pipe' })
    return [await child.exited, await child.stdout.text()] as const
  }
  const hook = (payload: object) =>
    run(['hook', 'claude-code'], JSON.stringify({ session_id: 's1', cwd: folder, transcript_path: join(folder, 's1.jsonl'), ...payload }))
  const privatePrompt = '<private>UMBRAPROMPT</private>'
  const mixedPrompt = `look at <private>UMBRAPART</private> and token ${KEY}`
  const at = (second: number) => `2026-11-01T10:00:${String(second).padStart(2, '0')}.000Z`
  const line = (n: number, type: string, message: object, more: object = {}) =>
    JSON.stringify({ type, uuid: `u${n}`, sessionId: 's1', cwd: folder, timestamp: at(n), message, ...more })
  const answer = (text: string) => ({ role: 'assistant', id: `m${text.length}`, content: [{ type: 'text', text }] })
  const transcript = [
    JSON.stringify({ type: 'custom-title', customTitle: `<private>UMBRATITLE</private> ${KEY}`, sessionId: 's1' }),
    line(1, 'user', { role: 'user', content: privatePrompt }, { promptId: 'p1' }),
    line(2, 'assistant', answer('UMBRAANSWER is the answer')),
    line(3, 'user', { role: 'user', content: mixedPrompt }, { promptId: 'p2' }),
    line(4, 'assistant', {
      role: 'assistant',
      id: 'm4',
      content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: `echo <private>UMBRAINPUT</private> ${KEY}` } }],
    }),
    line(5, 'assistant', answer(`half an answer with <private>UMBRAHALF</private> ${KEY}`)),
  ].join('\n')
  try {
    mkdirSync(join(folder, '.claude'), { recursive: true })
    writeFileSync(join(folder, 's1.jsonl'), `${transcript}\n`)
    // Without a worker: through the spool. With one: directly. Then from the transcript, twice, and at the end of the session.
    await hook({
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_use_id: 't9',
      tool_input: { command: mixedPrompt },
      tool_response: { stdout: `<private>UMBRASPOOL ${KEY}` },
    })
    await run(['start'])
    await hook({ hook_event_name: 'SessionStart', source: 'startup' })
    await hook({ hook_event_name: 'UserPromptSubmit', prompt_id: 'p1', prompt: privatePrompt })
    await hook({ hook_event_name: 'Stop', prompt_id: 'p1', last_assistant_message: 'UMBRAANSWER is the answer' })
    await hook({ hook_event_name: 'UserPromptSubmit', prompt_id: 'p2', prompt: mixedPrompt })
    await run(['import', join(folder, 's1.jsonl')])
    await hook({ hook_event_name: 'SessionEnd', reason: 'other' })
    await run(['import', join(folder, 's1.jsonl')])
    const [, prompts] = await run(['export', '--json', '--kind', 'prompts'])
    expect(prompts).toContain('look at')
    await run(['stop'])
    const found = Bun.spawnSync(['grep', '-rlaE', `UMBRA|${KEY}`, home]).stdout.toString()
    expect(found).toBe('')
  } finally {
    await run(['stop'])
    rmSync(folder, { recursive: true, force: true })
  }
}, 300_000)
