import { ask, post } from './ask.ts'
import { currentProject } from './current-project.ts'
import { type CliNoteReceipt, parseExpiry, sayReceipt, textFromWordsOrStdin } from './note-command.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('capture', args)
  if (values.global && values.local) throw new CliError('a note is either --global or --local', EXIT.invalid)
  const body = await textFromWordsOrStdin(positionals)
  if (!body.trim()) throw new CliError('what should be remembered? recollect capture <text>, or pipe it in', EXIT.invalid)
  const receipt = await ask<CliNoteReceipt>(
    '/api/notes',
    post({
      body,
      title: values.title,
      namespace: values.ns,
      type: values.type,
      scope: values.global ? 'global' : values.local ? 'local' : 'project',
      tags: values.tag,
      pinned: values.pin,
      expiresAt: values.ttl === undefined ? undefined : parseExpiry(values.ttl, Date.now()),
      supersedes: values.supersedes?.map((id) => id.replace(/^N(?=.)/, '')),
      project: values.global ? undefined : (values.project ?? currentProject()),
    }),
  )
  return values.json ? sayJson(receipt) : sayReceipt(receipt)
}
