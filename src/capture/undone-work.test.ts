import { describe, expect, test } from 'bun:test'
import { edited, ran, turn, wrote } from '../../test/golden/actions.ts'
import type { PerformedAction } from '../core/action.ts'
import type { TurnWork } from '../core/work.ts'
import { workStepsOf } from './plain/work-steps.ts'
import { undoneWork } from './undone-work.ts'

type Given = { says?: string; does?: PerformedAction[]; session?: number }

/** The marks of turns 1, 2, …: what undid them, or null. */
function marks(given: Given[], reverted: { hash: string; by: string }[] = []): (string | null)[] {
  const turns = given.map(({ says = 'Go on.', does = [], session = 1 }, n): TurnWork => {
    const { actions, folder } = turn({ actions: does })
    return { id: n + 1, sessionId: session, folder, at: n, steps: workStepsOf(says, actions, folder) }
  })
  const undone = undoneWork(turns, reverted)
  return turns.map(({ id }) => (undone.get(id)?.isWhole ? (undone.get(id)?.by ?? null) : null))
}

const change = edited('src/cart.ts', 'return total', 'return total * 1.19')
const back = edited('src/cart.ts', 'return total * 1.19', 'return total')
const other = edited('src/user.ts', 'const age = 1', 'const age = 2')
const made = wrote('src/tax.ts', 'export const rate = 1.19\n')
const commit = (hash: string) => ran('git commit -am "tax"', `[main ${hash}] tax\n 1 file changed`)

describe('work is undone by', () => {
  test.each([
    ['git restore of the file', 'git restore src/cart.ts'],
    ['git restore of its folder', 'git restore src'],
    ['git checkout of the file', 'git checkout -- src/cart.ts'],
    ['git checkout of everything', 'git checkout .'],
    ['a hard reset', 'git reset --hard'],
    ['a forced checkout', 'git checkout -f'],
    ['a stash that is dropped', 'git stash && git stash drop'],
    ['a stash of a folder that is dropped', 'git stash push -- src && git stash drop'],
    ['a restore in a folder', 'cd src && git restore cart.ts'],
  ])('%s', (_, command) => {
    expect(marks([{ does: [change] }, { does: [ran(command)] }])).toEqual(['P2', null])
  })

  test('git restore of the file in a session that did not change it', () => {
    expect(marks([{ does: [change] }, { does: [ran('git restore src/cart.ts')], session: 2 }])).toEqual(['P2', null])
  })

  test('an edit that brings the old text back, also in another session', () => {
    expect(marks([{ does: [change] }, { does: [other] }, { does: [back], session: 2 }])).toEqual(['P3', null, null])
  })

  test('an edit that brings the old text back after others changed it', () => {
    const more = edited('src/cart.ts', 'return total * 1.19', 'return total * 1.2')
    const all = edited('src/cart.ts', 'return total * 1.2', 'return total')
    expect(marks([{ does: [change] }, { does: [more] }, { does: [all] }])).toEqual(['P3', 'P3', null])
  })

  test('an edit of its code, although what it wrote about it was only rewritten', () => {
    const described = edited('docs/tax.md', 'Prices have no tax.', 'Prices contain 19 % tax.')
    const rewritten = edited('docs/tax.md', 'Prices contain 19 % tax.', 'Tax is added by the till, never here.')
    expect(marks([{ does: [change, described] }, { does: [back, rewritten] }])).toEqual(['P2', null])
    expect(marks([{ does: [change, described] }, { does: [rewritten] }])).toEqual([null, null])
    expect(marks([{ does: [change, described, other] }, { does: [back, rewritten] }])).toEqual([null, null])
  })

  test('git revert of its commit, by name or by hash', () => {
    const reverted = ran('git revert --no-edit HEAD', '[main bbbbbbb] Revert "tax"')
    expect(marks([{ does: [change, commit('aaaaaaa')] }, { does: [reverted] }])).toEqual(['P2', null])
    const byHash = ran('git revert --no-edit aaaaaaa', '[main bbbbbbb] Revert "tax"')
    expect(marks([{ does: [change, commit('aaaaaaa')] }, { does: [other, commit('ccccccc')] }, { does: [byHash] }])).toEqual([
      'P3',
      null,
      null,
    ])
  })

  test('a revert that only the history of the repository shows', () => {
    expect(marks([{ does: [change, commit('aaaaaaa')] }], [{ hash: `aaaaaaa${'0'.repeat(33)}`, by: 'C5' }])).toEqual(['C5'])
  })

  test('a hard reset to the commit before', () => {
    expect(marks([{ does: [change, commit('aaaaaaa')] }, { does: [ran('git reset --hard HEAD~1')] }])).toEqual(['P2', null])
  })

  test('the person, who says so', () => {
    for (const says of ['I reverted your changes.', 'I’ve undone that, it broke the build.', 'Sorry, I had to revert your last commit.'])
      expect([says, marks([{ does: [change] }, { says }])]).toEqual([says, ['P2', null]])
  })

  test('the agent, when the person asks for it', () => {
    const loose = edited('src/cart.ts', 'return total * 1.19', 'return sum')
    expect(marks([{ does: [change] }, { says: 'No, undo that.', does: [loose] }])).toEqual(['P2', null])
  })

  test('cleaning, if it made a file that git does not know', () => {
    expect(marks([{ does: [made] }, { does: [ran('git clean -fd')] }])).toEqual(['P2', null])
  })

  test('a hard reset, which counts the commits that still exist', () => {
    const again = [ran('git reset --soft HEAD~1'), commit('bbbbbbb')]
    const given = [{ does: [other, commit('ccccccc')] }, { does: [change, commit('aaaaaaa')] }, { does: again }]
    expect(marks([...given, { does: [ran('git reset --hard HEAD~2')] }])).toEqual(['P4', 'P4', null, null])
  })

  test('deleting the file that it made', () => {
    expect(marks([{ does: [made] }, { does: [ran('rm src/tax.ts')] }])).toEqual(['P2', null])
  })
})

describe('work stays when', () => {
  const KEPT: [string, Given[]][] = [
    ['it was committed before the file was restored', [{ does: [change, commit('aaaaaaa')] }, { does: [ran('git restore src/cart.ts')] }]],
    ['it made a file that git does not know, and all known files are restored', [{ does: [made] }, { does: [ran('git checkout .')] }]],
    ['it made a file and another one is deleted', [{ does: [made] }, { does: [ran('rm src/user.ts')] }]],
    ['another session deletes the file', [{ does: [made] }, { does: [ran('rm src/tax.ts')], session: 2 }]],
    [
      'all changes of another session are undone by the person',
      [{ does: [change] }, { does: [other], session: 2 }, { says: 'I reverted all your changes.', session: 2 }],
    ],
    ['another file is restored', [{ does: [change] }, { does: [ran('git restore src/user.ts')] }]],
    ['only the index is restored', [{ does: [change] }, { does: [ran('git restore --staged src/cart.ts')] }]],
    ['the branch is switched', [{ does: [change] }, { does: [ran('git checkout main')] }]],
    ['the commit is undone and its changes are kept', [{ does: [change, commit('aaaaaaa')] }, { does: [ran('git reset --soft HEAD~1')] }]],
    ['a stash is popped', [{ does: [change] }, { does: [ran('git stash && npm test && git stash pop')] }]],
    [
      'a stash that met a conflict is dropped',
      [
        { does: [change] },
        { does: [ran('git stash'), ran('git stash pop', 'CONFLICT (content): Merge conflict in src/cart.ts', 1), ran('git stash drop')] },
      ],
    ],
    ['a restore fails', [{ does: [change] }, { does: [ran('git restore src/cart.ts', 'fatal: not a git repository', 128)] }]],
    ['only some of its files are restored', [{ does: [change, other] }, { does: [ran('git restore src/cart.ts')] }]],
    [
      'it is rewritten',
      [
        { does: [wrote('src/tax.ts', 'const a = 1\nconst b = 2\n')] },
        { does: [edited('src/tax.ts', 'const a = 1\nconst b = 2', 'const c = 3\nconst d = 4')] },
      ],
    ],
    ['everything is restored in another session', [{ does: [change] }, { does: [ran('git checkout .')], session: 2 }]],
    ['a hard reset happens in another session', [{ does: [change] }, { does: [ran('git reset --hard')], session: 2 }]],
    ['a stash is dropped in another session', [{ does: [change] }, { does: [ran('git stash && git stash drop')], session: 2 }]],
    [
      'another session restores its own change of the file',
      [{ does: [change] }, { does: [edited('src/cart.ts', 'const a = 1', 'const a = 2'), ran('git restore src/cart.ts')], session: 2 }],
    ],
    ['someone asks how to revert it', [{ does: [change] }, { says: 'How do I revert your changes later?' }]],
    ['a pasted log speaks of a revert', [{ does: [change] }, { says: 'See this log:\n```\nI reverted your changes\n```' }]],
    ['an undo is asked for and nothing is done', [{ does: [change] }, { says: 'Undo that.' }]],
  ]
  test.each(KEPT)('%s', (_, given) => {
    expect(marks(given)[0]).toBeNull()
  })

  test('its lines are moved to another file', () => {
    const made = edited('src/cart.ts', 'a', 'a\nexport function tax() {\n  return 19\n}')
    const moved = [
      edited('src/cart.ts', 'a\nexport function tax() {\n  return 19\n}', 'a'),
      wrote('src/tax.ts', 'export function tax() {\n  return 19\n}\n'),
    ]
    expect(marks([{ does: [made] }, { does: moved }])[0]).toBeNull()
  })
})

describe('a redo takes the mark off:', () => {
  test('the same edit again', () => {
    expect(marks([{ does: [change] }, { does: [back] }, { does: [change] }])[0]).toBeNull()
  })

  test('and a small change after it does not bring the mark back', () => {
    const before = 'a'
    const after = 'a\nconst one = 1\nconst two = 2\nconst three = 3\nconst four = 4'
    const less = 'a\nconst two = 2\nconst three = 3\nconst four = 4'
    const [add, remove, trim] = [edited('src/n.ts', before, after), edited('src/n.ts', after, before), edited('src/n.ts', after, less)]
    expect(marks([{ does: [add] }, { does: [remove] }, { does: [add] }, { does: [trim] }])[0]).toBeNull()
  })

  test('the revert is reverted', () => {
    const revert = ran('git revert --no-edit HEAD', '[main bbbbbbb] Revert "tax"')
    const again = ran('git revert --no-edit bbbbbbb', '[main ccccccc] Reapply "tax"')
    expect(marks([{ does: [change, commit('aaaaaaa')] }, { does: [revert] }, { does: [again] }])[0]).toBeNull()
  })

  test('a hard reset is taken back', () => {
    const reset = ran('git reset --hard HEAD~1')
    expect(marks([{ does: [change, commit('aaaaaaa')] }, { does: [reset] }, { does: [ran('git reset --hard ORIG_HEAD')] }])[0]).toBeNull()
    expect(marks([{ does: [change, commit('aaaaaaa')] }, { does: [reset] }, { does: [ran('git reset --hard aaaaaaa')] }])[0]).toBeNull()
  })
})
