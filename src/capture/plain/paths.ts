/** A path with forward slashes, relative to the project folder if it is inside. */
export function displayPath(file: string, folder: string): string {
  const path = withForwardSlashes(file)
  const base = withForwardSlashes(folder).replace(/\/+$/, '')
  return base && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export type FileKind = 'code' | 'test' | 'docs' | 'config'

/** Only `code` and `test` files can contain a fix or a feature. */
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

/** Files that are not worth remembering: temporary files, and the client's own plans and notes. */
export function isThrowaway(path: string): boolean {
  return /^(\/private)?(\/var)?\/tmp\/|^\/var\/folders\/|\/AppData\/Local\/Temp\/|\/scratchpad\/|\/\.claude\/(plans|projects|todos)\//i.test(
    path,
  )
}

/** A page that records one decision. */
export function isDecisionRecord(path: string): boolean {
  return /(^|\/)(adrs?|decisions?|decision-records)\/[^/]+\.(md|mdx|adoc|rst)$|(^|\/)adr[-_]?\d+[^/]*\.md$/i.test(path)
}

/** A page that collects many decisions. */
export function isDecisionLog(path: string): boolean {
  return /(^|\/)decisions?\.mdx?$/i.test(path)
}

function withForwardSlashes(path: string): string {
  return /^[A-Za-z]:[\\/]|^\\\\/.test(path) ? path.replaceAll('\\', '/') : path
}
