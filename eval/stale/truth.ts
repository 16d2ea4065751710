/**
 * The truth about definitions, independent of the product's reader: tree-sitter for code, the parsers of Bun for JSON, YAML and TOML, and
 * `marked` for Markdown.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked } from 'marked'
import { Language, type Node, Parser } from 'web-tree-sitter'

/** A definition as a parser sees it. */
export type TrueDefinition = {
  name: string
  /** The tokens, without comments, layout, and marks that a formatter adds or removes. */
  tokens: string[]
  /** Where its name is written; -1 where the parser does not say. */
  nameStart: number
  nameEnd: number
  /** True where the parser met something that it does not understand. */
  isBroken: boolean
}

export type TrueFile = { definitions: TrueDefinition[]; isBroken: boolean }

const WASM = join(import.meta.dir, '..', '..', 'node_modules', '@vscode', 'tree-sitter-wasm', 'wasm')

const GRAMMARS: Record<string, { language: string; grammar: string }> = {
  ts: { language: 'TypeScript', grammar: 'typescript' },
  mts: { language: 'TypeScript', grammar: 'typescript' },
  tsx: { language: 'TypeScript', grammar: 'tsx' },
  js: { language: 'JavaScript', grammar: 'javascript' },
  mjs: { language: 'JavaScript', grammar: 'javascript' },
  cjs: { language: 'JavaScript', grammar: 'javascript' },
  jsx: { language: 'JavaScript', grammar: 'javascript' },
  py: { language: 'Python', grammar: 'python' },
  go: { language: 'Go', grammar: 'go' },
  rs: { language: 'Rust', grammar: 'rust' },
  java: { language: 'Java', grammar: 'java' },
  kt: { language: 'Kotlin', grammar: 'kotlin' },
  c: { language: 'C', grammar: 'cpp' },
  h: { language: 'C', grammar: 'cpp' },
  cc: { language: 'C++', grammar: 'cpp' },
  cpp: { language: 'C++', grammar: 'cpp' },
  hpp: { language: 'C++', grammar: 'cpp' },
  cs: { language: 'C#', grammar: 'c-sharp' },
  rb: { language: 'Ruby', grammar: 'ruby' },
  php: { language: 'PHP', grammar: 'php' },
  swift: { language: 'Swift', grammar: 'swift' },
  sh: { language: 'Shell', grammar: 'bash' },
  bash: { language: 'Shell', grammar: 'bash' },
  md: { language: 'Markdown', grammar: '' },
  json: { language: 'JSON', grammar: '' },
  yml: { language: 'YAML', grammar: '' },
  yaml: { language: 'YAML', grammar: '' },
  toml: { language: 'TOML', grammar: '' },
}

const extensionOf = (path: string) => path.slice(path.lastIndexOf('.') + 1)

/** The language of a file for the table; null if there is no truth about it. */
export const trueLanguageOf = (path: string): string | null => GRAMMARS[extensionOf(path)]?.language ?? null

/** Opens the parsers. Grammars that the package lacks can be given as files by name. */
export async function openTruth(extraGrammars: Record<string, string>) {
  await Parser.init()
  const parsers = new Map<string, Parser | null>()
  const parserFor = async (grammar: string): Promise<Parser | null> => {
    const known = parsers.get(grammar)
    if (known !== undefined) return known
    const path = extraGrammars[grammar] ?? join(WASM, `tree-sitter-${grammar}.wasm`)
    let parser: Parser | null = null
    try {
      const language = await Language.load(readFileSync(path))
      parser = new Parser()
      parser.setLanguage(language)
    } catch (cause) {
      console.error(`no grammar for ${grammar}: ${(cause as Error).message}`)
    }
    parsers.set(grammar, parser)
    return parser
  }
  return {
    /** Null if there is no parser for the file, or it is too large to be worth parsing. */
    read: async (path: string, text: string): Promise<TrueFile | null> => {
      const extension = extensionOf(path)
      const entry = GRAMMARS[extension]
      if (!entry || text.length > MAX_CHARACTERS) return null
      if (entry.grammar === '') return readData(extension, text)
      const parser = await parserFor(entry.grammar)
      const tree = parser?.parse(text)
      if (!tree) return null
      const definitions: TrueDefinition[] = []
      collect(tree.rootNode, '', entry.grammar, definitions)
      const isBroken = tree.rootNode.hasError
      tree.delete()
      // Where this grammar fails, it takes local variables for members, and forgets the class.
      if (isBroken && entry.grammar === 'swift') return { definitions: definitions.map((one) => ({ ...one, isBroken })), isBroken }
      return { definitions, isBroken }
    },
    /** The file with another layout, made from its tokens; null where layout has a meaning. */
    reformat: async (path: string, text: string): Promise<string | null> => {
      const entry = GRAMMARS[extensionOf(path)]
      if (!entry?.grammar || LAYOUT_MATTERS.has(entry.grammar) || text.length > MAX_CHARACTERS) return null
      const tree = (await parserFor(entry.grammar))?.parse(text)
      if (!tree || tree.rootNode.hasError) return null
      const changed = reformatted(tree.rootNode, text, entry.grammar)
      tree.delete()
      return changed
    },
  }
}

export type Truth = Awaited<ReturnType<typeof openTruth>>

const MAX_CHARACTERS = 300_000
const LAYOUT_MATTERS = new Set(['python', 'ruby', 'bash', 'php'])

/** The kinds of node that are definitions, and whether definitions in them are looked for. Functions are leaves: what is in them belongs to them. */
const DEFINITIONS: Record<string, 'leaf' | 'container'> = {
  function_declaration: 'leaf',
  generator_function_declaration: 'leaf',
  function_signature: 'leaf',
  class_declaration: 'container',
  abstract_class_declaration: 'container',
  interface_declaration: 'leaf',
  type_alias_declaration: 'leaf',
  enum_declaration: 'leaf',
  method_definition: 'leaf',
  abstract_method_signature: 'leaf',
  method_signature: 'leaf',
  public_field_definition: 'leaf',
  field_definition: 'leaf',
  internal_module: 'container',
  variable_declarator: 'leaf',
  // Python
  function_definition: 'leaf',
  class_definition: 'container',
  // Go
  method_declaration: 'leaf',
  type_spec: 'leaf',
  type_alias: 'leaf',
  const_spec: 'leaf',
  var_spec: 'leaf',
  // Rust
  function_item: 'leaf',
  function_signature_item: 'leaf',
  struct_item: 'leaf',
  enum_item: 'leaf',
  union_item: 'leaf',
  trait_item: 'container',
  impl_item: 'container',
  mod_item: 'container',
  type_item: 'leaf',
  const_item: 'leaf',
  static_item: 'leaf',
  macro_definition: 'leaf',
  // Java, C#
  constructor_declaration: 'leaf',
  compact_constructor_declaration: 'leaf',
  destructor_declaration: 'leaf',
  record_declaration: 'container',
  struct_declaration: 'container',
  annotation_type_declaration: 'container',
  field_declaration: 'leaf',
  property_declaration: 'leaf',
  // Ruby, PHP
  method: 'leaf',
  singleton_method: 'leaf',
  class: 'container',
  module: 'container',
  trait_declaration: 'container',
  // C, C++
  struct_specifier: 'container',
  class_specifier: 'container',
  enum_specifier: 'leaf',
  union_specifier: 'leaf',
  preproc_def: 'leaf',
  preproc_function_def: 'leaf',
  // Kotlin, Swift
  object_declaration: 'container',
  companion_object: 'container',
  protocol_declaration: 'container',
  init_declaration: 'leaf',
  deinit_declaration: 'leaf',
  subscript_declaration: 'leaf',
  protocol_function_declaration: 'leaf',
}

/** Nodes that only group others. */
const TRANSPARENT = new Set(
  (
    'program module source_file translation_unit compilation_unit export_statement lexical_declaration variable_declaration ambient_declaration ' +
    'class_body interface_body enum_body_declarations block declaration_list declaration_list_body decorated_definition if_statement else_clause ' +
    'try_statement except_clause elif_clause type_declaration const_declaration var_declaration const_spec_list var_spec_list namespace_definition namespace_declaration ' +
    'linkage_specification template_declaration field_declaration_list preproc_if preproc_ifdef preproc_else preproc_elif body_statement ' +
    'singleton_class statement_block expression_statement file_scoped_namespace_declaration preproc_if_in_class enum_class_body protocol_body ' +
    'namespace_use_declaration foreign_mod_item property_declaration_list compound_statement class_member_declarations source'
  ).split(' '),
)

function collect(node: Node, prefix: string, grammar: string, into: TrueDefinition[], isAfterError = false): void {
  // After something that the parser did not understand, it may have lost track of what is in what.
  let isLost = isAfterError
  for (const child of node.namedChildren) {
    if (!child) continue
    isLost ||= child.type === 'ERROR'
    const test = testName(child, grammar)
    if (test) {
      const name = `${prefix}${test.name}`
      into.push(definitionOf(child, name, test.at, isLost))
      if (test.body) collect(test.body, `${name}.`, grammar, into, isLost)
      continue
    }
    const named = isDefinition(child, grammar) ? nameOf(child, grammar) : null
    if (named) {
      const name = `${prefix}${named.text}`
      into.push(definitionOf(child, name, named.node, isLost))
      if (DEFINITIONS[child.type] === 'container') {
        const body = child.childForFieldName('body') ?? child
        collect(body, `${name}.`, grammar, into, isLost)
      }
    } else if (TRANSPARENT.has(child.type) && !isFunctionBody(child)) collect(child, prefix, grammar, into, isLost)
  }
}

const isFunctionBody = (node: Node) =>
  (node.type === 'block' || node.type === 'statement_block' || node.type === 'compound_statement') &&
  /function|method|lambda|arrow|for|while|with/.test(node.parent?.type ?? '')

function isDefinition(node: Node, grammar: string): boolean {
  if (!(node.type in DEFINITIONS)) return isAssignedValue(node, grammar)
  if (grammar === 'cpp') {
    if (node.type === 'field_declaration') return false
    if (/_specifier$/.test(node.type)) return node.childForFieldName('body') !== null
    if (node.type === 'type_definition') return true
  }
  if (node.type === 'mod_item') return node.childForFieldName('body') !== null
  if (grammar === 'ruby' && (node.type === 'class' || node.type === 'module')) return node.childForFieldName('name') !== null
  if (node.type === 'class' || node.type === 'module') return grammar === 'ruby'
  return true
}

/** `NAME = …` in Python, Ruby and shells, and `a.b = …` in JavaScript. */
function isAssignedValue(node: Node, grammar: string): boolean {
  if (grammar === 'bash')
    return (
      node.type === 'variable_assignment' &&
      /^(?:program|compound_statement)$/.test(node.parent?.type ?? '') &&
      node.parent?.parent?.type !== 'function_definition'
    )
  if (grammar === 'ruby') return node.type === 'assignment' && node.childForFieldName('left')?.type === 'constant'
  if (grammar === 'python') return node.type === 'assignment' && node.childForFieldName('left')?.type === 'identifier'
  if (/script|tsx/.test(grammar))
    return (
      node.type === 'assignment_expression' &&
      node.childForFieldName('left')?.type === 'member_expression' &&
      /^[\w$.]+$/.test(node.childForFieldName('left')?.text ?? '[')
    )
  return false
}

type NameNode = { text: string; node: Node }

function nameOf(node: Node, grammar: string): NameNode | null {
  if (node.type === 'impl_item') return implName(node)
  if (grammar === 'cpp' && node.type === 'function_definition') return cppName(node)
  if (node.type === 'field_declaration') return declaratorName(node)
  if (grammar === 'php' && node.type === 'property_declaration') return firstOf(node, 'property_element', 'name')
  if (grammar === 'php' && node.type === 'const_declaration') return firstOf(node, 'const_element', null)
  if (grammar === 'kotlin' && node.type === 'property_declaration') return firstOf(node, 'variable_declaration', null)
  const named = node.childForFieldName('name') ?? node.childForFieldName('left') ?? node.childForFieldName('pattern')
  if (!named) return grammar === 'kotlin' && node.type === 'companion_object' ? { text: 'companion', node } : specialName(node)
  if (node.type === 'variable_declarator' && named.type !== 'identifier') return null
  if (grammar === 'go' && node.type === 'method_declaration') {
    const receiver = /(\w+)(?:\[[^\]]*\])?\s*\)$/.exec(node.childForFieldName('receiver')?.text ?? '')?.[1] ?? ''
    return { text: `${receiver}.${named.text}`, node: named }
  }
  const text = named.type === 'string' ? named.text.slice(1, -1) : named.text
  return { text: grammar === 'bash' ? text : text.replaceAll('::', '.').replace(/^self\./, ''), node: named }
}

function specialName(node: Node): NameNode | null {
  if (node.type === 'init_declaration') return { text: 'init', node: node.firstChild ?? node }
  if (node.type === 'deinit_declaration') return { text: 'deinit', node: node.firstChild ?? node }
  if (node.type === 'subscript_declaration') return { text: 'subscript', node: node.firstChild ?? node }
  if (node.type === 'public_field_definition' || node.type === 'field_definition') {
    const property = node.childForFieldName('property')
    return property ? { text: property.text, node: property } : null
  }
  return null
}

function firstOf(node: Node, type: string, field: string | null): NameNode | null {
  const element = node.namedChildren.find((child) => child?.type === type)
  const named = element && (field ? element.childForFieldName(field) : element.namedChildren[0])
  return named ? { text: named.text, node: named } : null
}

function declaratorName(node: Node): NameNode | null {
  const declarator = node.descendantsOfType('variable_declarator')[0]
  const named = declarator?.childForFieldName('name') ?? declarator?.namedChildren[0]
  return named ? { text: named.text, node: named } : null
}

function implName(node: Node): NameNode | null {
  const type = node.childForFieldName('type')
  const trait = node.childForFieldName('trait')
  if (!type) return null
  return { text: trait ? `${bareType(trait)} for ${bareType(type)}` : bareType(type), node: type }
}

/** The last word of a type without its arguments. */
function bareType(node: Node): string {
  const text = node.type === 'generic_type' ? (node.childForFieldName('type')?.text ?? node.text) : node.text
  return text.replace(/<.*$/s, '').match(/\w+(?=\W*$)/)?.[0] ?? text
}

function cppName(node: Node): NameNode | null {
  let declarator: Node | null = node.childForFieldName('declarator')
  while (declarator && declarator.type !== 'function_declarator')
    declarator = declarator.childForFieldName('declarator') ?? declarator.namedChildren.at(-1) ?? null
  const named = declarator?.childForFieldName('declarator')
  if (!named || !node.childForFieldName('body')) return null
  const text = named.text
    .replace(/<[^<>]*>/g, '')
    .replace(/\s+/g, '')
    .replaceAll('::', '.')
  return { text, node: named }
}

const TESTS = new Set(['test', 'it', 'describe', 'context', 'suite', 'bench', 'specify', 'scenario', 'feature', 'should'])
const GROUPS = new Set(['describe', 'context', 'suite', 'feature'])

/** The title of a test that is written as a call. */
function testName(node: Node, grammar: string): { name: string; at: Node; body: Node | null } | null {
  if (grammar === 'ruby') return rubyTestName(node)
  if (!/script|tsx/.test(grammar) || node.type !== 'expression_statement') return null
  const call = node.namedChildren[0]
  if (call?.type !== 'call_expression') return null
  const called = call.childForFieldName('function')
  const word = /^\w+/.exec(called?.text ?? '')?.[0] ?? ''
  const title = call.childForFieldName('arguments')?.namedChildren[0]
  if (!TESTS.has(word) || !title || !/^(?:string|template_string)$/.test(title.type)) return null
  if (called?.type === 'call_expression' && !/^\w+(?:\.\w+)*\(/.test(called.text)) return null
  const callback = call.childForFieldName('arguments')?.namedChildren.find((one) => one && /function|arrow/.test(one.type))
  return { name: title.text.slice(1, -1), at: title, body: GROUPS.has(word) ? (callback?.childForFieldName('body') ?? null) : null }
}

function rubyTestName(node: Node): { name: string; at: Node; body: Node | null } | null {
  if (node.type !== 'call') return null
  const word = node.childForFieldName('method')?.text ?? ''
  const title = node.childForFieldName('arguments')?.namedChildren[0]
  const block = node.childForFieldName('block')
  if (!TESTS.has(word) || !block || block.type !== 'do_block' || !title || !/^(?:string|constant|scope_resolution)$/.test(title.type))
    return null
  if (node.childForFieldName('receiver') && node.childForFieldName('receiver')?.text !== 'RSpec') return null
  const name = title.type === 'string' ? title.text.slice(1, -1) : (/^\w+/.exec(title.text)?.[0] ?? title.text)
  return { name, at: title, body: GROUPS.has(word) ? (block.childForFieldName('body') ?? block) : null }
}

/** Not part of a definition: what is said about it. */
const ANNOTATIONS = new Set(['decorator', 'attribute_item', 'annotation', 'marker_annotation', 'attribute_list', 'attribute'])

function definitionOf(node: Node, name: string, named: Node, isLost: boolean): TrueDefinition {
  const tokens: string[] = []
  for (const child of node.children) {
    if (!child || ANNOTATIONS.has(child.type)) continue
    if (child.type === 'modifiers') {
      for (const one of child.children) if (one && !ANNOTATIONS.has(one.type)) pushTokens(one, tokens)
    } else pushTokens(child, tokens)
  }
  if (node.childCount === 0) tokens.push(node.text)
  return {
    name: name.replace(/\s+/g, ' '),
    tokens: withoutOptionalMarks(tokens),
    nameStart: named.startIndex,
    nameEnd: named.endIndex,
    isBroken: isLost || node.hasError,
  }
}

const WHOLE_NODES =
  /^(?:string|template_string|string_literal|char_literal|raw_string_literal|interpreted_string_literal|regex|heredoc_body|string_content|preproc_arg|line_string_literal|multi_line_string_literal|encapsed_string|heredoc|raw_string)$/

function pushTokens(node: Node, into: string[]): void {
  if (/comment/.test(node.type)) return
  if (WHOLE_NODES.test(node.type) || node.childCount === 0) {
    const text = node.text.trim()
    if (text === '') return
    const inner = /^(['"])[\s\S]*\1$/.test(text) ? `"${text.slice(1, -1)}"` : text
    const isText = /string|regex|heredoc|preproc/.test(node.type)
    into.push(
      isText
        ? inner
            .replace(/\\?\s+/g, ' ')
            .replaceAll('\\"', '"')
            .replaceAll("\\'", "'")
        : text,
    )
    return
  }
  for (const child of node.children) if (child) pushTokens(child, into)
}

function withoutOptionalMarks(tokens: string[]): string[] {
  return tokens.filter(
    (token, index) => token !== ';' && !(token === ',' && (index + 1 === tokens.length || /^[)\]}>]$/.test(tokens[index + 1] ?? ''))),
  )
}

/** Other indentation, and a line break and a comment after each opening brace and comma. */
function reformatted(root: Node, text: string, grammar: string): string {
  let out = ''
  let at = 0
  const hasDirectives = grammar === 'cpp' || grammar === 'c-sharp'
  const visit = (node: Node, isFrozen: boolean): void => {
    const frozen = isFrozen || WHOLE_NODES.test(node.type) || /jsx|preproc|template|string|regex/.test(node.type)
    if (node.childCount > 0 && !(frozen && !isFrozen)) {
      for (const child of node.children) if (child) visit(child, frozen)
      return
    }
    const gap = text.slice(at, node.startIndex)
    out +=
      isFrozen || (hasDirectives && gap.includes('\\'))
        ? gap
        : gap.replace(/\n[ \t]+/g, (space) => `\n${'   '.repeat(Math.ceil((space.length - 1) / 2))}`)
    out += node.text
    at = node.endIndex
    if (!frozen && (node.text === '{' || node.text === ',') && /^[ \t]*\S/.test(text.slice(at, at + 200).split('\n')[0] ?? '')) {
      const rest = text.slice(at).split('\n', 1)[0] ?? ''
      if (!/\/\/|\/\*|`|\\$/.test(rest)) out += grammar === 'go' ? ' /* layout */ ' : '\n  /* layout */ '
    }
  }
  visit(root, false)
  return out + text.slice(at)
}

const MAX_KEY_DEPTH = 5

function readData(extension: string, text: string): TrueFile | null {
  try {
    if (extension === 'md') return { definitions: headingsOf(text), isBroken: false }
    const value: unknown = extension === 'json' ? JSON.parse(text) : extension === 'toml' ? Bun.TOML.parse(text) : Bun.YAML.parse(text)
    const definitions: TrueDefinition[] = []
    collectKeys(value, '', 1, definitions)
    // A table may be made by the tables in it, without a line of its own: nothing is claimed about those.
    if (extension === 'toml')
      return { definitions: definitions.map((one) => ({ ...one, isBroken: one.tokens[0] === '{' })), isBroken: false }
    return { definitions, isBroken: false }
  } catch {
    return null
  }
}

function collectKeys(value: unknown, prefix: string, depth: number, into: TrueDefinition[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > MAX_KEY_DEPTH) return
  for (const [key, inner] of Object.entries(value)) {
    const name = `${prefix}${key}`
    const tokens = JSON.stringify(inner)?.match(/"(?:[^"\\]|\\.)*"|[^\s,:{}[\]"]+|[{}[\]:]/g) ?? []
    into.push({ name, tokens, nameStart: -1, nameEnd: -1, isBroken: false })
    collectKeys(inner, `${name}.`, depth + 1, into)
  }
}

function headingsOf(text: string): TrueDefinition[] {
  const found: TrueDefinition[] = []
  const above: { depth: number; name: string }[] = []
  for (const token of marked.lexer(text)) {
    if (token.type === 'heading') {
      const title = String(token.raw.replace(/\n[=-]+\s*$/, '').replace(/^\s*#+\s*|(?:\s+#+)?\s*$/g, ''))
        .replace(/\s+/g, ' ')
        .slice(0, 120)
      while ((above.at(-1)?.depth ?? 0) >= token.depth) above.pop()
      const parent = above.at(-1)?.name
      const name = parent === undefined ? title : `${parent} › ${title}`
      above.push({ depth: token.depth, name })
      found.push({ name, tokens: title.split(' '), nameStart: -1, nameEnd: -1, isBroken: false })
    } else found.at(-1)?.tokens.push(...token.raw.split(/\s+/).filter(Boolean))
  }
  return found
}
