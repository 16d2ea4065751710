import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { isRunning, isRunningSince, runForBytes, runProgram, startDetached } from './processes.ts'

test('a process runs until it has ended', async () => {
  const child = Bun.spawn(['sleep', '60'])
  expect(isRunning(child.pid)).toBe(true)
  child.kill()
  await child.exited
  expect(isRunning(child.pid)).toBe(false)
})

test.skipIf(process.platform !== 'linux')('a process that has ended and that nobody has looked after does not run', async () => {
  // `exec` puts a program there that never looks after the child of the shell before it.
  const parent = Bun.spawn(['sh', '-c', 'true & echo $!; exec sleep 60'], { stdout: 'pipe' })
  let said = ''
  for await (const part of parent.stdout) {
    said += new TextDecoder().decode(part)
    if (said.includes('\n')) break
  }
  for (let waited = 0; isRunning(Number(said)) && waited < 200; waited++) await Bun.sleep(5)
  expect(isRunning(Number(said))).toBe(false)
  parent.kill()
})

test.skipIf(process.platform !== 'linux')('a process that began after a time is another than the one that had its id then', () => {
  expect(isRunningSince(process.pid, Date.now())).toBe(true)
  expect(isRunningSince(process.pid, Date.now() - performance.now() - 60_000)).toBe(false)
  expect(isRunningSince(1, Date.now())).toBe(true)
})

test('a process of somebody else runs too', () => {
  expect(isRunning(1)).toBe(true)
})

test('a program’s output and exit code come back', async () => {
  expect(await runProgram('sh', ['-c', 'echo out; echo err >&2; exit 3'])).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' })
})

test('what is started sees the environment as it is now, not as it was when we started', async () => {
  process.env.RECOLLECT_TEST_MARK = 'changed'
  try {
    expect((await runProgram('sh', ['-c', 'echo $RECOLLECT_TEST_MARK'])).stdout).toBe('changed\n')
  } finally {
    delete process.env.RECOLLECT_TEST_MARK
  }
})

test('a program that is not there is an ordinary outcome', async () => {
  expect(await runProgram('/no/such/program', [])).toMatchObject({ code: null, stdout: '' })
  expect(await runProgram('true', [], { cwd: '/no/such/folder' })).toMatchObject({ code: null })
})

test('a program that takes too long is ended with everything it started', async () => {
  // Who waited for it would not be back before this test is given up.
  const ran = await runProgram('sh', ['-c', 'echo before; sleep 600; echo after'], { timeoutMs: 50 })
  expect(ran.stdout).toBe('before\n')
  expect(ran.code).not.toBe(0)
})

test('a detached process outlives its starter, and tells when it failed', async () => {
  using folder = temporaryFolder()
  const failed = startDetached('sh', ['-c', 'exit 7'], '/')
  const fine = startDetached('sh', ['-c', `echo done > ${join(folder.path, 'mark')}`], '/')
  const mark = Bun.file(join(folder.path, 'mark'))
  while (!failed.hasFailed() || !(await mark.exists())) await Bun.sleep(2)
  expect(fine.hasFailed()).toBe(false)
})

test('a program reads what it is given, and inherits only what it may', async () => {
  process.env.SOME_TEST_SECRET = 'x'
  const environment = { without: /^SOME_TEST_/, with: { SAID: 'hello' } }
  const ran = await runProgram('/bin/sh', ['-c', 'cat; echo "$SAID$SOME_TEST_SECRET"'], { stdin: 'in ', environment })
  delete process.env.SOME_TEST_SECRET
  expect(ran).toEqual({ code: 0, stdout: 'in hello\n', stderr: '' })
})

test('bytes that are no text come through as they are', async () => {
  const given = Uint8Array.from({ length: 200_000 }, (_, i) => i % 256)
  expect((await runForBytes('cat', [], { stdin: given })).stdout).toEqual(given)
})
