import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAtRest } from './support/at-rest.ts'
import { temporaryFolder } from './support/builders.ts'

/**
 * Other programs read these answers. The golden file contains the shape of each: every field and its JSON type. A field may be added by
 * recording the file again (`UPDATE_GOLDEN=1`); a field that disappears or changes its type breaks those programs.
 */
const GOLDEN = join(import.meta.dir, 'golden', 'frozen-interface.json')
const RECOLLECT = join(import.meta.dir, '..', 'bin', 'recollect')

const COMMANDS: Record<string, string[]> = {
  'inject --json': ['inject', '--json', '--project', 'tidepool'],
  'inject --prompt --json': ['inject', '--prompt', 'Why is low tide shown an hour late?', '--json', '--project', 'tidepool'],
  'search --json': ['search', 'low tide an hour late', '--all', '--json'],
  'export --json --kind tool-uses': ['export', '--json', '--kind', 'tool-uses'],
  'export --json --kind prompts': ['export', '--json', '--kind', 'prompts'],
  'export --json --kind observations': ['export', '--json', '--kind', 'observations'],
  'export --json --kind summaries': ['export', '--json', '--kind', 'summaries'],
  'export --json --kind sessions': ['export', '--json', '--kind', 'sessions'],
  'export --json --kind notes': ['export', '--json', '--kind', 'notes'],
  'status --json': ['status', '--json'],
  'notes --json': ['notes', '--json', '--all'],
}

test('the answers that other programs read keep every field and its type', async () => {
  using folder = temporaryFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0', RECOLLECT_EMBEDDER_PROVIDER: 'none' }
  const run = async (...args: string[]) => {
    const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [exit, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
    expect([args[0], exit, exit === 0 ? '' : err]).toEqual([args[0], 0, ''])
    return out
  }
  mkdirSync(join(folder.path, '.claude'))
  await run('demo')
  await run('capture', 'Stations keep their own time zone', '--project', 'tidepool')
  // The sessions of the demo state decisions, which become notes in the background.
  while (!isAtRest(JSON.parse(await run('status', '--json')))) await Bun.sleep(100)
  const shapes: Record<string, unknown> = {}
  for (const [name, args] of Object.entries(COMMANDS)) {
    const out = await run(...args)
    const isLines = name.startsWith('export')
    shapes[name] = isLines
      ? mergedShape(
          out
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        )
      : shapeOf(JSON.parse(out))
  }
  shapes['run/worker.json'] = shapeOf(JSON.parse(readFileSync(join(folder.path, '.recollect', 'run', 'worker.json'), 'utf8')))
  expect(readFileSync(join(folder.path, '.recollect', 'run', 'token'), 'utf8').trim()).toMatch(/^\S{20,}$/)
  expect(JSON.parse(await run('init', '--yes', '--json'))).toBeObject()
  expect(JSON.parse((await run('hook', 'claude-code')) || '{}')).toBeObject()
  await run('stop')
  if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, `${JSON.stringify(shapes, null, 2)}\n`)
  expect(shapes).toEqual(JSON.parse(readFileSync(GOLDEN, 'utf8')))
}, 300_000)

/** The shape of a JSON value: its type, its fields, or the shape that all its elements share. */
function shapeOf(value: unknown): unknown {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? [] : [mergedShape(value)]
  if (typeof value !== 'object') return typeof value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, shapeOf(field)]),
  )
}

/** The combined shape of several values, so that a null in one row does not hide the type in another. */
function mergedShape(values: unknown[]): unknown {
  const [first, ...rest] = values.map(shapeOf)
  return rest.reduce(merge, first)
}

function merge(a: unknown, b: unknown): unknown {
  if (isFields(a) && isFields(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
    return Object.fromEntries(keys.map((key) => [key, key in a && key in b ? merge(a[key], b[key]) : (a[key] ?? b[key])]))
  }
  if (Array.isArray(a) && Array.isArray(b)) return a.length === 0 ? b : b.length === 0 ? a : [merge(a[0], b[0])]
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  return [a, b]
    .filter((one) => typeof one === 'string')
    .flatMap((one) => String(one).split(' | '))
    .filter((one, i, all) => all.indexOf(one) === i)
    .sort()
    .join(' | ')
}

const isFields = (shape: unknown): shape is Record<string, unknown> => typeof shape === 'object' && shape !== null && !Array.isArray(shape)
