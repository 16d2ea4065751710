import { homePaths } from '../../platform/paths.ts'
import { loadSettings } from '../../platform/settings.ts'
import { call, startWorkerOrExplain } from '../call.ts'
import { json } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { CliError, print, printJson, yellow } from '../print.ts'

export const command = defineCommand({
  name: 'start',
  summary: 'start the worker',
  usage: 'recollect start [--json]',
  words: null,
  options: { json },
  run: ({ values }) => startAndReport(values.json ?? false),
})

export async function startAndReport(asJson: boolean): Promise<undefined> {
  const missing = await startWorkerOrExplain(homePaths())
  if (missing) throw new CliError(missing.advice, missing.exit)
  const { pid, port, version, home, wantedPort } = await call('GET /api/status')
  if (asJson) return printJson({ pid, port, version, home })
  print(`The worker is running (pid ${pid}, 127.0.0.1:${port}, version ${version}).`)
  if (port !== wantedPort && wantedPort !== 0) print(`Another program uses port ${wantedPort}, so the worker listens on ${port}.`)
  printSettingsProblems()
}

const MAX_PROBLEMS = 5

/** A person who edited the settings restarts the worker to apply them, and should see at once what it did not understand. */
function printSettingsProblems(): void {
  const { problems } = loadSettings()
  for (const problem of problems.slice(0, MAX_PROBLEMS)) print(yellow(problem))
  if (problems.length > MAX_PROBLEMS) print(yellow(`and ${problems.length - MAX_PROBLEMS} more: recollect doctor`))
}
