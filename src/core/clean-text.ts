import { clipJson } from './clip-json.ts'
import { withoutPrivate, withoutPrivateInJson } from './privacy.ts'
import { redact, redactJson } from './secrets.ts'
import { clip } from './text.ts'

/** `redactPatterns` are the person's own patterns, applied after the built-in rules. Null switches redaction off. */
export type RedactionRules = { redactPatterns: RegExp[] | null }

/**
 * Makes a text safe to store: removes private parts, then redacts secrets. With `maxChars`, also trims and clips it. The order
 * matters: clipping first could cut a closing tag off, or leave half a secret that no rule recognizes. `hidPrivate` says whether
 * the person had marked a part as private.
 */
export function cleanText(raw: string, { redactPatterns }: RedactionRules, maxChars?: number): { text: string; hidPrivate: boolean } {
  const { text: publicText, hidPrivate } = withoutPrivate(raw)
  const safe = redactPatterns ? redact(publicText, redactPatterns) : publicText
  return { text: maxChars === undefined ? safe : clip(safe.trim(), maxChars), hidPrivate }
}

/**
 * Cleans every text of a JSON value, keys too. With `markPrivate`, a string that lost a private part ends with `<private/>`, so
 * the next reader still learns that something private was there.
 */
export function cleanJson<T>(raw: T, { redactPatterns }: RedactionRules, { markPrivate = false } = {}): T {
  const publicValue = withoutPrivateInJson(raw, markPrivate)
  return redactPatterns ? redactJson(publicValue, redactPatterns) : publicValue
}

/** The cleaned value as JSON text of about `maxChars` characters at most. Clipped JSON is still valid JSON. */
export function cleanJsonText(raw: unknown, rules: RedactionRules, maxChars: number): string {
  return clipJson(cleanJson(raw, rules), maxChars)
}
