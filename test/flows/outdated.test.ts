import { expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOrSkip } from '../harness/client.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { aPerson } from '../support/person.ts'
import { edit } from '../support/scripts.ts'

const test = await clientOrSkip()

const TIME = `export function localTime(at: Date): string {
  const zone = 'UTC'
  return at.toLocaleString('en-GB', { timeZone: zone })
}

export function parseTime(text: string): Date {
  return new Date(Date.parse(text))
}
`
const WITHOUT_LOCAL_TIME = TIME.slice(TIME.indexOf('export function parseTime'))
const HISTORY = 'History, no longer true of the code:'

const block = (text: string, about: string) =>
  text.match(new RegExp(`<recollect-context ${about}[\\s\\S]*?</recollect-context>`))?.[0] ?? ''

/** The lines about `localTime` that stand above the history, without a mark: they would pass for current. */
function currentClaims(shown: string): string[] {
  const [current = ''] = shown.split(HISTORY)
  return current.split('\n').filter((line) => line.includes('localTime') && !line.includes('no longer in the code'))
}

test('a description of deleted code is never shown as current: not at the start, not with a prompt, not with a file', async () => {
  await using person = await aPerson({ files: { 'src/time.ts': TIME }, git: true })
  const file = join(person.project, 'src/time.ts')
  await runClaude({
    sandbox: person,
    prompt: 'How does localTime format a date? Make it use the reader’s own locale.',
    turns: [
      { tools: [{ name: 'Read', input: { file_path: file } }] },
      edit(file, "at.toLocaleString('en-GB',", 'at.toLocaleString(undefined,'),
      'localTime in src/time.ts formats a date in the time zone UTC with toLocaleString; it now uses the locale of the reader.',
    ],
  })
  await person.settled()

  const before = await runClaude({ sandbox: person, prompt: 'Which time zone does localTime use to format a date?', turns: ['UTC.'] })
  const known = requestText(before.requests[0])
  expect(block(known, 'project')).toContain('localTime')
  expect(known).not.toContain(HISTORY)
  expect(known).not.toContain('no longer in the code')
  await person.settled()

  writeFileSync(file, WITHOUT_LOCAL_TIME)
  const question = 'Which time zone and which locale does localTime use to format a date with toLocaleString?'
  const ask = async () => {
    const { requests } = await runClaude({
      sandbox: person,
      prompt: question,
      turns: [{ tools: [{ name: 'Read', input: { file_path: file } }] }, 'I cannot find it.'],
    })
    await person.settled()
    return { first: requestText(requests[0]), last: requests.map(requestText).join('\n') }
  }
  const start = block((await ask()).first, 'project')
  expect(start).toContain('no longer in the code: `localTime` of src/time.ts')
  expect(currentClaims(start)).toEqual([])

  // Memories shown at the start are not repeated, so the other injections are tested with the brief turned off.
  await person.recollect('config', 'set', 'hooks.session_start.enabled', 'false')
  await person.recollect('restart')
  // A new worker loads the code of recall with the first prompt, which is too late for a hook on a busy machine.
  await person.recollect('inject', '--prompt', question)
  const withPrompt = block((await ask()).first, 'about="this prompt"')
  expect(withPrompt).toContain('no longer in the code: `localTime` of src/time.ts')
  expect(currentClaims(withPrompt)).toEqual([])

  await person.recollect('config', 'set', 'hooks.user_prompt.recall', 'false')
  await person.recollect('restart')
  const withFile = block((await ask()).last, 'file=')
  expect(withFile).toContain('no longer in the code: `localTime` of src/time.ts')
  expect(currentClaims(withFile)).toEqual([])

  const stale = JSON.parse(await person.recollect('stale', '--json')) as { memories: { id: string; code: { state: string } }[] }
  expect(stale.memories.some(({ code }) => code.state === 'gone')).toBe(true)
})
