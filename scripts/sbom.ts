/** Writes the software bill of materials of the package, in CycloneDX: `bin/with-bun scripts/sbom.ts [file]`; without a file, prints it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { BUNDLED_PACKAGES } from './licences.ts'

const root = join(import.meta.dir, '..')
const [file] = process.argv.slice(2)

const Bom = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string() }) }),
  components: z.array(z.looseObject({ 'bom-ref': z.string(), name: z.string(), scope: z.string().optional() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
})

const ran = Bun.spawnSync(['npm', 'sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
  cwd: root,
  stdout: 'pipe',
  stderr: 'pipe',
})
if (!ran.success) throw new Error(`npm sbom failed: ${ran.stderr}`)
const bom = Bom.parse(JSON.parse(ran.stdout.toString()))
// To npm the bundled packages are development tools, but the package contains them.
const isShipped = (name: string) => name === 'bun' || name.startsWith('@oven/bun-') || BUNDLED_PACKAGES.includes(name)
const components = bom.components
  .filter(({ name }) => isShipped(name))
  .map((component) => ({ ...component, scope: 'required', properties: [] }))
const kept = new Set([bom.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])])
const dependencies = bom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map((dependency) => ({ ...dependency, dependsOn: dependency.dependsOn.filter((ref) => kept.has(ref)) }))
const metadata = { ...bom.metadata, component: { ...bom.metadata.component, type: 'application', name: 'recollect' } }
const text = `${JSON.stringify({ ...bom, metadata, components, dependencies }, null, 2)}\n`
if (file) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
} else console.log(text)
