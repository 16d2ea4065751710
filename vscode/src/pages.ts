/** Read-only texts in an editor. What is shown as markdown contains recalled text only in escaped form, so that nothing in it is loaded or followed. */
import { commands, type Disposable, EventEmitter, Uri, window, workspace } from 'vscode'

const SCHEME = 'recollect'

export type Pages = ReturnType<typeof openPages>

export function openPages() {
  const texts = new Map<string, string>()
  const changed = new EventEmitter<Uri>()
  const registered = workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: changed.event,
    provideTextDocumentContent: ({ path }) => texts.get(path) ?? '',
  })
  const provider: Disposable = {
    dispose: () => {
      registered.dispose()
      changed.dispose()
    },
  }
  const put = (path: string, text: string): Uri => {
    const uri = Uri.from({ scheme: SCHEME, path })
    texts.set(path, text)
    changed.fire(uri)
    return uri
  }
  return {
    provider,
    /** Shows a text as it is. */
    show: async (name: string, text: string): Promise<void> => {
      await window.showTextDocument(await workspace.openTextDocument(put(`/${name}.txt`, text)), { preview: true })
    },
    /** Shows markdown as it is read. */
    showMarkdown: async (name: string, markdown: string): Promise<void> => {
      const { uri } = await workspace.openTextDocument(put(`/${name}.md`, markdown))
      await commands.executeCommand('markdown.showPreview', uri)
    },
  }
}
