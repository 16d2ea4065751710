import { afterEach, expect, test } from 'bun:test'
import { asProjectKey } from '../core/ids.ts'
import type { ProjectSummary } from '../wire/contract/projects.ts'
import { firstProject, nameOfProject, projectOptions, projects } from './project-list.ts'

const project = (name: string, sessions: number) =>
  ({ project: asProjectKey(`host/${name}`), name, sessions }) as Partial<ProjectSummary> as ProjectSummary

afterEach(() => {
  projects.value = []
})

test('a dropdown offers all projects first, then each by its name', () => {
  projects.value = [project('shop', 2), project('site', 0)]
  expect(projectOptions()).toEqual([
    { value: '', text: 'All projects' },
    { value: 'host/shop', text: 'shop' },
    { value: 'host/site', text: 'site' },
  ])
})

test('a page opens with the first project that has sessions, or else with any', () => {
  projects.value = [project('imported', 0), project('shop', 2), project('site', 5)]
  expect(firstProject()).toBe('host/shop')
  projects.value = [project('imported', 0)]
  expect(firstProject()).toBe('host/imported')
  projects.value = []
  expect(firstProject()).toBe('')
})

test('a project that is not listed has the last part of its key as its name', () => {
  projects.value = [{ ...project('shop', 2), name: 'shop (work)' }]
  expect([nameOfProject('host/shop'), nameOfProject('host/team/site')]).toEqual(['shop (work)', 'site'])
})
