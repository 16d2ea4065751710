/** Memory for models: four tools, and our MCP server without any configuration. */
import {
  type Disposable,
  EventEmitter,
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  McpStdioServerDefinition,
  Uri,
  workspace,
} from 'vscode'
import { RecollectError } from '../../src/client/client.ts'
import type { Memory } from './memory.ts'
import type { Sessions } from './sessions.ts'

/** The tools of the MCP server, by the names that package.json declares. */
const TOOLS: Record<string, string> = {
  recollect_recall: 'memory_recall',
  recollect_remember: 'memory_capture',
  recollect_timeline: 'memory_timeline',
  recollect_get: 'memory_get',
}

/** Arguments that tools get while no folder is open. */
const WITHOUT_FOLDER: Record<string, Record<string, string>> = {
  memory_recall: { project: 'all' },
  memory_timeline: { project: 'all' },
  memory_capture: { scope: 'global' },
}

export function addModelTools(memory: Memory, sessions: Sessions): Disposable[] {
  return Object.entries(TOOLS).map(([name, tool]) =>
    lm.registerTool<Record<string, unknown>>(name, {
      prepareInvocation: ({ input }) =>
        name === 'recollect_remember'
          ? {
              invocationMessage: 'Saving a note',
              confirmationMessages: { title: 'Save a note in Recollect?', message: String(input.text ?? '') },
            }
          : { invocationMessage: 'Looking in memory' },
      invoke: async ({ input }) => textResult(await answer(memory, sessions.mainFolder(), tool, input)),
    }),
  )
}

/** A model can correct a refused call, so that it gets the reason as text. */
async function answer(memory: Memory, folder: string | undefined, tool: string, input: Record<string, unknown>): Promise<string> {
  try {
    return await memory.ask(folder).tool(tool, folder === undefined ? { ...input, ...WITHOUT_FOLDER[tool] } : input)
  } catch (cause) {
    if (cause instanceof RecollectError) return `Memory is not available: ${cause.message}`
    throw cause
  }
}

const textResult = (text: string) => new LanguageModelToolResult([new LanguageModelTextPart(text)])

export function addMcpServer(memory: Memory, sessions: Sessions, version: string): Disposable[] {
  const changed = new EventEmitter<void>()
  return [
    changed,
    workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('recollect.path') || event.affectsConfiguration('recollect.home')) changed.fire()
    }),
    lm.registerMcpServerDefinitionProvider('recollect.mcp', {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => {
        const program = memory.program()
        if ('problem' in program || !workspace.isTrusted) return []
        const server = new McpStdioServerDefinition('Recollect', program.path, ['mcp'], memory.environment(), version)
        const folder = sessions.mainFolder()
        if (folder !== undefined) server.cwd = Uri.file(folder)
        return [server]
      },
    }),
  ]
}
