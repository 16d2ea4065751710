/** Codex edits files with one tool, `apply_patch`, whose input is a patch in a format of its own. */

/** The part of a patch that is about one file. `text` starts with the line that names the file. */
export type FilePatch = { kind: 'add' | 'update' | 'delete'; file: string; text: string }

/** The files of a patch, in order. A text that is not a patch has none. */
export function splitPatch(patch: string): FilePatch[] {
  const parts: FilePatch[] = []
  for (const line of patch.split('\n')) {
    const [, verb, file] = /^\*\*\* (Add|Update|Delete) File: (.+?)\r?$/.exec(line) ?? []
    const last = parts.at(-1)
    if (verb && file) parts.push({ kind: KINDS[verb] ?? 'update', file, text: `${line}\n` })
    else if (last && !/^\*\*\* (?:End Patch|End of File)/.test(line)) last.text += `${line}\n`
  }
  return parts.map((part) => ({ ...part, text: part.text.replace(/\n+$/, '\n') }))
}

const KINDS: Record<string, FilePatch['kind']> = { Add: 'add', Update: 'update', Delete: 'delete' }

/** The lines of a file's patch, each with its leading `+`, `-` or space. */
export const patchLines = (text: string): string[] => text.split('\n').filter((line) => /^[ +-]/.test(line))
