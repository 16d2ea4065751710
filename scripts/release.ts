/**
 * Writes the files of a release: `RELEASE_REPOSITORY=owner/name bin/with-bun scripts/release.ts`. Prints what it would write; --write writes it into the
 * checkout. docs/releasing.md has the steps.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exitWithUsageError, parseArguments } from './arguments.ts'
import { parseRepository, releaseFiles } from './release-files.ts'

const root = join(import.meta.dir, '..')
const { values } = parseArguments(
  'RELEASE_REPOSITORY=owner/name bin/with-bun scripts/release.ts [--write] [--tag v0.1.0] [--into FOLDER]',
  {
    write: { type: 'boolean' },
    tag: { type: 'string' },
    into: { type: 'string' },
  },
)
const repository = parseRepository(process.env.RELEASE_REPOSITORY ?? '')
if (!repository) exitWithUsageError('RELEASE_REPOSITORY must be the owner and the name of the repository on GitHub, such as owner/name')

const packageJson = readFileSync(join(root, 'package.json'), 'utf8')
const { version } = JSON.parse(packageJson) as { version: string }
if (values.tag !== undefined && values.tag !== `v${version}`)
  exitWithUsageError(`the tag is ${values.tag}, but package.json has version ${version}`)

const files = releaseFiles(repository, packageJson, readFileSync(join(root, 'plugin', '.claude-plugin', 'plugin.json'), 'utf8'))
for (const [path, text] of Object.entries(files)) {
  if (!values.write) {
    console.log(`── ${path}\n${text}`)
    continue
  }
  const file = join(values.into ?? root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(`wrote ${file}`)
}
