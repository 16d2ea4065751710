/** Reports the work of a person in the editor: saves, finished commands and tasks, and problems that appear or disappear. */
import { isAbsolute, relative } from 'node:path'
import {
  type Diagnostic,
  DiagnosticSeverity,
  type Disposable,
  languages,
  ProcessExecution,
  ShellExecution,
  type Task,
  TaskScope,
  type TerminalShellExecution,
  type TextDocument,
  tasks,
  Uri,
  window,
  workspace,
} from 'vscode'
import type { ClientToolUse } from '../../src/client/client.ts'
import { changedParts } from './changed-parts.ts'
import type { Memory } from './memory.ts'
import { openProblemLog, problemText } from './problem-list.ts'
import { savedText } from './saved-text.ts'
import { isSecretFile, printsSecrets } from './secret-files.ts'
import type { Sessions } from './sessions.ts'
import { isFullScreen, isReportedCommand, MAX_OUTPUT_CHARACTERS, terminalText } from './terminal-text.ts'

/** Saves and problems that follow each other this closely are one. */
const SAVE_QUIET_MS = 800
const PROBLEMS_QUIET_MS = 1500
/** A document may say for a moment that it has no changes although it was just edited. */
const READ_AGAIN_MS = 400
/** The last part of a command's output may arrive after its end. */
const LAST_OUTPUT_MS = 2000
/** A longer text is data. */
const MAX_TEXT_CHARACTERS = 512 * 1024

const isOn = (name: string) => workspace.getConfiguration('recollect').get<boolean>(`record.${name}`, true)

export function watchEditor(sessions: Sessions, memory: Memory): Disposable[] {
  const problems = openProblemLog()
  return [...watchSaves(sessions, memory, problems.saved), ...watchTerminals(sessions), ...watchProblems(sessions, problems)]
}

/** Of a text that is too long or not a text, only the save is reported. */
const isData = (text: string) => text.length > MAX_TEXT_CHARACTERS || text.includes('\0')

/** A save is reported with what changed since the last one, or since the file was opened. */
function watchSaves(sessions: Sessions, memory: Memory, saved: () => void): Disposable[] {
  const texts = new Map<string, string>()
  const waiting = new Map<string, { timer: ReturnType<typeof setTimeout>; document: TextDocument; text: string }>()

  const remember = async (document: TextDocument): Promise<void> => {
    const path = document.uri.fsPath
    if (sessions.folderOf(document.uri) === undefined || isSecretFile(path) || texts.has(path)) return
    const text = document.isDirty ? await savedText(document) : document.getText()
    if (text !== null && !isData(text) && !texts.has(path)) texts.set(path, text)
  }

  /** A file that another program has changed, such as an agent, and that was read again: that change is not the person's. */
  const readAgain = async (document: TextDocument): Promise<void> => {
    const isOwn = () => document.isDirty || waiting.has(document.uri.fsPath)
    if (isOwn()) return
    const [text, saved] = [document.getText(), await savedText(document)]
    if (!isOwn() && saved === text && !document.isClosed) texts.set(document.uri.fsPath, text)
  }

  const report = (document: TextDocument, text: string): void => {
    const path = document.uri.fsPath
    waiting.delete(path)
    const folder = sessions.folderOf(document.uri)
    const before = texts.get(path)
    // Another program may change a file that is closed, so its text must be read again when it is opened.
    if (document.isClosed || isData(text)) texts.delete(path)
    else texts.set(path, text)
    if (folder === undefined || !isOn('saves') || before === text) return
    if (before === undefined || isData(text)) {
      sessions.report(folder, { name: 'FileSave', input: { path }, output: 'saved' })
      return
    }
    // Only parts of the texts are sent, and a part may be inside a private one.
    const { clean } = memory.tell(folder)
    const [old, now] = [clean(before), clean(text)]
    if (before === '' && now !== '') {
      sessions.report(folder, { name: 'Write', input: { file_path: path, content: now }, output: { type: 'create', filePath: path } })
      return
    }
    for (const part of changedParts(old, now))
      sessions.report(folder, { name: 'FileSave', input: { path, old_string: part.before, new_string: part.after }, output: 'saved' })
  }

  for (const document of workspace.textDocuments) void remember(document)
  return [
    workspace.onDidOpenTextDocument((document) => void remember(document)),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (!document.isDirty && contentChanges.length > 0 && texts.has(document.uri.fsPath))
        setTimeout(() => void readAgain(document), READ_AGAIN_MS)
    }),
    workspace.onDidSaveTextDocument((document) => {
      if (sessions.folderOf(document.uri) === undefined || isSecretFile(document.uri.fsPath)) return
      saved()
      clearTimeout(waiting.get(document.uri.fsPath)?.timer)
      const text = document.getText()
      const timer = setTimeout(() => report(document, text), SAVE_QUIET_MS)
      waiting.set(document.uri.fsPath, { timer, document, text })
    }),
    workspace.onDidCloseTextDocument(({ uri }) => {
      if (!waiting.has(uri.fsPath)) texts.delete(uri.fsPath)
    }),
    // A notebook is saved with the outputs of its cells, which may be anything, so that its text is not reported.
    workspace.onDidSaveNotebookDocument(({ uri }) => {
      if (isOn('saves')) sessions.report(sessions.folderOf(uri), { name: 'FileSave', input: { path: uri.fsPath }, output: 'saved' })
    }),
    {
      dispose: () => {
        for (const { timer, document, text } of [...waiting.values()]) {
          clearTimeout(timer)
          report(document, text)
        }
      },
    },
  ]
}

type Output = { text: string; isWhole: boolean; done: Promise<void> }

function watchTerminals(sessions: Sessions): Disposable[] {
  const outputs = new WeakMap<TerminalShellExecution, Output>()
  /** Commands of tasks that a terminal reports too, with their output. */
  const ofTasks = new Set<string>()
  const read = async (execution: TerminalShellExecution, output: Output): Promise<void> => {
    for await (const part of execution.read()) {
      if (output.isWhole) output.text += part
      if (output.text.length <= MAX_OUTPUT_CHARACTERS) continue
      output.isWhole = false
      output.text = ''
    }
  }
  const isTask = (command: string) => tasks.taskExecutions.some(({ task }) => commandOf(task) === command)
  return [
    window.onDidStartTerminalShellExecution(({ execution }) => {
      const command = execution.commandLine.value.trim()
      // A command that started while recording was paused stays unrecorded.
      if (!isReportedCommand(command) || !sessions.isAllowed()) return
      if (isTask(command)) ofTasks.add(command)
      const output: Output = { text: '', isWhole: true, done: Promise.resolve() }
      outputs.set(execution, output)
      output.done = read(execution, output).catch(() => {})
    }),
    window.onDidEndTerminalShellExecution(async ({ execution, exitCode, terminal }) => {
      const output = outputs.get(execution)
      const command = execution.commandLine.value.trim()
      if (!output || !isOn(ofTasks.has(command) ? 'tasks' : 'terminal')) return
      await Promise.race([output.done, new Promise((resolve) => setTimeout(resolve, LAST_OUTPUT_MS))])
      ofTasks.delete(command)
      const cwd = execution.cwd ?? terminal.shellIntegration?.cwd
      const folder = cwd === undefined ? sessions.mainFolder() : sessions.folderOf(Uri.joinPath(cwd, 'x'))
      const text = isFullScreen(output.text) || printsSecrets(command) ? '' : terminalText(output.text)
      sessions.report(folder, { name: 'Bash', input: { command }, ...resultOf(exitCode, text) })
    }),
    tasks.onDidEndTaskProcess(({ execution: { task }, exitCode }) => {
      const command = commandOf(task)
      if (command === null || ofTasks.has(command) || exitCode === undefined || !isOn('tasks')) return
      const { scope } = task
      const isOfFolder = typeof scope === 'object' && scope !== null
      const folder = isOfFolder ? scope.uri.fsPath : scope === TaskScope.Global ? undefined : sessions.mainFolder()
      sessions.report(folder, { name: 'Bash', input: { command, description: task.name }, ...resultOf(exitCode, '') })
    }),
  ]
}

/** The exit code of a command that a person ended with Ctrl+C. */
const ENDED_BY_PERSON = 130

/** Without an exit code, the command was interrupted. */
function resultOf(exitCode: number | undefined, text: string): Pick<ClientToolUse, 'output' | 'error'> {
  if (exitCode === undefined || exitCode === ENDED_BY_PERSON) return { output: { stdout: text, interrupted: true } }
  return exitCode === 0 ? { output: { stdout: text } } : { error: `Exit code ${exitCode}\n${text}` }
}

function commandOf({ execution }: Task): string | null {
  const wordOf = (word: string | { value: string }) => (typeof word === 'string' ? word : word.value)
  if (execution instanceof ProcessExecution) return [execution.process, ...execution.args].join(' ')
  if (!(execution instanceof ShellExecution)) return null
  return execution.commandLine ?? (execution.command ? [execution.command, ...(execution.args ?? [])].map(wordOf).join(' ') : null)
}

function watchProblems(sessions: Sessions, problems: ReturnType<typeof openProblemLog>): Disposable[] {
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = (): void => {
    for (const path of [...waiting]) {
      const uri = Uri.file(path)
      const folder = sessions.folderOf(uri)
      // While a person types, a file is full of errors. It is looked at again after the next save.
      if (workspace.textDocuments.some((document) => document.isDirty && document.uri.fsPath === path)) continue
      waiting.delete(path)
      if (folder === undefined || !isOn('problems')) continue
      const file = relativePath(folder, path)
      for (const { error } of problems.update(file, problemText(file, languages.getDiagnostics(uri).filter(isError).map(problemOf))))
        sessions.report(folder, {
          name: 'Diagnostics',
          input: { path: file },
          ...(error === null ? { output: { stdout: 'No problems are left.' } } : { error: `Exit code 1\n${error}` }),
        })
    }
  }
  const lookSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(look, PROBLEMS_QUIET_MS)
  }
  const add = (uri: Uri) => {
    if (sessions.folderOf(uri) !== undefined && !isSecretFile(uri.fsPath)) waiting.add(uri.fsPath)
  }
  for (const [uri] of languages.getDiagnostics()) add(uri)
  look()
  return [
    languages.onDidChangeDiagnostics(({ uris }) => {
      uris.forEach(add)
      if (waiting.size > 0) lookSoon()
    }),
    workspace.onDidSaveTextDocument(() => {
      if (waiting.size > 0) lookSoon()
    }),
    { dispose: () => clearTimeout(timer) },
  ]
}

const isError = ({ severity }: Diagnostic) => severity === DiagnosticSeverity.Error

function problemOf({ range, code, message }: Diagnostic) {
  const name = typeof code === 'object' ? String(code.value) : code === undefined ? '' : String(code)
  return { line: range.start.line + 1, column: range.start.character + 1, code: name, message }
}

function relativePath(folder: string, path: string): string {
  const inner = relative(folder, path)
  return inner.startsWith('..') || isAbsolute(inner) ? path : inner
}
