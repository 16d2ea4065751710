import { openInBrowser } from '../platform/browser.ts'
import { viewerPathFor } from '../wire/viewer-pages.ts'
import { ask, post } from './ask.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, printNotice, say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('view', args)
  const wanted = positionals.join(' ')
  const to = viewerPathFor(wanted)
  if (to === null)
    throw new CliError(`"${wanted}" is no page and no memory; try 'recollect view search' or 'recollect view 12'`, EXIT.invalid)
  return openViewer(to, values)
}

/** Opens an address of the viewer in the browser, or prints a link where that cannot be. */
export async function openViewer(to: string, how: { print?: boolean | undefined; json?: boolean | undefined }): Promise<undefined> {
  const link = await ask<{ url: string; seconds: number }>('/api/view/link', post({ to }))
  if (how.json) return sayJson(link)
  if (!how.print && (await openInBrowser(link.url))) return say(`Opened the viewer in your browser (${new URL(link.url).origin}${to}).`)
  say(link.url)
  printNotice(`the link is good for one visit, within ${link.seconds} seconds`)
}
