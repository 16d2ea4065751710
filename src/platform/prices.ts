import { join } from 'node:path'
import { z } from 'zod'
import { readIfThere } from './files.ts'
import { shippedFilesFolder } from './shipped-files.ts'

/** US dollars per million tokens. */
export type Price = { input: number; cached: number; output: number }
export type Prices = { byModel: Record<string, Price>; problems: string[] }

const amount = z.number().min(0)
const Price = z
  .strictObject({ input: amount, output: amount, cached: amount.optional() })
  .transform(({ cached, ...price }) => ({ ...price, cached: cached ?? price.input }))

/** The bundled prices, overridden by the person's own `prices.toml`. A file that cannot be read is reported and ignored. */
export function readPrices(home: string): Prices {
  const problems: string[] = []
  return {
    byModel: {
      ...readPriceFile(join(shippedFilesFolder(), 'assets', 'prices.toml'), problems),
      ...readPriceFile(join(home, 'prices.toml'), problems),
    },
    problems,
  }
}

function readPriceFile(path: string, problems: string[]): Record<string, Price> {
  try {
    const text = readIfThere(path)
    return text === null ? {} : z.record(z.string(), Price).parse(Bun.TOML.parse(text))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? `${cause.issues[0]?.path.join('.')}: ${cause.issues[0]?.message}` : (cause as Error).message
    problems.push(`${path} is not valid and is ignored (${why})`)
    return {}
  }
}

/** Suffixes that do not make another model: a date, or `latest`. */
const EDITION = /^[-@](?:\d{8}|\d{4}-\d\d-\d\d|latest)$/

/** The price of a model, or null when it is unknown. A prefix such as `anthropic/` is ignored. */
export function findPrice({ byModel }: Prices, model: string): Price | null {
  const name = model.toLowerCase()
  const bare = name.slice(name.lastIndexOf('/') + 1).replace(/(?<=claude-\w+-\d)\.(?=\d)/, '-')
  const known = Object.keys(byModel)
  const found =
    known.find((key) => key === name) ?? known.find((key) => bare === key || (bare.startsWith(key) && EDITION.test(bare.slice(key.length))))
  return found ? (byModel[found] ?? null) : null
}

export function costInUsd(price: Price, usage: { input: number; output: number; cached: number }): number {
  return ((usage.input - usage.cached) * price.input + usage.cached * price.cached + usage.output * price.output) / 1_000_000
}
