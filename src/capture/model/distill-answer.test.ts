import { expect, test } from 'bun:test'
import { processorTime } from '../../../test/support/growth.ts'
import { type ParsedDistillAnswer, parseDistillAnswer } from './distill-answer.ts'

const WHOLE = `<observation>
  <type>bugfix</type>
  <title>Tokens expire in the right zone</title>
  <subtitle>The check compared local time with UTC</subtitle>
  <facts><fact>expiresAt is UTC</fact><fact>a &lt; b</fact></facts>
  <narrative>The check
  was wrong.</narrative>
  <concepts><concept>Gotcha</concept></concepts>
  <files_read><file>src/clock.ts</file></files_read>
  <files_modified><file>src/auth.ts</file></files_modified>
</observation>
<summary><request>Fix the login</request><learned>UTC matters</learned><completed>Both are UTC now</completed><next_steps>none</next_steps></summary>`

const distilled = (answer: ParsedDistillAnswer) => {
  if (answer.kind !== 'distilled') throw new Error(`expected a distilled answer, got ${answer.kind}`)
  return answer
}

test('an answer in the requested format is parsed completely', () => {
  expect(parseDistillAnswer(WHOLE)).toEqual({
    kind: 'distilled',
    observations: [
      {
        type: 'bugfix',
        title: 'Tokens expire in the right zone',
        subtitle: 'The check compared local time with UTC',
        narrative: 'The check was wrong.',
        facts: ['expiresAt is UTC', 'a < b'],
        concepts: ['gotcha'],
        filesRead: ['src/clock.ts'],
        filesModified: ['src/auth.ts'],
      },
    ],
    summary: {
      request: 'Fix the login',
      investigated: '',
      learned: 'UTC matters',
      completed: 'Both are UTC now',
      nextSteps: 'none',
      notes: '',
    },
  })
})

test('characters that are written as entities become themselves again, once', () => {
  const fact = 'it&#39;s &apos;a&apos; &amp;lt; &quot;b&quot; &gt; c'
  const { observations } = distilled(parseDistillAnswer(WHOLE.replace('a &lt; b', fact)))
  expect(observations[0]?.facts[1]).toBe(`it's 'a' &lt; "b" > c`)
})

test('a model can skip a turn', () => {
  for (const answer of ['<skip/>', 'Nothing to keep.\n<skip />', '<SKIP></SKIP>'])
    expect(parseDistillAnswer(answer)).toEqual({ kind: 'skipped' })
})

test('an answer without our tags is unreadable', () => {
  for (const answer of ['', 'Sure! Here is a summary.', '{"observations": []}', '<observation></observation>', '<title>lost</title>'])
    expect(parseDistillAnswer(answer)).toEqual({ kind: 'unreadable' })
})

test.each([
  ['a greeting and a code fence around the answer', `Sure!\n\`\`\`xml\n${WHOLE}\n\`\`\`\nAnything else?`],
  ['the case of tags', WHOLE.replace(/<\/?\w+>/g, (tag) => tag.toUpperCase())],
  ['an attribute in a tag', WHOLE.replace('<observation>', '<observation id="1" lang="en">').replace('<type>', '<type kind="x">')],
  ['thinking before the answer', `<think><observation><title>draft</title></observation></think>${WHOLE}`],
  ['text between the fields', WHOLE.replace('</title>', '</title> so far').replace('</facts>', '</facts> and so on')],
  ['a wrapper around the answer', `<answer><memories>${WHOLE}</memories></answer>`],
])('%s is ignored', (_, answer) => {
  expect(parseDistillAnswer(answer)).toEqual(parseDistillAnswer(WHOLE))
})

test('a part without an end tag ends at the next part', () => {
  const { observations } = distilled(
    parseDistillAnswer('<observation><type>change<title>One<facts><fact>a<fact>b</facts><narrative>why</observation>'),
  )
  expect(observations).toMatchObject([{ type: 'change', title: 'One', facts: ['a', 'b'], narrative: 'why' }])
})

test('a list without item tags is split at lines or commas', () => {
  const { observations } = distilled(
    parseDistillAnswer('<observation><title>One</title><facts>\n- a\n- b\n</facts><concepts>gotcha, pattern</concepts></observation>'),
  )
  expect(observations).toMatchObject([{ facts: ['a', 'b'], concepts: ['gotcha', 'pattern'] }])
})

test('the observations of a truncated answer are kept', () => {
  const cut = `${WHOLE.slice(0, WHOLE.indexOf('<summary>'))}<observation><type>change</type><title>Half</title><narrative>It was`
  expect(distilled(parseDistillAnswer(cut)).observations.map(({ title }) => title)).toEqual(['Tokens expire in the right zone', 'Half'])
})

test('an answer truncated anywhere yields no broken titles', () => {
  for (let end = 0; end <= WHOLE.length; end++) {
    const answer = parseDistillAnswer(WHOLE.slice(0, end))
    if (answer.kind === 'distilled') for (const o of answer.observations) expect(o.title).not.toContain('<')
  }
})

test('the numbers of observations and facts are limited', () => {
  const { observations } = distilled(
    parseDistillAnswer(`<observation><title>x</title><facts>${'<fact>f</fact>'.repeat(60)}</facts></observation>`.repeat(300)),
  )
  expect([observations.length, observations[0]?.facts.length]).toEqual([20, 40])
})

const TWO_MB = 2 * 1024 * 1024
const PIECES = [
  '<observation>',
  '<fact>',
  '<facts>',
  '<observation',
  '<',
  '</',
  '<title',
  '<title>x',
  '<summary><request>',
  '&lt;',
  '</think>',
  'a',
]

test.each(PIECES)('two megabytes of %s are parsed within fifty milliseconds', (piece) => {
  const text = piece.repeat(Math.ceil(TWO_MB / piece.length))
  const best = Math.min(...[1, 2, 3].map(() => timeOf(() => parseDistillAnswer(text))))
  expect(best).toBeLessThan(50)
})

test('tags in random order never make the parser throw', () => {
  const random = seeded(7)
  const words = [
    ...PIECES,
    '</observation>',
    '</facts>',
    '</title>',
    '<skip/>',
    '<type>bugfix</type>',
    '\n',
    ', ',
    '<![CDATA[',
    ']]>',
    '\u{1f980}',
  ]
  for (let round = 0; round < 300; round++) {
    let text = ''
    for (let i = random() % 400; i > 0; i--) text += words[random() % words.length]
    expect(['distilled', 'skipped', 'unreadable']).toContain(parseDistillAnswer(text).kind)
  }
})

function timeOf(work: () => void): number {
  const used = processorTime()
  work()
  return used()
}

/** A fixed seed makes failures reproducible. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return state >> 8
  }
}
