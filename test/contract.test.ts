import { expect, test } from 'bun:test'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './support/builders.ts'

const root = join(import.meta.dir, '..')
const CALLERS = ['cli', 'client', 'mcp', 'viewer', 'worker']

test('renaming a response field in the contract fails to compile in the worker and in every caller', () => {
  using folder = temporaryFolder()
  copySource(folder.path)
  renameField(join(folder.path, 'src/wire/contract/memories.ts'), '  hits: SearchHit[]', '  results: SearchHit[]')
  expect(roomsWithErrors(folder.path)).toEqual(CALLERS)
}, 300_000)

/** The source without its tests, which are many and call nothing that the source does not. */
function copySource(to: string): void {
  cpSync(join(root, 'src'), join(to, 'src'), { recursive: true, filter: (path) => !/\.test\.tsx?$/.test(path) })
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'))
  cpSync(join(root, 'package.json'), join(to, 'package.json'))
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  writeFileSync(join(to, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'], exclude: ['src/viewer'] }))
}

function renameField(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
}

function roomsWithErrors(folder: string): string[] {
  const tsc = (project: string) => String(Bun.spawnSync([join(root, 'node_modules/.bin/tsc'), '-p', project], { cwd: folder }).stdout)
  const errors = `${tsc('.')}\n${tsc(join('src', 'viewer'))}`
  const rooms = [...errors.matchAll(/^src\/(\w+)\/\S+\(\d+,\d+\): error/gm)].map((match) => match[1] ?? '')
  return [...new Set(rooms)].sort()
}
