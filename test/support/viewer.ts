import { join } from 'node:path'
import axe from 'axe-core'
import { openBrowser, type Visitor } from './browser.ts'
import type { Person } from './person.ts'
import { until } from './until.ts'
import { openWorkerDatabase } from './worker-database.ts'

export type Viewing = Visitor & {
  origin: string
  /** Opens a page by its address, like a bookmark. */
  open(path: string): Promise<void>
  /** Waits until an expression is true in the page. It polls from outside, because the page's policy forbids evaluating code inside. */
  until(expression: string): Promise<void>
  /** Problems that axe finds for screen readers and keyboards. */
  accessibilityProblems(): Promise<string[]>
  /** Requests to other origins, uncaught errors, and violations of the content security policy. */
  violations: string[]
}

/** The person's browser, signed in by `recollect view`. */
export async function view(person: Person, options: Parameters<typeof openBrowser>[0] = {}, path = ''): Promise<Viewing> {
  const visitor = await openBrowser(options)
  const { page, context } = visitor
  const { url } = JSON.parse(await person.recollect('view', '--json', ...(path ? [path] : []))) as { url: string }
  const { origin } = new URL(url)
  const violations: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('about:')) violations.push(`requested ${request.url()}`)
  })
  context.on('weberror', (error) => violations.push(`threw ${error.error().message}`))
  context.on('console', (message) => {
    if (/Content.Security.Policy|Refused to|TrustedScript|TrustedHTML/i.test(message.text())) violations.push(`refused ${message.text()}`)
  })
  await page.goto(url)
  await page.waitForSelector('nav.side')
  return {
    ...visitor,
    origin,
    violations,
    open: async (path) => {
      await page.goto(origin + path)
      await page.waitForSelector('main header.head, main .empty')
    },
    until: (expression) => until(async () => Boolean(await page.evaluate(expression)), expression),
    accessibilityProblems: async () => {
      // The debugger may evaluate scripts although the page's policy forbids them.
      await page.evaluate(axe.source)
      const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
        violations: { id: string; nodes: { html: string }[] }[]
      }
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
    },
  }
}

/** Writes observations directly into the tables, because storing this many through the API would take minutes. Their words are not indexed. */
export function addManyObservations(person: Person, count: number): void {
  const db = openWorkerDatabase(join(person.home, '.recollect', 'recollect.db'))
  db.transaction(() => {
    db.run(`INSERT INTO sessions (agent, content_session_id, memory_session_id, project, folder, status, started_at, last_event_at)
      VALUES ('claude-code', 'many', 'memory of many', 'many', '/many', 'completed', 1, 2)`)
    const session = (db.query("SELECT id FROM sessions WHERE content_session_id = 'many'").get() as { id: number }).id
    db.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO observations (key, session_id, memory_session_id, project, prompt_number, type, title, subtitle, narrative, facts, concepts,
        files_read, files_modified, tool, tokens, model, at)
      SELECT 'many:' || i, ${session}, 'memory of many', 'many', 1, iif(i % 7 = 0, 'bugfix', 'change'), 'Memory number ' || i, '',
        'This is memory number ' || i || ', with a sentence or two of text for its row in the list.', '[]', '[]', '[]', '[]', NULL, 40,
        'plain', 1700000000000 + i * 1000 FROM n`,
    )
    db.run(`INSERT INTO documents (kind, ref, session_id, project, at)
      SELECT 'observation', CAST(id AS TEXT), session_id, project, at FROM observations WHERE project = 'many'`)
    db.run('DELETE FROM unembedded')
  })()
  db.close()
}
