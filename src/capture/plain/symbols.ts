import { baseName } from './paths.ts'

/** How a language declares things. Patterns match the line without its indentation; a group captures the name. */
type DeclarationRules = {
  anywhere?: RegExp[]
  /** Only without indentation: an indented `const` is a local variable. */
  atTop?: RegExp[]
  /** Lines with more indentation are ignored: deeply nested keys say little. */
  maxIndent?: number
}

/** The name that a line of this file declares (a function, a type, a test, a heading, a key), or null. */
export function declaredName(line: string, path: string): string | null {
  const rules = rulesFor(path)
  const text = line.trimStart()
  const indent = line.length - text.length
  if (!rules || text === '' || indent > (rules.maxIndent ?? 40)) return null
  for (const pattern of [...(rules.anywhere ?? []), ...(indent === 0 ? (rules.atTop ?? []) : [])]) {
    const name = pattern.exec(text)?.slice(1).find(Boolean)?.trim()
    if (name && !KEYWORDS.has(name)) return name
  }
  return null
}

/** Whether the names in this file are keys of a config file rather than code. */
export function namesAreKeys(path: string): boolean {
  const rules = rulesFor(path)
  return rules === YAML || rules === JSON_KEYS || rules === TOML || rules === ENV
}

const JAVASCRIPT: DeclarationRules = {
  anywhere: [
    /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|class|interface|enum|namespace)\s+([\w$]+)/,
    /^(?:export\s+)?(?:declare\s+)?type\s+([\w$]+)\s*[=<]/,
    /^(?:export\s+)?(?:const|let|var)\s+([\w$]+)[^=]{0,120}=\s*(?:async\s*)?(?:\([^)]{0,200}\)?|[\w$]+)\s*(?::[^=]{0,80})?=>/,
    /^(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s+)?function/,
    /^(?:test|it|describe)(?:\.\w+)*\(\s*(?:'([^']+)|"([^"]+)|`([^`]+))/,
    /^(?:(?:public|private|protected|static|async|override|get|set)\s+)*(#?[\w$]+)\s*(?:<[^>]{0,80}>)?\((?:[^()]|\([^()]*\))*\)\s*(?::[^={]{0,80})?\{$/,
  ],
  atTop: [/^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\s+([\w$]+)/],
}
const PYTHON: DeclarationRules = {
  anywhere: [/^(?:async\s+)?def\s+(\w+)/, /^class\s+(\w+)/],
  atTop: [/^([A-Z][A-Z0-9_]{2,})\s*(?::[^=]{1,60})?=/],
}
const GO: DeclarationRules = { atTop: [/^func\s+(?:\([^)]*\)\s*)?(\w+)/, /^type\s+(\w+)/, /^(?:var|const)\s+(\w+)/] }
const RUST: DeclarationRules = {
  anywhere: [
    /^(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|extern\s+"C")\s+)*(?:fn|struct|enum|trait|mod|type|static|macro_rules!)\s+(\w+)/,
  ],
  atTop: [/^(?:pub(?:\([^)]*\))?\s+)?const\s+(\w+)/],
}
const JVM: DeclarationRules = {
  anywhere: [
    /^(?:@\w+\s+)*(?:\w+\s+){0,4}(?:class|interface|enum|record|object|struct|protocol|extension|trait|func|fun|def)\s+(\w+)/,
    /^(?:(?:public|private|protected|internal|static|final|override|async|virtual|abstract|synchronized|sealed)\s+)+(?:[\w<>[\],.?]+\s+)+(\w+)\s*\(/,
  ],
}
const RUBY: DeclarationRules = {
  anywhere: [/^def\s+(?:self\.)?([\w?!=]+)/, /^(?:class|module)\s+([\w:]+)/, /^(?:it|describe|context)\s+['"]([^'"]+)/],
}
const PHP: DeclarationRules = {
  anywhere: [
    /^(?:(?:abstract|final|public|private|protected|static|readonly)\s+)*(?:function\s+&?|class\s+|interface\s+|trait\s+|enum\s+)(\w+)/,
  ],
}
const C: DeclarationRules = {
  anywhere: [/^(?:typedef\s+)?(?:struct|class|enum(?:\s+class)?|union|namespace)\s+(\w+)/, /^#\s*define\s+(\w+)/],
  atTop: [/^[A-Za-z_][\w\s*&:<>,]{0,120}?[\s*&:](~?\w+)\s*\([^;]*$/],
}
const SHELL: DeclarationRules = {
  anywhere: [/^(?:function\s+)?([\w:.-]+)\s*\(\s*\)/, /^function\s+([\w:-]+)/],
  atTop: [/^(?:export\s+|readonly\s+)?([A-Z][A-Z0-9_]+)=/],
}
const POWERSHELL: DeclarationRules = { anywhere: [/^function\s+([\w:-]+)/i] }
const LUA: DeclarationRules = { anywhere: [/^(?:local\s+)?function\s+([\w.:]+)/] }
const ELIXIR: DeclarationRules = { anywhere: [/^def(?:p|module|macro|struct)?\s+([\w.?!]+)/] }
const SQL: DeclarationRules = {
  anywhere: [
    /^(?:create|alter|drop)\s+(?:or\s+replace\s+)?(?:(?:unique|temp|temporary|materialized)\s+)*(?:table|view|index|function|trigger|type|procedure|schema)\s+(?:if\s+(?:not\s+)?exists\s+)?["`[]?([\w.]+)/i,
  ],
}
const CSS: DeclarationRules = { anywhere: [/^([.#@:&]?[\w-][^{}]{0,80}?)\s*\{$/, /^(--[\w-]+)\s*:/] }
// The first heading names the whole document, not a part of it.
const MARKDOWN: DeclarationRules = { atTop: [/^#{2,6}\s+(.+)/] }
const SCHEMA: DeclarationRules = { anywhere: [/^(?:message|service|rpc|enum|type|input|interface|union|scalar|model)\s+(\w+)/] }
const MAKE: DeclarationRules = { atTop: [/^([\w./-]+)\s*:(?!=)/] }
const YAML: DeclarationRules = { anywhere: [/^(?:-\s+)?["']?([\w./-]+)["']?\s*:(?:\s|$)/], maxIndent: 4 }
const JSON_KEYS: DeclarationRules = { anywhere: [/^"([^"]+)"\s*:/], maxIndent: 4 }
const TOML: DeclarationRules = { atTop: [/^\[+([^\]]+)\]+/, /^([\w.-]+)\s*=/] }
const ENV: DeclarationRules = { atTop: [/^(?:#\s*)?(?:export\s+)?([A-Z][A-Z0-9_]+)=/] }

const BY_EXTENSION: Record<string, DeclarationRules> = {
  ...each('ts tsx mts cts js jsx mjs cjs vue svelte astro', JAVASCRIPT),
  ...each('py pyi', PYTHON),
  ...each('go', GO),
  ...each('rs', RUST),
  ...each('java kt kts cs scala swift dart groovy', JVM),
  ...each('rb rake', RUBY),
  ...each('php', PHP),
  ...each('c h cc cpp cxx hpp hh m mm', C),
  ...each('sh bash zsh fish yash', SHELL),
  ...each('ps1 psm1', POWERSHELL),
  ...each('lua', LUA),
  ...each('ex exs', ELIXIR),
  ...each('sql', SQL),
  ...each('css scss less', CSS),
  ...each('md mdx', MARKDOWN),
  ...each('proto graphql gql prisma', SCHEMA),
  ...each('yml yaml', YAML),
  ...each('json jsonc json5', JSON_KEYS),
  ...each('toml ini cfg conf properties', TOML),
  ...each('env', ENV),
}

function each(extensions: string, rules: DeclarationRules): Record<string, DeclarationRules> {
  return Object.fromEntries(extensions.split(' ').map((extension) => [extension, rules]))
}

function rulesFor(path: string): DeclarationRules | undefined {
  const name = baseName(path)
  if (name === 'Makefile') return MAKE
  if (name.startsWith('.env')) return ENV
  return BY_EXTENSION[name.slice(name.lastIndexOf('.') + 1).toLowerCase()]
}

/** Keywords that the patterns may match in place of a name. */
const KEYWORDS = new Set('if else for while switch catch return function new await do try with super constructor default'.split(' '))
