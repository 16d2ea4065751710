import { runProgram } from './processes.ts'

/** A locked keychain may ask a person who is not there. */
const KEYCHAIN_TIMEOUT_MS = 3000

/** The secret that the person keeps for a host in the system's keychain, under the service `recollect`; null when there is none. */
export async function readKeychainSecret(host: string, path: string): Promise<string | null> {
  const security = Bun.which('security', { PATH: path })
  const tool = Bun.which('secret-tool', { PATH: path })
  const asked =
    process.platform === 'darwin' && security
      ? await runProgram(security, ['find-generic-password', '-s', 'recollect', '-a', host, '-w'], { timeoutMs: KEYCHAIN_TIMEOUT_MS })
      : tool
        ? await runProgram(tool, ['lookup', 'service', 'recollect', 'account', host], { timeoutMs: KEYCHAIN_TIMEOUT_MS })
        : null
  return (asked?.code === 0 && asked.stdout.trim()) || null
}
