/** A port of this machine at which nobody listens: it was free a moment ago. A number of our own choosing may be somebody's. */
export function closedPort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  listener.stop(true)
  return listener.port
}
