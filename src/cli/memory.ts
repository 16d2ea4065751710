import { closestName } from '../core/closest-name.ts'
import { ask, post, shortenTimeouts } from './ask.ts'
import { currentBranch, currentProject } from './current-project.ts'
import { run as inject } from './inject.ts'
import { type CliNoteReceipt, sayReceipt, textFromWordsOrStdin } from './note-command.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, printError, say, sayJson } from './print.ts'

const FORMS = ['inject-context', 'inject-brief', 'capture-memory', 'capture-response'] as const

/** What scripts of hooks call. It always ends well, because a script hands its exit code to the client; `--strict-exit` says how it went. */
export async function run(args: string[]): Promise<number> {
  shortenTimeouts()
  try {
    await answer(args)
    return EXIT.done
  } catch (cause) {
    const code = cause instanceof CliError ? cause.code : EXIT.error
    printError((cause as Error).message, args.includes('--json'), code)
    return args.includes('--strict-exit') ? code : EXIT.done
  }
}

async function answer(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('memory', args)
  const [called = '', ...more] = positionals
  const form = FORMS.find((known) => known === called)
  if (!form || more.length > 0) {
    const close = closestName(called, FORMS)
    throw new CliError(`which one? ${close ? `did you mean ${close}?` : `recollect memory ${FORMS.join('|')}`}`, EXIT.invalid)
  }
  const json = values.json || values.format === 'json'
  const project = values.project ?? currentProject()
  if (form === 'inject-context' || form === 'inject-brief') {
    const branch = values.project ? null : currentBranch()
    const wish = ['--project', project, ...(branch ? ['--branch', branch] : []), ...(form === 'inject-brief' ? ['--brief'] : [])]
    return inject([...wish, ...(json ? ['--json'] : [])])
  }
  const content = values.content ?? (await textFromWordsOrStdin([]))
  if (!content.trim()) throw new CliError('what should be kept? give --content, or pipe it in', EXIT.invalid)
  const session = values['session-id']
  if (form === 'capture-memory') {
    const tags = [values['hook-type'], values['tool-name']].filter((tag) => tag !== undefined)
    const receipt = await ask<CliNoteReceipt>('/api/notes', post({ body: content, project, session, tags, scope: 'project' }))
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
