import { join } from 'node:path'
import { initHub, startHub, UnusableAddress } from '../hub/hub.ts'
import { hubDatabaseUrl } from '../platform/environment.ts'
import { ensurePrivateFolder, exists, readIfThere, writeFileAtomically } from '../platform/files.ts'
import type { Log } from '../platform/log.ts'
import { homePaths } from '../platform/paths.ts'
import { explain, requireAddress, withDatabase } from './hub-database.ts'
import { CliError, EXIT, invalidInput, print, printJson } from './print.ts'

const HUB_ROLE = 'recollect_hub'
const DEFAULT_PARTITIONS = 16
const DEFAULT_PORT = 7077
const DEFAULT_CONNECTIONS = 20

type InitValues = {
  database?: string | undefined
  credentials?: string | undefined
  'new-password'?: boolean | undefined
  partitions?: number | undefined
  json?: boolean | undefined
}

/** The file with the address for the hub's role, unless another one is given. */
const defaultCredentials = () => join(homePaths().folder, 'hub.env')

export async function initHubDatabase(values: InitValues): Promise<undefined> {
  const address = requireAddress(
    values.database ?? hubDatabaseUrl(),
    'which database? Pass --database postgres://user:password@host/database, or set RECOLLECT_HUB_DATABASE',
  )
  const file = values.credentials ?? defaultCredentials()
  const newPassword = values['new-password'] ?? false
  const report = await withDatabase(address, 2, (database) =>
    initHub(database, { partitions: values.partitions ?? DEFAULT_PARTITIONS, newPassword }),
  )
  if (report.password !== null) writeCredentials(file, address, report.password)
  const { password, ...rest } = report
  const credentials = password === null ? null : file
  if (values.json) return printJson({ ...rest, credentials })
  if (report.from === null) print(`Created the hub (schema version ${report.version}).`)
  else if (report.from < report.version) print(`Updated the hub from schema version ${report.from} to ${report.version}.`)
  else print(`The hub is up to date (schema version ${report.version}).`)
  if (credentials) print(`The address for the role ${HUB_ROLE}, with its new password, is in ${credentials}; only you can read it.`)
  else print(`The role ${HUB_ROLE} existed and keeps its password. To set a new one: recollect hub init --new-password`)
  print(`Next: recollect hub start, then recollect hub invite <your name> --role admin`)
}

function writeCredentials(file: string, address: string, password: string): void {
  const url = new URL(address)
  url.username = HUB_ROLE
  url.password = password
  ensurePrivateFolder(join(file, '..'))
  writeFileAtomically(file, `RECOLLECT_HUB_DATABASE=${url.href}\n`)
}

type StartValues = {
  database?: string | undefined
  credentials?: string | undefined
  host?: string | undefined
  port?: number | undefined
  cert?: string | undefined
  key?: string | undefined
  'behind-proxy'?: boolean | undefined
  metrics?: string | undefined
  connections?: number | undefined
  json?: boolean | undefined
}

export async function runHub(values: StartValues): Promise<number> {
  const address = startAddress(values)
  const host = values.host ?? '127.0.0.1'
  const tls = readTls(values.cert, values.key)
  const isOpen = tls !== null || values['behind-proxy'] === true
  if (!isOpen && !LOOPBACK.test(host))
    throw invalidInput(
      `without TLS the hub listens on loopback only, not on ${host}. Pass --cert and --key, or --behind-proxy if a reverse proxy does TLS.`,
    )
  const { openDatabase } = await import('../hub/hub.ts')
  const database = openDatabase(address, values.connections ?? DEFAULT_CONNECTIONS)
  const hub = await startHub(
    database,
    { host, port: values.port ?? DEFAULT_PORT, tls, metrics: parseMetrics(values.metrics) },
    stderrLog(),
  ).catch(async (cause) => {
    await database.close().catch(() => {})
    throw cause instanceof UnusableAddress ? new CliError(cause.message) : explain(cause, address)
  })
  const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${hub.port}`
  if (values.json) console.log(JSON.stringify({ url, port: hub.port, metricsPort: hub.metricsPort }))
  else print(`The hub listens on ${url}. Stop it with Ctrl-C.`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  await hub.stop()
  return EXIT.done
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/

function startAddress({ database, credentials }: StartValues): string {
  const file = credentials ?? defaultCredentials()
  const named = credentials === undefined ? (database ?? hubDatabaseUrl()) : null
  const missing = exists(file)
    ? `${file} contains no line RECOLLECT_HUB_DATABASE=…`
    : `${file} does not exist; run 'recollect hub init --database …' first, or pass --database with the address for the role ${HUB_ROLE}`
  return requireAddress(named ?? /^RECOLLECT_HUB_DATABASE=(\S+)$/m.exec(readIfThere(file) ?? '')?.[1], missing)
}

function readTls(cert: string | undefined, key: string | undefined): { cert: string; key: string } | null {
  if (cert === undefined && key === undefined) return null
  if (cert === undefined || key === undefined) throw invalidInput('--cert and --key belong together')
  const [certText, keyText] = [cert, key].map((file) => {
    const text = readIfThere(file)
    if (text === null) throw invalidInput(`${file} does not exist`)
    if (!text.includes('-----BEGIN ')) throw invalidInput(`${file} is not a PEM file`)
    return text
  })
  return { cert: certText ?? '', key: keyText ?? '' }
}

function parseMetrics(text: string | undefined): { host: string; port: number } | null {
  if (text === undefined) return null
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  if (!host || Number(port) > 65_535) throw invalidInput(`--metrics must be a host and a port, such as 127.0.0.1:9464, not "${text}"`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** A service's output is collected by what runs it, so the log goes there and not into a home. */
function stderrLog(): Log {
  const write =
    (level: string): Log['info'] =>
    (fact, numbers = {}) =>
      console.error(JSON.stringify({ at: new Date().toISOString(), level, fact, ...numbers }))
  return { info: write('info'), warn: write('warn') }
}
