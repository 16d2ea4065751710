import {
  appendEntries,
  editJson,
  type JsonEditResult,
  memberOf,
  membersOf,
  removeChildren,
  replaceNode,
  syntaxErrorAt,
  valueOfNode,
} from './claude-code/json-text.ts'

/** The text with `{ [container]: { [name]: value } }`. An entry that is not ours stays, and the result is unchanged. */
export function withEntry(
  text: string | null,
  [container, name]: readonly [string, string],
  value: unknown,
  isOurs: (value: unknown) => boolean,
): JsonEditResult {
  const edited = editJson(text?.trim() ? text : '{}\n', (settings) => {
    const parent = memberOf(settings.root, container)?.value
    if (!parent) return [appendEntries(settings, settings.root, 0, [[container, { [name]: value }]])]
    if (parent.kind !== 'object') throw syntaxErrorAt(parent.start, `expected \`${container}\` to be an object`)
    const known = memberOf(parent, name)?.value
    if (!known) return [appendEntries(settings, parent, 1, [[name, value]])]
    const present = valueOfNode(settings, known)
    return !isOurs(present) || Bun.deepEquals(present, value) ? [] : [replaceNode(settings, known, value)]
  })
  return edited.kind === 'edited' ? { ...edited, changed: edited.text !== text } : edited
}

/** The text without our entry, and without its container if nothing else is in it. */
export function withoutEntry(
  text: string,
  [container, name]: readonly [string, string],
  isOurs: (value: unknown) => boolean,
): JsonEditResult {
  if (text.trim() === '') return { kind: 'edited', text, changed: false }
  return editJson(text, (settings) => {
    const cut = removeChildren(
      settings.root,
      settings.root.members,
      (member) => {
        if (member.key !== container) return []
        const isOurEntry = (entry: { key: string; value: Parameters<typeof valueOfNode>[1] }) =>
          entry.key === name && isOurs(valueOfNode(settings, entry.value))
        return removeChildren(member.value, membersOf(member.value), (entry) => (isOurEntry(entry) ? 'whole' : []), null)
      },
      '{}',
    )
    return cut === 'whole' ? [] : cut
  })
}
