import { join } from 'node:path'
import type { Note } from '../core/note.ts'
import { editorCommand } from '../platform/environment.ts'
import { homePaths } from '../platform/paths.ts'
import type { WorkerRequest } from '../wire/socket.ts'
import { ask } from './ask.ts'
import { type CliNoteReceipt, parseExpiry, requireNoteId, sayReceipt, textFromWordsOrStdin } from './note-command.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('edit', args)
  const id = requireNoteId(positionals[0])
  const note = await ask<Note>(`/api/notes/${id}`)
  const tags = [...note.tags, ...(values.tag ?? [])].filter((tag) => !values.untag?.includes(tag))
  const patch = Object.fromEntries(
    Object.entries({
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
    }).filter(([, value]) => value !== undefined),
  )
  if (Object.keys(patch).length === 0) return openInEditor(note)
  const question: WorkerRequest = { method: 'PATCH', body: JSON.stringify(patch), headers: { 'content-type': 'application/json' } }
  const receipt = await ask<CliNoteReceipt>(`/api/notes/${id}`, question)
  return values.json ? sayJson(receipt) : sayReceipt(receipt)
}

/** The file is the truth: the person's own editor changes it, and the worker follows. */
async function openInEditor(note: Note): Promise<undefined> {
  const path = join(homePaths().folder, note.path)
  const editor = editorCommand()
  if (!editor || !process.stdin.isTTY) {
    throw new CliError(`say what to change (recollect help edit), or edit the file itself: ${path}`, EXIT.invalid)
  }
  const child = Bun.spawn([...editor.split(' ').filter(Boolean), path], { stdio: ['inherit', 'inherit', 'inherit'] })
  if ((await child.exited) !== 0) throw new CliError(`${editor} ended with an error; the file is ${path}`)
  say(`Saved ${path}`)
}
