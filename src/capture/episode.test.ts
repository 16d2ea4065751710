import { expect, test } from 'bun:test'
import { summary } from '../../test/support/builders.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'
import type { Prompt, Session } from '../core/memory.ts'
import { type Episode, episodeDraft, isTrivialSession } from './episode.ts'

const session = {
  agent: 'claude-code',
  contentSessionId: asContentSessionId('s1'),
  project: asProjectKey('app'),
  branch: 'main',
  startedAt: 1_700_000_000_000,
  lastEventAt: 1_700_000_100_000,
} as Session
const said = (text: string, answer: string | null = null, origin: Prompt['origin'] = 'person') => ({ text, answer, origin }) as Prompt
const draft = (given: Partial<Episode>) => episodeDraft({ session, prompts: [], summaries: [], files: [], hook: 'session-end', ...given })

test('a session tells what was asked, where, what was touched, how it ended, and what is next', () => {
  const made = draft({
    prompts: [said('Fix the login test\nplease', 'Looking.'), said('And the other', 'Both tests pass now, the clock was wrong.')],
    files: ['src/login.ts', 'src/clock.ts'],
    summaries: [summary({ learned: 'exp is in seconds' }), summary({ nextSteps: 'Tell the team' })],
  })
  expect(made?.title).toBe('Fix the login test')
  expect(made?.body).toBe(
    [
      '**Ask:** Fix the login test\nplease',
      '**Branch:** main',
      '**Files touched (2):**\n- src/login.ts\n- src/clock.ts',
      '**Outcome:** Both tests pass now, the clock was wrong.',
      '**Learned:** exp is in seconds',
      '**Next steps:** Tell the team',
    ].join('\n\n'),
  )
  expect(made).toMatchObject({
    type: 'episodic',
    namespace: 'sessions',
    source: 'session-end',
    session: 's1',
    tags: ['session', 'session-end'],
  })
})

test.each([
  ['nothing at all', '', '', [], true],
  ['no prompt and a tiny outcome', '', 'Ok.', [], true],
  ['no prompt and a real outcome', '', 'x'.repeat(40), [], false],
  ['an outcome one short of real', '', 'x'.repeat(39), [], true],
  ['a lone command with a tiny outcome', '/clear', '', [], true],
  ['a lone command with a real outcome', '/review', 'x'.repeat(40), [], false],
  ['a command with words', '/review the parser', '', [], false],
  ['a real prompt without an outcome', 'Fix it', '', [], false],
  ['a lone command that touched a file', '/init', '', ['AGENTS.md'], false],
  ['nothing said, but a file touched', '', '', ['a.ts'], false],
])('%s: trivial or not', (_, prompt, outcome, files, trivial) => {
  expect(isTrivialSession(prompt, outcome, files)).toBe(trivial)
})

test('a session that ended with a commit tells of the work behind it', () => {
  const work = said('Fix the clock', 'The clock took seconds for milliseconds; `readClock` divides now.')
  const outcome = (...prompts: Prompt[]) => /\*\*Outcome:\*\* ([\s\S]*)$/.exec(draft({ prompts })?.body ?? '')?.[1]
  expect(outcome(work, said('commit', 'Committed as `0b03276`, all tests pass on the way through the hook.'))).toBe(
    'Committed as `0b03276`, all tests pass on the way through the hook.\n\nThe clock took seconds for milliseconds; `readClock` divides now.',
  )
  expect(outcome(work, said('push', 'Done.'))).toStartWith('Done.\n\nThe clock took')
  expect(outcome(said('Add a licence', 'Created LICENSE with the MIT terms, for 2026.'))).toBe(
    'Created LICENSE with the MIT terms, for 2026.',
  )
  expect(outcome(said('push', 'Pushed.'))).toBe('Pushed.')
})

test('what was not there is said to be so, and the title stands in', () => {
  const made = draft({ files: ['a.ts'], session: { ...session, branch: null }, hook: 'precompact' })
  expect(made?.title).toBe('Session summary')
  expect(made?.body).toBe(
    '**Ask:** (no user prompt captured)\n\n**Files touched (1):**\n- a.ts\n\n**Outcome:** (no assistant output captured)',
  )
  expect(made?.tags).toEqual(['session', 'precompact'])
})

test('a command to the client is not what was asked, nor is a machine’s notice', () => {
  const made = draft({
    prompts: [
      said('Agent done', null, 'machine'),
      said('/effort'),
      said('Write the docs', 'The docs are written, with an example for each command.'),
    ],
  })
  expect(made?.title).toBe('Write the docs')
})

test('a note is called as its session is, and a greeting or the number of an option is not what was asked', () => {
  const prompts = [said('hello'), said('8'), said('Implement the following plan:\n\n# Login by mail', 'Login by mail works, with a test.')]
  const made = draft({ prompts, session: { ...session, title: 'Login by mail' } })
  expect(made?.title).toBe('Login by mail')
  expect(made?.body).toStartWith('**Ask:** Implement the following plan:\n\n# Login by mail')
  const chosen = { prompts: [said('/todos'), said('8', '')], files: ['a.ts'] }
  expect(draft({ ...chosen, summaries: [summary({ completed: 'Random keys' })] })?.title).toBe('Random keys')
  expect(draft({ ...chosen, summaries: [] })?.title).toBe('8')
  expect(draft({ prompts: [said('8'), said('fix it', 'It is fixed: the clock ran in milliseconds.')] })?.title).toBe('fix it')
})

test('long texts are cut at 600, a cut code block is closed', () => {
  const made = draft({ prompts: [said('a'.repeat(2000), `\`\`\`ts\n${'x'.repeat(2000)}\n\`\`\``)], session: { ...session, branch: null } })
  const [ask = '', outcome = ''] = made?.body.split('\n\n**Outcome:** ') ?? []
  expect(ask.length).toBe('**Ask:** '.length + 600)
  expect(outcome).toEndWith('…\n```')
  expect(made?.title?.length).toBeLessThanOrEqual(80)
})
