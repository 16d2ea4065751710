import { describe, expect, test } from 'bun:test'
import { outline } from '../../test/support/outline.ts'
import type { WorkOutcome } from '../core/work-outcome.ts'
import { Marks } from './marks.tsx'
import { OutcomeBox } from './outcome-box.tsx'

const box = (given: Partial<WorkOutcome>) =>
  outline(OutcomeBox({ outcome: { id: 'P9', text: 'Mask `email` too.', of: 'this work', replaced: null, ...given } }))

describe('the outcome of work', () => {
  test('links to the turn with the result, and says it in its words', () => {
    expect(box({})).toContain('“Outcome of this work:”“ ”<a /memory/P9>“P9”</a>')
    expect(box({})).toContain('“Mask ”<code>“email”</code>“ too.”')
  })

  test('says whether newer work replaced it, or changed a value of it', () => {
    expect(box({ of: 'newer work', replaced: 'P3' })).toContain('“Replaced by”“ ”<a /memory/P9>')
    expect(box({ of: 'newer work', replaced: 'P3' })).not.toContain('P3')
    expect(box({ of: 'newer value' })).toContain('“Changed later by”')
  })

  test('names what it replaced itself', () => {
    expect(box({ replaced: 'P3' })).toContain('“, which replaced ”<a /memory/P3>“P3”</a>')
    expect(box({ of: 'this turn', replaced: 'P3' })).toBe('<p>“This replaced ”<a /memory/P3>“P3”</a>“.”</p>')
  })

  test('is not shown if there is none', () => {
    expect([outline(OutcomeBox({ outcome: null })), box({ of: 'this turn' })]).toEqual(['', ''])
  })
})

test('marks without an address are text, missing ones are left out, and none at all leave no trace', () => {
  expect(
    outline(Marks({ marks: [null, { kind: 'pinned', words: 'pinned' }, { kind: 'undone', words: 'undone by P7', href: '/memory/P7' }] })),
  ).toBe('<span><span>“pinned”</span><a /memory/P7>“undone by P7”</a></span>')
  expect(Marks({ marks: [null] })).toBeNull()
})
