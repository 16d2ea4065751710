import { describe, expect, test } from 'bun:test'
import { exclusionOf } from './exclusion.ts'
import { asProjectKey } from './ids.ts'

describe('an exclusion', () => {
  const exclusion = exclusionOf(['~/drafts', '/clients/**', 'Secret-App'], '/home/ada')

  test('covers projects by name and folders with everything below them', () => {
    const isExcluded = (project: string, folder: string) => exclusion.isExcluded(asProjectKey(project), folder)
    expect(isExcluded('github.com/ada/secret-app', '/projects/a')).toBe(true)
    expect(isExcluded('app', '/home/ada/drafts/one')).toBe(true)
    expect(isExcluded('app', '/home/ada/draft')).toBe(false)
    expect([exclusion.isEmpty, exclusionOf([], '/home/ada').isEmpty]).toEqual([false, true])
  })

  test.each([
    [{ file_path: '/clients/acme corp/plan.md' }, '/clients/acme corp/plan.md'],
    [{ command: 'cat "$HOME/drafts/a.md"' }, '/home/ada/drafts/a.md'],
    [{ command: 'cat ../drafts/a.md' }, '/home/ada/drafts/a.md'],
    [{ content: 'drafts' }, null],
    [{ file_path: '/home/ada/app/a.ts', limit: 20 }, null],
  ])('finds the path in %j', (input, path) => {
    expect(exclusion.excludedPathIn(input, '/home/ada/app')).toBe(path)
  })

  test('a word is not a path, even where a folder of that name is excluded', () => {
    expect(exclusion.excludedPathIn({ content: 'drafts' }, '/home/ada')).toBeNull()
  })
})
