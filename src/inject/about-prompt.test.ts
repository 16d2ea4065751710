import { expect, test } from 'bun:test'
import { captureAll, event, nowhere, prompt, temporaryStore } from '../../test/support/builders.ts'
import { take } from '../capture/capture.ts'
import { asContentSessionId } from '../core/ids.ts'
import { tellsAbout } from './about-prompt.ts'

const OTHERS = Array.from({ length: 120 }, (_, n) => `Topic ${n}: the viewer shows page ${n} of the ledger`)
const PAYLOADS = 'Secrets of nested payloads are readable in the pipeline, and the worktree is dirty'

/** Whether a line is shown for a prompt, as a report or as a decision, among some hundred other memories. */
async function isShown(asked: string, line: string, settles = false): Promise<boolean> {
  using t = await temporaryStore()
  for (const [n, text] of [...OTHERS, PAYLOADS, `${PAYLOADS}!`, `${PAYLOADS}?`].entries())
    await take(t.store, event(prompt(text, `p${n}`), { session: asContentSessionId('s'), at: 1000 + n }), nowhere, captureAll())
  return (await tellsAbout(t.store, asked))({ lines: [line], settles })
}

test('a report of other work than the prompt names needs more in common with it; a decision may be worded in general terms', async () => {
  const line = 'Nested payloads are masked now.'
  expect(await isShown('nested payloads are readable', line)).toBe(true)
  expect(await isShown('nested payloads are readable since `redact`', line)).toBe(false)
  expect(await isShown('nested payloads are readable since ENT-260', line)).toBe(false)
  expect(await isShown('nested payloads are readable since `redact`', line, true)).toBe(true)
  expect(await isShown('nested payloads are readable since `redact`', `${line} Changed redact().`)).toBe(true)
  expect(await isShown('nested payloads are readable since log.maskAll()', `${line} Changed mask_all.`)).toBe(true)
  expect(await isShown('secrets of nested payloads in the `redact` pipeline', 'The pipeline masks secrets of nested payloads.')).toBe(true)
})

test('a request with one word in common is about something else, unless hardly any memory has the word; a question is not', async () => {
  const line = 'The worktree of the release is removed.'
  expect(await isShown('open a branch off main in another worktree', line)).toBe(false)
  expect(await isShown('which worktree?', line)).toBe(true)
})

test('forms of one word count once', async () => {
  expect(await isShown('a payload, the payloads, all payloads', 'The payload has a size.')).toBe(false)
})
