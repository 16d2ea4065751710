/**
 * The viewer in a frame, in the side bar and in an editor. The page around the frame tells us its origins, and the worker makes a link that works once
 * and whose visit may be framed by pages of these origins only.
 */
import { randomBytes } from 'node:crypto'
import { ColorThemeKind, type Disposable, ViewColumn, type Webview, type WebviewPanel, window } from 'vscode'
import { RecollectError } from '../../src/client/client.ts'
import type { Memory } from './memory.ts'

export type Viewer = ReturnType<typeof openViewer>

type PageMessage = { kind: 'ready'; origins: string[] } | { kind: 'start' }

export function openViewer(memory: Memory) {
  const frames = new Set<{ show(): void }>()
  let panel: WebviewPanel | null = null

  const fill = (webview: Webview, page: () => string): Disposable => {
    let origins: string[] | null = null
    const frame = {
      show: async () => {
        if (origins === null) return
        try {
          const to = page()
          const url = await memory.ask(undefined).viewLink(`${to}${to.includes('?') ? '&' : '?'}theme=${themeName()}`, origins)
          await webview.postMessage({ url })
        } catch (cause) {
          if (!(cause instanceof RecollectError)) throw cause
          const isRunning = cause.kind === 'refused'
          await webview.postMessage({ problem: isRunning ? cause.message : 'Recollect is not running.', isRunning })
        }
      },
    }
    frames.add(frame)
    webview.options = { enableScripts: true }
    webview.html = framePage()
    const messages = webview.onDidReceiveMessage(async (message: PageMessage) => {
      if (message.kind === 'start') await memory.wake(true)
      else origins = message.origins
      await frame.show()
    })
    return {
      dispose: () => {
        messages.dispose()
        frames.delete(frame)
      },
    }
  }

  return {
    /** Shows the viewer in the side bar, limited to a project. */
    sideBar: (project: () => string): Disposable =>
      window.registerWebviewViewProvider(
        'recollect.viewer',
        {
          resolveWebviewView: (view) => {
            const filled = fill(view.webview, () => (project() === '' ? '/feed' : `/feed?project=${encodeURIComponent(project())}`))
            view.onDidDispose(() => filled.dispose())
          },
        },
        { webviewOptions: { retainContextWhenHidden: true } },
      ),
    /** Shows a page of the viewer in an editor. */
    open: (page: string): void => {
      panel?.dispose()
      const opened = window.createWebviewPanel('recollect.page', 'Recollect', ViewColumn.Active, {
        enableScripts: true,
        retainContextWhenHidden: true,
      })
      const filled = fill(opened.webview, () => page)
      opened.onDidDispose(() => {
        filled.dispose()
        if (panel === opened) panel = null
      })
      panel = opened
    },
    /** Loads every frame again: the theme has changed, or the worker runs again. */
    refresh: (): void => {
      for (const frame of frames) frame.show()
    },
  }
}

const themeName = () => ([ColorThemeKind.Light, ColorThemeKind.HighContrastLight].includes(window.activeColorTheme.kind) ? 'light' : 'dark')

function framePage(): string {
  const nonce = randomBytes(16).toString('base64')
  const policy = `default-src 'none'; frame-src http://127.0.0.1:*; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>Recollect</title>
<style nonce="${nonce}">
html, body { height: 100%; margin: 0; padding: 0; overflow: hidden }
iframe { border: 0; width: 100%; height: 100%; display: block }
main { padding: 12px 20px; font-family: var(--vscode-font-family); font-size: var(--vscode-font-size) }
button { color: var(--vscode-button-foreground); background: var(--vscode-button-background); border: 0; padding: 6px 14px; width: 100%; cursor: pointer }
button:hover { background: var(--vscode-button-hoverBackground) }
</style></head><body><script nonce="${nonce}">
const editor = acquireVsCodeApi()
const page = (...parts) => document.body.replaceChildren(...parts)
const element = (name, text) => Object.assign(document.createElement(name), { textContent: text })
addEventListener('message', ({ data }) => {
  if (data.url) return page(Object.assign(document.createElement('iframe'), { src: data.url, title: 'Recollect' }))
  if (!data.problem) return
  const main = document.createElement('main')
  main.append(element('p', data.problem))
  if (!data.isRunning) main.append(Object.assign(element('button', 'Start Recollect'), { onclick: () => editor.postMessage({ kind: 'start' }) }))
  page(main)
})
// Firefox does not let a page see its ancestors, and the viewer needs their origins.
if (location.ancestorOrigins) editor.postMessage({ kind: 'ready', origins: [...new Set([origin, ...location.ancestorOrigins])] })
else page(element('main', 'This browser cannot show the viewer here. Use the command "Recollect: Open the Viewer in a Browser".'))
</script></body></html>`
}
