/** Memories beside the code they speak of: hovers, lenses, and the answer to "why is this so?". */
import {
  CodeLens,
  type Disposable,
  EventEmitter,
  Hover,
  languages,
  MarkdownString,
  Range,
  type Selection,
  type TextDocument,
  workspace,
} from 'vscode'
import type { CodeMemoriesResponse, MemoryResponse, RememberedDefinition } from '../../src/client/client.ts'
import type { Memory } from './memory.ts'
import { linkToMemory, memoryText, plain, whyText } from './render.ts'
import { SAME_LINES, type SavedLines, savedLines } from './saved-lines.ts'
import { savedText } from './saved-text.ts'
import { selectedDefinitions } from './selected-definitions.ts'
import type { Sessions } from './sessions.ts'

/** How long an answer about a file is used again. */
const FRESH_MS = 15_000
const MAX_HOVER_MEMORIES = 3
const FILES = { scheme: 'file' }

export type CodeMemory = ReturnType<typeof openCodeMemory>

const isOn = (name: 'hover' | 'codeLens') => workspace.getConfiguration('recollect').get<boolean>(`${name}.enabled`, false)

const linesOf = async (document: TextDocument): Promise<SavedLines> =>
  document.isDirty ? savedLines((await savedText(document)) ?? '', document.getText()) : SAME_LINES

export function openCodeMemory(memory: Memory, sessions: Sessions) {
  const answers = new Map<string, { at: number; answer: Promise<CodeMemoriesResponse | null> }>()

  /** The memories about a file; null if no worker answers. */
  const about = (document: TextDocument): Promise<CodeMemoriesResponse | null> => {
    const path = document.uri.fsPath
    const folder = sessions.folderOf(document.uri)
    if (folder === undefined) return Promise.resolve(null)
    const known = answers.get(path)
    if (known && Date.now() - known.at < FRESH_MS) return known.answer
    const answer = memory
      .ask(folder)
      .codeMemories(path)
      .catch(() => null)
    answers.set(path, { at: Date.now(), answer })
    return answer
  }

  const detailsOf = async (folder: string | undefined, definitions: RememberedDefinition[]): Promise<Map<string, MemoryResponse>> => {
    const ids = [...new Set(definitions.flatMap(({ memories }) => memories.map(({ id }) => id)))]
    const found = ids.length === 0 ? [] : await memory.ask(folder).get(ids)
    return new Map(found.map((one, index) => [ids[index] ?? one.id, one]))
  }

  return {
    forgetAnswers: (): void => answers.clear(),
    about,
    /** Explains the selected code from the memories about it. `isKnown` is false when there are none. */
    why: async (document: TextDocument, selection: Selection): Promise<{ text: string; isKnown: boolean }> => {
      const folder = sessions.folderOf(document.uri)
      if (folder === undefined) return { text: 'This file is not in an open folder, so nothing is remembered about it.', isKnown: false }
      answers.delete(document.uri.fsPath)
      const found = await memory.ask(folder).codeMemories(document.uri.fsPath)
      const { toSaved } = await linesOf(document)
      const savedLine = (line: number) => ({ line: toSaved(line + 1) - 1 })
      const { isEmpty } = selection
      const saved = { start: savedLine(selection.start.line), end: savedLine(selection.end.line), isEmpty }
      const chosen = selectedDefinitions(found.definitions, saved)
      const name = plain(found.path ?? document.uri.fsPath)
      if (chosen.length > 0) return { text: whyText(chosen, await detailsOf(folder, chosen), Date.now(), linkToMemory), isKnown: true }
      if (found.others.length > 0 && selection.isEmpty) {
        const whole = [{ name: found.path ?? '', firstLine: 1, lastLine: 1, memories: found.others }]
        return { text: whyText(whole, await detailsOf(folder, whole), Date.now(), linkToMemory), isKnown: true }
      }
      const elsewhere = found.definitions.map((one) => `\`${one.name.replaceAll('`', '')}\``).slice(0, 8)
      const hint = elsewhere.length > 0 ? ` Something is remembered about ${elsewhere.join(', ')} in ${name}.` : ''
      return { text: `Nothing is remembered about this code.${hint}`, isKnown: false }
    },
    detailsOf,
  }
}

export function showBesideCode(code: CodeMemory, sessions: Sessions): Disposable[] {
  const changed = new EventEmitter<void>()
  return [
    changed,
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('recollect.codeLens')) changed.fire()
    }),
    workspace.onDidSaveTextDocument(() => code.forgetAnswers()),
    languages.registerHoverProvider(FILES, {
      provideHover: async (document, position) => {
        if (!isOn('hover')) return null
        const found = await code.about(document)
        if (!found || found.definitions.length === 0) return null
        const { toEditor } = await linesOf(document)
        const definition = found.definitions.find(({ firstLine }) => toEditor(firstLine) === position.line + 1)
        if (!definition) return null
        const shown = { ...definition, memories: definition.memories.slice(0, MAX_HOVER_MEMORIES) }
        const details = await code.detailsOf(sessions.folderOf(document.uri), [shown]).catch(() => new Map<string, MemoryResponse>())
        const text = shown.memories.map((one) => memoryText(one, details, Date.now(), linkToMemory, 240)).join('\n\n---\n\n')
        const markdown = new MarkdownString(`$(history) Recollect\n\n${text}`, true)
        markdown.isTrusted = { enabledCommands: ['recollect.openMemory'] }
        return new Hover(markdown, new Range(position.line, 0, position.line, Number.MAX_SAFE_INTEGER))
      },
    }),
    languages.registerCodeLensProvider(FILES, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: async (document) => {
        if (!isOn('codeLens')) return []
        const found = await code.about(document)
        const { toEditor } = await linesOf(document)
        return (found?.definitions ?? []).flatMap(({ firstLine, memories }) => {
          const line = toEditor(firstLine)
          if (line === null) return []
          const [first] = memories
          const count = memories.length === 1 ? '1 memory' : `${memories.length} memories`
          const title = `$(history) ${count}: ${(first?.title ?? '').replace(/\$\(/g, '$ (').slice(0, 80)}`
          return new CodeLens(new Range(line - 1, 0, line - 1, 0), {
            title,
            command: 'recollect.why',
            arguments: [document.uri.toString(), line],
          })
        })
      },
    }),
  ]
}
