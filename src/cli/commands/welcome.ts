import { AGENT_TITLES, type AgentName, DEFAULT_AGENT, SERVED_AGENTS } from '../../core/agent.ts'
import { agents } from '../../integrations/agent.ts'
import { describeConnection, findConnection } from '../../integrations/install.ts'
import { readEnvironment } from '../../platform/environment.ts'
import type { WorkerStatus } from '../../wire/contract/status.ts'
import { connectedOthers, installedAgents } from '../agents.ts'
import { call } from '../call.ts'
import { json } from '../command.ts'
import { currentCommandName } from '../current-project.ts'
import { unimportedClaudeMem } from '../other-memory.ts'
import { defineCommand } from '../parse.ts'
import { bold, plural, print, printJson } from '../print.ts'
import { loadDemo } from './demo.ts'
import { importHistory } from './import.ts'

export const command = defineCommand({
  name: 'welcome',
  summary: 'start, import your history, and show the next step',
  usage: `recollect welcome [--demo] [--json]

  Prints three lines: that Recollect runs, what it found, and what to do next. 'recollect status' shows the details.`,
  words: null,
  options: { demo: { type: 'boolean', about: 'load the sample history' }, json },
  /** The first command that a newcomer runs. The worker keeps running after it. */
  async run({ values }) {
    const imported = (await hasHistory()) ? await importHistory({ paths: [], since: null, project: null }) : null
    const demo = values.demo ? await loadDemo() : null
    const status = await call('GET /api/status')
    if (values.json) return printJson({ status, imported, demo, claudeMem: await unimportedClaudeMem() })
    print(`${bold('Recollect is running.')} Everything stays on this machine, in ${status.home}.`)
    print(await whatWasFound(status))
    const claudeMem = await unimportedClaudeMem()
    if (claudeMem) print(`To import the memories of claude-mem (${claudeMem}): ${currentCommandName()} import --from claude-mem`)
    return print(await nextStep())
  },
})

/** With a question that memory can answer, so that the newcomer sees an answer of their own at once. */
async function whatWasFound({ sessions, projects }: WorkerStatus): Promise<string> {
  const name = currentCommandName()
  if (sessions.all === 0) return `No agent history was found here yet. To look around in a sample: ${name} demo`
  const found = `Found ${plural(sessions.all, 'session')} in ${plural(projects.length, 'project')}.`
  const asked = await questionWithAnswer(projects.map(({ name }) => name))
  return asked ? `${found} Try: ${name} search "${asked.question}" --project ${asked.project}` : `${found} To see them: ${name} view`
}

/** The subject of recent work whose search finds that work first, in the first project that has one. */
async function questionWithAnswer(projects: string[]): Promise<{ question: string; project: string } | null> {
  for (const project of projects.slice(0, MAX_TRIED_PROJECTS)) {
    const { items } = await call('POST /api/timeline', { at: Date.now(), depth_before: MAX_TRIED_MEMORIES, depth_after: 0, project })
    for (const { kind, sessionId, title } of items.toReversed()) {
      const question = kind === 'observation' ? questionFrom(title) : null
      if (question === null) continue
      const { hits, isClose } = await call('POST /api/search', { query: question, limit: 1, project })
      if (isClose && hits[0]?.sessionId === sessionId) return { question, project }
    }
  }
  return null
}

const MAX_TRIED_PROJECTS = 3
const MAX_TRIED_MEMORIES = 40

/** A title that reads as a subject: a few plain words, which need no quoting beyond the quotation marks. */
function questionFrom(title: string): string | null {
  const subject = title.replace(/ \([^)]*\)$/, '')
  const words = subject.split(' ').length
  return words >= 3 && words <= 8 && /^[\p{L}\p{N} ,._/-]+$/u.test(subject) ? subject : null
}

async function nextStep(): Promise<string> {
  const name = currentCommandName()
  const environment = readEnvironment()
  const connected = new Set<AgentName>(connectedOthers())
  if (describeConnection(findConnection(environment)).fix === null) connected.add(DEFAULT_AGENT)
  const missing = (await installedAgents(environment)).filter((agent) => !connected.has(agent))
  const titles = (agents: Iterable<AgentName>) => new Intl.ListFormat('en').format([...agents].map((agent) => AGENT_TITLES[agent]))
  if (missing.length > 0) return `Next, connect ${titles(missing)}: ${name} init`
  const [are, they] = connected.size === 1 ? ['is', 'it remembers'] : ['are', 'they remember']
  return `${titles(connected)} ${are} connected. To browse what ${they}: ${name} view`
}

/** Whether an agent has left transcripts on this machine. */
async function hasHistory(): Promise<boolean> {
  for (const name of SERVED_AGENTS) {
    const agent = await agents[name]()
    const roots = agent.transcriptRoots(agent.configFolder(readEnvironment()))
    if (roots.some((root) => agent.transcriptsBelow(root.folder).length > 0)) return true
  }
  return false
}
