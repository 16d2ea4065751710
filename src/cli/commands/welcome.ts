import { DEFAULT_AGENT } from '../../core/agent.ts'
import { agents } from '../../integrations/agent.ts'
import { readEnvironment } from '../../platform/environment.ts'
import { filesBelow } from '../../platform/folder.ts'
import { call } from '../call.ts'
import { json } from '../command.ts'
import { currentCommandName } from '../current-project.ts'
import { unimportedClaudeMem } from '../other-memory.ts'
import { defineCommand } from '../parse.ts'
import { bold, dim, plural, print, printJson } from '../print.ts'
import { loadDemo, printDemo } from './demo.ts'
import { importHistory, printHistoryImport } from './import.ts'
import { printStatus } from './status.ts'

export const command = defineCommand({
  name: 'welcome',
  summary: 'start, import your history, and show the next steps',
  usage: 'recollect welcome [--demo] [--json]',
  words: null,
  options: { demo: { type: 'boolean', about: 'load the sample history' }, json },
  /** The first command that a newcomer runs. The worker keeps running after it. */
  async run({ values }) {
    const agent = agents[DEFAULT_AGENT]
    const folder = agent.configFolder(readEnvironment())
    const transcripts = agent.transcriptRoots(folder).flatMap((root) => filesBelow(root.folder, ['.jsonl']))
    if (!values.json) print(bold('Recollect') + dim(' — memory for coding agents, on this machine only\n'))
    const imported = transcripts.length > 0 ? await importHistory({ paths: [], since: null, project: null }) : null
    const demo = values.demo ? await loadDemo() : null
    const status = await call('GET /api/status')
    if (values.json) return printJson({ status, imported, demo, claudeMem: await unimportedClaudeMem() })

    if (imported) {
      print(`Found ${agent.title} history (${plural(transcripts.length, 'transcript')}).`)
      printHistoryImport({ ...imported, where: folder })
    } else if (!demo) print(`No ${agent.title} history in ${folder} yet. To explore a sample: ${currentCommandName()} demo`)
    if (demo) printDemo(demo)
    const claudeMem = await unimportedClaudeMem()
    if (claudeMem)
      print(`Found the memories of claude-mem (${claudeMem}). To import them: ${currentCommandName()} import --from claude-mem`)
    print()
    printStatus(status)
    return printNextSteps(status.home, demo !== null)
  },
})

function printNextSteps(home: string, hasDemo: boolean): undefined {
  const name = currentCommandName()
  print(`\n${bold('Try')}`)
  print(`  ${name} search ${hasDemo ? 'tide table cache --all' : '"what you remember"'}`)
  print(`  ${name} inject${hasDemo ? ' --project tidepool' : ''}        ${dim('# what a new session would be shown')}`)
  print(`  ${name} view          ${dim('# browse everything')}`)
  print(`\n${bold('Next step')}`)
  print(`  ${name} init          ${dim('# connect Claude Code; it remembers from then on')}`)
  print(dim(`\nThe worker runs in the background and exits when it is no longer needed. Everything is stored in ${home}.`))
  print(dim(`To stop the worker: ${name} stop. To delete everything: ${name} uninstall --purge.`))
}
