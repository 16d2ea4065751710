import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { temporaryFolder } from '../../test/support/builders.ts'
import { anMcpHome, RECOLLECT } from '../../test/support/mcp.ts'
import { until } from '../../test/support/until.ts'
import { readEnvironment } from '../platform/environment.ts'
import { openWorkerConnection, sessionProject } from './shim.ts'

const recall = async (client: Client, query = 'herons') => {
  const { content, isError } = await client.callTool({ name: 'memory_recall', arguments: { query } })
  return { isError: isError ?? false, text: content[0]?.type === 'text' ? content[0].text : '' }
}
const capture = (client: Client) => client.callTool({ name: 'memory_capture', arguments: { text: 'Herons log poison messages.' } })

describe.each(['legacy', { pin: '2026-07-28' }] as const)('a client (%j)', (mode) => {
  test('gets all its replies when the worker is killed during or between calls', async () => {
    await using at = anMcpHome()
    const { client } = await at.connect(mode)
    await capture(client)
    for (let round = 0; round < 3; round++) {
      const calls = Array.from({ length: 5 }, () => recall(client))
      process.kill(at.worker().pid, 'SIGKILL')
      for (const { isError, text } of await Promise.all(calls))
        expect([isError, text]).toEqual([false, expect.stringContaining('Herons log')])
    }
    await client.close()
  })

  test('does not start a worker that a person stopped, and reaches the one that they start', async () => {
    await using at = anMcpHome()
    const { client } = await at.connect(mode)
    await capture(client)
    await at.recollect('stop')
    await Bun.sleep(700)
    await expect(recall(client)).rejects.toThrow("to start it: 'recollect start'")
    expect(at.isWorkerThere()).toBe(false)
    for (const command of ['start', 'restart']) {
      await at.recollect(command)
      expect((await recall(client)).text).toContain('Herons log')
    }
    await at.recollect('stop')
    // A new session starts the worker again.
    const next = await at.connect(mode)
    expect((await recall(next.client)).text).toContain('Herons log')
    await Promise.all([client.close(), next.client.close()])
  })
})

test.each(['my home', 'jörg', 'a#b?c', 'a:b%20'])('a home called “%s” works', async (name) => {
  await using at = anMcpHome(name)
  const { client } = await at.connect()
  await capture(client)
  expect((await recall(client)).text).toContain('Herons log')
  await client.close()
})

test('a worker that accepts no pipe is retried with pauses', async () => {
  await using at = anMcpHome()
  mkdirSync(join(at.home, 'run'), { recursive: true })
  let attempts = 0
  using _ = Bun.serve({
    unix: join(at.home, 'run', 'worker.sock'),
    fetch: ({ url }) => {
      if (new URL(url).pathname === '/mcp') attempts++
      return Response.json({ version: '999.0.0' })
    },
  })
  const child = Bun.spawn([RECOLLECT, 'mcp'], { cwd: at.project, env: at.env, stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.write(`${PING}\n`)
  child.stdin.flush()
  await until(() => attempts > 1)
  const before = attempts
  await Bun.sleep(1500)
  child.kill()
  await child.exited
  expect(attempts - before).toBeLessThan(7)
})

test('a worker that crashes is started again at once, even without a request', async () => {
  await using at = anMcpHome()
  const { client } = await at.connect()
  await recall(client)
  const { pid } = at.worker()
  process.kill(pid, 'SIGKILL')
  await until(() => at.worker().pid !== pid)
  await client.close()
})

test('the process ends when its client leaves while a worker is starting', async () => {
  await using at = anMcpHome()
  const child = Bun.spawn([RECOLLECT, 'mcp'], { cwd: at.project, env: at.env, stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.write(`${PING}\n`)
  child.stdin.flush()
  await child.stdout.getReader().read()
  process.kill(at.worker().pid, 'SIGKILL')
  await Bun.sleep(30)
  child.stdin.end()
  expect(await Promise.race([child.exited, Bun.sleep(20_000).then(() => 'still running')])).toBe(0)
}, 300_000)

test.skipIf(process.platform !== 'linux')('the process of a session stays under 40 MB', async () => {
  await using at = anMcpHome()
  const { client, pid } = await at.connect()
  for (let i = 0; i < 100; i++) await recall(client)
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  expect(kilobytes).toBeGreaterThan(0)
  expect(kilobytes).toBeLessThan(40 * 1024)
  await client.close()
})

test('if no worker can start, the error says what to do', async () => {
  await using at = anMcpHome()
  await Bun.write(at.home, 'a file is in the way')
  await expect(at.connect()).rejects.toThrow(/recollect doctor/)
})

test('a paused worker is reported as paused', async () => {
  await using at = anMcpHome()
  await at.recollect('start')
  const { pid } = at.worker()
  const before = process.env.RECOLLECT_HOME
  process.env.RECOLLECT_HOME = at.home
  process.kill(pid, 'SIGSTOP')
  try {
    const answer = Promise.withResolvers<string>()
    const connection = openWorkerConnection(null, answer.resolve, 500)
    connection.send(PING)
    expect(await answer.promise).toContain(`the worker (pid ${pid}) is paused`)
    await connection.finish()
  } finally {
    process.kill(pid, 'SIGCONT')
    if (before === undefined) delete process.env.RECOLLECT_HOME
    else process.env.RECOLLECT_HOME = before
  }
})

test('a line that is no message is answered at once, without a worker', async () => {
  const replies: string[] = []
  const connection = openWorkerConnection(null, (line) => replies.push(line))
  connection.send('not a message')
  expect(replies.map((line) => JSON.parse(line))).toEqual([{ jsonrpc: '2.0', id: null, error: expect.objectContaining({ code: -32700 }) }])
  await connection.finish()
})

test('a client in a folder works on its project; one in the home or the root folder on none', () => {
  using folder = temporaryFolder()
  const before = process.env.CLAUDE_PROJECT_DIR
  const projectIn = (path: string) => {
    process.env.CLAUDE_PROJECT_DIR = path
    return sessionProject()
  }
  try {
    expect(projectIn(folder.path)).toStartWith('recollect-')
    expect([projectIn('/'), projectIn(readEnvironment().userHome)]).toEqual([null, null])
  } finally {
    if (before === undefined) delete process.env.CLAUDE_PROJECT_DIR
    else process.env.CLAUDE_PROJECT_DIR = before
  }
})

test('over TCP the first line must be the token', async () => {
  await using at = anMcpHome()
  await using tcp = await overTcp(at)
  expect(await sendUntilReply(tcp.port, ['wrong', PING])).toContain('the first line must be the token')
  // A client that knows nothing of the token gets an answer to its request.
  expect(JSON.parse(await sendUntilReply(tcp.port, [PING]))).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32001 } })
  expect(await sendUntilReply(tcp.port, ['x'.repeat(100_000)])).toContain('at most 4096 bytes')
  for (const token of [at.token(), JSON.stringify({ token: at.token() })])
    expect(await sendUntilReply(tcp.port, [token, OPENING])).toContain('"serverInfo":{"name":"recollect"')
})

test('over TCP a client that sends everything and closes its side gets every reply', async () => {
  await using at = anMcpHome()
  await using tcp = await overTcp(at)
  const replies = await sendAll(tcp.port, [at.token(), OPENING, ...[2, 3, 4].map((id) => PING.replace('"id":1', `"id":${id}`))])
  expect(replies.map((line) => (JSON.parse(line) as { id: number }).id).sort()).toEqual([1, 2, 3, 4])
})

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const OPENING =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'

async function overTcp(at: ReturnType<typeof anMcpHome>) {
  await at.recollect('start')
  const server = Bun.spawn([RECOLLECT, 'mcp', '--transport', 'tcp', '--port', '0'], {
    cwd: at.project,
    env: at.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const output = await new Response(firstChunk(server.stderr)).text()
  return {
    port: Number(/127\.0\.0\.1:(\d+)/.exec(output)?.[1]),
    [Symbol.asyncDispose]: async () => {
      server.kill()
      await server.exited
    },
  }
}

function firstChunk(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream({
    start: async (out) => {
      const { value } = await reader.read()
      if (value) out.enqueue(value)
      out.close()
    },
  })
}

/** Sends these lines. Resolves with what came back, after a full line or when the other side closes. */
function sendUntilReply(port: number, lines: string[]): Promise<string> {
  const result = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\n')}\n`))
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString()
    if (received.includes('\n')) socket.end()
  })
  socket.on('close', () => result.resolve(received))
  socket.on('error', result.reject)
  return result.promise
}

/** Sends these lines and closes our side. Resolves with all lines that came back. */
function sendAll(port: number, lines: string[]): Promise<string[]> {
  const result = Promise.withResolvers<string[]>()
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(`${lines.join('\n')}\n`))
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString()
  })
  socket.on('close', () => result.resolve(received.trim().split('\n').filter(Boolean)))
  socket.on('error', result.reject)
  return result.promise
}
