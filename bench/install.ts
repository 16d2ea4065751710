/** An installation: its size, the time of `help` compared with `bun -e 0`, and the measurements of its worker. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { medianTimes, printRatios, spawnWith } from './measure.ts'
import { recordResult } from './result.ts'

parseArguments('bench/install.ts', {})
const GOAL_MB = 130
const root = join(import.meta.dir, '..')
const folder = mkdtempSync(join(tmpdir(), 'recollect-install-'))

try {
  writeFileSync(join(folder, 'package.json'), '{"name":"app"}')
  run(['npm', 'pack', '--silent', '--pack-destination', folder], root)
  const tarball = [...new Bun.Glob('*.tgz').scanSync(folder)][0] ?? ''
  run(['npm', 'install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', join(folder, tarball)], folder)
  const files = [...new Bun.Glob('node_modules/**/*').scanSync({ cwd: folder, dot: true })]
  const mb = files.reduce((sum, file) => sum + Bun.file(join(folder, file)).size, 0) / 1e6
  recordResult({ part: 'Installation', name: 'installed package with the runtime', value: mb, unit: 'MB', goal: GOAL_MB })
  const largest = ['@oven', 'bun', 'recollect'].map((name) => `${name} ${sizeOf(files, name).toFixed(1)}`)
  console.log(`Installed: ${mb.toFixed(1)} MB (${largest.join(', ')})  goal <= ${GOAL_MB} MB: ${mb <= GOAL_MB ? 'met' : 'MISSED'}`)

  const bun = process.execPath
  const installed = join(folder, 'node_modules', 'recollect')
  const quietly = (command: string[]) => async () => void (await spawnWith(command, '', { RECOLLECT_HOME: folder }))
  const times = await medianTimes(25, {
    'bun -e 0': quietly([bun, '-e', '0']),
    help: quietly([bun, join(installed, 'dist/cli/main.js'), 'help']),
    'help search': quietly([bun, join(installed, 'dist/cli/main.js'), 'help', 'search']),
    'help, through bin/recollect': quietly([join(folder, 'node_modules/.bin/recollect'), 'help']),
  })
  printRatios('Start-up, spawn to exit', times, 'bun -e 0', { help: 1.5 })
  console.log('\nThe installed worker')
  await Bun.spawn([bun, join(root, 'bench/worker.ts'), join(installed, 'dist/cli/worker-process.js')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  }).exited
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function sizeOf(files: string[], name: string): number {
  return (
    files.filter((file) => file.startsWith(`node_modules/${name}/`)).reduce((sum, file) => sum + Bun.file(join(folder, file)).size, 0) / 1e6
  )
}

function run(command: string[], cwd: string): void {
  const { success, stderr } = Bun.spawnSync(command, { cwd })
  if (!success) throw new Error(`${command.slice(0, 2).join(' ')} failed: ${stderr}`)
}
