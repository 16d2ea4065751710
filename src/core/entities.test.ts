import { describe, expect, test } from 'bun:test'
import { growth, LINEAR } from '../../test/support/growth.ts'
import { entitiesIn } from './entities.ts'

/** The entities of a text, each as `kind name`. */
const named = (text: string) => entitiesIn(text).map((entity) => `${entity.kind} ${entity.name}`)

describe('files', () => {
  test.each([
    ['see src/store/store.ts:12:3.', 'src/store/store.ts'],
    ['in `./src//auth.ts`', 'src/auth.ts'],
    ['look at src/a/../b.ts#L10-L20', 'src/b.ts'],
    ['(docs/guide/settings.md)', 'docs/guide/settings.md'],
    ['[the guide](docs/guide.md) says', 'docs/guide.md'],
    ['@src/cli/main.ts please', 'src/cli/main.ts'],
    ['D:\\app\\src\\git.go broke', 'D:/app/src/git.go'],
    ['/home/dev/app/package.json', '/home/dev/app/package.json'],
    ['app/[slug]/page.tsx', 'app/[slug]/page.tsx'],
    ['the Dockerfile, and nothing else', 'Dockerfile'],
    ['data.go is wrong', 'data.go'],
    ['in .github/workflows/ci.yml', '.github/workflows/ci.yml'],
    ['~/.zshrc', '~/.zshrc'],
    ['the folder `src/store`', 'src/store'],
    ['`Cargo.lock`', 'Cargo.lock'],
  ])('%s', (text, name) => {
    expect(named(text)).toEqual([`file ${name}`])
  })
})

describe('symbols', () => {
  test.each([
    ['call getUserName first', 'getUserName'],
    ['the AppHeader component', 'AppHeader'],
    ['HTTPServer', 'HTTPServer'],
    ['token_budget is spent', 'token_budget'],
    ['MAX_TEXT', 'MAX_TEXT'],
    ['`flatten` is slow', 'flatten'],
    ['`cva` is slow, and f() too', 'cva'],
    ['flatten() is slow', 'flatten'],
    ['`UserService.findById(id)`', 'UserService.findById'],
    ['strategy.ListSessions()', 'ListSessions'],
    ['this.connectionPool', 'connectionPool'],
    ['std::vector', 'std::vector'],
    ['`Map<string>`', ''],
    ['the `blue-whale` of the `10-11` shift', ''],
    ['`Registry<string>`', 'Registry'],
    ['**isValid** fails', 'isValid'],
  ])('%s', (text, name) => {
    expect(named(text)).toEqual(name ? [`symbol ${name}`] : [])
  })
})

describe('packages', () => {
  test.each([
    ['@biomejs/biome@2.6.6', ['@biomejs/biome']],
    ['`npm install -D zod prisma`', ['zod', 'prisma']],
    ['run npm install express and restart', ['express']],
    ['`pip install -r requirements.txt`', []],
    ["import { z } from 'zod'", ['zod']],
    ["const x = require('@scope/thing/deep')", ['@scope/thing']],
    ["it was renamed from 'foo' to 'bar'", []],
    ['from requests import get', ['requests']],
    ["import map from 'lodash/map'", ['lodash']],
    ['github.com/spf13/cobra/doc', ['github.com/spf13/cobra']],
    ['golang.org/x/tools/cmd', ['golang.org/x/tools']],
    ['uses: actions/checkout@v4', ['actions/checkout']],
  ])('%s', (text, names) => {
    expect(named(text).filter((name) => name.startsWith('package '))).toEqual(names.map((name) => `package ${name}`))
  })
})

describe('commands', () => {
  test.each([
    ['npm run build -- --watch', ['npm run build']],
    ['`go test ./...` fails', ['go test']],
    ['go test ./store/...', ['go test']],
    ['we go test it tomorrow, and make sure', []],
    ['npx tsc --noEmit', ['tsc']],
    ['`make lint`', ['make lint']],
    ['cargo clippy', ['cargo clippy']],
    ['then npm run the thing', []],
  ])('%s', (text, names) => {
    expect(named(text)).toEqual(names.map((name) => `command ${name}`))
  })
})

describe('errors', () => {
  test.each([
    ['error TS2345: no', ['TS2345']],
    ['error[E0502]: cannot borrow', ['E0502']],
    ['(ENOENT: no such file)', ['ENOENT']],
    ['ERR_MODULE_NOT_FOUND', ['ERR_MODULE_NOT_FOUND']],
    ['TypeError: x is not a function', ['TypeError']],
    ['java.lang.NullPointerException', ['NullPointerException']],
    ['it answers HTTP 404', ['HTTP 404']],
    ['status code: 503', ['HTTP 503']],
    ['a 500 Internal Server Error', ['HTTP 500']],
    ['returned 422', ['HTTP 422']],
    ['with 404 items and 500 users', []],
  ])('%s', (text, names) => {
    expect(named(text)).toEqual(names.map((name) => `error ${name}`))
  })
})

describe('addresses, issues and commits', () => {
  test.each([
    ['see https://user:pw@Docs.dev.to/a/b/?token=abc#top.', ['url https://docs.dev.to/a/b']],
    [`https://files.dev.to/x?${'k=v&'.repeat(200)}`, ['url https://files.dev.to/x']],
    ['http://localhost:3000/x', []],
    ['https://github.com/Team/app/pull/104/files', ['issue team/app#104']],
    ['https://linear.app/team/issue/ENT-259/some-words', ['issue ENT-259']],
    ['https://github.com/team/app/commit/85c7b08aa11', ['commit 85c7b08']],
    ['PR 104 is open', ['issue #104']],
    ['PR #104 and issue #5', ['issue #104', 'issue #5']],
    ['#5 it is simple, #333 is grey', []],
    ['team/app#12', ['issue team/app#12']],
    ["ENT-260's fix, in UTF-8 with SHA-256", ['issue ENT-260']],
    ['fixed in `c0a210c`', ['commit c0a210c']],
    ['c0a210c6d63c3a51594d7ebcdb2215b0a1b2c3d4', ['commit c0a210c']],
    ['2026-01-27, 20260127, 1234567, deadbeef, 0x1a2b3c4d', []],
    ['8f76b0e8-b8f1-4a87-9186-848bdd83d62e', []],
  ])('%s', (text, names) => {
    expect(named(text)).toEqual(names)
  })
})

test('ordinary prose names nothing', () => {
  const prose = `Yes, and/or no: we should (probably) ship it today! Node.js and GitHub are fine; the API's URLs, e.g. the first, i.e. mine,
    don't matter. McGee said "hello" at 10:30. It costs $10, or 3.5%, on 2026-01-02. Use the client/server model... _really_ **good**.
    Dr. Smith's file(s), TODO, WARNING: go on, make sure that it works. Das ist schön, c'est déjà vu. 你好，世界。`
  expect(named(prose)).toEqual([])
})

test('a redacted text is not an entity', () => {
  expect(named('https://app:[redacted:url-password]@db.dev.to/x and /home/dev/REDACTED.md')).toEqual([])
})

test('each entity is listed once, in order, and at most 64 of them', () => {
  expect(named('src/b.ts, then `src/a.ts`, then src/b.ts:7 and ./src/a.ts')).toEqual(['file src/b.ts', 'file src/a.ts'])
  expect(entitiesIn(Array.from({ length: 500 }, (_, i) => `src/f${i}.ts`).join('\n'))).toHaveLength(64)
})

test.each(['`', 'A', '.', 'a.', 'a/', '(', 'npm -a ', '`a ', 'import ', 'aB_', '#1', '\\a', 'https://a?', 'go test '])(
  'the time to read repetitions of %p grows linearly',
  (piece) => {
    expect(growth(entitiesIn, piece.repeat(7000 / piece.length))).toBeLessThan(LINEAR)
  },
)
