import { asProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import { homePaths } from '../platform/paths.ts'
import type { HomeEvaluation } from '../worker/worker.ts'
import { startWorkerOrExplain } from './ask.ts'
import { parse } from './parse.ts'
import { bold, CliError, dim, EXIT, plural, progressBar, say, sayJson, table } from './print.ts'

/** Fewer of something than this, and a share of it says little. */
const MIN_MEANINGFUL_SAMPLES = 10

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('eval', args)
  const limit = Number(values.limit)
  const measured = await measure({ project: values.project, limit })
  if (values.json) return sayJson(measured)
  if (!measured || measured.sessions === 0)
    return say(
      values.project
        ? `There are no sessions of ${values.project} to measure on.`
        : "There are no sessions to measure on yet. 'recollect import' brings in your history; 'recollect demo' a small sample.",
    )
  printEvaluation(measured, values.project ? ` of ${projectName(asProjectKey(values.project))}` : '')
}

async function measure(wish: Parameters<typeof import('../worker/worker.ts').evaluateHome>[0]): Promise<HomeEvaluation | null> {
  // Only for a database that an older version left behind: the worker completes its tables.
  await startWorkerOrExplain(homePaths())
  const { BadRequest, CorruptDatabase, evaluateHome: evaluateAlone, NewerDatabase } = await import('../worker/worker.ts')
  const bar = progressBar('Measuring')
  try {
    const work = evaluateAlone(wish)
    for (;;) {
      const step = await work.next()
      if (step.done) return step.value
      bar.at(step.value.done, step.value.of, step.value.what)
    }
  } catch (cause) {
    if (cause instanceof NewerDatabase || cause instanceof CorruptDatabase) throw new CliError(cause.message, EXIT.database)
    if (cause instanceof BadRequest) throw new CliError(cause.message, EXIT.invalid)
    throw cause
  } finally {
    bar.end()
  }
}

const briefRow = (name: string, { files, names, errors, tokens }: HomeEvaluation['brief']['ours']) => [
  name,
  percent(files),
  percent(names),
  percent(errors),
  Math.round(tokens).toLocaleString('en'),
]

function printEvaluation({ sessions, from, to, brief, search, telling, embedder }: HomeEvaluation, ofProject: string): void {
  say(`Measured on the newest ${plural(sessions, 'session')}${ofProject}, ${day(from)} to ${day(to)}. Nothing was changed or sent.\n`)
  if (brief.sessions === 0) say(dim('The brief: no session with a past touched anything, so there is nothing to hold it against.'))
  else {
    say(
      table([
        [bold('Named when a session starts, of what it then touched'), ...['files', 'names', 'errors', 'tokens'].map(bold)],
        briefRow('the brief', brief.ours),
        briefRow('the newest 50 observations in full', brief.baseline),
      ]),
    )
    say(dim(`${plural(brief.sessions, 'session')} that had a past and whose tool uses are still kept${smallSampleWarning(brief.sessions)}`))
  }
  say()
  const ways = [
    ['by a blind guess', search.guess] as const,
    ['by words', search.words] as const,
    [`by words and meaning (${embedder})`, search.meaning] as const,
  ].flatMap(([way, result]) => (result ? [[way, percent(result['any@1']), percent(result['any@5']), percent(result['any@10'])]] : []))
  if (ways.length === 0) say(dim('Search: of no commit in these sessions was the hash seen, so there is nothing to ask for.'))
  else {
    say(table([[bold('Asked for a commit, its session is'), bold('first'), bold('among 5'), bold('among 10')], ...ways]))
    say(dim(`${plural(search.commits, 'commit')}, by subject, in prompts and answers only${smallSampleWarning(search.commits)}`))
  }
  say()
  if (telling.filesChanged > 0) {
    say(
      `${bold('Memories name')} ${percent(telling.filesNamed / telling.filesChanged)} of ${plural(telling.filesChanged, 'changed file')} ` +
        `and take ${percent(telling.memoryTokens / telling.toolTokens)} of the ${telling.toolTokens.toLocaleString('en')} tokens that tools were given and gave.`,
    )
  } else say(dim('Telling: of none of these sessions are tool uses kept that changed a file.'))
  say(dim("'recollect help eval' says how each is measured."))
}

const day = (at: number | null) => new Date(at ?? 0).toISOString().slice(0, 10)
const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const smallSampleWarning = (n: number) => (n < MIN_MEANINGFUL_SAMPLES ? '; so few say little' : '')
