import { describe, expect, test } from 'bun:test'
import { openSession, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import { parseQuery } from './query-parser.ts'
import { boostsFor, matchBranches, referencesIn } from './query-references.ts'
import { NO_DOCUMENT_FILTER } from './search-options.ts'

const [tide, heron] = [asProjectKey('host.example/team/tide-pool'), asProjectKey('host.example/team/heron-nest')]

/** What a query refers to, in a store with a branch in each of two projects. */
async function read(text: string, searched: typeof tide | null = null) {
  using t = await temporaryStore()
  for (const [n, [project, branch]] of (
    [
      [tide, 'feature/blue-whale'],
      [heron, 'fix/old-nest'],
    ] as const
  ).entries()) {
    const session = await openSession(t.store, `s${n}`, 1000, project)
    await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'Go on', at: 1000, branch })
  }
  const found = await referencesIn(t.store, parseQuery(text, 2000), searched)
  return found && { ...found, rest: found.rest.replace(/\s+/g, ' ').trim() }
}

describe('a query refers', () => {
  test('to a branch by its name or the end of it, and the rest is what it asks', async () => {
    expect(await read('what did we do on the branch feature/blue-whale')).toMatchObject({
      branches: ['feature/blue-whale'],
      project: null,
      words: [{ word: 'feature/blue-whale', meaning: 'the branch feature/blue-whale' }],
      rest: 'what did we do on the',
    })
    expect(await read('the crash in blue-whale')).toMatchObject({ branches: ['feature/blue-whale'], rest: 'the crash in' })
  })

  test('to a project if all are searched; named with another one, neither is preferred', async () => {
    expect(await read('the crash in tide-pool')).toMatchObject({
      project: tide,
      branches: [],
      words: [{ word: 'tide-pool', meaning: `the project ${tide}` }],
    })
    expect(await read('the crash in tide-pool', tide)).toMatchObject({ project: null, words: [], rest: 'the crash in' })
    expect(await read('did tide-pool or heron-nest crash')).toBeNull()
  })

  test('to work elsewhere if only another project has the branch', async () => {
    const found = await read('what did we do on old-nest', tide)
    expect(found).toMatchObject({ branches: [], project: null, words: [] })
    expect(found?.restElsewhere?.trim()).toBe('what did we do on')
    expect(await read('what did we do on old-nest', heron)).toMatchObject({ branches: ['fix/old-nest'], restElsewhere: null })
  })

  test('to all branches that end with a name; what was understood lists only the first of them', async () => {
    using t = await temporaryStore()
    const names = ['ana', 'ben', 'cleo', 'dan', 'eve'].map((person) => `${person}/blue-whale`)
    for (const branch of names) {
      const session = await openSession(t.store, branch)
      await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'Go on', at: 1000, branch })
    }
    const found = await referencesIn(t.store, parseQuery('the crash in blue-whale', 2000), null)
    expect(found?.branches.toSorted()).toEqual(names)
    expect(found?.words[0]?.meaning.match(/blue-whale/g)).toHaveLength(3)
  })

  test('to nothing by plain words and unknown names', async () => {
    expect(await read('the whale in the pool')).toBeNull()
    expect(await read('the crash in green-whale')).toBeNull()
  })
})

test('a name means the branch that has it exactly, or else those that end with it', () => {
  const known = ['login', 'fix/login', 'old/fix/login', 'relogin']
  expect(matchBranches('LOGIN', known)).toEqual(['login'])
  expect(matchBranches('fix/login', known.slice(2))).toEqual(['old/fix/login'])
  expect(matchBranches('gin', known)).toEqual([])
  expect(matchBranches('login', ['Fix/Login', 'relogin'])).toEqual(['Fix/Login'])
  expect(matchBranches('login', ['Login', 'fix/login'])).toEqual(['Login'])
})

test('references raise their documents, but a filter decides the branch', () => {
  const references = { branches: ['login'], project: tide, words: [], rest: 'what did we do', restElsewhere: null }
  const boosts = boostsFor(references, null)
  expect(boosts.scopes.map(({ signal }) => signal)).toEqual(['branch', 'project'])
  expect(boosts.scopes[0]?.within.filter?.branches).toEqual(['login'])
  expect(boosts.isWholeQuery).toBe(true)
  const filtered = boostsFor({ ...references, rest: 'the crash' }, { ...NO_DOCUMENT_FILTER, branches: ['main'] })
  expect(filtered.scopes.map(({ signal }) => signal)).toEqual(['project'])
  expect(filtered.isWholeQuery).toBe(false)
})
