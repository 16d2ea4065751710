import { afterEach, expect, test } from 'bun:test'
import { hookEnvironment, readEnvironment, setHome } from './environment.ts'

const before = { ...process.env }
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})

test('an empty variable counts as unset', () => {
  Object.assign(process.env, {
    HOME: '/home/dev',
    RECOLLECT_HOME: '',
    CLAUDE_CONFIG_DIR: '',
    CLAUDE_BIN: '',
    TMPDIR: '',
    XDG_RUNTIME_DIR: '',
  })
  expect(readEnvironment()).toMatchObject({
    home: '/home/dev/.recollect',
    claudeConfig: '/home/dev/.claude',
    claudeBin: null,
    temporaryFolder: '/tmp',
    runtimeFolder: null,
  })
})

test('the home is an absolute path, because the worker runs in another folder', () => {
  setHome('somewhere')
  expect(readEnvironment().home).toBe(`${process.cwd()}/somewhere`)
})

test('a home is the same path however it is written', () => {
  for (const written of ['/data/x', '/data/x/', '/data//x', '/data/./x', '/data/y/../x', '/data/x/.']) {
    process.env.RECOLLECT_HOME = written
    expect(readEnvironment().home).toBe('/data/x')
  }
  process.env.RECOLLECT_HOME = '/data/.hidden/..x'
  expect(readEnvironment().home).toBe('/data/.hidden/..x')
})

test('only our own variables are read as settings', () => {
  Object.assign(process.env, { RECOLLECT_WORKER_PORT: '0', RECOLLECTION: 'x' })
  const { overrides } = readEnvironment()
  expect(overrides.RECOLLECT_WORKER_PORT).toBe('0')
  expect(Object.keys(overrides).every((name) => name.startsWith('RECOLLECT_'))).toBe(true)
})

test('keys for text models are read from their usual variables, except empty ones', () => {
  Object.assign(process.env, { OPENAI_API_KEY: 'sk-1', DEEPSEEK_API_KEY: '', SOME_OTHER_API_KEY: 'x' })
  const { keys } = readEnvironment()
  expect([keys.OPENAI_API_KEY, 'DEEPSEEK_API_KEY' in keys, 'SOME_OTHER_API_KEY' in keys]).toEqual(['sk-1', false, false])
})

test.each([
  ['4321', 4321],
  ['', null],
  ['0', null],
  ['1', null],
  ['-5', null],
  ['12.5', null],
  ['what', null],
])('the client process "%s" is parsed as %p', (value, pid) => {
  process.env.CLAUDE_PID = value
  expect(hookEnvironment().clientPid).toBe(pid)
})

test('a model process that we started is recognized by its variable', () => {
  expect(hookEnvironment().ours).toBe(false)
  process.env.RECOLLECT_INTERNAL = '1'
  expect(hookEnvironment().ours).toBe(true)
})
