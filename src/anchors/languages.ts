import { readCItem } from './read-c.ts'
import { readGoItem } from './read-go.ts'
import { readPython, readRuby, readShell } from './read-indented.ts'
import { readJavaItem } from './read-java.ts'
import { readJavascriptItem } from './read-javascript.ts'
import { readJsonKeys, readTomlKeys } from './read-keys.ts'
import { readKotlinItem } from './read-kotlin.ts'
import { readPhpItem } from './read-php.ts'
import { readRustItem } from './read-rust.ts'
import {
  backtickName,
  blockComment,
  comment,
  cppRawString,
  csharpInterpolated,
  directive,
  directiveLine,
  heredoc,
  inlineHtml,
  interpolated,
  lineComment,
  nestedComment,
  percentLiteral,
  phpTag,
  quoted,
  rawName,
  rawString,
  regexLiteral,
  rubyBlockComment,
  rubyCharacter,
  rubyEnd,
  rubyName,
  rubyRegex,
  rustQuote,
  type ScanRule,
  shellComment,
  string,
  tripleQuoted,
  verbatimString,
  word,
} from './scans.ts'
import { type FoundDefinition, readItems, type Source } from './source.ts'
import { readHeadings, readYamlKeys, type TextSection } from './text-sections.ts'
import type { ScanRules } from './tokens.ts'

export const LANGUAGES = [
  'typescript',
  'python',
  'go',
  'rust',
  'java',
  'kotlin',
  'c',
  'csharp',
  'ruby',
  'php',
  'swift',
  'shell',
  'markdown',
  'json',
  'yaml',
  'toml',
] as const
export type Language = (typeof LANGUAGES)[number]

/** How a language is read: by its tokens, or by its lines. */
export type LanguageReader =
  | { rules: ScanRules; read: (source: Source) => FoundDefinition[]; hasDirectives?: boolean; start?: (text: string) => number }
  | { sections: (text: string) => TextSection[]; commentMark: string | null }

const LANGUAGE_OF_EXTENSION: Record<string, Language> = Object.fromEntries(
  (
    [
      ['typescript', 'ts tsx mts cts js jsx mjs cjs'],
      ['python', 'py pyi'],
      ['go', 'go'],
      ['rust', 'rs'],
      ['java', 'java'],
      ['kotlin', 'kt kts'],
      ['c', 'c h cc cpp cxx hpp hh hxx'],
      ['csharp', 'cs'],
      ['ruby', 'rb rake gemspec'],
      ['php', 'php'],
      ['swift', 'swift'],
      ['shell', 'sh bash bats zsh'],
      ['markdown', 'md markdown mdx'],
      ['json', 'json jsonc'],
      ['yaml', 'yaml yml'],
      ['toml', 'toml'],
    ] as const
  ).flatMap(([language, extensions]) => extensions.split(' ').map((extension) => [extension, language])),
)

/** The language of a file by its name; null if it is not one that is read. */
export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  if (name === 'Rakefile' || name === 'Gemfile') return 'ruby'
  return name.includes('.') && Object.hasOwn(LANGUAGE_OF_EXTENSION, extension) ? (LANGUAGE_OF_EXTENSION[extension] ?? null) : null
}

function rulesOf(rules: Record<string, ScanRule[]>): ScanRules {
  const byCode: ScanRules = new Map()
  for (const [marks, list] of Object.entries(rules))
    for (const mark of marks) byCode.set(mark.charCodeAt(0), [...(byCode.get(mark.charCodeAt(0)) ?? []), ...list])
  return byCode
}

const C_COMMENTS = [comment(lineComment('//')), comment(blockComment('/*', '*/'))]
const NESTED_COMMENTS = [comment(lineComment('//')), comment(nestedComment)]
const PLAIN_STRINGS = { '"': [string(quoted('"'))], "'": [string(quoted("'"))] }
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

export const READERS: Record<Language, LanguageReader> = {
  typescript: {
    rules: rulesOf({
      '/': [...C_COMMENTS, string(regexLiteral)],
      ...PLAIN_STRINGS,
      '`': [string(interpolated({ quote: '`', holes: ['${'], spansLines: true, nested: '\'"`' }))],
      '#': [comment((text, at) => (at === 0 && text.startsWith('#!') ? text.indexOf('\n') : at))],
    }),
    read: (source) => readItems(source, readJavascriptItem),
  },
  python: {
    rules: rulesOf({
      '#': [comment(lineComment('#'))],
      '"': [string(tripleQuoted('"')), string(quoted('"'))],
      "'": [string(tripleQuoted("'")), string(quoted("'"))],
    }),
    read: readPython,
  },
  go: {
    rules: rulesOf({ '/': C_COMMENTS, ...PLAIN_STRINGS, '`': [string(quoted('`', { spansLines: true, escapes: false }))] }),
    read: (source) => readItems(source, readGoItem),
  },
  rust: {
    rules: rulesOf({
      '/': NESTED_COMMENTS,
      '"': [string(quoted('"', { spansLines: true }))],
      "'": [word(rustQuote)],
      rbc: [string(rawString)],
      r: [word(rawName)],
    }),
    read: (source) => readItems(source, readRustItem),
  },
  java: {
    rules: rulesOf({ '/': C_COMMENTS, '"': [string(tripleQuoted('"')), string(quoted('"'))], "'": [string(quoted("'"))] }),
    read: (source) => readItems(source, readJavaItem),
  },
  kotlin: {
    rules: rulesOf({
      '/': NESTED_COMMENTS,
      '"': [string(tripleQuoted('"', { escapes: false })), string(interpolated({ quote: '"', holes: ['${'], nested: '"\'' }))],
      "'": [string(quoted("'"))],
      '`': [word(backtickName)],
    }),
    read: (source) => readItems(source, readKotlinItem),
  },
  c: {
    rules: rulesOf({
      '/': C_COMMENTS,
      '"': [string(quoted('"'))],
      "'": [
        string((text, at, state) =>
          /\w/.test(text[at - 1] ?? '') && /\w/.test(text[at + 1] ?? '') && text[at + 2] !== "'" ? at + 1 : quoted("'")(text, at, state),
        ),
      ],
      R: [string(cppRawString)],
      '#': [directive(directiveLine)],
    }),
    read: (source) => readItems(source, readCItem),
    hasDirectives: true,
  },
  csharp: {
    rules: rulesOf({
      '/': C_COMMENTS,
      '"': [string(tripleQuoted('"', { escapes: false })), string(quoted('"'))],
      "'": [string(quoted("'"))],
      '@$': [string(verbatimString)],
      $: [string(csharpInterpolated)],
      '#': [directive(directiveLine)],
    }),
    read: (source) => readItems(source, readJavaItem),
    hasDirectives: true,
  },
  ruby: {
    rules: rulesOf({
      '#': [comment(lineComment('#'))],
      '=': [comment(rubyBlockComment)],
      '"': [string(interpolated({ quote: '"', holes: ['#{'], spansLines: true, nested: '"\'' }))],
      "'": [string(quoted("'", { spansLines: true }))],
      '`': [string(interpolated({ quote: '`', holes: ['#{'], spansLines: true, nested: '"\'' }))],
      '/': [string(rubyRegex)],
      '%': [string(percentLiteral)],
      '?': [string(rubyCharacter)],
      '<': [string(heredoc(/^<<([~-]?)(['"`]?)([A-Z_]\w*)\2/))],
      _: [comment(rubyEnd)],
      $: [word((text, at) => (/^\$[^\w\s]/.test(text.slice(at, at + 2)) ? at + 2 : at))],
      [LETTERS]: [word(rubyName)],
    }),
    read: readRuby,
  },
  php: {
    rules: rulesOf({
      '/': C_COMMENTS,
      '#': [comment((text, at, state) => (text[at + 1] === '[' ? at : lineComment('#')(text, at, state)))],
      '"': [string(interpolated({ quote: '"', holes: ['{$'], spansLines: true, nested: '"\'' }))],
      "'": [string(quoted("'", { spansLines: true }))],
      '<': [string(heredoc(/^<<<([ \t]*)(['"]?)([A-Za-z_]\w*)\2/)), comment(phpTag)],
      '?': [comment(inlineHtml)],
    }),
    read: (source) => readItems(source, readPhpItem),
    start: (text) => Math.max(0, text.indexOf('<?')),
  },
  swift: {
    rules: rulesOf({
      '/': NESTED_COMMENTS,
      '"': [string(tripleQuoted('"')), string(interpolated({ quote: '"', holes: ['\\('], nested: '"' }))],
      '#': [string(rawString), directive(directiveLine)],
      '`': [word(backtickName)],
    }),
    read: (source) => readItems(source, readKotlinItem),
    hasDirectives: true,
  },
  shell: {
    rules: rulesOf({
      '#': [comment(shellComment)],
      '"': [string(interpolated({ quote: '"', holes: ['$(', '${'], spansLines: true, nested: '"\'' }))],
      "'": [string(quoted("'", { spansLines: true, escapes: false }))],
      '<': [string(heredoc(/^<<(?!<)(-?)[ \t]*(['"]?)\\?([A-Za-z_]\w*)\2/))],
      '\\': [word((text, at) => Math.min(at + 2, text.length))],
      $: [word((text, at) => (/^\$[#?$!*@-]/.test(text.slice(at, at + 2)) ? at + 2 : at))],
    }),
    read: readShell,
  },
  markdown: { sections: readHeadings, commentMark: null },
  yaml: { sections: readYamlKeys, commentMark: '#' },
  json: { rules: rulesOf({ '/': C_COMMENTS, ...PLAIN_STRINGS }), read: readJsonKeys },
  toml: {
    rules: rulesOf({
      '#': [comment(lineComment('#'))],
      '"': [string(tripleQuoted('"')), string(quoted('"'))],
      "'": [string(tripleQuoted("'", { escapes: false })), string(quoted("'", { escapes: false }))],
    }),
    read: readTomlKeys,
  },
}

/** Patterns for the names of all files with code. */
export const codeFilePatterns = (): string[] =>
  Object.entries(LANGUAGE_OF_EXTENSION).flatMap(([extension, language]) =>
    /^(?:markdown|json|yaml|toml)$/.test(language) ? [] : [`*.${extension}`],
  )

/** Patterns for the names of all files of a language. */
export const filePatterns = (language: Language): string[] =>
  Object.entries(LANGUAGE_OF_EXTENSION).flatMap(([extension, one]) => (one === language ? [`*.${extension}`] : []))
