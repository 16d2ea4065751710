import { describe, expect, test } from 'bun:test'
import { readPrompt } from './prompt.ts'
import { asTitle, requestTitle, sessionTitle } from './title.ts'

describe('a session title comes from the request', () => {
  const NAMES: [string, string | null][] = [
    ['can you please sort the branches by date?', 'Sort the branches by date'],
    ["There is a comment on the PR. Let's address it in the parser module.", 'Address it in the parser module'],
    ["this is PR https://github.com/o/r/pull/104 \n\nLet's review this together", 'PR pull/104'],
    [
      'There is a ledger in the vault that has been locked since May. Can you find it and remove that for me?',
      'There is a ledger in the vault that has been locked since May',
    ],
    ['Do you have access to linear? have a look at the tickets', null],
    ['Implement the following plan:\n\n# Plan: Cache the parser output\n\n## Context\nlong text', 'Cache the parser output'],
    ['fix this:\n```\nError: boom\n  at x (a.js:1)\n```', null],
    ['Why does the login test fail on CI but not here?', 'Why does the login test fail on CI but not here'],
    ['Look at https://github.com/o/r/issues/7660 and tell me what is wrong', 'Look at issues/7660 and tell me what is wrong'],
    ['<system-reminder>be nice</system-reminder>Add a dark mode to the settings page', 'Add a dark mode to the settings page'],
    ['请修复登录测试失败的问题', '请修复登录测试失败的问题'],
    ['/review src/auth.ts please now', '/review src/auth.ts now'],
    [
      'Customers in 2000 see NaN as the price. The tests show it too. Can you find out why and fix it?',
      'Customers in 2000 see NaN as the price',
    ],
    ['calcTot is a terrible name. Rename it to invoiceTotals everywhere.', 'Rename calcTot to invoiceTotals everywhere'],
    ['parseDate returns null for 29 February', 'parseDate returns null for 29 February'],
    ['`jobs` never goes down again when one ends', 'jobs never goes down again when one ends'],
    ['People guess passwords as fast as they can. Plan a rate limit.', 'Plan a rate limit'],
    [
      'Please upgrade tiny-markdown to the 2.0.0 in vendor/ and check that the site still builds.',
      'Upgrade tiny-markdown to the 2.0.0 in vendor/',
    ],
    [
      'Investigate the following report: the parser loses every second line of a file with tabs',
      'Investigate the following report: the parser loses every second line of a file',
    ],
    [
      'The invoice page shows a wrong currency symbol. Customers in Norway wrote about it.',
      'The invoice page shows a wrong currency symbol',
    ],
    ['yes', null],
    ['commit this', null],
    ['7', null],
    ['5 seems like a low hanging fruit', null],
    ['/workflows:plan read the file with the ledger rules', 'Read the file with the ledger rules'],
    ['<command-name>/clear</command-name>', null],
    ['<local-command-stdout>Bye!</local-command-stdout>', null],
    ['', null],
  ]
  test.each(NAMES)('%p', (prompt, title) => {
    expect(sessionTitle(readPrompt(prompt, 'person'))).toBe(title)
  })

  test('has at most eighty characters and no loose end', () => {
    const title = sessionTitle(readPrompt(`Please rewrite the module that reads the configuration and ${'x '.repeat(50)}`, 'person'))
    expect(title).toBe('Rewrite the module that reads the configuration')
    expect(
      sessionTitle(
        readPrompt('Please rewrite every module that reads the configuration of the whole workspace and the settings', 'person'),
      ),
    ).toBe('Rewrite every module that reads the configuration of the whole workspace')
    expect(sessionTitle(readPrompt(`Please rewrite ${'the module that reads files '.repeat(6)}`, 'person'))).toEndWith('…')
  })

  test('never comes from a notice of the client', () => {
    expect(
      sessionTitle(readPrompt('<task-notification><summary>Agent finished its long work</summary></task-notification>', 'machine')),
    ).toBeNull()
  })
})

test('a request that refers back gives no title', () => {
  expect(requestTitle(readPrompt('Add a line to the README about it.', 'person'), 100)).toBeNull()
  expect(requestTitle(readPrompt('Add a line to the README about tokens.', 'person'), 100)).toBe('Add a line to the README about tokens')
})

describe('a sentence becomes a title', () => {
  const TITLES: [string, string][] = [
    ["Done. I've added agent names to the logger.", 'Added agent names to the logger'],
    ['`isValid` compared seconds with milliseconds.', 'isValid compared seconds with milliseconds'],
    ['auth.ts is gone.', 'auth.ts is gone'],
    ['I want to keep it', 'I want to keep it'],
  ]
  test.each(TITLES)('%p', (sentence, title) => {
    expect(asTitle(sentence)).toBe(title)
  })

  test('is cut at the end of a clause, never inside a parenthesis', () => {
    expect(asTitle(`The bug occurred because the finder searched all commits on each branch, including ${'those '.repeat(10)}`)).toBe(
      'The bug occurred because the finder searched all commits on each branch',
    )
    expect(
      asTitle('The client checks the attributes of a file before it renames it (permissions, owner and group, all three of them at once)'),
    ).toBe('The client checks the attributes of a file before it renames it')
  })
})
