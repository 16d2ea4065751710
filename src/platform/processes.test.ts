import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { until } from '../../test/support/until.ts'
import { FRUGAL_RUNTIME, isRunning, isRunningSince, runForBytes, runProgram, startDetached } from './processes.ts'

test('a process is running until it ends', async () => {
  const child = Bun.spawn(['sleep', '60'])
  expect(isRunning(child.pid)).toBe(true)
  child.kill()
  await child.exited
  expect(isRunning(child.pid)).toBe(false)
})

test.skipIf(process.platform !== 'linux')('a zombie is not running', async () => {
  // `exec` replaces the shell by a program that never reaps the shell's child.
  const parent = Bun.spawn(['sh', '-c', 'true & echo $!; exec sleep 60'], { stdout: 'pipe' })
  let output = ''
  for await (const part of parent.stdout) {
    output += new TextDecoder().decode(part)
    if (output.includes('\n')) break
  }
  await until(() => !isRunning(Number(output)))
  parent.kill()
})

test.skipIf(process.platform !== 'linux')('a process that started later is not the one that had its pid before', () => {
  expect(isRunningSince(process.pid, Date.now())).toBe(true)
  expect(isRunningSince(process.pid, Date.now() - performance.now() - 60_000)).toBe(false)
  expect(isRunningSince(1, Date.now())).toBe(true)
})

test('a process of another user is running too', () => {
  expect(isRunning(1)).toBe(true)
})

test('a program’s output and exit code come back', async () => {
  expect(await runProgram('sh', ['-c', 'echo out; echo err >&2; exit 3'])).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' })
})

test('a child process gets the current environment, not the one we started with', async () => {
  process.env.RECOLLECT_TEST_MARK = 'changed'
  try {
    expect((await runProgram('sh', ['-c', 'echo $RECOLLECT_TEST_MARK'])).stdout).toBe('changed\n')
  } finally {
    delete process.env.RECOLLECT_TEST_MARK
  }
})

test('a missing program gives code null', async () => {
  expect(await runProgram('/no/such/program', [])).toMatchObject({ code: null, stdout: '' })
  expect(await runProgram('true', [], { cwd: '/no/such/folder' })).toMatchObject({ code: null })
})

test('a program that takes too long is ended with all its children', async () => {
  // Waiting for it would exceed the timeout of this test. A busy machine needs a moment until it says something.
  const ran = await runProgram('sh', ['-c', 'echo before; sleep 600; echo after'], { timeoutMs: 3000 })
  expect(ran.stdout).toBe('before\n')
  expect(ran.code).not.toBe(0)
})

test('a detached process outlives its parent, and reports when it failed', async () => {
  using folder = temporaryFolder()
  const failed = startDetached('sh', ['-c', 'exit 7'], '/')
  const fine = startDetached('sh', ['-c', `echo done > ${join(folder.path, 'mark')}`], '/')
  const mark = Bun.file(join(folder.path, 'mark'))
  while (!failed.hasFailed() || !(await mark.exists())) await Bun.sleep(2)
  expect(fine.hasFailed()).toBe(false)
})

test('a detached process may get variables that the programs it starts do not inherit', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'mark')
  const program = `import { dropFrugalRuntime, runProgram } from '${join(import.meta.dir, 'processes.ts')}'
    dropFrugalRuntime()
    const { stdout } = await runProgram('/bin/sh', ['-c', 'echo "heap: $BUN_JSC_forceRAMSize"'])
    await Bun.write('${path}', process.env.MARK + stdout)`
  startDetached(process.execPath, ['-e', program], '/', { ...FRUGAL_RUNTIME, MARK: 'got ' })
  const written = () =>
    Bun.file(path)
      .text()
      .catch(() => '')
  while ((await written()) === '') await Bun.sleep(2)
  expect(await written()).toBe('got heap: \n')
})

test('a program reads its input, and inherits only the allowed variables', async () => {
  process.env.SOME_TEST_SECRET = 'x'
  const environment = { without: /^SOME_TEST_/, with: { SAID: 'hello' } }
  const ran = await runProgram('/bin/sh', ['-c', 'cat; echo "$SAID$SOME_TEST_SECRET"'], { stdin: 'in ', environment })
  delete process.env.SOME_TEST_SECRET
  expect(ran).toEqual({ code: 0, stdout: 'in hello\n', stderr: '' })
})

test('binary output is returned unchanged', async () => {
  const given = Uint8Array.from({ length: 200_000 }, (_, i) => i % 256)
  expect((await runForBytes('cat', [], { stdin: given })).stdout).toEqual(given)
})
