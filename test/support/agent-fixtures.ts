import { Database } from 'bun:sqlite'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentName, SERVED_AGENTS } from '../../src/core/agent.ts'

const FIXTURES = join(import.meta.dir, '..', 'fixtures', 'agents')

/** A session of an agent, recorded with its real client: the payloads of its hooks, in order, and its transcript. */
export type AgentFixture = {
  agent: AgentName
  payloads: Record<string, unknown>[]
  /** Writes the transcript into a folder and returns its path. */
  writeTranscript(folder: string): string
}

/** The same session with every agent: a command, a command that ends with 3, an edit of greet.txt, a call of our memory tool, and an answer. */
export const AGENT_FIXTURES: AgentFixture[] = SERVED_AGENTS.map((agent) => ({
  agent,
  payloads: Bun.JSONL.parse(readFileSync(join(FIXTURES, agent, 'hooks.jsonl'), 'utf8')) as Record<string, unknown>[],
  writeTranscript: (folder) => (agent === 'opencode' ? writeDatabase(folder) : copyTranscript(agent, folder)),
}))

function copyTranscript(agent: AgentName, folder: string): string {
  // Gemini CLI names the project's folder in a file beside its chats.
  const chats = agent === 'gemini' ? join(folder, 'project', 'chats') : folder
  mkdirSync(chats, { recursive: true })
  if (agent === 'gemini') writeFileSync(join(folder, 'project', '.project_root'), '/home/me/project')
  const path = join(chats, `${agent}.jsonl`)
  writeFileSync(path, readFileSync(join(FIXTURES, agent, 'transcript.jsonl')))
  return path
}

type Rows = Record<'session' | 'message' | 'part', Record<string, string | number | null>[]>

/** OpenCode's database, with the columns that are read. */
function writeDatabase(folder: string): string {
  const rows = JSON.parse(readFileSync(join(FIXTURES, 'opencode', 'database.json'), 'utf8')) as Rows
  const path = join(folder, 'opencode.db')
  rmSync(path, { force: true })
  const database = new Database(path)
  for (const [table, of] of Object.entries(rows)) {
    const columns = Object.keys(of[0] ?? {})
    database.run(`CREATE TABLE ${table} (${columns.join(', ')})`)
    const insert = database.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`)
    for (const row of of) insert.run(...columns.map((column) => row[column] ?? null))
  }
  database.close()
  return `${path}#${rows.session[0]?.id}`
}
