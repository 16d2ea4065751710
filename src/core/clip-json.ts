import { clip } from './text.ts'

/**
 * The JSON text of a value, clipped to about `max` characters. Long strings lose their middle, long arrays their end; the result is still
 * valid JSON.
 */
export function clipJson(value: unknown, max: number): string {
  const json = toJson(value)
  if (json.length <= max) return json
  for (let maxChars = max / 2, items = 512; maxChars >= 32; maxChars = Math.floor(maxChars / 2), items = Math.max(4, items >> 1)) {
    const text = toJson(shrink(value, maxChars, items, 0))
    if (text.length <= max) return text
  }
  return toJson(clip(json, max - Math.ceil(max / 8)))
}

const MAX_JSON_DEPTH = 40

function shrink(value: unknown, maxChars: number, items: number, depth: number): unknown {
  if (typeof value === 'string') return clip(value, maxChars)
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_JSON_DEPTH) return '…'
  if (Array.isArray(value)) {
    const kept = value.slice(0, items).map((item) => shrink(item, maxChars, items, depth + 1))
    return value.length > items ? [...kept, `… ${value.length - items} more …`] : kept
  }
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, items)
      .map(([key, part]) => [key.slice(0, 200), shrink(part, maxChars, items, depth + 1)]),
  )
}

/** Undefined becomes null, and a value too deep for the serializer a fixed text. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return '"[not representable]"'
  }
}
