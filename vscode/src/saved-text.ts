import { type TextDocument, workspace } from 'vscode'

/** The text on disk: of a file with changes that were not saved, for example after a restart of the editor. Null if it cannot be read. */
export async function savedText(document: TextDocument): Promise<string | null> {
  try {
    return new TextDecoder().decode(await workspace.fs.readFile(document.uri))
  } catch {
    return null
  }
}
