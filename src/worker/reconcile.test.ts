import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nowhere } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { transcript } from '../../test/support/transcript.ts'
import { claudeCode } from '../integrations/agent.ts'
import type { Store } from '../store/store.ts'
import { ingestDelivery } from './intake.ts'
import { ingestTranscript } from './reconcile.ts'

const turn = { prompt: 'run it', commands: ['make'], answer: 'it ran', promptId: 'p1' }

test('a transcript is read once, and later only its new lines', async () => {
  await using at = await someServices()
  const path = join(at.folder, 's1.jsonl')
  writeFileSync(path, transcript('s1', [turn]))
  expect(await ingestTranscript(at.desk, claudeCode, path)).toMatchObject({ prompts: 1, toolUses: 1, unreadable: 0 })
  expect(await ingestTranscript(at.desk, claudeCode, path)).toMatchObject({ prompts: 0, toolUses: 0 })
  appendFileSync(
    path,
    transcript('s1', [turn, { prompt: 'and again', commands: ['make test'], answer: 'it passed', promptId: 'p2' }])
      .split('\n')
      .slice(4)
      .join('\n'),
  )
  await ingestTranscript(at.desk, claudeCode, path)
  expect(journal(at.store)).toEqual({ prompts: ['run it → it ran', 'and again → it passed'], toolUses: ['s1-t0-0', 's1-t1-0'] })
})

test('events that hooks already delivered are not stored again', async () => {
  await using at = await someServices()
  const path = join(at.folder, 's1.jsonl')
  const deliver = (payload: object) =>
    ingestDelivery(at.desk, {
      agent: claudeCode,
      payload: { session_id: 's1', cwd: '/home/dev/app', ...payload },
      context: nowhere,
      delivery: null,
      at: Date.now(),
    })
  await deliver({ hook_event_name: 'UserPromptSubmit', prompt: 'run it', prompt_id: 'p1' })
  await deliver({
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_use_id: 's1-t0-0',
    prompt_id: 'p1',
    tool_input: {},
    tool_response: {},
  })
  await deliver({ hook_event_name: 'Stop', last_assistant_message: 'it ran', prompt_id: 'p1' })
  await deliver({ hook_event_name: 'SessionEnd', reason: 'other' })
  writeFileSync(path, transcript('s1', [turn], { from: Date.now() - 60_000 }))
  expect(await ingestTranscript(at.desk, claudeCode, path)).toMatchObject({ prompts: 0, toolUses: 0 })
  expect(journal(at.store)).toEqual({ prompts: ['run it → it ran'], toolUses: ['s1-t0-0'] })
  expect((await at.store.sessions.get(1))?.status).toBe('completed')
})

test('prompts without an id are numbered: the same text twice is two prompts, whether read at once or in two steps', async () => {
  await using at = await someServices()
  const path = join(at.folder, 's1.jsonl')
  const again = { prompt: 'go on', answer: 'done' }
  const lines = transcript('s1', [again, again, again]).split('\n')
  writeFileSync(path, `${lines.slice(0, 2).join('\n')}\n`)
  await ingestTranscript(at.desk, claudeCode, path)
  appendFileSync(path, lines.slice(2).join('\n'))
  await ingestTranscript(at.desk, claudeCode, path)
  await ingestTranscript(at.desk, claudeCode, path)
  expect(journal(at.store).prompts).toHaveLength(3)
})

test('two prompts that differ only in their private parts are two prompts', async () => {
  await using at = await someServices()
  const path = join(at.folder, 's1.jsonl')
  writeFileSync(path, transcript('s1', [{ prompt: 'deploy <private>a</private>' }, { prompt: 'deploy <private>b</private>' }]))
  await ingestTranscript(at.desk, claudeCode, path)
  expect(journal(at.store).prompts).toHaveLength(2)
})

test('nothing of a private turn in a transcript is stored', async () => {
  for (const promptId of ['p1', undefined]) {
    await using at = await someServices()
    const path = join(at.folder, 's1.jsonl')
    const id = promptId ? { promptId } : {}
    writeFileSync(
      path,
      transcript('s1', [
        { prompt: '<private>x</private>', commands: ['secret'], answer: 'secret', ...id },
        { prompt: 'open', commands: ['ls'] },
      ]),
    )
    await ingestTranscript(at.desk, claudeCode, path)
    expect(journal(at.store)).toEqual({ prompts: ['open → null'], toolUses: ['s1-t1-0'] })
  }
})

test('unreadable lines are counted, those of subagents too, and the other lines are stored', async () => {
  await using at = await someServices()
  const path = join(at.folder, 's1.jsonl')
  mkdirSync(join(at.folder, 's1', 'subagents'), { recursive: true })
  writeFileSync(path, `garbage\n${transcript('s1', [turn])}more garbage\n`)
  writeFileSync(join(at.folder, 's1', 'subagents', 'agent-1.jsonl'), 'garbage too\n')
  expect(await ingestTranscript(at.desk, claudeCode, path)).toMatchObject({ prompts: 1, unreadable: 3 })
})

test('the title of a session is the last one in its transcript, even in a long one', async () => {
  await using at = await someServices()
  const path = join(at.folder, 's1.jsonl')
  writeFileSync(path, transcript('s1', [{ prompt: 'x'.repeat(300_000) }, { prompt: 'y'.repeat(300_000) }], { title: 'Named late' }))
  expect((await ingestTranscript(at.desk, claudeCode, path)).facts?.title).toBe('Named late')
})

test('a missing transcript gives nothing', async () => {
  await using at = await someServices()
  expect(await ingestTranscript(at.desk, claudeCode, join(at.folder, 'none.jsonl'))).toMatchObject({ prompts: 0, facts: null })
})

test('a fork does not store its parent’s turns again', async () => {
  await using at = await someServices()
  writeFileSync(join(at.folder, 's1.jsonl'), transcript('s1', [turn]))
  await ingestTranscript(at.desk, claudeCode, join(at.folder, 's1.jsonl'))
  const copied = transcript('s1', [turn]).replaceAll('"sessionId":"s1"', '"sessionId":"s2"')
  writeFileSync(
    join(at.folder, 's2.jsonl'),
    copied + transcript('s2', [{ prompt: 'own', commands: ['ls'], promptId: 'p9' }], { from: Date.UTC(2026, 1, 1) }),
  )
  await ingestTranscript(at.desk, claudeCode, join(at.folder, 's2.jsonl'))
  expect(journal(at.store)).toEqual({ prompts: ['run it → it ran', 'own → null'], toolUses: ['s1-t0-0', 's2-t0-0'] })
})

function journal(store: Store) {
  return {
    prompts: [...store.prompts.each(null)].map((p) => `${p.text} → ${p.answer}`),
    toolUses: [...store.toolUses.each(null)].map((use) => use.toolUseId),
  }
}
