/** The commands of the palette. Those with words of the person are prompts of the session. */
import {
  commands,
  type Disposable,
  env,
  ProgressLocation,
  type QuickPickItem,
  Selection,
  type TextEditor,
  Uri,
  window,
  workspace,
} from 'vscode'
import { type Hit, RecollectError } from '../../src/client/client.ts'
import { projectName } from '../../src/core/project.ts'
import { formatAgo } from '../../src/core/time-format.ts'
import { briefLines, standupText } from './chat.ts'
import type { CodeMemory } from './code.ts'
import { type Memory, noteScope, searchScope } from './memory.ts'
import type { Pages } from './pages.ts'
import { quotedSelection } from './quoted-selection.ts'
import { plain } from './render.ts'
import type { Sessions } from './sessions.ts'
import type { Viewer } from './viewer.ts'

type Parts = {
  memory: Memory
  sessions: Sessions
  code: CodeMemory
  viewer: Viewer
  pages: Pages
  log(line: string): void
  refresh(): Promise<void>
}

/** A search starts when the person pauses. */
const TYPING_PAUSE_MS = 200
const MAX_HITS = 20

export function addCommands(parts: Parts): Disposable[] {
  const { memory, sessions, viewer, pages } = parts
  const all: Record<string, (...args: never[]) => unknown> = {
    'recollect.search': () => search(parts),
    'recollect.remember': () => remember(parts),
    'recollect.task': () => startTask(parts),
    'recollect.why': (uri?: string, line?: number) => why(parts, uri, line),
    'recollect.standup': async () => {
      const text = await standupText(memory, sessions.mainFolder())
      if (text === null) return void window.showInformationMessage('No work is remembered in this project yet.')
      await pages.showMarkdown('Stand-up', `# Stand-up\n\n${withoutLinks(text)}`)
    },
    'recollect.openSession': () => openSession(parts),
    'recollect.forget': () => forget(parts),
    'recollect.brief': () => showBrief(parts),
    'recollect.doctor': () => runDoctor(parts),
    'recollect.start': async () => {
      if (await memory.wake(true)) viewer.refresh()
      await parts.refresh()
    },
    'recollect.openViewer': () => openInBrowser(parts),
    'recollect.openMemory': (id: string) => {
      if (/^#?[\w.-]{1,80}$/.test(id)) viewer.open(`/memory/${id.replace('#', '')}`)
    },
    'recollect.pause': () => sessions.setPaused(true),
    'recollect.resume': () => sessions.setPaused(false),
    'recollect.refreshViewer': () => viewer.refresh(),
    'recollect.status': () => commands.executeCommand('workbench.view.extension.recollect'),
  }
  return [
    ...Object.entries(all).map(([name, run]) => commands.registerCommand(name, (...args: never[]) => explained(parts, run, args))),
    pages.provider,
  ]
}

/** A command that fails because of the worker says so, and offers what helps. */
async function explained({ memory, log, refresh }: Parts, run: (...args: never[]) => unknown, args: never[]): Promise<unknown> {
  try {
    return await run(...args)
  } catch (cause) {
    if (!(cause instanceof RecollectError)) throw cause
    log(`a command failed: ${cause.kind}`)
    const choice =
      cause.kind === 'unreachable'
        ? await window.showErrorMessage('Recollect is not running.', 'Start')
        : await window.showErrorMessage(`Recollect: ${cause.message}`)
    if (choice === 'Start') {
      await memory.wake(true)
      await refresh()
    }
    return undefined
  }
}

type HitItem = QuickPickItem & { hit: Hit }

const itemOf = (hit: Hit, isOfAllProjects: boolean): HitItem => ({
  hit,
  // VS Code reads `$(name)` as an icon.
  label: hit.title.replaceAll('$(', '$ ('),
  description: [hit.type, formatAgo(hit.at, Date.now()), ...(isOfAllProjects ? [projectName(hit.project)] : [])].join(' · '),
  detail: hit.snippet.startsWith(hit.title.slice(0, 60)) ? '' : hit.snippet,
  alwaysShow: true,
})

/** Lets the person search and choose a memory. */
function pickMemory({ memory, sessions }: Parts, title: string): Promise<{ hit: Hit; words: string } | null> {
  const folder = sessions.mainFolder()
  const pick = window.createQuickPick<HitItem>()
  pick.title = title
  pick.placeholder = 'Words, or filters such as type:bugfix since:7d'
  pick.matchOnDescription = true
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = 0
  const look = async (words: string) => {
    const mine = ++asked
    pick.busy = true
    try {
      const hits = words.trim() === '' ? [] : await memory.ask(folder).search(words, { limit: MAX_HITS, ...searchScope(folder) })
      if (mine !== asked) return
      pick.items = hits.map((hit) => itemOf(hit, folder === undefined))
      pick.title = title
    } catch (cause) {
      if (mine !== asked) return
      // A filter that the person has not finished typing.
      if (!(cause instanceof RecollectError) || cause.kind !== 'refused') throw cause
      pick.items = []
      pick.title = `${title}: ${cause.message}`
    } finally {
      if (mine === asked) pick.busy = false
    }
  }
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      reject(cause)
      pick.hide()
    }
    pick.onDidChangeValue((words) => {
      clearTimeout(timer)
      timer = setTimeout(() => void look(words).catch(fail), TYPING_PAUSE_MS)
    })
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems
      if (!chosen) return
      resolve({ hit: chosen.hit, words: pick.value })
      pick.hide()
    })
    pick.onDidHide(() => {
      clearTimeout(timer)
      resolve(null)
      pick.dispose()
    })
    pick.show()
  })
}

async function search(parts: Parts): Promise<void> {
  const chosen = await pickMemory(parts, 'Search memories')
  if (!chosen) return
  parts.sessions.prompt(parts.sessions.mainFolder(), `/recollect search ${chosen.words}`, '')
  parts.viewer.open(`/memory/${chosen.hit.id.replace('#', '')}`)
}

async function remember({ memory, sessions }: Parts): Promise<void> {
  const editor = window.activeTextEditor
  const folder = sessions.mainFolder()
  const quoted = editor && !editor.selection.isEmpty ? quote(editor) : ''
  const words = await window.showInputBox({
    title: quoted !== '' ? 'Remember the selection' : folder === undefined ? 'Remember for all projects' : 'Remember',
    prompt: quoted === '' ? 'What should be remembered?' : 'What should be remembered about the selected code?',
    validateInput: (text) => (text.trim() === '' ? 'Write a sentence.' : null),
  })
  if (words === undefined) return
  const body = [words, quoted].filter(Boolean).join('\n\n')
  const { kind } = await memory.ask(folder).notes.add({ body, namespace: 'learnings', ...noteScope(folder) })
  sessions.prompt(folder, '/recollect remember', '')
  void window.showInformationMessage(kind === 'same' ? 'Recollect already has a note that says this.' : 'Recollect saved the note.')

  function quote({ document, selection }: TextEditor): string {
    return quotedSelection(memory.ask(undefined).clean, document.getText(), {
      text: document.getText(selection),
      path: workspace.asRelativePath(document.uri, false),
      firstLine: selection.start.line + 1,
      lastLine: selection.end.line + 1,
      language: document.languageId,
    })
  }
}

async function startTask({ sessions }: Parts): Promise<void> {
  const words = await window.showInputBox({
    title: 'What are you working on?',
    prompt: 'The work that follows is remembered under these words.',
  })
  if (words?.trim()) sessions.prompt(sessions.mainFolder(), words)
}

async function why({ code, pages, sessions }: Parts, uri?: string, line?: number): Promise<void> {
  const document = uri === undefined ? window.activeTextEditor?.document : await workspace.openTextDocument(Uri.parse(uri))
  const selection = line === undefined ? window.activeTextEditor?.selection : new Selection(line - 1, 0, line - 1, 0)
  if (!document || !selection) return void window.showInformationMessage('Open a file and select the code to explain.')
  const { text, isKnown } = await code.why(document, selection)
  if (!isKnown) return void window.showInformationMessage(text.replaceAll('`', '').replaceAll('\\', ''))
  sessions.prompt(sessions.folderOf(document.uri), `/recollect why ${workspace.asRelativePath(document.uri)}`, '')
  await pages.showMarkdown('Why', `# Why is ${plain(workspace.asRelativePath(document.uri))} like this?\n\n${withoutLinks(text)}`)
}

/** A preview does not run the commands of our links. */
const withoutLinks = (markdown: string): string => markdown.replace(/\[([^\]]*)\]\(command:[^)]*\)/g, '$1')

async function openSession({ memory, sessions, viewer }: Parts): Promise<void> {
  const folder = sessions.mainFolder()
  const found = await memory.ask(folder).sessions({ limit: 50, ...searchScope(folder) })
  const items = found
    .filter(({ promptCount }) => promptCount > 0)
    .map((session) => ({
      label: session.title ?? `Session ${session.id}`,
      description: `${session.host ?? session.agent} · ${session.live ? 'open' : formatAgo(session.lastEventAt, Date.now())}`,
      detail: `${session.promptCount} prompts, ${session.observations} observations`,
      id: session.id,
    }))
  const chosen = await window.showQuickPick(items, {
    title: 'Open a session',
    placeHolder: items.length === 0 ? 'No session is remembered yet.' : folder === undefined ? 'Sessions' : 'Sessions of this project',
    matchOnDetail: true,
  })
  if (chosen) viewer.open(`/sessions/${chosen.id}`)
}

async function openInBrowser({ memory }: Parts): Promise<void> {
  const newLink = () => memory.ask(undefined).viewLink('/feed')
  const link = Uri.parse(await newLink())
  const port = link.authority.split(':')[1]
  // The worker answers only if it is addressed by its own port. A window that forwards it under another number, or through a proxy, cannot show it.
  const outside = await env.asExternalUri(link)
  if (outside.authority.endsWith(`:${port}`)) return void (await env.openExternal(link))
  const choice = await window.showWarningMessage(
    `A browser here cannot reach port ${port} of the machine with the code. A browser there can: the link works once, within 30 seconds.`,
    'Copy Link',
  )
  if (choice === 'Copy Link') await env.clipboard.writeText(await newLink())
}

async function forget(parts: Parts): Promise<void> {
  const chosen = await pickMemory(parts, 'Forget a memory')
  if (!chosen) return
  const client = parts.memory.ask(parts.sessions.mainFolder())
  const preview = await client.previewForget([chosen.hit.id])
  const shown = preview.items.slice(0, 12).map(({ kind, title }) => `${title} (${kind})`)
  const more = preview.items.length > shown.length ? [`… and ${preview.items.length - shown.length} more`] : []
  const choice = await window.showWarningMessage(
    'Forget this memory and what was made from it?',
    { modal: true, detail: [...shown, ...more, '', "It can be restored for a week with 'recollect restore'."].join('\n') },
    'Forget',
  )
  if (choice !== 'Forget') return
  const report = await client.forget([chosen.hit.id], { fingerprint: preview.fingerprint })
  parts.code.forgetAnswers()
  void window.showInformationMessage(`Recollect forgot ${report.items.length === 1 ? 'one memory' : `${report.items.length} memories`}.`)
}

async function showBrief({ memory, sessions, pages }: Parts): Promise<void> {
  const folder = sessions.mainFolder()
  if (folder === undefined) return void window.showInformationMessage('Open a folder to see its brief.')
  const { text } = await memory.ask(folder).brief()
  await pages.show('Brief', briefLines(text) || 'Nothing is remembered about this project yet.')
}

async function runDoctor({ memory, pages }: Parts): Promise<void> {
  const options = { location: ProgressLocation.Notification, title: 'Recollect looks for problems' }
  const { output } = await window.withProgress(options, () => memory.run(['doctor']))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape character.
  await pages.show('Doctor', output.replace(/\u001b\[[0-9;]*m/g, ''))
}
