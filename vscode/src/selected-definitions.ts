import type { RememberedDefinition } from '../../src/client/client.ts'

/** The lines of a selection, counted from 0 as editors do. */
type SelectedLines = { start: { line: number }; end: { line: number }; isEmpty: boolean }

/** The innermost definitions that a selection touches, or that contain it. */
export function selectedDefinitions(definitions: RememberedDefinition[], selection: SelectedLines): RememberedDefinition[] {
  const [from, to] = [selection.start.line + 1, selection.end.line + 1]
  const touched = definitions.filter(({ firstLine, lastLine }) => firstLine <= to && lastLine >= from)
  const inner = touched.filter(
    (one) => !touched.some((other) => other !== one && isInside(other, one) && other.firstLine <= from && other.lastLine >= to),
  )
  return selection.isEmpty ? inner.slice(-1) : inner
}

const isInside = (inner: RememberedDefinition, outer: RememberedDefinition) =>
  inner.firstLine >= outer.firstLine && inner.lastLine <= outer.lastLine && inner.name !== outer.name
