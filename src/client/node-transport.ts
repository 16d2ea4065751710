import { request as openRequest } from 'node:http'
import type { HttpReply, Transport } from '../wire/call.ts'

/** Sends requests over the worker's Unix socket with `node:http`, because `fetch` on Node cannot use a socket. */
export function nodeTransport(socketPath: string, timeoutMs: number): Transport {
  return ({ method, path, body, headers }) =>
    new Promise<HttpReply>((resolve, reject) => {
      const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const request = openRequest({ socketPath, method, path, headers: { host: 'worker', ...headers, ...length } }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8')
          resolve({ status: response.statusCode ?? 0, text: async () => text, body: inParts(parts) })
        })
      })
      request.setTimeout(timeoutMs, () => {
        reject(Object.assign(new Error('timeout'), { name: 'TimeoutError' }))
        request.destroy()
      })
      request.on('error', reject)
      request.end(body ?? undefined)
    })
}

async function* inParts(parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}
