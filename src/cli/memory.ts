import { nearest } from '../core/nearest.ts'
import { ask, hurry, post } from './ask.ts'
import { branchHere, projectHere } from './here.ts'
import { run as inject } from './inject.ts'
import { type NoteReceipt, sayReceipt, textFrom } from './note-words.ts'
import { parse } from './parse.ts'
import { CliError, complain, EXIT, say, sayJson } from './print.ts'

const FORMS = ['inject-context', 'inject-brief', 'capture-memory', 'capture-response'] as const

/** What scripts of hooks call. It always ends well, because a script hands its exit code to the client; `--strict-exit` says how it went. */
export async function run(args: string[]): Promise<number> {
  hurry()
  try {
    await answer(args)
    return EXIT.done
  } catch (cause) {
    const code = cause instanceof CliError ? cause.code : EXIT.error
    complain((cause as Error).message, args.includes('--json'), code)
    return args.includes('--strict-exit') ? code : EXIT.done
  }
}

async function answer(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('memory', args)
  const [called = '', ...more] = positionals
  const form = FORMS.find((known) => known === called)
  if (!form || more.length > 0) {
    const close = nearest(called, FORMS)
    throw new CliError(`which one? ${close ? `did you mean ${close}?` : `recollect memory ${FORMS.join('|')}`}`, EXIT.invalid)
  }
  const json = values.json || values.format === 'json'
  const project = values.project ?? projectHere()
  if (form === 'inject-context' || form === 'inject-brief') {
    const branch = values.project ? null : branchHere()
    const wish = ['--project', project, ...(branch ? ['--branch', branch] : []), ...(form === 'inject-brief' ? ['--brief'] : [])]
    return inject([...wish, ...(json ? ['--json'] : [])])
  }
  const content = values.content ?? (await textFrom([]))
  if (!content.trim()) throw new CliError('what should be kept? give --content, or pipe it in', EXIT.invalid)
  const session = values['session-id']
  if (form === 'capture-memory') {
    const tags = [values['hook-type'], values['tool-name']].filter((tag) => tag !== undefined)
    const receipt = await ask<NoteReceipt>('/api/notes', post({ body: content, project, session, tags, scope: 'project' }))
    return json ? sayJson(receipt) : sayReceipt(receipt)
  }
  if (!session) throw new CliError('of which session? give --session-id', EXIT.invalid)
  const told = await ask<{ status: string; reason?: string }>(
    '/api/sessions/summarize',
    post({ contentSessionId: session, last_assistant_message: content }),
  )
  if (json) return sayJson(told)
  say(told.reason ? `Not kept: ${told.reason}.` : 'Kept.')
}
