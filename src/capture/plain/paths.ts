/** A path as the people of a project write it: relative when it lies in the folder, whole otherwise, always with forward slashes. */
export function displayPath(file: string, folder: string): string {
  const path = withForwardSlashes(file)
  const base = withForwardSlashes(folder).replace(/\/+$/, '')
  return base && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export type FileKind = 'code' | 'test' | 'docs' | 'config'

/** What a file is to a reader of the history. Only `code` and `test` can hold a fix or a feature. */
export function fileKind(path: string): FileKind {
  if (
    /(^|\/)(tests?|specs?|__tests__|e2e|testdata|fixtures)\/|[._-](test|spec)s?\.\w+$|(^|\/)test_\w+\.py$|Tests?\.(java|kt|cs|swift)$/.test(
      path,
    )
  )
    return 'test'
  if (/\.(mdx?|rst|adoc|txt)$|(^|\/)(LICEN[CS]E|NOTICE|AUTHORS)$/i.test(path)) return 'docs'
  if (
    /\.(json5?|jsonc|ya?ml|toml|ini|cfg|conf|env|lock|properties|xml|editorconfig|gitignore)$|(^|\/)(\.[\w.-]+|Dockerfile\S*|Makefile|go\.(mod|sum))$/i.test(
      path,
    )
  )
    return 'config'
  return 'code'
}

/** Files that are nobody's memory: scratch work, and what the client keeps for itself (its plans, its own notes). */
export function isThrowaway(path: string): boolean {
  return /^(\/private)?(\/var)?\/tmp\/|^\/var\/folders\/|\/AppData\/Local\/Temp\/|\/scratchpad\/|\/\.claude\/(plans|projects|todos)\//i.test(
    path,
  )
}

/** A page that records why something was chosen. */
export function isDecisionRecord(path: string): boolean {
  return /(^|\/)(adrs?|decisions?|decision-records)\/[^/]+\.(md|mdx|adoc|rst)$|(^|\/)adr[-_]?\d+[^/]*\.md$/i.test(path)
}

/** A page on which decisions are collected one by one. */
export function isDecisionLog(path: string): boolean {
  return /(^|\/)decisions?\.mdx?$/i.test(path)
}

function withForwardSlashes(path: string): string {
  return /^[A-Za-z]:[\\/]|^\\\\/.test(path) ? path.replaceAll('\\', '/') : path
}
