import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeCode } from '../../src/integrations/agent.ts'
import { keepForLater } from '../../src/wire/spool.ts'
import { ingestDelivery } from '../../src/worker/intake.ts'
import { ingestTranscript } from '../../src/worker/reconcile.ts'
import { drainSpool } from '../../src/worker/spool.ts'
import { nowhere } from '../support/builders.ts'
import { someServices } from '../support/services.ts'

/** The reports of the client about one turn after the other. A prompt with only images has no text. */
type Reported = { prompt: string; turn: string } | { answer: string; turn: string }
type Home = Awaited<ReturnType<typeof someServices>>

const ENTRANCES: [string, (at: Home, reported: Reported[]) => Promise<void>][] = [
  [
    'a hook',
    async (at, reported) => {
      for (const [i, one] of reported.entries())
        await ingestDelivery(at.desk, { agent: claudeCode, payload: payloadOf(one), context: nowhere, delivery: `d${i}`, at: 1000 + i })
    },
  ],
  [
    'the spool',
    async (at, reported) => {
      for (const [i, one] of reported.entries())
        keepForLater(at.desk.home, { delivery: `d${i}`, agent: 'claude-code', at: 1000 + i, context: nowhere, payload: payloadOf(one) })
      await drainSpool(at.desk)
    },
  ],
  [
    'a transcript',
    async (at, reported) => {
      const path = join(at.folder, 's1.jsonl')
      writeFileSync(path, reported.map((one, i) => `${JSON.stringify(transcriptLine(one, i))}\n`).join(''))
      await ingestTranscript(at.desk, claudeCode, path)
    },
  ],
]

describe.each(ENTRANCES)('through %s', (_, report) => {
  const stored = async (...reported: Reported[]) => {
    await using at = await someServices()
    await report(at, reported)
    return [...at.store.prompts.each(null)].map(({ text, answer }) => [text, answer])
  }

  test('a prompt without words that is sent again in its turn does not take the answer', async () => {
    const turn = 'p1'
    expect(
      await stored({ prompt: 'What is this?', turn }, { prompt: '', turn }, { prompt: '', turn }, { answer: 'A tide table.', turn }),
    ).toEqual([['What is this?', 'A tide table.']])
  })

  test('several prompts without words in one turn are one prompt', async () => {
    const turn = 'p1'
    expect(await stored({ prompt: '', turn }, { prompt: '', turn }, { answer: 'A lighthouse.', turn })).toEqual([
      ['(no words)', 'A lighthouse.'],
    ])
  })

  test('prompts without words in different turns are separate', async () => {
    const turns = ['p1', 'p2'].flatMap((turn) => [
      { prompt: '', turn },
      { answer: `Picture of ${turn}.`, turn },
    ])
    expect(await stored(...turns)).toEqual([
      ['(no words)', 'Picture of p1.'],
      ['(no words)', 'Picture of p2.'],
    ])
  })

  test('a prompt without words does not end the silence of a private turn', async () => {
    const turn = 'p1'
    expect(
      await stored({ prompt: '<private>swordfish</private>', turn }, { prompt: '', turn }, { answer: 'About swordfish.', turn }),
    ).toEqual([])
  })
})

function payloadOf(reported: Reported): object {
  const common = { session_id: 's1', cwd: '/srv/app', prompt_id: reported.turn }
  return 'prompt' in reported
    ? { ...common, hook_event_name: 'UserPromptSubmit', prompt: reported.prompt }
    : { ...common, hook_event_name: 'Stop', last_assistant_message: reported.answer }
}

function transcriptLine(reported: Reported, i: number): object {
  const common = { uuid: `u${i}`, timestamp: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(), sessionId: 's1', cwd: '/srv/app' }
  if ('answer' in reported)
    return { ...common, type: 'assistant', message: { id: `m${i}`, role: 'assistant', content: [{ type: 'text', text: reported.answer }] } }
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  const content = reported.prompt === '' ? [picture] : reported.prompt
  return { ...common, type: 'user', promptId: reported.turn, message: { role: 'user', content } }
}
