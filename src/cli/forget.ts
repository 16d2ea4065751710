import type { Observation } from '../core/memory.ts'
import type { Note } from '../core/note.ts'
import { shorten } from '../core/text.ts'
import { ask } from './ask.ts'
import { confirmed } from './confirm.ts'
import { parseForgettable } from './note-command.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('forget', args)
  if (positionals.length === 0) throw new CliError('what? recollect forget <id…>, for instance 12 or N01K…', EXIT.invalid)
  const memories = await Promise.all(positionals.map(findMemory))
  const hard = values.hard ?? false
  const listed = memories.map(({ shown, title }) => `  ${shown} ${shorten(title, 90)}`).join('\n')
  if (values['dry-run']) return values.json ? sayJson({ wouldForget: memories, hard }) : say(`Would forget:\n${listed}`)
  if (hard && !values.yes) {
    const goOn = await confirmed(`${listed}\nRemove for good, files included? They cannot be restored.`)
    if (!goOn) return say('Nothing was changed.')
  }
  for (const { path } of memories) await ask(`${path}${hard ? '?hard=1' : ''}`, { method: 'DELETE' })
  if (values.json) return sayJson({ forgotten: memories.map(({ id }) => id), hard })
  say(`${hard ? 'Gone for good' : 'Forgotten'}:\n${listed}${hard ? '' : "\n'recollect restore <id>' brings them back."}`)
}

/** All of them are looked up before the first is forgotten: one that is misspelt should not cost the others. */
async function findMemory(word: string): Promise<{ kind: string; id: string; shown: string; title: string; path: string }> {
  const memory = parseForgettable(word)
  if (memory.kind === 'note') return { ...memory, title: (await ask<Note>(memory.path)).title }
  const { observation } = await ask<{ observation: Observation | null }>(memory.path)
  if (!observation) throw new CliError(`there is no observation ${memory.id}`, EXIT.invalid)
  return { ...memory, title: observation.title }
}
