/** A small project with a failing test, and a scripted model that fixes it. */
export const project = {
  'package.json': { name: 'tickets', type: 'module', scripts: { test: 'node --test' } },
  'src/auth.mjs': 'export function isValid(token, now = Date.now()) {\n  return token.exp > now\n}\n',
  'test/auth.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { isValid } from '../src/auth.mjs'
test('a token is valid until it expires', () => {
  assert.equal(isValid({ exp: 2000 }, 1_000_000), true)
})
`,
}

export const bash = (command: string, description = 'run') => ({ tools: [{ name: 'Bash', input: { command, description } }] })

const readFile = (file_path: string) => ({ tools: [{ name: 'Read', input: { file_path } }] })

export const edit = (file_path: string, old_string: string, new_string: string) => ({
  tools: [{ name: 'Edit', input: { file_path, old_string, new_string } }],
})

/** Finds the failing test, fixes the code, and runs the test again. */
export const fixTheTest = (folder: string) => [
  readFile(`${folder}/src/auth.mjs`),
  bash('npm test --silent', 'Run the tests'),
  edit(`${folder}/src/auth.mjs`, 'return token.exp > now', 'return token.exp * 1000 > now'),
  bash('npm test --silent', 'Run the tests again'),
  'Fixed: `isValid` compared seconds with milliseconds; `exp` is multiplied by 1000 now and the test passes.',
]
