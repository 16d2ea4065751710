import type { CommandPart, FinishedCommand } from './commands.ts'
import { programOf } from './shell.ts'

/** What was read and searched through the shell: agents without tools of their own for it use `cat`, `sed -n`, `grep` and `find`. */
type ShellLookups = { files: string[]; patterns: string[] }

/** The files that commands printed and the patterns they looked for. A search that found nothing has failed and tells nothing. */
export function findShellLookups(commands: FinishedCommand[]): ShellLookups {
  const files: string[] = []
  const patterns: string[] = []
  for (const { parts } of commands.filter((ran) => !ran.failed)) {
    let folder = ''
    for (const part of parts) {
      const program = programOf(part.words[0])
      if (program === 'cd') folder = joinFolder(folder, part.words[1] ?? '')
      else if (PRINTS.includes(program)) files.push(...printedFiles(program, part).map((file) => joinFolder(folder, file)))
      else patterns.push(...searchedPatterns(program, part).map(readable))
    }
  }
  return { files, patterns }
}

const PRINTS = 'cat bat head tail less more nl sed'.split(' ')
const SEARCHES = 'grep egrep fgrep rg ag ack'.split(' ')

/** Files named in full; a pattern, a variable or a number of lines is none. `sed` prints only with `-n`, and its script comes first. */
function printedFiles(program: string, { words }: CommandPart): string[] {
  const given = words.slice(1).filter((word) => !/^[-+]/.test(word))
  const named = program !== 'sed' ? given : words.includes('-n') ? given.slice(1) : []
  // What was just built is looked at to see whether it was built.
  return named.filter(
    (word) => /\w/.test(word) && !/[*?$<>{}"'`\s]|^\d+$|^\/(?:dev|proc)\/|(?:^|\/)(?:dist|build|target|coverage|out)\//.test(word),
  )
}

/** A search of `$file` is a step of a script, not a look for something. */
function searchedPatterns(program: string, { words, tool }: CommandPart): string[] {
  if (words.some((word) => /^\$\{?\w/.test(word))) return []
  const isGitGrep = program === 'git' && tool.endsWith(' grep')
  if (isGitGrep || SEARCHES.includes(program)) return patternOf(words.slice(isGitGrep ? words.indexOf('grep') + 1 : 1))
  const named = program === 'find' ? words.findIndex((word) => /^-i?(?:name|path)$/.test(word)) : -1
  // `-name '*.ts'` only walks the tree; `-name 'token*'` looks for something.
  const name = named < 0 ? '' : (words[named + 1] ?? '')
  return /\w{3}/.test(name.replace(/\.\w+$/, '')) ? [name] : []
}

/** What `-e` names, or the first word that is neither a flag nor a flag's value. */
function patternOf(words: string[]): string[] {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (/^(?:-\w*e|--regexp)$/.test(word)) return [words[i + 1] ?? '']
    if (/^(?:-\w*[ABCmfgt]|--(?:glob|type|include|exclude|exclude-dir|max-count|context|file))$/.test(word)) i++
    else if (!word.startsWith('-')) return [word]
  }
  return []
}

/** `a\|b` is how grep spells `a|b`; where it stands, parentheses are spelled the same way. */
function readable(pattern: string): string {
  return pattern.includes('\\|') ? pattern.replace(/\\([|()])/g, '$1') : pattern
}

function joinFolder(folder: string, path: string): string {
  const bare = path.replace(/^\.\//, '')
  return folder === '' || /^[/~]|^[A-Za-z]:[\\/]/.test(bare) ? bare : `${folder.replace(/\/$/, '')}/${bare}`
}
