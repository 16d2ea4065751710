import { asProjectKey } from '../../core/ids.ts'
import { projectName } from '../../core/project.ts'
import { homePaths } from '../../platform/paths.ts'
import type { HomeEvaluation } from '../../worker/evaluation.ts'
import { startWorkerOrExplain } from '../call.ts'
import { json, limit, project } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { bold, CliError, dim, EXIT, invalidInput, plural, print, printJson, printTable, progressBar, table } from '../print.ts'

/** With fewer samples than this a percentage means little. */
const MIN_MEANINGFUL_SAMPLES = 10

export const command = defineCommand({
  name: 'eval',
  summary: 'measure how good memory is on your own history',
  usage: `recollect eval [--project P] [--limit N] [--json]

  Measures the newest sessions on a copy of the database. It changes nothing, sends nothing, and does not slow down sessions.

  Brief       what a session would have been shown at its start and with its prompts, from the memories that existed then: which share of
              the lines did it use, and which share of what it used was shown? A line counts as used if its conclusion or its values recur in
              what the session then says or writes; names of files and code do not count. Compared with the newest 50 observations in full
  Search      a search for the subject of each commit: is the session that made the commit first, among the first 5, among the first 10?
              Only prompts and answers are searched, because memories repeat the subject
  Distilling  which share of the changed files do the session's memories mention, and how long are they?`,
  words: null,
  options: { project, limit: { ...limit('100', 100_000), about: 'measure the newest N sessions (default 100)' }, json },
  async run({ values: { project, limit, json } }) {
    const measured = await measure({ project, limit })
    if (json) return printJson(measured)
    if (measured && measured.sessions > 0) return printEvaluation(measured, project ? ` of ${projectName(asProjectKey(project))}` : '')
    if (project) return print(`No sessions of ${project} to measure. 'recollect status' lists the projects.`)
    return print("No sessions to measure yet. Import your history with 'recollect import', or a small sample with 'recollect demo'.")
  },
})

async function measure(request: Parameters<typeof import('../../worker/evaluation.ts').evaluateHome>[0]): Promise<HomeEvaluation | null> {
  // A worker migrates a database from an older version; the measurement itself does not use it.
  await startWorkerOrExplain(homePaths())
  const { BadRequest, CorruptDatabase, evaluateHome, NewerDatabase } = await import('../../worker/evaluation.ts')
  const bar = progressBar('Measuring')
  try {
    const steps = evaluateHome(request)
    for (;;) {
      const step = await steps.next()
      if (step.done) return step.value
      bar.at(step.value.done, step.value.of, step.value.what)
    }
  } catch (cause) {
    if (cause instanceof NewerDatabase || cause instanceof CorruptDatabase) throw new CliError(cause.message, EXIT.database)
    if (cause instanceof BadRequest) throw invalidInput(cause.message)
    throw cause
  } finally {
    bar.end()
  }
}

function printEvaluation({ sessions, from, to, brief, search, distillation, embedder }: HomeEvaluation, ofProject: string): undefined {
  print(`Measured the newest ${plural(sessions, 'session')}${ofProject}, ${day(from)} to ${day(to)}. Nothing was changed or sent.\n`)
  if (brief.sessions === 0) print(dim('Brief: no session had earlier memories, so it cannot be measured.'))
  else {
    printTable([
      [bold('Shown'), ...['lines', 'used later', 'coverage', 'tokens'].map(bold)],
      usageRow('the brief', brief.brief),
      usageRow('recall at prompts', brief.recall),
      usageRow('the newest 50 observations in full', brief.baseline),
    ])
    print(dim(`${plural(brief.sessions, 'session')} with earlier memories${smallSampleWarning(brief.sessions)}`))
  }
  print()
  const rankings = [
    ['random order', search.guess] as const,
    ['by words', search.words] as const,
    [`by words and meaning (${embedder})`, search.meaning] as const,
  ].flatMap(([way, result]) => (result ? [[way, percent(result['any@1']), percent(result['any@5']), percent(result['any@10'])]] : []))
  if (rankings.length === 0) print(dim('Search: these sessions contain no commit with a known hash, so it cannot be measured.'))
  else {
    print(table([[bold('Searching for a commit, its session is'), bold('first'), bold('among 5'), bold('among 10')], ...rankings]))
    print(dim(`${plural(search.commits, 'commit')}, by subject, in prompts and answers only${smallSampleWarning(search.commits)}`))
  }
  print()
  if (distillation.filesChanged > 0) {
    print(
      `${bold('Memories mention')} ${percent(distillation.filesNamed / distillation.filesChanged)} of ${plural(distillation.filesChanged, 'changed file')} ` +
        `and are ${percent(distillation.memoryTokens / distillation.toolTokens)} as long as the input and output of the tools (${distillation.toolTokens.toLocaleString('en')} tokens).`,
    )
  } else print(dim('Distilling: no stored tool use of these sessions changed a file, so it cannot be measured.'))
  return print(dim("'recollect help eval' explains the measures."))
}

const usageRow = (name: string, { lines, used, coverage, tokens }: HomeEvaluation['brief']['brief']) => [
  name,
  lines.toLocaleString('en'),
  lines === 0 ? '–' : percent(used / lines),
  percent(coverage),
  Math.round(tokens).toLocaleString('en'),
]

const day = (at: number | null) => new Date(at ?? 0).toISOString().slice(0, 10)
const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const smallSampleWarning = (n: number) => (n < MIN_MEANINGFUL_SAMPLES ? '; too few to mean much' : '')
