import type { CommandPart, FinishedCommand } from './commands.ts'
import { programOf } from './shell.ts'

/** Files and patterns that an agent read or searched in the shell, with `cat`, `sed -n`, `grep` or `find`. */
type ShellLookups = { files: string[]; patterns: string[] }

/** The files that commands printed and the patterns they searched for. Failed commands, such as a search without matches, do not count. */
export function findShellLookups(commands: FinishedCommand[]): ShellLookups {
  const files: string[] = []
  const patterns: string[] = []
  for (const { parts } of commands.filter((command) => !command.failed)) {
    let folder = ''
    for (const part of parts) {
      const program = programOf(part.words[0])
      if (program === 'cd') folder = joinFolder(folder, part.words[1] ?? '')
      else if (PRINTS.includes(program)) files.push(...printedFiles(program, part).map((file) => joinFolder(folder, file)))
      else patterns.push(...searchedPatterns(program, part).map(unescapePattern))
    }
  }
  return { files, patterns }
}

const PRINTS = 'cat bat head tail less more nl sed'.split(' ')
const SEARCHES = 'grep egrep fgrep rg ag ack'.split(' ')

/** Only plain file names: no patterns, variables or line counts. `sed` prints only with `-n`, and its script comes first. */
function printedFiles(program: string, { words }: CommandPart): string[] {
  const operands = words.slice(1).filter((word) => !/^[-+]/.test(word))
  const named = program !== 'sed' ? operands : words.includes('-n') ? operands.slice(1) : []
  // Build output is only printed to check the build.
  return named.filter(
    (word) => /\w/.test(word) && !/[*?$<>{}"'`\s]|^\d+$|^\/(?:dev|proc)\/|(?:^|\/)(?:dist|build|target|coverage|out)\//.test(word),
  )
}

/** A command with a variable is a step of a script, not a search. */
function searchedPatterns(program: string, { words, tool }: CommandPart): string[] {
  if (words.some((word) => /^\$\{?\w/.test(word))) return []
  const isGitGrep = program === 'git' && tool.endsWith(' grep')
  if (isGitGrep || SEARCHES.includes(program)) return patternOf(words.slice(isGitGrep ? words.indexOf('grep') + 1 : 1))
  const named = program === 'find' ? words.findIndex((word) => /^-i?(?:name|path)$/.test(word)) : -1
  // `-name '*.ts'` only lists files; `-name 'token*'` searches for something.
  const name = named < 0 ? '' : (words[named + 1] ?? '')
  return /\w{3}/.test(name.replace(/\.\w+$/, '')) ? [name] : []
}

/** The value of `-e`, or the first word that is neither a flag nor the value of a flag. */
function patternOf(words: string[]): string[] {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (/^(?:-\w*e|--regexp)$/.test(word)) return [words[i + 1] ?? '']
    if (/^(?:-\w*[ABCmfgt]|--(?:glob|type|include|exclude|exclude-dir|max-count|context|file))$/.test(word)) i++
    else if (!word.startsWith('-')) return [word]
  }
  return []
}

/** Grep writes `a|b` as `a\|b`, and then escapes parentheses too. */
function unescapePattern(pattern: string): string {
  return pattern.includes('\\|') ? pattern.replace(/\\([|()])/g, '$1') : pattern
}

function joinFolder(folder: string, path: string): string {
  const bare = path.replace(/^\.\//, '')
  return folder === '' || /^[/~]|^[A-Za-z]:[\\/]/.test(bare) ? bare : `${folder.replace(/\/$/, '')}/${bare}`
}
