import type { PerformedAction } from '../../core/action.ts'
import { fingerprint } from '../../core/hash.ts'
import type { WorkStep } from '../../core/work.ts'
import { typedSentences } from '../typed-text.ts'
import { type CommandPart, commandsOf, type FinishedCommand } from './commands.ts'
import { editsOf, type TurnEdit } from './edits.ts'
import { displayPath } from './paths.ts'

/** A larger change is recognised by its first lines. */
const MAX_LINES_PER_FILE = 200
const MAX_STEPS = 80
const LINE_FINGERPRINT_CHARS = 8

/** The steps of a turn that concern files, in order. `prompt` is null if a machine wrote it. Empty if nothing in it changed a file or undid a change. */
export function workStepsOf(prompt: string | null, actions: PerformedAction[], folder: string): WorkStep[] {
  const commands = commandsOf(actions)
  const byIndex = new Map<number, WorkStep[]>()
  const add = (index: number, steps: WorkStep[]) => byIndex.set(index, [...(byIndex.get(index) ?? []), ...steps])
  for (const edit of editsOf(actions, commands, folder)) add(edit.index, [editStep(edit)])
  for (const command of commands) add(command.index, command.failed ? conflictSteps(command) : gitSteps(command, folder))
  const ordered = [...byIndex].sort(([a], [b]) => a - b).flatMap(([, steps]) => steps)
  return [...saidSteps(prompt), ...mergeEdits(ordered)].slice(0, MAX_STEPS)
}

function editStep({ path, patch, created }: TurnEdit): WorkStep {
  const counts = new Map<string, number>()
  for (const line of patch) {
    const text = line.slice(1).trim()
    // Brackets and blank lines are everywhere.
    if ((line[0] !== '+' && line[0] !== '-') || !/\w/.test(text) || text.length < 3) continue
    const key = fingerprint(text, LINE_FINGERPRINT_CHARS)
    counts.set(key, (counts.get(key) ?? 0) + (line[0] === '+' ? 1 : -1))
  }
  return { kind: 'edit', path, lines: [...counts].filter(([, n]) => n !== 0), ...(created ? { isNew: true as const } : {}) }
}

/** Edits of one file with no git command between them are one step with their net lines. */
function mergeEdits(steps: WorkStep[]): WorkStep[] {
  const merged: WorkStep[] = []
  const open = new Map<string, Extract<WorkStep, { kind: 'edit' }>>()
  for (const step of steps) {
    if (step.kind !== 'edit') {
      open.clear()
      merged.push(step)
      continue
    }
    const earlier = open.get(step.path)
    if (earlier) {
      const net = new Map(earlier.lines)
      for (const [line, n] of step.lines) net.set(line, (net.get(line) ?? 0) + n)
      earlier.lines = [...net].filter(([, n]) => n !== 0)
    } else {
      const first = { ...step }
      open.set(step.path, first)
      merged.push(first)
    }
  }
  return merged
    .filter((step) => step.kind !== 'edit' || step.lines.length > 0)
    .map((step) => (step.kind === 'edit' ? { ...step, lines: step.lines.slice(0, MAX_LINES_PER_FILE) } : step))
}

/** A stash that meets a conflict is applied all the same, and stays on the stack. */
function conflictSteps({ parts, output }: FinishedCommand): WorkStep[] {
  const applies = parts.some(
    ({ kind, words }) => kind === 'git' && words.includes('stash') && words.some((word) => /^(?:pop|apply)$/.test(word)),
  )
  return applies && /CONFLICT/.test(output) ? [{ kind: 'unstash', keeps: true }] : []
}

/** The steps of a shell line, from its git commands and from `rm`. */
function gitSteps({ parts, output }: FinishedCommand, folder: string): WorkStep[] {
  let entered = ''
  return parts.flatMap((part) => {
    if (part.words[0] === 'cd') entered = displayPath(part.words[1] ?? '', folder).replace(/^\.\/?/, '')
    if (part.words.includes('--dry-run')) return []
    const resolve = (path: string) => resolvePath(path, entered, folder)
    if (part.words[0] === 'rm') return [{ kind: 'remove', paths: pathsIn(part.words.slice(1), resolve) } satisfies WorkStep]
    return part.kind === 'git' ? gitStep(part, output, resolve) : []
  })
}

function resolvePath(path: string, entered: string, folder: string): string {
  const shown = displayPath(path, folder).replace(/^\.\//, '').replace(/\/$/, '')
  if (shown.startsWith('/') || entered === '' || entered.startsWith('/')) return shown === '.' ? '' : shown
  return shown === '.' ? entered : `${entered}/${shown}`
}

const pathsIn = (args: string[], resolve: (path: string) => string) => args.filter((arg) => !arg.startsWith('-')).map(resolve)
/** Null if the whole tree is meant. */
const pathsOrAll = (paths: string[]) => (paths.some((path) => path === '' || path.startsWith(':/')) ? null : paths)

const HASH_LINE = /^\[[^\]]*?\b([0-9a-f]{7,40})\]/m

function gitStep({ words }: CommandPart, output: string, resolve: (path: string) => string): WorkStep[] {
  let verb = 1
  while (words[verb]?.startsWith('-')) verb += /^-[Cc]$/.test(words[verb] ?? '') ? 2 : 1
  const args = words.slice(verb + 1)
  const hash = HASH_LINE.exec(output)?.[1] ?? null
  switch (words[verb]) {
    case 'add':
      return [
        { kind: 'stage', paths: args.some((arg) => /^(-A|--all|-u|--update)$/.test(arg)) ? null : pathsOrAll(pathsIn(args, resolve)) },
      ]
    case 'commit': {
      // Without the line that git prints, a quiet commit counts too: work that may be committed is not called undone.
      const flags = args.filter((arg) => /^-[a-z]*a[a-z]*$|^--all$/.test(arg)).length > 0 ? { takesAll: true as const } : {}
      return [{ kind: 'commit', hash, ...flags, ...(args.includes('--amend') ? { amends: true as const } : {}) }]
    }
    case 'restore':
      return restoreSteps(args, resolve)
    case 'checkout':
      return checkoutSteps(args, resolve)
    case 'clean':
      return args.some((arg) => /^-\w*f|^--force$/.test(arg)) ? [{ kind: 'clean' }] : []
    case 'reset': {
      const to = args.find((arg) => !arg.startsWith('-')) ?? 'HEAD'
      if (args.includes('--hard')) return [{ kind: 'reset', to }]
      return /^HEAD[~^]|^[0-9a-f]{7,40}$/.test(to) && !args.includes('--') ? [{ kind: 'uncommit', to }] : []
    }
    case 'revert':
      if (args.some((arg) => /^--(?:abort|quit|skip|continue)$/.test(arg)) || /CONFLICT/.test(output)) return []
      return args.filter((arg) => !arg.startsWith('-')).map((target) => ({ kind: 'revert', target, hash }))
    case 'stash':
      return stashSteps(args, resolve)
    case 'rm':
      return args.includes('--cached') ? [] : [{ kind: 'remove', paths: pathsIn(args, resolve) }]
    default:
      return []
  }
}

function restoreSteps(args: string[], resolve: (path: string) => string): WorkStep[] {
  const touchesTree = !args.some((arg) => /^(-S|--staged)$/.test(arg)) || args.some((arg) => /^(-W|--worktree|-SW)$/.test(arg))
  const source = args.findIndex((arg) => /^(-s|--source)$/.test(arg))
  const paths = args.filter((_, n) => source < 0 || (n !== source && n !== source + 1))
  return touchesTree ? [{ kind: 'discard', paths: pathsOrAll(pathsIn(paths, resolve)) }] : []
}

/** `git checkout -- a.ts` and `git checkout .` discard changes; `git checkout main` switches the branch. */
function checkoutSteps(args: string[], resolve: (path: string) => string): WorkStep[] {
  if (args.some((arg) => /^-[bB]$|^--orphan$/.test(arg))) return []
  const dashes = args.indexOf('--')
  const named = args.filter((arg) => !arg.startsWith('-'))
  const paths = dashes >= 0 ? args.slice(dashes + 1) : named.filter((arg, n) => arg === '.' || (/\.\w{1,8}$/.test(arg) && n < 20))
  if (paths.length > 0) return [{ kind: 'discard', paths: pathsOrAll(pathsIn(paths, resolve)) }]
  return args.some((arg) => /^(-f|--force)$/.test(arg)) ? [{ kind: 'discard', paths: null }] : []
}

function stashSteps(args: string[], resolve: (path: string) => string): WorkStep[] {
  const [verb = 'push', ...rest] = args
  if (verb === 'pop' || verb === 'branch') return [{ kind: 'unstash' }]
  if (verb === 'apply') return [{ kind: 'unstash', keeps: true }]
  if (verb === 'drop') return [{ kind: 'drop-stash' }]
  if (verb === 'clear') return [{ kind: 'drop-stash', all: true }]
  if (verb !== 'push' && verb !== 'save' && !verb.startsWith('-')) return []
  const paths = rest.includes('--') ? pathsIn(rest.slice(rest.indexOf('--') + 1), resolve) : null
  const takesNew = args.some((arg) => /^(-u|-a|--include-untracked|--all)$/.test(arg))
  return [{ kind: 'stash', paths, ...(takesNew ? { takesNew: true as const } : {}) }]
}

/** A longer prompt speaks of something else too. */
const MAX_UNDO_PROMPT_CHARS = 400

const UNDONE_THING =
  '(?:that|this|it|them|everything|(?:all (?:of )?)?(?:your|the|these|those|its|my)?\\s*(?:last|latest|recent|previous|whole)?\\s*(?:changes?|edits?|commits?|modifications?|work|fix|attempt|refactor(?:ing)?)\\b)'
const SAID_UNDONE = new RegExp(
  `^(?:\\w+,? ){0,3}?(?:i|i['’]ve|i have|we|we['’]ve)\\s+(?:just |already |manually |have |had |had to )*(?:reverted|undid|undone|rolled back|backed out|discarded|thrown away|threw away|reset|revert|undo)\\s+(?<thing>${UNDONE_THING})`,
  'i',
)
const ASKED_TO_UNDO = new RegExp(
  `^(?:(?:no|nope|nah|ok|okay|please|hmm|actually|wait|sorry|stop|then|so|can you|could you|let['’]?s|just|now)[,.!\\s]+)*(?:roll back(?=[,.!]|$)|(?:undo|revert|roll back|back out|take back|discard)\\s+${UNDONE_THING})|\\b(?:can|could|would) you (?:please )?(?:undo|revert|roll back)\\s+${UNDONE_THING}`,
  'i',
)

function saidSteps(prompt: string | null): WorkStep[] {
  if (prompt === null || prompt.length > MAX_UNDO_PROMPT_CHARS) return []
  for (const sentence of typedSentences(prompt)) {
    if (sentence.trim().endsWith('?') && !/\b(?:can|could|would) you\b/i.test(sentence)) continue
    const thing = SAID_UNDONE.exec(sentence.trim())?.groups?.thing
    if (thing) return [{ kind: 'said-undone', ...(/^(?:everything|all\b)/i.test(thing) ? { all: true as const } : {}) }]
    if (ASKED_TO_UNDO.test(sentence.trim())) return [{ kind: 'asked-to-undo' }]
  }
  return []
}
