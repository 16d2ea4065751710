import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { isSilent, lookAtFolders } from './silent-folders.ts'

// Folders that really do not answer need a mount: test/faults/lane/mounts.test.ts
test('folders that exist, that do not exist, and that are no paths all answer', async () => {
  using folder = temporaryFolder()
  const folders = [folder.path, join(folder.path, 'missing'), 'not/absolute', '', null, undefined]
  await Promise.all([lookAtFolders(folders), lookAtFolders(folders)])
  expect([folder.path, join(folder.path, 'missing'), '/'].map(isSilent)).toEqual([false, false, false])
})
