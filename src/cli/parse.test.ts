import { expect, test } from 'bun:test'
import { COMMANDS } from './commands.ts'
import { parseArguments } from './parse.ts'

async function parse(name: string, args: string | readonly string[]) {
  const loaded = await COMMANDS[name]?.()
  if (!loaded) throw new Error(`no command ${name}`)
  return parseArguments(loaded.command, typeof args === 'string' ? args.split(' ') : [...args])
}

test.each([
  [['tag:auth', '-tag:draft', '--kind=note'], 'tag:auth -tag:draft', { kind: 'note' }],
  [['-tag:draft', 'tide', '-n', '5'], 'tide -tag:draft', { limit: 5 }],
  [['--force-with-lease fails', '--limit', '5'], '--force-with-lease fails', { limit: 5 }],
  [['git push', '-path:src', '--', '--force'], 'git push -path:src --force', {}],
  [['--limit', '5', '--', '--limit', '--amend'], '--limit --amend', { limit: 5 }],
  [['--project=my app', 'tide'], 'tide', { project: 'my app' }],
])('search %j: filters and quoted text belong to the query, and everything after --', async (args, query, options) => {
  const { values, positionals } = await parse('search', args)
  expect<unknown>([positionals.join(' '), { ...values }]).toEqual([query, { limit: 20, ...options }])
})

test.each([
  ['search', 'tide --exlain', 'did you mean --explain? (put -- before words that begin with a dash)'],
  [
    'search',
    'tide --bogus',
    "unknown option --bogus for 'search'; see 'recollect help search' (put -- before words that begin with a dash)",
  ],
  ['search', 'tide -x', 'unknown option -x'],
  ['timeline', 'tide --limit 3', "unknown option --limit for 'timeline'"],
  ['search', 'tide --limit none', '--limit must be a whole number'],
  ['search', 'tide --limit 100000', '--limit must be a whole number from 1 to 200, not "100000"'],
  ['search', 'tide --limit -3', '--limit must be a whole number from 1 to 200, not "-3"'],
  ['search', 'tide --limit=-3', '--limit must be a whole number from 1 to 200, not "-3"'],
  ['search', 'tide --limit 0', '--limit must be a whole number from 1 to 200, not "0"'],
  ['timeline', 'tide --before 201', '--before must be a whole number from 0 to 200, not "201"'],
  ['search', 'tide --kind', '--kind needs a value; use one of: observation, summary, prompt, note'],
  ['search', 'tide --all=yes', '--all takes no value'],
  ['capture', 'never git push --force-with-lease', 'put -- before words that begin with a dash'],
] as const)('%s %s is invalid, and the error says what to do', async (name, line, message) => {
  await expect(parse(name, line)).rejects.toThrow(message)
})
