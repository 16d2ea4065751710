import { expect, test } from 'bun:test'
import { asProjectKey } from './ids.ts'
import { projectNames } from './project-names.ts'

const namesOf = (places: Record<string, string | null>) =>
  Object.fromEntries(projectNames(Object.entries(places).map(([key, folder]) => ({ project: asProjectKey(key), folder }))))

test('a project of its own name is called by it', () => {
  expect(namesOf({ 'app-a1b2c3': '/home/dev/app', 'host.example/team/api': '/home/dev/x' })).toEqual({
    'app-a1b2c3': 'app',
    'host.example/team/api': 'api',
  })
})

test('as many folders as needed tell projects of the same name apart', () => {
  expect(
    namesOf({
      'cli-000001': '/home/dev/src/entire/cli',
      'cli-000002': '/home/dev/documents/entire/cli',
      'cli-000003': '/home/dev/work/cli/packages/core',
      'host.example/team/cli': '/home/dev/elsewhere',
    }),
  ).toEqual({
    'cli-000001': 'src/entire/cli',
    'cli-000002': 'documents/entire/cli',
    'cli-000003': 'work/cli',
    'host.example/team/cli': 'team/cli',
  })
})

test('projects whose folders are unknown or equal are called by their keys', () => {
  expect(namesOf({ 'cli-000001': null, 'cli-000002': '/home/dev/cli', 'cli-000003': '/home/dev/cli' })).toEqual({
    'cli-000001': 'cli-000001',
    'cli-000002': 'cli-000002',
    'cli-000003': 'cli-000003',
  })
})

test('a folder of Windows is a path too', () => {
  expect(namesOf({ 'app-000001': 'D:\\one\\app', 'app-000002': 'D:\\two\\app' })).toEqual({
    'app-000001': 'one/app',
    'app-000002': 'two/app',
  })
})
