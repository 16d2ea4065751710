import { expect, test } from 'bun:test'
import { parse } from './parse.ts'

test.each([
  ['git push --force-with-lease', 'git push --force-with-lease', {}],
  ['git push --force-with-lease --limit 5 origin', 'git push --force-with-lease origin', { limit: '5' }],
  ['--no-verify=x --all rm -rf', '--no-verify=x rm -rf', { all: true }],
  ['tag:auth -tag:draft --kind=note', 'tag:auth -tag:draft', { kind: 'note' }],
  ['--amend -- --all', '--amend --all', {}],
  ['--limit 5 -- --limit --amend', '--limit --amend', { limit: '5' }],
])('search %s asks for the words that begin with a dash, too', (line, question, options) => {
  const { values, positionals } = parse('search', line.split(' '))
  expect([positionals.join(' '), { ...values }]).toEqual([question, { limit: '20', ...options }])
})

test.each([
  ['search', 'tide --exlain', 'did you mean --explain? (put -- before words that begin with a dash)'],
  ['search', 'git push --force-with-lease --exlain', 'did you mean --explain?'],
  ['search', 'git push --force-with-lease --limit none', '--limit is a whole number'],
  ['search', 'tide --limit 100000', '--limit is a whole number from 1 to 200, not "100000"'],
  ['search', 'tide --limit -3', '--limit is a whole number from 1 to 200, not "-3"'],
  ['search', 'tide --limit=-3', '--limit is a whole number from 1 to 200, not "-3"'],
  ['search', 'tide --limit 0', '--limit is a whole number from 1 to 200, not "0"'],
  ['timeline', 'tide --before 201', '--before is a whole number from 0 to 200, not "201"'],
  ['search', 'git push --force-with-lease --kind', '--kind'],
  ['capture', 'never git push --force-with-lease', 'put -- before words that begin with a dash'],
] as const)('%s %s is refused with what to do', (name, line, says) => {
  expect(() => parse(name, line.split(' '))).toThrow(says)
})
