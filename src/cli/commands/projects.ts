import { unconfirmedMarker } from '../../core/project.ts'
import { formatAge } from '../../core/time-format.ts'
import { confirmMarker } from '../../platform/confirmed-markers.ts'
import { isFolder } from '../../platform/files.ts'
import { homePaths } from '../../platform/paths.ts'
import { findProject } from '../../platform/project.ts'
import { call } from '../call.ts'
import { json } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { dim, invalidInput, plural, print, printJson, printTable } from '../print.ts'

export const command = defineCommand({
  name: 'projects',
  summary: 'list the projects, or trust the marker file of a folder',
  usage: `recollect projects [--json]
recollect projects confirm [FOLDER] [--json]

  A file .recollect/project names the project of its folder. One that came with a repository does not count until you confirm it,
  because it could name another project of yours. 'confirm' trusts the file that applies to FOLDER, by default the current folder.`,
  words: '[confirm [FOLDER]]',
  options: { json },
  async run({ values, positionals: [action, folder = process.cwd(), ...more] }) {
    if (action === undefined) return listProjects(values.json ?? false)
    if (action !== 'confirm' || more.length > 0)
      throw invalidInput(`unexpected argument "${more[0] ?? action}"; use 'recollect projects' or 'recollect projects confirm [FOLDER]'`)
    if (!isFolder(folder)) throw invalidInput(`${folder} is not a folder`)
    const claim = unconfirmedMarker(findProject(folder))
    if (claim) confirmMarker(homePaths(), claim.folder, claim.project)
    if (values.json) return printJson({ confirmed: claim && { folder: claim.folder, project: claim.project } })
    if (!claim) return print(`Nothing was changed: ${folder} has no .recollect/project, or it is confirmed already.`)
    print(`From the next session on, ${claim.folder} belongs to the project ${claim.project}.`)
  },
})

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
  return printTable(rows)
}
