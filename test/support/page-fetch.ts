type PageRequest = { path: string; method: string; headers: Headers; body: string }

/** A server, and `fetch` as a page of that server has it: addresses are relative to the page. Restored at the end of the test. */
export function pageOf(answer: (request: PageRequest) => Response): { requests: PageRequest[]; [Symbol.dispose](): void } {
  const requests: PageRequest[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (received) => {
      const { url, method, headers } = received
      const request = { path: new URL(url).pathname, method, headers: new Headers(headers), body: await received.text() }
      requests.push(request)
      return answer(request)
    },
  })
  const own = globalThis.fetch
  globalThis.fetch = Object.assign(
    (address: string | URL | Request, options?: RequestInit) => own(new URL(String(address), server.url), options),
    own,
  )
  return {
    requests,
    [Symbol.dispose]: () => {
      globalThis.fetch = own
      void server.stop(true)
    },
  }
}
