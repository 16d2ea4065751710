import { expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { readKeychainSecret } from './keychain.ts'

const onLinux = test.skipIf(process.platform === 'darwin')

onLinux('a secret is looked up by its host; a missing one is null', async () => {
  using folder = temporaryFolder()
  const tool = join(folder.path, 'secret-tool')
  writeFileSync(tool, '#!/bin/sh\n[ "$*" = "lookup service recollect account api.openai.com" ] && echo sk-kept || exit 1\n')
  chmodSync(tool, 0o755)
  const path = `${folder.path}:/usr/bin:/bin`
  expect(await readKeychainSecret('api.openai.com', path)).toBe('sk-kept')
  expect(await readKeychainSecret('api.anthropic.com', path)).toBeNull()
})

onLinux('a system without a keychain has no secrets', async () => {
  using folder = temporaryFolder()
  expect(await readKeychainSecret('api.openai.com', folder.path)).toBeNull()
})
