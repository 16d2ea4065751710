import { expect } from 'bun:test'
import { clientOrSkip } from '../harness/client.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { startTui } from '../harness/tui.ts'
import { journal, transcriptTruth } from '../support/journal.ts'
import { aPerson, briefIn } from '../support/person.ts'
import { bash, project } from '../support/scripts.ts'

const hasTmux = Bun.which('tmux') !== null
if (!hasTmux) console.warn('Skipping the interactive flow: it needs tmux.')
const test = (await clientOrSkip()).skipIf(!hasTmux)

test('Esc, a message typed during a turn, and /clear: everything is stored once, and the new session gets a brief', async () => {
  await using person = await aPerson({ files: project, git: true })
  const tui = await startTui({
    sandbox: person,
    turns: [
      bash('echo wake; sleep 30', 'Wait long'),
      bash('echo lighthouse; sleep 3', 'Look around'),
      'The lighthouse module keeps the lamp lit; both questions are answered.',
      'Hello again.',
    ],
  })
  try {
    await tui.waitFor(/❯|>/)
    await Bun.sleep(1500)
    await tui.submit('Wait for the tide to turn.')
    await tui.waitFor(/Wait long|sleep 30|echo wake/)
    await Bun.sleep(1000)
    await tui.press('Escape')
    await tui.waitFor(/[Ii]nterrupted/)
    await tui.submit('How does the lighthouse module work?')
    await tui.waitFor(/Look around|echo lighthouse/)
    await Bun.sleep(800)
    await tui.submit('And who lights the lamp?')
    await tui.waitFor(/both questions are answered/)
    await Bun.sleep(1000)
    await person.settled()
    await tui.submit('/clear')
    await Bun.sleep(2500)
    await person.settled()
    await tui.submit('Good morning.')
    await tui.waitFor(/Hello again/)
    await tui.submit('/exit')
    await tui.waitFor(/client exited/)
  } finally {
    await tui.close()
  }
  await person.settled()
  const [stored, truth] = [await journal(person), await transcriptTruth(person)]
  expect(stored.prompts).toEqual(truth.prompts)
  expect(stored.toolUses).toEqual(truth.toolUses)
  expect(stored.prompts.map((row) => row.split(' ').slice(1).join(' '))).toEqual(
    expect.arrayContaining([
      'Wait for the tide to turn.',
      'How does the lighthouse module work?',
      'And who lights the lamp?',
      'Good morning.',
    ]),
  )
  expect(await person.rows('sessions')).toHaveLength(2)
  const afterClear = tui.api.requests.filter((request) => request.lane === 'main').at(-1)
  expect(briefIn(requestText(afterClear))).toContain('lighthouse')
}, 300_000)
