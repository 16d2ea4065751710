import { claudeCode } from '../integrations/agent.ts'
import { readEnvironment } from '../platform/environment.ts'
import { filesBelow } from '../platform/folder.ts'
import type { WorkerStatus } from '../wire/api.ts'
import { ask } from './ask.ts'
import { currentCommandName } from './current-project.ts'
import { loadDemo, sayDemo } from './demo.ts'
import { importHistory, sayHistoryImport } from './import.ts'
import { parse } from './parse.ts'
import { bold, dim, plural, say, sayJson } from './print.ts'
import { sayStatus } from './status.ts'

/** The first thing a newcomer runs: start, bring in what there is, show what to do next. Ends by itself; the worker stays. */
export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('welcome', args)
  const environment = readEnvironment()
  const history = claudeCode.transcriptRoots(environment.claudeConfig).flatMap((root) => filesBelow(root.folder, ['.jsonl']))
  const tell = (text = '') => (values.json ? undefined : say(text))

  tell(bold('Recollect') + dim(' — memory for coding agents, on this machine only\n'))
  const imported = history.length > 0 ? await importHistory({ paths: [], since: null, project: null }) : null
  const demo = values.demo ? await loadDemo() : null
  const status = await ask<WorkerStatus>('/api/status')
  if (values.json) return sayJson({ status, imported, demo })

  if (imported) {
    say(`Found Claude Code history (${plural(history.length, 'transcript')}).`)
    sayHistoryImport({ ...imported, where: environment.claudeConfig })
  } else if (!demo)
    say(`There is no Claude Code history in ${environment.claudeConfig} yet. To look around first: ${currentCommandName()} demo`)
  if (demo) sayDemo(demo)
  say()
  sayStatus(status)
  const name = currentCommandName()
  say(`\n${bold('Try')}`)
  say(`  ${name} search ${demo ? 'tide table cache --all' : '"what you remember"'}`)
  say(`  ${name} inject${demo ? ' --project tidepool' : ''}        ${dim('# what the next session would be told')}`)
  say(`  ${name} view          ${dim('# see it all in your browser')}`)
  say(`\n${bold('Next step')}`)
  say(`  ${name} init          ${dim('# connect Claude Code; from then on it remembers by itself')}`)
  say(dim(`\nThe worker keeps running in the background and leaves when nobody needs it. Everything is in ${status.home};`))
  say(dim(`'${name} stop' ends it, '${name} uninstall --purge' deletes everything.`))
}
