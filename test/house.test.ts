import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brokenRules, type Rules } from './house/rules.ts'
import { bytesAtStart } from './house/start-bytes.ts'

const root = join(import.meta.dir, '..')
const readRules = (): Rules => JSON.parse(readFileSync(join(root, 'house.json'), 'utf8'))

test('the source follows the rules in house.json', () => {
  const rules = readRules()
  const paths = ['src', 'vscode/src']
    .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.{ts,tsx,js}`).scanSync(root)])
    .filter((path) => !/\.test\.tsx?$/.test(path))
  const sources = new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')]))
  expect(brokenRules(sources, rules)).toEqual([])
  expect(readdirSync(join(root, 'src')).filter((name) => !(name in rules.may))).toEqual([])
})

test('a worker loads no more bytes than house.json allows before it can answer', async () => {
  for (const [entry, { bytes }] of Object.entries(readRules().starts)) {
    const loaded = await bytesAtStart(join(root, entry))
    expect(`${entry} loads ${loaded} bytes, ${loaded <= bytes ? 'within' : 'over'} ${bytes}`).toEndWith(`within ${bytes}`)
  }
})

test('a pattern of house.json that matches no file is reported', () => {
  const rules: Rules = {
    may: { core: [] },
    doors: { core: ['/core/(a|b)\\.ts$', '/core/gone\\.ts$'] },
    touches: {},
    owns: { 'SQL text': [], 'process.env': [], 'process.exit': [], console: [] },
    entries: ['^src/cli/main\\.ts$'],
    starts: { 'src/core/a.ts': { bytes: 0, without: ['^src/core/(b|c)\\.ts$', '^left-pad$'] }, 'src/core/z.ts': { bytes: 0, without: [] } },
  }
  expect(brokenRules(new Map([['src/core/a.ts', '']]), rules)).toEqual([
    'house.json, doors of core: /core/(b)\\.ts$ matches no file',
    'house.json, doors of core: /core/gone\\.ts$ matches no file',
    'house.json, entries: ^src/cli/main\\.ts$ matches no file',
    'house.json, starts of src/core/a.ts: ^src/core/(b)\\.ts$ matches no file',
    'house.json, starts of src/core/a.ts: ^src/core/(c)\\.ts$ matches no file',
    'house.json, starts of src/core/a.ts: ^left-pad$ matches no file',
    'house.json, starts: there is no file src/core/z.ts',
  ])
})

describe('a house with one broken rule', () => {
  const rules: Rules = {
    may: { core: [], platform: [], store: ['core', 'platform'], hooks: ['core', 'platform'], cli: ['*'] },
    doors: { store: ['/store/store\\.ts$'] },
    touches: { 'bun:sqlite': ['store'], 'node:fs': ['platform'], zod: ['platform', 'store'] },
    owns: { 'SQL text': ['store'], 'process.env': ['platform'], 'process.exit': ['cli', 'hooks'], console: ['cli'] },
    starts: { 'src/cli/start.ts': { bytes: 0, without: ['^src/store/', '^zod$'] } },
  }
  /** The rules are about more files than a case needs; one that is missing breaks none here. */
  const broken = (files: Record<string, string>) =>
    brokenRules(new Map(Object.entries(files)), rules).filter((sentence) => !sentence.startsWith('house.json, '))

  test.each<[string, Record<string, string>, string[]]>([
    [
      'an upward import',
      { 'src/core/a.ts': "\nimport { s } from '../store/store.ts'", 'src/store/store.ts': '' },
      ['src/core/a.ts:2: core may not import store (src/store/store.ts)'],
    ],
    [
      'an upward import of a type',
      { 'src/core/a.ts': "import type { S } from '../store/store.ts'", 'src/store/store.ts': '' },
      ['src/core/a.ts:1: core may not import store (src/store/store.ts)'],
    ],
    [
      'an upward dynamic import',
      { 'src/core/a.ts': "const s = await import('../store/store.ts')", 'src/store/store.ts': '' },
      ['src/core/a.ts:1: core may not import store (src/store/store.ts)'],
    ],
    [
      'an import of a file that is not a door',
      { 'src/cli/a.ts': "export { rows } from '../store/rows.ts'", 'src/store/rows.ts': '' },
      ['src/cli/a.ts:1: src/store/rows.ts is not a door of store'],
    ],
    [
      'files that import each other',
      { 'src/core/a.ts': "import { b } from './b.ts'", 'src/core/b.ts': "import {\n  a,\n} from './a.ts'" },
      ['files import each other in a cycle: src/core/a.ts → src/core/b.ts → src/core/a.ts'],
    ],
    ['a folder that is not a room', { 'src/utils/a.ts': '' }, ['src/utils/a.ts: utils is not a room in house.json']],
    ['a file outside the rooms', { 'src/a.ts': '' }, ['src/a.ts: src/a.ts is not a room in house.json']],
    [
      'SQL outside the store',
      { 'src/cli/a.ts': 'db.run(`\n  SELECT * FROM notes`)' },
      ['src/cli/a.ts:1: SQL text belongs to store, not to cli'],
    ],
    [
      'process.env outside the platform',
      { 'src/cli/a.ts': `// process.env\nconst home = \`\${process.env.HOME}\`` },
      ['src/cli/a.ts:2: process.env belongs to platform, not to cli'],
    ],
    [
      'process.exit in a lower room',
      { 'src/store/a.ts': 'process.exit(1)' },
      ['src/store/a.ts:1: process.exit belongs to cli, hooks, not to store'],
    ],
    [
      'console output in a lower room',
      { 'src/store/a.ts': "console.log('hi')" },
      ['src/store/a.ts:1: console belongs to cli, not to store'],
    ],
    [
      'the name of an agent in a room for every agent',
      { 'src/core/agent.ts': "['claude-code']", 'src/core/a.ts': '\n// only Claude Code does this', 'src/cli/a.ts': "'Claude Code'" },
      ['src/core/a.ts:2: core serves every agent, so it may not name one (Claude Code)'],
    ],
    [
      'a package in the wrong room',
      { 'src/cli/a.ts': "import { Database } from 'bun:sqlite'\nimport fs from 'fs'" },
      [
        'src/cli/a.ts:1: cli may not import the package bun:sqlite (touches: store)',
        'src/cli/a.ts:2: cli may not import the package node:fs (touches: platform)',
      ],
    ],
    [
      'a package that house.json does not name',
      { 'src/cli/a.ts': "import x from '@scope/x/deep'" },
      ['src/cli/a.ts:1: cli may not import the package @scope/x (touches: not named)'],
    ],
    [
      'a package in the imports of the hook',
      {
        'src/hooks/pipe.ts': "import { a } from '../platform/a.ts'",
        'src/platform/a.ts': "import { b } from './b.ts'",
        'src/platform/b.ts': "import { readFileSync } from 'node:fs'\nimport { type A, z } from 'zod'",
      },
      ['src/platform/b.ts:2: the hook may not load the package zod (src/hooks/pipe.ts → src/platform/a.ts → src/platform/b.ts)'],
    ],
    [
      'an entry that loads something it should load later',
      {
        'src/cli/start.ts': "import { a } from './a.ts'\nconst { b } = await import('./b.ts')",
        'src/cli/a.ts': "import { open } from '../store/store.ts'\nimport type { Row } from '../store/store.ts'",
        'src/cli/b.ts': "import { open } from '../store/store.ts'",
        'src/store/store.ts': '',
      },
      ['src/cli/start.ts may not load src/store/store.ts when it starts (src/cli/start.ts → src/cli/a.ts)'],
    ],
  ])('%s', (_, files, expected) => {
    expect(broken(files)).toEqual(expected)
  })

  test('rooms that import each other', () => {
    const files = {
      'src/core/a.ts': "import type { P } from '../platform/p.ts'",
      'src/platform/p.ts': "import type { A } from '../core/a.ts'",
    }
    expect(broken(files)).toContain('rooms import each other in a cycle: core → platform → core')
  })

  test('a house without broken rules', () => {
    expect(
      broken({
        'src/core/a.ts':
          "import type { B } from './b.ts'\n/** process.env, console.log and `SELECT ` are only named here. */\nexport const a = 1",
        'src/core/b.ts': "import { a } from './a.ts'",
        'src/platform/env.ts': "import { join } from 'node:path'\nimport type { z } from 'zod'\nconst home = process.env.HOME",
        'src/store/store.ts':
          "import { Database } from 'bun:sqlite'\nimport { z } from 'zod'\nimport { a } from '../core/a.ts'\ndb.run('SELECT 1')",
        'src/hooks/pipe.ts': "import { home } from '../platform/env.ts'\nprocess.exit(0)",
        'src/cli/main.ts': "import { open } from '../store/store.ts'\nimport '../hooks/pipe.ts'\nconsole.log(open)",
      }),
    ).toEqual([])
  })
})
