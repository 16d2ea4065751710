import { describe, expect, test } from 'bun:test'
import { growth, LINEAR } from '../../test/support/growth.ts'
import { commitType, decisiveText, revertTarget, sentencesIn, splitCommitMessage } from './commit-message.ts'

const typeOf = (message: string, given: { author?: string; isMerge?: boolean } = {}) =>
  commitType({ ...splitCommitMessage(message), author: 'Ada', isMerge: false, ...given })

describe('a commit message', () => {
  test('is split into its subject and a body without trailers and control characters', () => {
    const message =
      'fix: stop\nit now\n\nBecause \u001b[31mred\u001b[0m.\r\n\nSigned-off-by: A <a@b.c>\nChange-Id: I12\nCo-Authored-By: B <b@c.d>\n'
    expect(splitCommitMessage(message)).toEqual({ subject: 'fix: stop it now', body: 'Because [31mred[0m.' })
    expect(splitCommitMessage('')).toEqual({ subject: '', body: '' })
  })

  test.each([
    ['feat: seven attempts\n\nMAX_ATTEMPTS is 7. Keep it; an eighth trips the limiter, so never round it up to 10.'],
    ['use pnpm\n\nWe use pnpm instead of npm because the lock file of npm differs on every machine we have.'],
    ['wait longer\n\nRetries wait for 30 s now, because the server needs that long after each of its restarts.'],
    ['round down\n\nHalf-cents must go toward zero, otherwise the ledger drifts by a cent at the end of each month.'],
  ])('that settles something is a decision: %s', (message) => expect(typeOf(message)).toBe('decision'))

  test.each([
    ['add a button', 'change'],
    ['feat: export as CSV\n\nAdds a menu entry, a dialog and a test for each of them.', 'change'],
    ['wait longer\n\nRetries wait longer now, because the server needs some time after each of its restarts.', 'change'],
    ['blue button\n\nThe button is blue because the whole page around it was designed in that colour.', 'change'],
    ['table\n\nThe page shows a table instead of a list, with one row for each of the entries in it.', 'change'],
    ['feat: export\n\nAdds a menu entry, a dialog, a progress bar, an icon, a short text about it and a test for each of them.', 'change'],
    ['tabs\n\nNever use spaces.', 'change'],
    ['bump lodash from 4.17.20 to 4.17.21\n\nThis must be done because of a security fix in every version before that one.', 'chore'],
    ['v1.2.3', 'chore'],
    ['wip', 'chore'],
    ['fix typo in readme', 'chore'],
    ['chore: tidy up', 'chore'],
    ['Revert "feat: a"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567. It must never come back to us.', 'chore'],
  ])('without a decision: %s is a %s', (message, type) => expect(typeOf(message)).toBe(type as never))

  test('of a merge or of a bot settles nothing', () => {
    const message = 'Merge it\n\nThis must always be so, because the rule says that it is never otherwise.'
    expect(typeOf(message)).toBe('decision')
    expect(typeOf(message, { isMerge: true })).toBe('chore')
    expect(typeOf(message, { author: 'renovate[bot]' })).toBe('chore')
  })
})

test('a revert names its commit by hash, or by subject', () => {
  expect(revertTarget(splitCommitMessage('Revert "a"\n\nThis reverts commit ABCDEF1234.'))).toEqual({ hash: 'abcdef1234' })
  expect(revertTarget(splitCommitMessage('Revert "fix: a" (#12)'))).toEqual({ subject: 'fix: a' })
  expect(revertTarget(splitCommitMessage('Reapply "fix: a"'))).toEqual({ subject: 'Revert "fix: a"' })
  expect(revertTarget(splitCommitMessage('revert: fix: a'))).toEqual({ subject: 'fix: a' })
  expect(revertTarget(splitCommitMessage('fix: revert order of items'))).toBeNull()
})

describe('the decisive text of a message', () => {
  test('is the whole of a short body', () => {
    expect(decisiveText('It broke.\nSo 7 it is, e.g. here.', 100)).toBe('It broke. So 7 it is, e.g. here.')
  })

  test('is the sentences with rules and values of a long one, verbatim and in order', () => {
    const chat = 'We looked at this for a while and read some files about it.'
    const body = `${chat} The limit must stay 7.\n\n${chat}\n\n- Never use \`npm\` here.\n- ${chat}`
    expect(decisiveText(body, 70)).toBe('The limit must stay 7. … - Never use `npm` here.')
  })

  test('keeps items of a list apart', () => {
    expect(sentencesIn('One thing\nis this. Two; three\n- four\n- five')).toEqual([
      'One thing is this.',
      'Two;',
      'three',
      '- four',
      '- five',
    ])
  })

  test('takes time that grows with its length', () => {
    expect(growth((text) => decisiveText(text, 900), 'The limit must be 7. '.repeat(200))).toBeLessThan(LINEAR)
    expect(growth((text) => splitCommitMessage(text), 'a - \n\t \n'.repeat(2000))).toBeLessThan(LINEAR)
  })
})
