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
<summary><request>Fix the login</request><learned>UTC matters</learned><next_steps>none</next_steps></summary>`

const told = (said: ParsedDistillAnswer) => {
  if (said.kind !== 'told') throw new Error(`it was ${said.kind}`)
  return said
}

test('an answer as it was asked for is read whole', () => {
  expect(parseDistillAnswer(WHOLE)).toEqual({
    kind: 'told',
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
    summary: { request: 'Fix the login', investigated: '', learned: 'UTC matters', completed: '', nextSteps: 'none', notes: '' },
  })
})

test('a model that finds nothing says so', () => {
  for (const answer of ['<skip/>', 'Nothing to keep.\n<skip />', '<SKIP></SKIP>'])
    expect(parseDistillAnswer(answer)).toEqual({ kind: 'skipped' })
})

test('an answer in other words is unreadable', () => {
  for (const answer of ['', 'Sure! Here is a summary.', '{"observations": []}', '<observation></observation>', '<title>lost</title>'])
    expect(parseDistillAnswer(answer)).toEqual({ kind: 'unreadable' })
})

test.each([
  ['a greeting and a fence around it', `Sure!\n\`\`\`xml\n${WHOLE}\n\`\`\`\nAnything else?`],
  ['tags in capitals', WHOLE.replace(/<\/?\w+>/g, (tag) => tag.toUpperCase())],
  ['attributes', WHOLE.replace('<observation>', '<observation id="1" lang="en">').replace('<type>', '<type kind="x">')],
  ['thoughts before it', `<think><observation><title>draft</title></observation></think>${WHOLE}`],
  ['a wrapper around it', `<answer><memories>${WHOLE}</memories></answer>`],
])('%s does not disturb', (_, answer) => {
  expect(parseDistillAnswer(answer)).toEqual(parseDistillAnswer(WHOLE))
})

test('a part that is never ended is ended by the next one', () => {
  const { observations } = told(
    parseDistillAnswer('<observation><type>change<title>One<facts><fact>a<fact>b</facts><narrative>why</observation>'),
  )
  expect(observations).toMatchObject([{ type: 'change', title: 'One', facts: ['a', 'b'], narrative: 'why' }])
})

test('lists without items are read line by line, or by commas', () => {
  const { observations } = told(
    parseDistillAnswer('<observation><title>One</title><facts>\n- a\n- b\n</facts><concepts>gotcha, pattern</concepts></observation>'),
  )
  expect(observations).toMatchObject([{ facts: ['a', 'b'], concepts: ['gotcha', 'pattern'] }])
})

test('an answer that was cut keeps what it had said', () => {
  const cut = `${WHOLE.slice(0, WHOLE.indexOf('<summary>'))}<observation><type>change</type><title>Half</title><narrative>It was`
  expect(told(parseDistillAnswer(cut)).observations.map(({ title }) => title)).toEqual(['Tokens expire in the right zone', 'Half'])
})

test('any cut of an answer is read without harm', () => {
  for (let end = 0; end <= WHOLE.length; end++) {
    const said = parseDistillAnswer(WHOLE.slice(0, end))
    if (said.kind === 'told') for (const o of said.observations) expect(o.title).not.toContain('<')
  }
})

test('more of everything than anybody asked for is bounded', () => {
  const { observations } = told(
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

test.each(PIECES)('two megabytes of %s are read in fifty milliseconds', (piece) => {
  const text = piece.repeat(Math.ceil(TWO_MB / piece.length))
  const best = Math.min(...[1, 2, 3].map(() => timeOf(() => parseDistillAnswer(text))))
  expect(best).toBeLessThan(50)
})

test('whatever tags come in whatever order, it answers soon and never throws', () => {
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
    expect(['told', 'skipped', 'unreadable']).toContain(parseDistillAnswer(text).kind)
  }
})

function timeOf(work: () => void): number {
  const used = processorTime()
  work()
  return used()
}

/** The same numbers every time, so that what fails once fails again. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return state >> 8
  }
}
