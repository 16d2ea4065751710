import { expect, test } from 'bun:test'
import { COMMANDS } from './commands.ts'
import { parseArguments } from './parse.ts'

async function parse(name: string, line: string) {
  const loaded = await COMMANDS[name]?.()
  if (!loaded) throw new Error(`no command ${name}`)
  return parseArguments(loaded.command, line.split(' '))
}

test.each([
  ['git push --force-with-lease', 'git push --force-with-lease', {}],
  ['git push --force-with-lease --limit 5 origin', 'git push --force-with-lease origin', { limit: 5 }],
  ['--no-verify=x --all rm -rf', '--no-verify=x rm -rf', { all: true }],
  ['tag:auth -tag:draft --kind=note', 'tag:auth -tag:draft', { kind: 'note' }],
  ['--amend -- --all', '--amend --all', {}],
  ['--limit 5 -- --limit --amend', '--limit --amend', { limit: 5 }],
])('search %s: unknown options are part of the query', async (line, query, options) => {
  const { values, positionals } = await parse('search', line)
  expect<unknown>([positionals.join(' '), { ...values }]).toEqual([query, { limit: 20, ...options }])
})

test.each([
  ['search', 'tide --exlain', 'did you mean --explain? (put -- before words that begin with a dash)'],
  ['search', 'git push --force-with-lease --exlain', 'did you mean --explain?'],
  ['search', 'git push --force-with-lease --limit none', '--limit must be a whole number'],
  ['search', 'tide --limit 100000', '--limit must be a whole number from 1 to 200, not "100000"'],
  ['search', 'tide --limit -3', '--limit must be a whole number from 1 to 200, not "-3"'],
  ['search', 'tide --limit=-3', '--limit must be a whole number from 1 to 200, not "-3"'],
  ['search', 'tide --limit 0', '--limit must be a whole number from 1 to 200, not "0"'],
  ['timeline', 'tide --before 201', '--before must be a whole number from 0 to 200, not "201"'],
  ['search', 'git push --force-with-lease --kind', '--kind needs a value; use one of: observation, summary, prompt, note'],
  ['search', 'tide --all=yes', '--all takes no value'],
  ['capture', 'never git push --force-with-lease', 'put -- before words that begin with a dash'],
] as const)('%s %s is invalid, and the error says what to do', async (name, line, message) => {
  await expect(parse(name, line)).rejects.toThrow(message)
})
