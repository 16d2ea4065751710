import { describe, expect, test } from 'bun:test'
import { read, turn } from '../../../test/golden/actions.ts'
import { distillPlain } from './plain.ts'
import { readPrompt } from './prompt.ts'
import { chosenOption, resolveShortReply } from './reply-options.ts'

const TABLE =
  '**To do:**\n\n| # | Title | Age |\n|---|---|---|\n| 1 | Show the tide | 2d |\n| 7 | Remove the old provider | 3d |\n\nReply with a number.'
const LIST = 'I see three ways:\n\n1. Keep `both`\n2. Drop the first\n3. **Drop** the second\n\nWhich one?'
const OPTIONS =
  '### Option 1: Wrapper in the committed file\n- simple\n\n### Option B: None at all\n\n**Option 1** is best. What do you think?'

describe('an option is found by its number or letter', () => {
  test.each([
    ['7', TABLE, 'Remove the old provider'],
    ['7 seems like a good one', TABLE, 'Remove the old provider'],
    ['ok can we handle #7 quickly?', TABLE, 'Remove the old provider'],
    ['3, but enabled by default', LIST, 'Drop the second'],
    ['1.', LIST, 'Keep `both`'],
    ['I like Option 1, from where I stand', OPTIONS, 'Wrapper in the committed file'],
    ['option b please', OPTIONS, 'None at all'],
    ['1', OPTIONS, 'Wrapper in the committed file'],
  ])('%s', (prompt, before, option) => {
    expect(chosenOption(prompt, before)).toBe(option)
  })

  test.each([
    ['9', TABLE],
    ['3 tests fail', LIST],
    ['look at PR #3', LIST],
    ['option 2', LIST],
    ['7', ''],
    ['yes', LIST],
    ['fixes #3', LIST],
    ['everything but #3', LIST],
    ['no #3 should stay', LIST],
    ['2.0 it is', LIST],
    ['I decided on plan B, #3 must stay', LIST],
    ['can you close #3', LIST],
    ['1. rename the button 2. fix the footer', LIST],
    ['We decided against option 1.', OPTIONS],
    ["let's not go with option 1", OPTIONS],
    ["Not option 1, I'd rather go with option B", OPTIONS],
    ['option 1 or option b, whichever is faster', OPTIONS],
  ])('%s picks none', (prompt, before) => {
    expect(chosenOption(prompt, before)).toBeNull()
  })
})

describe('a prompt that replies', () => {
  const text = (prompt: string, before: string) => resolveShortReply(readPrompt(prompt, 'person'), before).text

  test('includes the option it chose or the question it agreed to', () => {
    expect(text('7', TABLE)).toBe('7 (Remove the old provider)')
    expect(text('yes please', LIST)).toBe('yes please (to: Which one?)')
    expect(text('yes', 'It is done.')).toBe('yes')
  })

  test('and contains its own request is unchanged', () => {
    const own = 'Remove option 1 from the menu, and then write down why it had to go, please'
    expect(text(own, OPTIONS)).toBe(own)
  })

  test('is the request of its turn, and can give the session its title', () => {
    const { summary, title } = distillPlain(turn({ prompt: '7', before: TABLE, actions: [read('src/a.ts')], answer: 'Removed.' }))
    expect(summary?.request).toBe('7 (Remove the old provider)')
    expect(title).toBe('Remove the old provider')
  })

  test('makes a decision for the offered option', () => {
    const { observations } = distillPlain(turn({ prompt: 'I like Option 1, from where I stand', before: OPTIONS, answer: 'Good.' }))
    expect(observations.map((o) => o.title)).toEqual(['Chosen: Wrapper in the committed file'])
  })

  test('makes no decision for an option it rejects', () => {
    const { observations } = distillPlain(turn({ prompt: 'We decided against option 1.', before: OPTIONS, answer: 'Good.' }))
    expect(observations.map((o) => o.title)).toEqual(['Decided against option 1'])
  })
})
