import type { Action, PerformedAction } from '../../src/core/action.ts'
import type { Turn } from '../../src/core/memory.ts'

/** A turn of a project in `/home/dev/app`. Its actions are one second apart. */
export function turn(parts: Partial<Turn> = {}): Turn {
  const actions = (parts.actions ?? []).map((use, n) => ({ ...use, id: `use-${n}`, at: 1000 * (n + 1) }))
  return {
    promptNumber: 1,
    origin: 'person',
    prompt: 'Please look at it',
    answer: null,
    folder: '/home/dev/app',
    at: 0,
    openFailures: [],
    before: null,
    ...parts,
    actions,
  }
}

export function ran(command: string, output = '', exitCode = 0): PerformedAction {
  return performed('Bash', { kind: 'command', command, purpose: null, output, exitCode }, exitCode === 0 ? null : output)
}

/** An edit of a file in the project. Common lines at both ends are context. */
export function edited(file: string, before: string, after: string): PerformedAction {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const patch = [
    ...old.slice(0, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail).map((line) => ` ${line}`),
  ]
  return performed('Edit', { kind: 'edit', file: `/home/dev/app/${file}`, removed: before, added: after, patch })
}

export function wrote(file: string, content: string): PerformedAction {
  return performed('Write', { kind: 'write', file: `/home/dev/app/${file}`, content, created: true, patch: [] })
}

export function read(file: string): PerformedAction {
  return performed('Read', { kind: 'read', file: `/home/dev/app/${file}` })
}

export function searched(pattern: string): PerformedAction {
  return performed('Grep', { kind: 'search', pattern, where: null })
}

export function delegated(task: string, answer: string | null): PerformedAction {
  return performed('Agent', { kind: 'delegate', task, agentType: 'Explore', answer })
}

export function fetched(target: string, answer: string): PerformedAction {
  return performed('WebFetch', { kind: 'fetch', target, answer })
}

export function planned(text: string): PerformedAction {
  return performed('ExitPlanMode', { kind: 'plan', text })
}

export function failing(use: PerformedAction, error: string): PerformedAction {
  return { ...use, failed: true, error }
}

function performed(tool: string, action: Action, error: string | null = null): PerformedAction {
  return { id: '', tool, at: 0, failed: error !== null, error, interrupted: false, agentId: null, action }
}
