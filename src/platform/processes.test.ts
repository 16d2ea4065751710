import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { isRunning, runProgram, startDetached } from './processes.ts'

test('a process runs until it has ended', async () => {
  const child = Bun.spawn(['sleep', '60'])
  expect(isRunning(child.pid)).toBe(true)
  child.kill()
  await child.exited
  expect(isRunning(child.pid)).toBe(false)
})

test('a process of somebody else runs too', () => {
  expect(isRunning(1)).toBe(true)
})

test('a program’s output and exit code come back', async () => {
  expect(await runProgram('sh', ['-c', 'echo out; echo err >&2; exit 3'])).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' })
})

test('a program that is not there is an ordinary outcome', async () => {
  expect(await runProgram('/no/such/program', [])).toMatchObject({ code: null, stdout: '' })
  expect(await runProgram('true', [], { cwd: '/no/such/folder' })).toMatchObject({ code: null })
})

test('a program that takes too long is ended with everything it started', async () => {
  const started = performance.now()
  const ran = await runProgram('sh', ['-c', 'echo before; sleep 30; echo after'], { timeoutMs: 50 })
  expect(ran.stdout).toBe('before\n')
  expect(ran.code).not.toBe(0)
  expect(performance.now() - started).toBeLessThan(5000)
})

test('a detached process outlives its starter, and tells when it failed', async () => {
  using folder = temporaryFolder()
  const failed = startDetached('sh', ['-c', 'exit 7'], '/')
  const fine = startDetached('sh', ['-c', `echo done > ${join(folder.path, 'mark')}`], '/')
  const mark = Bun.file(join(folder.path, 'mark'))
  while (!failed.hasFailed() || !(await mark.exists())) await Bun.sleep(2)
  expect(fine.hasFailed()).toBe(false)
})
