import { linesOf, shorten } from '../../core/text.ts'
import type { CommandPart, FinishedCommand } from './commands.ts'
import { unique } from './lists.ts'
import type { Heredoc } from './shell.ts'

export type Commit = {
  /** Position among the turn's actions. */
  index: number
  subject: string
  /** The rest of the message, without trailers. */
  body: string
  hash: string | null
  branch: string | null
  /** Paths that the same shell line staged. */
  staged: string[]
  at: number
}

/** The commits, pushes, merges and pull requests of a turn. */
export type GitWork = {
  commits: Commit[]
  pullRequests: { title: string; url: string; index: number }[]
  /** Merged branches or pull requests, as named in the command. */
  merges: string[]
  pushed: string[]
  branch: string | null
}

/** Reads commits, pushes, merges and pull requests from commands and their output. */
export function gitWorkOf(commands: FinishedCommand[]): GitWork {
  const work: GitWork = { commits: [], pullRequests: [], merges: [], pushed: [], branch: null }
  for (const command of commands) {
    const { parts, output, index } = command
    if (command.failed || !parts.some((part) => part.kind === 'git' || part.kind === 'pull-request')) continue
    work.commits.push(...commitsIn(command))
    for (const part of parts) {
      if (isGit(part, 'push')) work.pushed.push(...pushedBranches(output))
      else if (isGit(part, 'merge') && !/CONFLICT|Already up to date/.test(output)) work.merges.push(firstArgument(part.args, 'merge'))
      else if (part.kind === 'pull-request' && /\b(pr|mr) merge\b/.test(part.tool))
        work.merges.push(firstArgument(part.args, 'pull request'))
      else if (part.kind === 'pull-request' && /\b(pr|mr) create\b/.test(part.tool)) {
        const url = /https?:\/\/\S+\/(?:pull|merge_requests)\/\d+/.exec(output)?.[0]
        if (url) work.pullRequests.push({ title: flagValue(part.words, /^(-t|--title)$/) ?? '', url, index })
      }
    }
    work.branch = /^Switched to (?:a new branch|branch) '([^']+)'/m.exec(output)?.[1] ?? work.commits.at(-1)?.branch ?? work.branch
  }
  work.pushed = unique(work.pushed)
  return work
}

/** `#188` from the URL of a pull request. */
export function pullRequestNumber(url: string): string {
  return `#${/(\d+)$/.exec(url)?.[1] ?? '?'}`
}

/** Splits a conventional commit subject into type, scope and text. */
export function parseConventionalSubject(subject: string): { type: string | null; scope: string | null; text: string } {
  const m = /^([a-z]+)(?:\(([^)]{1,40})\))?!?:\s+(.+)$/.exec(subject)
  return m ? { type: m[1] ?? null, scope: m[2] ?? null, text: m[3] ?? subject } : { type: null, scope: null, text: subject }
}

function isGit(part: CommandPart, verb: string): boolean {
  return part.kind === 'git' && part.tool.endsWith(` ${verb}`)
}

function commitsIn({ parts, heredocs, output, exitCode, index, at }: FinishedCommand): Commit[] {
  const committing = parts.filter((part) => ['commit', 'cherry-pick', 'revert', 'merge'].some((verb) => isGit(part, verb)))
  if (committing.length === 0 || committing.every((part) => part.args.includes('--dry-run'))) return []
  const stdinHeredocs = heredocs.filter((doc) => doc.file === null)
  const messages = committing.filter((part) => isGit(part, 'commit')).map((part) => messageOf(part, stdinHeredocs))
  const staged = parts.filter((part) => isGit(part, 'add')).flatMap((part) => part.args.filter((arg) => !arg.startsWith('-')))
  // The line that git prints is the proof. If a filter or a quiet wrapper hid it, use the message from the command.
  const reported = linesOf(output).flatMap((line) => {
    const m = /^\[([^\s\]]+)(?: \([\w-]+\))? ([0-9a-f]{7,40})\] (.+)$/.exec(line)
    return m ? [{ branch: m[1] ?? null, hash: m[2] ?? null, subject: m[3] ?? '' }] : []
  })
  const refused =
    exitCode === null ||
    /pre-commit script failed|hook declined|nothing to commit|no changes added to commit|^(?:error|fatal):/m.test(output)
  const commits =
    reported.length > 0
      ? reported
      : refused
        ? []
        : messages.flatMap((m) => (m ? [{ branch: null, hash: null, subject: firstLineOf(m) }] : []))
  return commits.map((commit, n) => {
    const message =
      messages.find((m) => m && firstLineOf(m).startsWith(commit.subject.slice(0, 40))) ?? (commits.length === 1 ? messages[n] : undefined)
    return {
      ...commit,
      subject: shorten(commit.subject, 160),
      index,
      body: bodyOf(message ?? ''),
      staged: commits.length === 1 ? staged : [],
      at,
    }
  })
}

/** The message from `-m`; several are joined as git does. `-m "$(cat <<'EOF'` and `-F -` read it from the heredoc. */
function messageOf(part: CommandPart, heredocs: Heredoc[]): string | undefined {
  const given: string[] = []
  for (let i = 0; i < part.words.length; i++) {
    const word = part.words[i] ?? ''
    if (/^(-[a-z]*m|--message|-F|--file)$/.test(word)) given.push(part.words[++i] ?? '')
    else if (word.startsWith('--message=')) given.push(word.slice('--message='.length))
  }
  const texts = given.flatMap((text) => (text.startsWith('$(cat') || text === '-' ? (heredocs.shift()?.text ?? []) : text))
  return texts.length > 0 ? texts.join('\n\n').trim() : undefined
}

function firstLineOf(message: string): string {
  return message.split('\n', 1)[0]?.trim() ?? ''
}

function bodyOf(message: string): string {
  return linesOf(message)
    .slice(1)
    .filter(
      (line) =>
        !/^(Co-authored-by|Signed-off-by|Generated with|🤖|Entire-\w+|Claude-\w+|Refs?|Closes|Fixes|Change-Id)\b:?/i.test(line.trim()),
    )
    .join('\n')
    .trim()
}

function pushedBranches(output: string): string[] {
  return linesOf(output).flatMap((line) => /^\s*(?:[\w.]+\.\.[\w.]+|\* \[new branch\]|\+ \S+)\s+\S+\s+->\s+(\S+)/.exec(line)?.[1] ?? [])
}

function flagValue(words: string[], flag: RegExp): string | null {
  const at = words.findIndex((word) => flag.test(word))
  return at >= 0 ? (words[at + 1] ?? null) : null
}

function firstArgument(args: string[], fallback: string): string {
  return args.find((arg) => !arg.startsWith('-')) ?? fallback
}
