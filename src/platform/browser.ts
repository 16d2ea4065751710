import { hasDisplay } from './environment.ts'
import { runProgram } from './processes.ts'

/** Opens an address in the person's browser. False when no browser can be opened. */
export async function openInBrowser(url: string): Promise<boolean> {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  if (!hasDisplay() || !Bun.which(opener)) return false
  const { code } = await runProgram(opener, [url], { timeoutMs: 5000 })
  return code === 0
}
