/**
 * `npm run eval -- stale`: how often the check of memories against the code is wrong, per language, on real repositories. Clones are given
 * by `--clone`; nothing of them is stored.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitWithUsageError, parseArguments } from '../../scripts/arguments.ts'
import { replaceBetweenMarks } from '../table.ts'
import { type Checked, replay } from './replay.ts'
import { openTruth } from './truth.ts'

const EVALUATION_PAGE = join(import.meta.dir, '..', '..', 'docs', 'evaluation.md')

const USAGE = `npm run eval -- stale --clone <folder> [--clone <folder> …] [options]
  --clone <folder>          a local clone (also bare) with at least 200 commits; use several in different languages
  --starts <number>         how many commits memories are anchored at, per clone (default 24)
  --steps <n,n,…>           after how many commits they are checked (default 20,100,300)
  --per-start <number>      how many definitions per start (default 60)
  --grammar <name>=<file>   a tree-sitter grammar that the package lacks, such as swift=tree-sitter-swift.wasm
  --verbose                 list every wrong result
  --write                   put the table into docs/evaluation.md`

const NO_CLONES = `No clone was given. Point it at any local clone, for example:
  git clone https://github.com/<owner>/<name> /tmp/<name>
  npm run eval -- stale --clone /tmp/<name>`

export async function printStale(args: string[]): Promise<void> {
  const { values } = parseArguments(
    USAGE,
    {
      clone: { type: 'string', multiple: true, default: [] },
      starts: { type: 'string', default: '24' },
      steps: { type: 'string', default: '20,100,300' },
      'per-start': { type: 'string', default: '60' },
      grammar: { type: 'string', multiple: true, default: [] },
      verbose: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
    { args },
  )
  if (values.clone.length === 0) {
    console.log(NO_CLONES)
    return
  }
  for (const clone of values.clone) if (!existsSync(clone)) exitWithUsageError(`${clone} does not exist`)
  const steps = values.steps.split(',').map(Number)
  const starts = Number(values.starts)
  const perStart = Number(values['per-start'])
  if ([...steps, starts, perStart].some((number) => !(number > 0)))
    exitWithUsageError('--starts, --steps and --per-start take numbers above 0')
  const grammars = Object.fromEntries(values.grammar.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]))
  const truth = await openTruth(grammars)
  const checked: Checked[] = []
  for (const clone of values.clone) {
    try {
      checked.push(...(await replay(clone, truth, { starts, steps, perStart, onProgress: (line) => console.error(line) })))
    } catch (cause) {
      console.error(`${clone} is left out: ${(cause as Error).message}`)
    }
    if (values.clone.length > 1) console.error(`${staleTable(checked)}\n`)
  }
  const table = staleTable(checked)
  console.log(table)
  if (values.verbose) for (const line of wrongResults(checked)) console.log(line)
  if (values.write) {
    const dated = `${table}\n\nMeasured on ${new Date().toISOString().slice(0, 10)} with \`npm run eval -- stale\`, ${values.clone.length} repositories.`
    writeFileSync(EVALUATION_PAGE, replaceBetweenMarks(readFileSync(EVALUATION_PAGE, 'utf8'), dated, 'stale'))
  }
}

type Tally = {
  checks: number
  same: number
  changed: number
  gone: number
  moved: number
  disputable: number
  falseGone: number
  falseChanged: number
  missedGone: number
  unknown: number
  reformatted: number
  reformattedFlagged: number
}

function tally(rows: Checked[]): Tally {
  const count = (test: (row: Checked) => boolean) => rows.filter(test).length
  const history = rows.filter(({ kind }) => kind === 'history')
  const of = (test: (row: Checked) => boolean) => history.filter(test).length
  return {
    checks: of(({ fate }) => fate.state !== 'disputable'),
    same: of(({ fate }) => fate.state === 'same'),
    changed: of(({ fate }) => fate.state === 'changed'),
    gone: of(({ fate }) => fate.state === 'gone'),
    moved: of(({ fate }) => fate.moved && fate.state !== 'disputable'),
    disputable: of(({ fate }) => fate.state === 'disputable'),
    falseGone: of((row) => isFalseGone(row)),
    falseChanged: of((row) => isFalseChanged(row)),
    missedGone: of((row) => isMissedGone(row)),
    unknown: of(({ fate, check }) => fate.state !== 'disputable' && check.state === 'unknown'),
    reformatted: count(({ kind }) => kind === 'reformatted'),
    reformattedFlagged: count(({ kind, check }) => kind === 'reformatted' && (check.state === 'changed' || check.state === 'gone')),
  }
}

const isFalseGone = ({ fate, check }: Checked) => (fate.state === 'same' || fate.state === 'changed') && check.state === 'gone'
const isFalseChanged = ({ fate, check }: Checked) => fate.state === 'same' && check.state === 'changed'
const isMissedGone = ({ fate, check }: Checked) => fate.state === 'gone' && check.state !== 'gone'

/** A row per language, and one for all. */
export function staleTable(checked: Checked[]): string {
  const groups = [...Map.groupBy(checked, ({ language }) => language)].sort(([a], [b]) => a.localeCompare(b))
  const rows = [...groups, ['all', checked] as [string, Checked[]]].map(([language, rows]) => rowOf(language, tally(rows)))
  return [
    '| language | checks | same / changed / gone | of these moved | false "gone" | false "changed" | missed "gone" | "unknown" | other layout: flagged | disputable |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function rowOf(language: string, t: Tally): string {
  const share = (part: number, whole: number) => (whole === 0 ? '–' : `${part}/${whole} ${((100 * part) / whole).toFixed(1)} %`)
  return `| ${[
    language,
    t.checks,
    `${t.same} / ${t.changed} / ${t.gone}`,
    t.moved,
    share(t.falseGone, t.same + t.changed),
    share(t.falseChanged, t.same),
    share(t.missedGone, t.gone),
    share(t.unknown, t.checks),
    share(t.reformattedFlagged, t.reformatted),
    t.disputable,
  ].join(' | ')} |`
}

function wrongResults(checked: Checked[]): string[] {
  const wrong = checked.filter(
    (row) =>
      isFalseGone(row) ||
      isFalseChanged(row) ||
      isMissedGone(row) ||
      row.check.state === 'unknown' ||
      (row.kind === 'reformatted' && row.check.state !== 'same'),
  )
  return wrong.map(
    ({ language, repository, kind, path, name, from, to, fate, check, anchored }) =>
      `${language} ${repository} ${kind} ${path} "${name}"${anchored === name ? '' : ` anchored as "${anchored}"`} ${from.slice(0, 10)}..${to.slice(0, 12)}: is ${fate.state}${fate.moved ? ' (moved)' : ''}, check says ${check.state}${check.movedTo ? ` in ${check.movedTo}` : ''}${check.renamedTo ? ` as ${check.renamedTo}` : ''}`,
  )
}
