import { runProgram } from './processes.ts'

/** A locked keychain waits for the person, who may be away. */
const KEYCHAIN_TIMEOUT_MS = 3000

/** The secret for a host in the system's keychain, under the service `recollect`; null when there is none. */
export async function readKeychainSecret(host: string, path: string): Promise<string | null> {
  const security = Bun.which('security', { PATH: path })
  const tool = Bun.which('secret-tool', { PATH: path })
  const result =
    process.platform === 'darwin' && security
      ? await runProgram(security, ['find-generic-password', '-s', 'recollect', '-a', host, '-w'], { timeoutMs: KEYCHAIN_TIMEOUT_MS })
      : tool
        ? await runProgram(tool, ['lookup', 'service', 'recollect', 'account', host], { timeoutMs: KEYCHAIN_TIMEOUT_MS })
        : null
  return (result?.code === 0 && result.stdout.trim()) || null
}
