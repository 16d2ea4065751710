import { expect, test } from 'bun:test'
import { asProjectKey, GLOBAL_PROJECT } from './ids.ts'
import { joinOffers } from './project-joins.ts'

const project = (key: string, memories: number, isHere: boolean) => ({ project: asProjectKey(key), memories, isHere })

test('a project of this machine is joined with a namesake from elsewhere, under the address of a repository if there is one', () => {
  expect(joinOffers([project('app', 3, false), project('github.com/team/app', 5, true), project('docs', 2, false)])).toEqual([
    { name: 'app', from: asProjectKey('app'), into: asProjectKey('github.com/team/app'), memories: 3 },
  ])
  expect(joinOffers([project('/repos/app', 1, true), project('app', 3, false)])).toEqual([
    { name: 'app', from: asProjectKey('/repos/app'), into: asProjectKey('app'), memories: 3 },
  ])
})

test('two projects of this machine, a namesake without memories, and what belongs to all projects are not joined', () => {
  expect(joinOffers([project('/a/app', 1, true), project('/b/app', 2, true)])).toEqual([])
  expect(joinOffers([project('/a/app', 1, true), project('app', 0, false)])).toEqual([])
  expect(joinOffers([project(GLOBAL_PROJECT, 1, true), project(GLOBAL_PROJECT, 2, false)])).toEqual([])
})
