import { openInBrowser } from '../../platform/browser.ts'
import { PAGE_NAMES, viewerPathFor } from '../../wire/viewer-pages.ts'
import { call } from '../call.ts'
import { json } from '../command.ts'
import { defineCommand, seeHelp } from '../parse.ts'
import { invalidInput, print, printJson, printNotice } from '../print.ts'

export const command = defineCommand({
  name: 'view',
  summary: 'open the viewer in your browser',
  usage: `recollect view [page | id] [--print] [--json]

  Pages: ${PAGE_NAMES.join(', ')}. An id (12, S3, P7, C5, N…) opens that memory.
  The link works once, within half a minute; after that the browser has access.`,
  words: `[${PAGE_NAMES.join(' | ')} | <id>]`,
  options: { print: { type: 'boolean', about: 'print the link instead of opening it' }, json },
  async run({ values, positionals }) {
    const word = positionals.join(' ')
    const path = viewerPathFor(word)
    if (path === null)
      throw invalidInput(
        `"${word}" is neither a page nor a memory id; try 'recollect view search' or 'recollect view 12', or ${seeHelp('view')}`,
      )
    return openViewer(path, values)
  },
})

/** Opens a page of the viewer in the browser, or prints a link if no browser can be opened. */
export async function openViewer(path: string, options: { print?: boolean | undefined; json?: boolean | undefined }): Promise<undefined> {
  const link = await call('POST /api/view/link', { to: path })
  if (options.json) return printJson(link)
  if (!options.print && (await openInBrowser(link.url)))
    return print(`Opened the viewer in your browser (${new URL(link.url).origin}${path}).`)
  print(link.url)
  printNotice(`the link works once, within ${link.seconds} seconds`)
}
