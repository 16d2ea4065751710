import { asProjectKey } from '../../core/ids.ts'
import { projectName, unconfirmedMarker } from '../../core/project.ts'
import { formatAge } from '../../core/time-format.ts'
import { confirmMarker } from '../../platform/confirmed-markers.ts'
import { isFolder } from '../../platform/files.ts'
import { homePaths } from '../../platform/paths.ts'
import { findProject } from '../../platform/project.ts'
import { call } from '../call.ts'
import { dryRun, json, yes } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { currentProject } from '../current-project.ts'
import { printJoinOffers } from '../join-offers.ts'
import { defineCommand } from '../parse.ts'
import { dim, invalidInput, plural, print, printJson, printTable } from '../print.ts'

export const command = defineCommand({
  name: 'projects',
  summary: 'list, join or split projects, or trust a marker file',
  usage: `recollect projects [--json]
       recollect projects join A B [--dry-run] [--yes] [--json]
       recollect projects split A [--dry-run] [--yes] [--json]
       recollect projects apart A B [--json]
       recollect projects confirm [FOLDER] [--json]

  One project may have two keys: one here, and another from an import or from a machine that has it in another folder. 'join' moves the
  memories of A to B, and from then on the folder of A belongs to B; 'split' undoes that. Projects are named by their keys or, if only one
  has it, their short name. 'apart' says that two namesakes are different projects, so that joining them is no longer offered.

  A file .recollect/project (or .anamnesis/project) names the project of its folder. One that came with a repository does not count until
  you confirm it, because it could name another project of yours. 'confirm' trusts the file that applies to FOLDER, by default the current
  folder.`,
  words: '[join A B | split A | apart A B | confirm [FOLDER]]',
  options: { 'dry-run': dryRun, yes, json },
  async run({ values, positionals: [action, ...rest] }) {
    const options = { json: values.json ?? false, dryRun: values['dry-run'] ?? false, yes: values.yes ?? false }
    switch (action) {
      case undefined:
        return listProjects(options.json)
      case 'join':
        return joinProjects(twoNames(action, rest), options)
      case 'split':
        return splitProject(rest, options)
      case 'apart': {
        const [a, b] = await Promise.all(twoNames(action, rest).map(keyOf))
        await call('POST /api/projects/apart', { a: a ?? '', b: b ?? '' })
        return options.json ? printJson({ apart: [a, b] }) : print(`${a} and ${b} stay separate projects.`)
      }
      case 'confirm':
        return confirmFolder(rest, options.json)
      default:
        throw invalidInput(`unknown action "${action}"; use join, split, apart or confirm, or none to list the projects`)
    }
  },
})

type JoinOptions = { json: boolean; dryRun: boolean; yes: boolean }

function twoNames(action: string, [a, b, ...more]: string[]): [string, string] {
  if (a === undefined || b === undefined || more.length > 0) throw invalidInput(`name two projects: recollect projects ${action} A B`)
  return [a, b]
}

/** The key of a project that is named by it or by its short name. A name that no project has is taken as a key: an empty project has no rows. */
async function keyOf(name: string): Promise<string> {
  const wanted = name.toLowerCase()
  const known = await call('GET /api/projects')
  if (known.some(({ project }) => project === wanted)) return wanted
  const here = currentProject()
  const keys = [...new Set([...known.map(({ project }) => project), here])].filter((key) => projectName(asProjectKey(key)) === wanted)
  if (keys.length > 1) throw invalidInput(`${name} could be ${keys.join(' or ')}; give the whole key`)
  return keys[0] ?? wanted
}

async function joinProjects([a, b]: [string, string], { json, dryRun, yes }: JoinOptions): Promise<undefined> {
  const [from, into] = [await keyOf(a), await keyOf(b)]
  const planned = await call('POST /api/projects/join', { from, into, dryRun: true })
  if (dryRun) return json ? printJson(planned) : print(`Would move ${amountOf(planned)} from ${from} to ${into}.`)
  if (!yes && !json && !(await confirmed(`Move ${amountOf(planned)} from ${from} to ${into}?`))) return print('Nothing was changed.')
  const joined = await call('POST /api/projects/join', { from, into })
  if (json) return printJson(joined)
  print(`${from} now belongs to ${into}; ${amountOf(joined)} follow in the background.`)
  print(dim(`To undo this: recollect projects split ${from}`))
}

async function splitProject([name, ...more]: string[], { json, dryRun, yes }: JoinOptions): Promise<undefined> {
  if (name === undefined || more.length > 0) throw invalidInput('name one project: recollect projects split A')
  const project = name.toLowerCase()
  const planned = await call('POST /api/projects/split', { project, dryRun: true })
  if (dryRun) return json ? printJson(planned) : print(`Would move ${amountOf(planned)} back from ${planned.into} to ${project}.`)
  const question = `Move ${amountOf(planned)} back from ${planned.into} to ${project}?`
  if (!yes && !json && !(await confirmed(question))) return print('Nothing was changed.')
  const split = await call('POST /api/projects/split', { project }, { timeoutMs: SPLIT_TIMEOUT_MS })
  return json ? printJson(split) : print(`${project} and ${split.into} are two projects again.`)
}

/** Every session is moved and indexed before the answer. */
const SPLIT_TIMEOUT_MS = 600_000

const amountOf = ({ sessions, notes, commits }: { sessions: number; notes: number; commits: number }) =>
  [plural(sessions, 'session'), plural(notes, 'note'), ...(commits > 0 ? [plural(commits, 'commit')] : [])].join(', ')

function confirmFolder([folder = process.cwd(), ...more]: string[], asJson: boolean): undefined {
  if (more.length > 0) throw invalidInput(`unexpected argument "${more[0]}"; use 'recollect projects confirm [FOLDER]'`)
  if (!isFolder(folder)) throw invalidInput(`${folder} is not a folder`)
  const claim = unconfirmedMarker(findProject(folder))
  if (claim) confirmMarker(homePaths(), claim.folder, claim.project)
  if (asJson) return printJson({ confirmed: claim && { folder: claim.folder, project: claim.project } })
  if (!claim) return print(`Nothing was changed: ${folder} has no marker file, or it is confirmed already.`)
  print(`From the next session on, ${claim.folder} belongs to the project ${claim.project}.`)
}

async function listProjects(asJson: boolean): Promise<undefined> {
  const projects = await call('GET /api/projects')
  if (asJson) return printJson(projects)
  if (projects.length === 0) return print('No projects yet.')
  const rows = projects.map(({ project, name, sessions, notes, lastAt }) => [
    name,
    plural(sessions, 'session'),
    plural(notes, 'note'),
    lastAt === null ? '' : formatAge(lastAt, Date.now()),
    dim(project),
  ])
  printTable(rows)
  await printJoinOffers()
}
