import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Session } from '../core/memory.ts'
import { dataBlock, sessionLine } from './memory-text.ts'
import { recall } from './search-tools.ts'
import type { ToolDeps } from './tool.ts'
import { ask, pathWithQuery } from './worker-client.ts'

/** What a person can start by name: `/mcp__recollect__remember` in Claude Code. */
export function addPrompts(server: McpServer, means: ToolDeps): void {
  const say = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] })

  server.registerPrompt(
    'remember',
    {
      title: 'Remember this',
      description: 'Keep something as a note.',
      argsSchema: z.object({ text: z.string().min(1).max(20_000).describe('what to remember') }),
    },
    ({ text }) =>
      say(
        `Keep this with memory_capture, in the namespace it belongs to and with a short title. Do not add what I did not say. Then tell me its id.\n\n${text}`,
      ),
  )
  server.registerPrompt(
    'recall',
    {
      title: 'What do we know about…',
      description: 'Search memory and answer from it.',
      argsSchema: z.object({ question: z.string().min(1).describe('what you want to know') }),
    },
    async ({ question }, ctx) => {
      const found = await recall.run(means, recall.input.parse({ query: question }), { signal: ctx.mcpReq.signal, progress: () => {} })
      return say(
        `${question}\n\nAnswer from memory. This is what a first search found; read what matters with memory_get, look around it with memory_timeline, and say which ids you relied on. Say so if memory does not hold the answer.\n\n${found}`,
      )
    },
  )
  server.registerPrompt(
    'standup',
    {
      title: 'Stand-up',
      description: 'What was done lately, what is next, what blocks.',
      argsSchema: z.object({ since: z.string().max(40).optional().describe('yesterday, monday, 3d; default yesterday') }),
    },
    async ({ since = 'yesterday' }) =>
      say(
        `Write a short stand-up for this project: done since ${since}, next, blockers. Use memory_recall (kind summary, the time in the query; then ns:blockers) and memory_get; give ids for what you claim.\n\n${await recentSessions(means)}`,
      ),
  )
  server.registerPrompt(
    'handoff',
    { title: 'Hand over', description: 'Write down where the work stands for whoever goes on.', argsSchema: z.object({}) },
    async () =>
      say(
        `Write a handoff of this work: the goal, what is done, what is not, how to check it, what to do first, what to look out for. Look up earlier sessions with memory_recall where you need them. Then keep it with memory_capture (namespace progress, title "Handoff: …", ttl 30d) and tell me its id.\n\n${await recentSessions(means)}`,
      ),
  )
}

async function recentSessions(means: ToolDeps): Promise<string> {
  const path = pathWithQuery('/api/sessions', { project: means.project, limit: 8 })
  const { sessions } = await ask<{ sessions: Session[] }>(means.client, path)
  return dataBlock('from="sessions"', sessions.length > 0 ? sessions.map((session) => sessionLine(session, means.now())) : ['none yet'])
}
