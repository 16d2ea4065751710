import { resolve } from 'node:path'
import { jsonFields } from '../../core/json-object.ts'
import { exists } from '../../platform/files.ts'
import { call } from '../call.ts'
import { json, noteOptions, project } from '../command.ts'
import { currentProject } from '../current-project.ts'
import { parseExpiry, printReceipt, textFromWordsOrStdin } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { invalidInput, print, printJson } from '../print.ts'

export const command = defineCommand({
  name: 'capture',
  summary: 'save a note',
  usage: `recollect capture <text…> [--title T] [--ns decisions] [--type procedural|semantic|episodic] [--global | --local] [--tag T]…
                         [--pin] [--ttl 30d] [--supersedes ID]… [--project P] [--json]
       recollect capture --transcript FILE [--source session-end|precompact] [--no-sync] [--json]

  Without text it reads stdin. The note belongs to this folder's project, unless you pass --global (all projects) or --local (never leaves
  this machine). A duplicate is not saved again; a note that restates an older one replaces it.

  With --transcript it reads a session's transcript instead, writes the one note of that session, and syncs. A hook's payload on stdin that
  names a transcript means the same.`,
  words: '<text…>',
  options: {
    title: { type: 'string', value: 'T', about: 'a title (default: the first line)' },
    ...noteOptions,
    global: { type: 'boolean', about: 'for all projects' },
    local: { type: 'boolean', about: 'never leaves this machine' },
    pin: { type: 'boolean', about: 'always include it in the brief' },
    transcript: { type: 'string', value: 'FILE', about: 'write the note of the session with this transcript' },
    source: { type: 'string', of: ['session-end', 'precompact'], about: 'with --transcript: why it is captured (default session-end)' },
    'no-sync': { type: 'boolean', about: 'with --transcript: do not sync afterwards' },
    project,
    json,
  },
  async run({ values, positionals }) {
    if (values.global && values.local) throw invalidInput('--global and --local contradict each other; pass only one')
    if (values.transcript !== undefined && positionals.length > 0)
      throw invalidInput('--transcript reads a session, so there is no text to save; pass one of the two')
    const body = values.transcript === undefined ? await textFromWordsOrStdin(positionals) : ''
    const transcript = values.transcript ?? (positionals.length === 0 ? transcriptInPayload(body) : null)
    if (transcript !== null) return captureTranscript(transcript, values)
    if (values.source !== undefined || values['no-sync'])
      throw invalidInput('--source and --no-sync belong to --transcript; leave them out')
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

/** The transcript that a hook's payload names; null for any other text. */
function transcriptInPayload(text: string): string | null {
  if (!text.trimStart().startsWith('{')) return null
  try {
    const { transcript_path: path, session_id: session } = jsonFields(JSON.parse(text))
    return typeof path === 'string' && typeof session === 'string' ? path : null
  } catch {
    return null
  }
}

type TranscriptFlags = { source?: 'session-end' | 'precompact' | undefined; 'no-sync'?: boolean | undefined; json?: boolean | undefined }

async function captureTranscript(file: string, { source, json, ...flags }: TranscriptFlags): Promise<undefined> {
  const path = resolve(file)
  if (!exists(path)) throw invalidInput(`${path} does not exist; pass the transcript of a session`)
  const captured = await call('POST /api/capture/transcript', { path, source }, { timeoutMs: CAPTURE_TIMEOUT_MS })
  const sync = flags['no-sync'] ? null : await call('POST /api/sync', {}, { timeoutMs: CAPTURE_TIMEOUT_MS })
  if (json) return printJson({ ...captured, sync })
  if (captured.note) print(`Wrote the note N${captured.note.id} of session ${captured.session}: ${captured.note.title}`)
  else print(`No note was written: ${captured.reason}.`)
  if (sync && sync.outcome !== 'local') (await import('./sync.ts')).printSyncReport(sync)
}

/** A long transcript is distilled before its note is written. */
const CAPTURE_TIMEOUT_MS = 600_000
