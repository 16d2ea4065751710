import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { loadAllCommands } from '../../src/cli/commands.ts'
import { anchors, inlineCommands, links, type Page, pages, root, shellCommands } from './pages.ts'
import { commandProblems, scriptProblems } from './syntax.ts'

const all = pages()

test('every link inside the repository leads to an existing file and heading', () => {
  expect(all.flatMap(brokenLinks)).toEqual([])
})

test('a link to a missing file or a missing heading is reported', () => {
  const page: Page = {
    path: 'README.md',
    text: '[a](docs/none.md) [b](#nothing) [c](https://example.org) [d](docs/words.md#words)\n# Title\n[e](#title)',
  }
  expect(brokenLinks(page)).toEqual(['README.md: docs/none.md does not exist', 'README.md: there is no heading #nothing in README.md'])
})

test('the README fits on two screens and leads to the documentation', () => {
  const readme = all.find(({ path }) => path === 'README.md')
  expect(readme?.text.split('\n').length).toBeLessThanOrEqual(91)
  expect(readme && links(readme)).toContain('docs/index.md')
})

test('every guide can be reached from docs/index.md', () => {
  const reached = new Set(['docs/index.md'])
  for (const path of reached) {
    const page = all.find((candidate) => candidate.path === path)
    for (const target of page ? links(page) : []) {
      const file = relative(root, join(root, dirname(path), target.split('#')[0] ?? ''))
      if (file.endsWith('.md')) reached.add(file)
    }
  }
  const guides = all.map(({ path }) => path).filter((path) => path.startsWith('docs/') && !path.startsWith('docs/decisions/'))
  expect(guides.filter((path) => !reached.has(path))).toEqual([])
})

test('every command in the documentation exists and has the actions and options that are shown', async () => {
  const known = await loadAllCommands()
  const problems = all
    .flatMap((page) => [...shellCommands(page), ...inlineCommands(page)])
    .flatMap(({ page, line, command }) =>
      [...commandProblems(command, known), ...scriptProblems(command)].map((problem) => `${page}:${line}: ${problem}`),
    )
  expect(problems).toEqual([])
})

test('a misspelt command, action, option or script in the documentation is reported', async () => {
  const known = await loadAllCommands()
  expect(commandProblems('cd shop && recollect serach tides', known)).toEqual(['recollect serach is not a command'])
  expect(commandProblems('recollect search tides --explian', known)).toEqual(['recollect search has no option --explian'])
  expect(commandProblems('recollect team jion https://hub.example CODE', known)[0]).toStartWith('recollect team jion is not an action')
  expect(commandProblems('recollect hub stop', known)[0]).toStartWith('recollect hub stop is not an action')
  expect(commandProblems('bin/recollect config set worker.port 4000', known)).toEqual([])
  expect(commandProblems('recollect team devices --revoke laptop', known)).toEqual([])
  expect(scriptProblems('npm run benhc')).toEqual(['npm run benhc does not exist'])
  expect(scriptProblems('bin/with-bun scripts/none.ts --write')).toEqual(['scripts/none.ts does not exist'])
})

const INSTALLS_OUR_NAME = /npm (?:i|install|exec)\b[^\n`'"]* recollect(?:@\S+)?(?=[\s`'"]|$)|npx[^\n`'"]* recollect\b/m

test('nothing tells people to install a package of our name from a registry', () => {
  const messages = ['src/**/*.{ts,tsx}', 'plugin/**/*.{sh,json}', 'vscode/src/**/*.ts', 'vscode/package.json'].flatMap((glob) =>
    [...new Bun.Glob(glob).scanSync({ cwd: root, dot: true })].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  )
  expect(messages.length).toBeGreaterThan(300)
  expect([...all, ...messages].filter(({ text }) => INSTALLS_OUR_NAME.test(text)).map(({ path }) => path)).toEqual([])
  for (const told of ['npm install -g recollect', "run 'npm i -g recollect'", 'npx -y recollect mcp'])
    expect([told, INSTALLS_OUR_NAME.test(told)]).toEqual([told, true])
})

function brokenLinks(page: Page): string[] {
  return links(page).flatMap((target) => {
    // Other sites cannot be asked here.
    if (/^[a-z]+:/i.test(target)) return []
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page.path : relative(root, join(root, dirname(page.path), path))
    if (!existsSync(join(root, file))) return [`${page.path}: ${target} does not exist`]
    if (anchor === undefined) return []
    const linked = path === '' ? page : all.find((candidate) => candidate.path === file)
    return linked && anchors(linked).has(anchor) ? [] : [`${page.path}: there is no heading #${anchor} in ${file}`]
  })
}
