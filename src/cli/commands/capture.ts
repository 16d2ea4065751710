import { call } from '../call.ts'
import { json, noteOptions, project } from '../command.ts'
import { currentProject } from '../current-project.ts'
import { parseExpiry, printReceipt, textFromWordsOrStdin } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { invalidInput, printJson } from '../print.ts'

export const command = defineCommand({
  name: 'capture',
  summary: 'save a note',
  usage: `recollect capture <text…> [--title T] [--ns decisions] [--type procedural|semantic|episodic] [--global | --local] [--tag T]…
                  [--pin] [--ttl 30d] [--supersedes ID]… [--project P] [--json]

  Without text it reads stdin. The note belongs to this folder's project, unless you pass --global (all projects) or --local (never leaves
  this machine). A duplicate is not saved again; a note that restates an older one replaces it.`,
  words: '<text…>',
  options: {
    title: { type: 'string', value: 'T', about: 'a title (default: the first line)' },
    ...noteOptions,
    global: { type: 'boolean', about: 'for all projects' },
    local: { type: 'boolean', about: 'never leaves this machine' },
    pin: { type: 'boolean', about: 'always include it in the brief' },
    project,
    json,
  },
  async run({ values, positionals }) {
    if (values.global && values.local) throw invalidInput('--global and --local contradict each other; pass only one')
    const body = await textFromWordsOrStdin(positionals)
    if (!body.trim()) throw invalidInput('nothing to save: recollect capture <text>, or pipe the text in')
    const receipt = await call('POST /api/notes', {
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
    })
    return values.json ? printJson(receipt) : printReceipt(receipt)
  },
})
