/** Reads the documentation as tests see it: its links, its headings, and the commands that it tells people to run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dir, '..', '..')

export type Page = { path: string; text: string }

/** A command in a fenced `sh` block. `line` is its place in the page. */
export type ShellCommand = { page: string; line: number; command: string }

/** Every page for people: at the root, in docs, and those of the plugin and the extension. */
export function pages(): Page[] {
  const paths = ['*.md', 'docs/**/*.md', 'plugin/**/*.md', 'vscode/*.md', 'vscode/media/*.md', 'test/README.md', '.github/**/*.md'].flatMap(
    (glob) => [...new Bun.Glob(glob).scanSync({ cwd: root, dot: true })],
  )
  return paths
    .filter((path) => !path.includes('node_modules'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** The commands of a page's `sh` blocks, in order. A comment is not part of a command; a line that ends in a backslash continues. */
export function shellCommands({ path, text }: Page): ShellCommand[] {
  const commands: ShellCommand[] = []
  let isShell = false
  let open = ''
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*```(\w*)/.exec(line)
    if (fence) {
      isShell = !isShell && ['sh', 'bash', 'shell', 'console'].includes(fence[1] ?? '')
      continue
    }
    if (!isShell) continue
    const code = `${open}${withoutComment(line)}`.trim()
    open = ''
    if (code.endsWith('\\')) open = `${code.slice(0, -1)} `
    else if (code !== '') commands.push({ page: path, line: index + 1, command: code })
  }
  return commands
}

/** A `#` begins a comment at the start of a word outside quotes. */
function withoutComment(line: string): string {
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ''
    if (quote) {
      if (letter === quote) quote = ''
    } else if (letter === "'" || letter === '"') quote = letter
    else if (letter === '#' && /^\s?$/.test(line[at - 1] ?? '')) return line.slice(0, at)
  }
  return line
}

/** Commands of the program, of npm and of our scripts in running text, such as `recollect search --all`. Notation such as `[--json]` or `A|B` is left out. */
export function inlineCommands({ path, text }: Page): ShellCommand[] {
  return [...withoutCode(text).matchAll(/`((?:(?:bin\/)?recollect|npm|bin\/with-bun) [^`\n]+)`/g)].map((match) => ({
    page: path,
    line: text.slice(0, match.index).split('\n').length,
    command: match[1] ?? '',
  }))
}

/** The targets of a page's links and images, without those in code. */
export function links({ text }: Page): string[] {
  return [
    ...withoutCode(text).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g),
    ...text.matchAll(/<(?:img|source)[^>]+src(?:set)?="([^"]+)"/g),
  ].map(([, target = '']) => target)
}

/** The anchors that a page offers, as GitHub makes them from headings. */
export function anchors({ text }: Page): Set<string> {
  const seen = new Map<string, number>()
  const found = new Set<string>()
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    found.add(count === 0 ? slug : `${slug}-${count}`)
  }
  return found
}

/** The text with its fenced blocks blanked, so that lines keep their numbers. */
function withoutCode(text: string): string {
  return text.replace(/^\s*```[\s\S]*?^\s*```\s*$/gm, (block) => block.replace(/[^\n]/g, ''))
}
