/** The fields of a parsed JSON object, to be checked before use. Any other value has none. */
export function jsonFields(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
