import { type ModelRequest, requestText } from '../../harness/fake-anthropic.ts'
import { bash, read, type Story, step, write } from './story.ts'

const PLAN = `# Rate limit the login

## Context
Anyone can try passwords as fast as the server answers.

## Approach
A fixed window per address in memory: 5 attempts a minute, then 429 with Retry-After. A library was considered, but one Map does it.

## Steps
1. \`src/limit.mjs\`: \`makeLimit({ attempts, perMs })\`, time as an argument
2. \`src/login.mjs\`: ask it before the password is checked
3. Tests with a clock of their own
`

/** A feature that is planned, agreed to and built. */
export const plan: Story = {
  name: 'plan-then-build',
  project: 'gatehouse',
  files: {
    'package.json': { name: 'gatehouse', type: 'module', scripts: { test: 'node --test' } },
    'src/login.mjs': `/** Status and body for a login. */
export function login({ address, name, password }, users) {
  return users.get(name) === password ? { status: 200 } : { status: 401 }
}
`,
    'test/login.test.mjs': `import assert from 'node:assert/strict'
import test from 'node:test'
import { login } from '../src/login.mjs'

const users = new Map([['ada', 'lovelace']])

test('the right password opens', () => {
  assert.equal(login({ address: '::1', name: 'ada', password: 'lovelace' }, users).status, 200)
})
`,
  },
  args: ['--permission-mode', 'plan'],
  model: inOrder([
    () => step('', read('src/login.mjs'), read('test/login.test.mjs')),
    (request) => step('', write(planFile(request), PLAN)),
    () => step('', { name: 'ExitPlanMode', input: {} }),
    () =>
      step(
        '',
        write(
          'src/limit.mjs',
          `/** Counts attempts of each address in windows of time. Answers how many ms to wait: 0 when the attempt is fine. */
export function makeLimit({ attempts, perMs }) {
  const windows = new Map()
  return (address, now = Date.now()) => {
    const seen = windows.get(address)
    const window = seen && now < seen.until ? seen : { until: now + perMs, count: 0 }
    window.count++
    windows.set(address, window)
    return window.count > attempts ? window.until - now : 0
  }
}
`,
        ),
        write(
          'src/login.mjs',
          `import { makeLimit } from './limit.mjs'

const limit = makeLimit({ attempts: 5, perMs: 60_000 })

/** Status and body for a login; too many attempts are turned away before the password is looked at. */
export function login({ address, name, password }, users, now = Date.now()) {
  const wait = limit(address, now)
  if (wait > 0) return { status: 429, retryAfter: Math.ceil(wait / 1000) }
  return users.get(name) === password ? { status: 200 } : { status: 401 }
}
`,
        ),
        write(
          'test/limit.test.mjs',
          `import assert from 'node:assert/strict'
import test from 'node:test'
import { login } from '../src/login.mjs'

const users = new Map([['ada', 'lovelace']])
const attempt = (address, at) => login({ address, name: 'ada', password: 'wrong' }, users, at)

test('the sixth attempt within a minute is turned away', () => {
  const statuses = [0, 1, 2, 3, 4, 5].map((second) => attempt('10.0.0.1', second * 1000).status)
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  assert.equal(attempt('10.0.0.1', 6000).retryAfter, 54)
})

test('another address is not held up, and a minute later nobody is', () => {
  assert.equal(attempt('10.0.0.2', 6000).status, 401)
  assert.equal(attempt('10.0.0.1', 60_000).status, 401)
})
`,
        ),
      ),
    () => step('', bash('npm test 2>&1 | tail -15', 'Run the tests')),
    () =>
      'Logins are limited to 5 attempts a minute per address: `makeLimit` in `src/limit.mjs` keeps a fixed window in memory, `login` answers 429 with `retryAfter` before the password is checked. All 3 tests pass. The windows are per process, so several servers would each allow five.',
  ]),
  person: async (at) => {
    await at.waitFor(/plan mode on/)
    await at.submit('People try passwords on our login as fast as they can. Plan a rate limit, keep it simple.')
    await at.waitFor(/manually approve edits/)
    // The dialog ignores keys at first.
    await Bun.sleep(1000)
    await at.press('Down')
    await at.press('Enter')
    await at.waitFor(/each allow five/)
  },
}

/** Makes each answer when its request arrives: only then does the client say where to write the plan. */
function inOrder(answers: ((request: ModelRequest) => ReturnType<typeof step>)[]) {
  const left = [...answers]
  return (request: ModelRequest) => (request.lane === 'main' ? left.shift()?.(request) : undefined)
}

function planFile(request: ModelRequest): string {
  return requestText(request).match(/\/\S+\/\.claude\/plans\/[\w-]+\.md/)?.[0] ?? ''
}
