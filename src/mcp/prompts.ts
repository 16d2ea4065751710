import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { dataBlock, sessionLine } from './memory-text.ts'
import { recall } from './search-tools.ts'
import type { ToolDeps } from './tool.ts'

/** Prompts that a person can start by name, for example `/mcp__recollect__remember`. */
export function addPrompts(server: McpServer, deps: ToolDeps): void {
  const userMessage = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] })

  server.registerPrompt(
    'remember',
    {
      title: 'Remember this',
      description: 'Save something as a note.',
      argsSchema: z.object({ text: z.string().min(1).max(20_000).describe('what to remember') }),
    },
    ({ text }) =>
      userMessage(
        `Save this with memory_capture, in a fitting namespace and with a short title. Do not add anything that I did not say. Then tell me its id.\n\n${text}`,
      ),
  )
  server.registerPrompt(
    'recall',
    {
      title: 'Recall',
      description: 'Search memory and answer from it.',
      argsSchema: z.object({ question: z.string().min(1).describe('what you want to know') }),
    },
    async ({ question }, ctx) => {
      const hits = await recall.run(deps, recall.input.parse({ query: question }), { signal: ctx.mcpReq.signal, progress: () => {} })
      return userMessage(
        `${question}\n\nAnswer from memory. The results of a first search are below. Read the important ones with memory_get, see what happened around them with memory_timeline, and name the ids you relied on. If memory does not contain the answer, say so.\n\n${hits}`,
      )
    },
  )
  server.registerPrompt(
    'standup',
    {
      title: 'Stand-up',
      description: 'Summarize recent work, next steps and blockers.',
      argsSchema: z.object({ since: z.string().max(40).optional().describe('yesterday, monday, 3d; default yesterday') }),
    },
    async ({ since = 'yesterday' }) =>
      userMessage(
        `Write a short stand-up for this project: done since ${since}, next, blockers. Use memory_recall (kind summary, the time in the query; then ns:blockers) and memory_get; name the ids that support each point.\n\n${await recentSessions(deps)}`,
      ),
  )
  server.registerPrompt(
    'handoff',
    { title: 'Handoff', description: 'Write a handoff for the next person or session.', argsSchema: z.object({}) },
    async () =>
      userMessage(
        `Write a handoff of this work: the goal, what is done, what is missing, how to verify it, what to do first, and pitfalls. Look up earlier sessions with memory_recall if you need them. Then save it with memory_capture (namespace progress, title "Handoff: …", ttl 30d) and tell me its id.\n\n${await recentSessions(deps)}`,
      ),
  )
}

async function recentSessions(deps: ToolDeps): Promise<string> {
  const { sessions } = await deps.worker.call('GET /api/sessions', { project: deps.project ?? undefined, limit: 8 })
  return dataBlock('from="sessions"', sessions.length > 0 ? sessions.map((session) => sessionLine(session, deps.now())) : ['none yet'])
}
