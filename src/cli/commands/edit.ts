import { join } from 'node:path'
import type { Note } from '../../core/note.ts'
import { editorCommand } from '../../platform/environment.ts'
import { homePaths } from '../../platform/paths.ts'
import { call } from '../call.ts'
import { json, noteOptions, project } from '../command.ts'
import { parseExpiry, printReceipt, requireNoteId, textFromWordsOrStdin } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { CliError, invalidInput, print, printJson } from '../print.ts'

export const command = defineCommand({
  name: 'edit',
  summary: 'change a note, or open it in your editor',
  usage: `recollect edit <id> [--title T] [--body TEXT|-] [--ns N] [--type T] [--scope project|global|local] [--project P] [--tag T]…
                      [--untag T]… [--pin | --unpin] [--ttl 30d | --keep] [--supersedes ID]… [--json]

  Without options it opens the note's file in $EDITOR.`,
  words: '<id>',
  options: {
    title: { type: 'string', value: 'T', about: 'a new title' },
    body: { type: 'string', value: 'TEXT', about: 'a new text; - reads stdin' },
    ...noteOptions,
    scope: { type: 'string', of: ['project', 'global', 'local'], about: 'the scope of the note' },
    project,
    untag: { type: 'string', multiple: true, value: 'T', about: 'remove a tag; can be repeated' },
    pin: { type: 'boolean', about: 'always include it in the brief' },
    unpin: { type: 'boolean', about: 'no longer always include it in the brief' },
    keep: { type: 'boolean', about: 'the note no longer expires' },
    json,
  },
  async run({ values, positionals }) {
    const id = requireNoteId(positionals[0])
    const note = await call('GET /api/notes/:id', { id })
    if (Object.keys(values).every((option) => option === 'json')) return openInEditor(note)
    const tags = [...note.tags, ...(values.tag ?? [])].filter((tag) => !values.untag?.includes(tag))
    const receipt = await call('PATCH /api/notes/:id', {
      id,
      title: values.title,
      body: values.body === '-' ? await textFromWordsOrStdin(['-']) : values.body,
      namespace: values.ns,
      type: values.type,
      scope: values.scope,
      project: values.project,
      tags: values.tag || values.untag ? tags : undefined,
      pinned: values.pin ? true : values.unpin ? false : undefined,
      expiresAt: values.ttl ? parseExpiry(values.ttl, Date.now()) : values.keep ? null : undefined,
      supersedes: values.supersedes ? [...note.supersedes, ...values.supersedes.map(requireNoteId)] : undefined,
    })
    return values.json ? printJson(receipt) : printReceipt(receipt)
  },
})

/** Opens the note's file, which is the original. The worker notices the change. */
async function openInEditor(note: Note): Promise<undefined> {
  const path = join(homePaths().folder, note.path)
  const editor = editorCommand()
  if (!editor) throw invalidInput(`nothing to change: pass an option (see 'recollect help edit'), set $EDITOR, or edit ${path}`)
  if (!process.stdin.isTTY)
    throw invalidInput(`not a terminal, so no editor can open: pass an option (see 'recollect help edit'), or edit ${path}`)
  const child = Bun.spawn([...editor.split(' ').filter(Boolean), path], { stdio: ['inherit', 'inherit', 'inherit'] })
  if ((await child.exited) !== 0) throw new CliError(`${editor} failed; you can edit the file yourself: ${path}`)
  return print(`Saved ${path}`)
}
