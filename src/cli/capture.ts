import { ask, post } from './ask.ts'
import { projectHere } from './here.ts'
import { momentAfter, type NoteReceipt, sayReceipt, textFrom } from './note-words.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('capture', args)
  if (values.global && values.local) throw new CliError('a note is either --global or --local', EXIT.invalid)
  const body = await textFrom(positionals)
  if (!body.trim()) throw new CliError('what should be remembered? recollect capture <text>, or pipe it in', EXIT.invalid)
  const receipt = await ask<NoteReceipt>(
    '/api/notes',
    post({
      body,
      title: values.title,
      namespace: values.ns,
      type: values.type,
      scope: values.global ? 'global' : values.local ? 'local' : 'project',
      tags: values.tag,
      pinned: values.pin,
      expiresAt: values.ttl === undefined ? undefined : momentAfter(values.ttl, Date.now()),
      supersedes: values.supersedes?.map((id) => id.replace(/^N(?=.)/, '')),
      project: values.global ? undefined : (values.project ?? projectHere()),
    }),
  )
  return values.json ? sayJson(receipt) : sayReceipt(receipt)
}
