import { expect, test } from 'bun:test'
import { openSession, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Store } from './store.ts'

const [small, large] = [asProjectKey('small'), asProjectKey('large')]

test('a word common in the activity of other projects is found in a project where it is rare', async () => {
  using at = await temporaryStore()
  await addTurns(at.store, large, Array(600).fill('git rebase'))
  const [rebased = ''] = await addTurns(at.store, small, ['git rebase', 'git push', 'git push'])
  expect(await found(at.store, small, 'rebase')).toEqual([rebased])
})

test('such a word is not searched in a project where it is common, nor across all projects', async () => {
  using at = await temporaryStore()
  await addTurns(at.store, large, Array(600).fill('git rebase'))
  await addTurns(at.store, small, ['git rebase'])
  expect(await found(at.store, large, 'rebase')).toEqual([])
  expect(await found(at.store, null, 'rebase')).toEqual([])
})

test('the scores of globally rare words and of words rare in this project add up', async () => {
  using at = await temporaryStore()
  await addTurns(at.store, large, Array(600).fill('git rebase'))
  const [, both = ''] = await addTurns(at.store, small, ['git rebase', 'git rebase --pelican', 'git push', 'git push --pelican'])
  const [best] = await found(at.store, small, 'rebase', 'pelican')
  expect(best).toBe(both)
})

test('activity before the time window is excluded', async () => {
  using at = await temporaryStore()
  await addTurns(at.store, large, Array(600).fill('git rebase'))
  const [, second = ''] = await addTurns(at.store, small, ['git rebase', 'git rebase'])
  const within = { project: small, kinds: ['prompt' as const], since: 2, before: Number.MAX_SAFE_INTEGER, limit: 10 }
  expect((await at.store.documents.matchActivity(['rebase'], within)).map(({ ref }) => ref)).toEqual([second])
})

/** One turn for each text; the first at 1, the second at 2. Returns the refs of their prompts. */
async function addTurns(store: Store, project: ProjectKey, activities: string[]): Promise<string[]> {
  return store.transaction(async () => {
    const session = await openSession(store, `session of ${project}`, 1, project)
    const refs: string[] = []
    for (const [i, activity] of activities.entries()) {
      const typed = { key: `${i}`, promptId: null, uuid: null, origin: 'person', text: `go on ${i}`, at: i + 1 } as const
      const prompt = await store.prompts.add(session, typed)
      if (!prompt) throw new Error('the prompt was already stored')
      await store.prompts.setActivity(prompt, activity)
      refs.push(String(prompt.id))
    }
    return refs
  })
}

async function found(store: Store, project: ProjectKey | null, ...words: string[]): Promise<string[]> {
  const within = { project, kinds: ['prompt' as const], since: 0, before: Number.MAX_SAFE_INTEGER, limit: 10 }
  return (await store.documents.matchActivity(words, within)).map(({ ref }) => ref)
}
