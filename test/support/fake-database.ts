import type { HubDatabase } from '../../src/hub/hub.ts'

/** Answers statements by the first key that they contain. A function may throw or take its time, as PostgreSQL does. */
export function fakeDatabase(
  answers: Record<string, unknown[] | (() => unknown[] | Promise<unknown[]>)>,
): HubDatabase & { asked: string[] } {
  const asked: string[] = []
  const query: HubDatabase['query'] = async (text) => {
    asked.push(text)
    const found = Object.entries(answers).find(([part]) => text.includes(part))?.[1] ?? []
    return (typeof found === 'function' ? found() : found) as never
  }
  const script = async () => {}
  return { asked, query, script, transaction: (work) => work(query, script), close: async () => {} }
}

/** What PostgreSQL throws. */
export const postgresError = (state: string, message = 'failed') => Object.assign(new Error(message), { errno: state })
