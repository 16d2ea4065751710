/** A longer selection is cut. */
const MAX_SELECTION_CHARACTERS = 4000

type Selected = { text: string; path: string; firstLine: number; lastLine: number; language: string }

/**
 * The selected code as a note quotes it, without private parts and secrets; empty if nothing is left. `whole` is the text of the file: a selection
 * inside a private part has no tags of its own, and is left out when cleaning the whole text removes it.
 */
export function quotedSelection(clean: (text: string) => string, whole: string, selected: Selected): string {
  // Cleaned before it is cut: half of a secret does not look like one.
  const text = clean(selected.text).trimEnd()
  if (text.trim() === '' || !clean(whole).includes(text.trim())) return ''
  // Longer than any row of backquotes in the code, so that the code cannot end it.
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([row]) => row.length + 1)))
  const { path, firstLine, lastLine, language } = selected
  return `${path}:${firstLine}-${lastLine}\n\n${fence}${language}\n${text.slice(0, MAX_SELECTION_CHARACTERS)}\n${fence}`
}
