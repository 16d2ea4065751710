import { expect, test } from 'bun:test'
import { summary } from '../../test/support/builders.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'
import type { Prompt, Session } from '../core/memory.ts'
import { type Episode, episodeDraft, isTrivialSession } from './episode-draft.ts'

const session = {
  agent: 'claude-code',
  contentSessionId: asContentSessionId('s1'),
  project: asProjectKey('app'),
  branch: 'main',
  startedAt: 1_700_000_000_000,
  lastEventAt: 1_700_000_100_000,
} as Session
const promptOf = (text: string, answer: string | null = null, origin: Prompt['origin'] = 'person') => ({ text, answer, origin }) as Prompt
const draft = ({ prompts = [], ...given }: Partial<Episode>) =>
  episodeDraft({
    session,
    prompts: prompts.map((prompt, n) => ({ ...prompt, number: n + 1 })),
    summaries: [],
    files: [],
    hook: 'session-end',
    ...given,
  })

test('the note of a session contains request, branch, files, outcome, learnings and next steps', () => {
  const note = draft({
    prompts: [promptOf('Fix the login test\nplease', 'Looking.'), promptOf('And the other', 'Both tests pass now, the clock was wrong.')],
    files: ['src/login.ts', 'src/clock.ts'],
    summaries: [summary({ learned: 'exp is in seconds' }), summary({ nextSteps: 'Tell the team' })],
  })
  expect(note?.title).toBe('Fix the login test')
  expect(note?.body).toBe(
    [
      '**Ask:** Fix the login test\nplease',
      '**Branch:** main',
      '**Files touched (2):**\n- src/login.ts\n- src/clock.ts',
      '**Outcome:** Both tests pass now, the clock was wrong.',
      '**Learned:** exp is in seconds',
      '**Next steps:** Tell the team',
    ].join('\n\n'),
  )
  expect(note).toMatchObject({
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
  ['no prompt, but a changed file', '', '', ['a.ts'], false],
])('a session with %s is trivial or not', (_, prompt, outcome, files, trivial) => {
  expect(isTrivialSession(prompt, outcome, files)).toBe(trivial)
})

test('if a session ends with a commit, the outcome also describes the work', () => {
  const work = promptOf('Fix the clock', 'The clock took seconds for milliseconds; `readClock` divides now.')
  const outcome = (...prompts: Prompt[]) => /\*\*Outcome:\*\* ([\s\S]*)$/.exec(draft({ prompts })?.body ?? '')?.[1]
  expect(outcome(work, promptOf('commit', 'Committed as `0b03276`, all tests pass on the way through the hook.'))).toBe(
    'Committed as `0b03276`, all tests pass on the way through the hook.\n\nThe clock took seconds for milliseconds; `readClock` divides now.',
  )
  expect(outcome(work, promptOf('push', 'Done.'))).toStartWith('Done.\n\nThe clock took')
  expect(outcome(promptOf('Add a licence', 'Created LICENSE with the MIT terms, for 2026.'))).toBe(
    'Created LICENSE with the MIT terms, for 2026.',
  )
  expect(outcome(promptOf('push', 'Pushed.'))).toBe('Pushed.')
})

test('the outcome of a session is its last result, not the small talk or the offer after it', () => {
  const settled = 'Settled: the retry queue waits 30 seconds, and gives up after 5 attempts.'
  const prompts = [
    promptOf('How long should the retry queue wait between attempts?', 'I would wait 5 seconds and never give up on an attempt.'),
    promptOf('No, 30 seconds, and give up after 5', settled),
    promptOf('thanks', 'You are welcome! Want me to look at anything else in this repository today?'),
  ]
  expect(draft({ prompts })?.body).toContain(`**Outcome:** ${settled}`)
})

test('a section that ends within a code block closes it, and a whole one stays as it is', () => {
  const whole = 'The first call:\n```\none()\n```\nThe second call:\n```\ntwo()\n```\nBoth return a promise now.'
  const body = (answer: string) => draft({ prompts: [promptOf('Show the calls', answer)] })?.body ?? ''
  expect(body(whole)).toEndWith(whole)
  const fences = (text: string) => text.match(/^```$/gm)?.length
  const cut = body(whole.replace('two()', 'two()\n'.repeat(5000)))
  expect([cut.length < 20_000, cut.endsWith('…\n```'), fences(cut)]).toEqual([true, true, 4])
})

test('missing parts are replaced by placeholders, and the title by a default', () => {
  const note = draft({ files: ['a.ts'], session: { ...session, branch: null }, hook: 'precompact' })
  expect(note?.title).toBe('Session summary')
  expect(note?.body).toBe(
    '**Ask:** (no user prompt captured)\n\n**Files touched (1):**\n- a.ts\n\n**Outcome:** (no assistant output captured)',
  )
  expect(note?.tags).toEqual(['session', 'precompact'])
})

test('slash commands and notices of the client are not the request', () => {
  const note = draft({
    prompts: [
      promptOf('Agent done', null, 'machine'),
      promptOf('/effort'),
      promptOf('Write the docs', 'The docs are written, with an example for each command.'),
    ],
  })
  expect(note?.title).toBe('Write the docs')
})

test('a note takes the title of its session; greetings and option numbers are not the request', () => {
  const prompts = [
    promptOf('hello'),
    promptOf('8'),
    promptOf('Implement the following plan:\n\n# Login by mail', 'Login by mail works, with a test.'),
  ]
  const note = draft({ prompts, session: { ...session, title: 'Login by mail' } })
  expect(note?.title).toBe('Login by mail')
  expect(note?.body).toStartWith('**Ask:** Implement the following plan:\n\n# Login by mail')
  const chosen = { prompts: [promptOf('/todos'), promptOf('8', '')], files: ['a.ts'] }
  expect(draft({ ...chosen, summaries: [summary({ completed: 'Random keys' })] })?.title).toBe('Random keys')
  expect(draft({ ...chosen, summaries: [] })?.title).toBe('8')
  expect(draft({ prompts: [promptOf('8'), promptOf('fix it', 'It is fixed: the clock ran in milliseconds.')] })?.title).toBe('fix it')
})

test('long texts are cut to 600 characters, and a cut code block is closed', () => {
  const note = draft({
    prompts: [promptOf('a'.repeat(2000), `\`\`\`ts\n${'x'.repeat(2000)}\n\`\`\``)],
    session: { ...session, branch: null },
  })
  const [ask = '', outcome = ''] = note?.body.split('\n\n**Outcome:** ') ?? []
  expect(ask.length).toBe('**Ask:** '.length + 600)
  expect(outcome).toEndWith('…\n```')
  expect(note?.title?.length).toBeLessThanOrEqual(80)
})
