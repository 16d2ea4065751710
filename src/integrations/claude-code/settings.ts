/**
 * Claude Code's settings file, text in and text out: which hooks we want, which are ours, and the text with and without them. Only our
 * entries change; every other byte stays.
 */
import { z } from 'zod'
import { shellQuoted } from '../../platform/launcher.ts'
import {
  appendEntries,
  editJson,
  itemsOf,
  type JsonCut,
  type JsonEdit,
  type JsonEditResult,
  type JsonMember,
  type JsonNode,
  type JsonText,
  memberOf,
  membersOf,
  removeChildren,
  replaceNode,
  syntaxErrorAt,
  type UnreadableJson,
  valueOfNode,
  withParsedJson,
} from './json-text.ts'
import { OWN_PROGRAM_PATTERN } from './mcp-registration.ts'

export type { JsonEditResult, UnreadableJson } from './json-text.ts'

/** The hooks of one installation: the events, and the home whose launcher they call, unless a person names another command. */
export type HookPlan = { events: string[]; home: HookHome; command?: string | null }

/** How one agent writes a hook. Several agents keep hooks in the same place of a settings file as Claude Code does. */
export type HookFormat = {
  handlerFor(event: string, plan: HookPlan): object
  parseOwn(event: string, handler: unknown): OwnHook | null
}

/** A home, and the default home of this person. */
export type HookHome = { home: string; defaultHome: string }

/**
 * The events we listen to, each with the first client version that knows it. An older client (such as 2.1.50) drops all hooks in the file
 * when it meets an unknown event, so an event is written only for clients that know it.
 */
const HOOKS: { event: string; since: string; isOptional?: true }[] = [
  { event: 'SessionStart', since: '1.0.62' },
  { event: 'UserPromptSubmit', since: '1.0.54' },
  { event: 'PreToolUse', since: '1.0.38', isOptional: true },
  { event: 'PostToolUse', since: '1.0.38' },
  { event: 'PostToolUseFailure', since: '2.0.56' },
  { event: 'PreCompact', since: '1.0.48' },
  { event: 'PostCompact', since: '2.1.76' },
  { event: 'Stop', since: '1.0.38' },
  { event: 'StopFailure', since: '2.1.78' },
  { event: 'SubagentStop', since: '1.0.41' },
  { event: 'SessionEnd', since: '1.0.85' },
]
/** The version we assume when the client was not found: a client that meets an unknown event ignores all hooks. */
const ASSUMED_CLIENT_VERSION = '1.0.85'

/** The hook process has shorter deadlines of its own; this one ends a process that hangs, and is long enough for a busy machine. */
export const HOOK_TIMEOUT_SECONDS = 5

/** Ends every shell line of ours: whatever is missing, moved or broken, the client sees no error. */
export const HOOK_GUARD = '2>/dev/null || :'

/**
 * The events that a client of this version knows; when it was not found, those of every version and those that are `present` already. An
 * optional event is among them only if it is `wanted`.
 */
export function eventsFor(version: string | null, present: string[] = [], wanted: string[] = []): string[] {
  const knows = (since: string) => Bun.semver.order(version ?? ASSUMED_CLIENT_VERSION, since) >= 0
  return HOOKS.filter(({ event, since }) => knows(since) || (version === null && present.includes(event)))
    .filter(({ event, isOptional }) => !isOptional || wanted.includes(event))
    .map(({ event }) => event)
}

/** The settings with exactly the planned hooks of ours: adds missing ones, replaces outdated ones in place, removes others. */
export function withHooks(settingsText: string | null, plan: HookPlan, format: HookFormat = CLAUDE_CODE): JsonEditResult {
  const added = editJson(settingsText?.trim() ? settingsText : '{}\n', (settings) => additions(settings, plan, format))
  if (added.kind === 'unreadable') return added
  const cleaned = editJson(added.text, (settings) => {
    const ours = ownHookLocations(settings, format)
    const planned = new Set(plan.events.map((event) => ours.find((location) => location.event.key === event)))
    return removals(
      settings,
      ours.filter((location) => !planned.has(location)),
    )
  })
  return cleaned.kind === 'unreadable' ? cleaned : { ...cleaned, changed: cleaned.text !== settingsText }
}

/** The settings without the hooks of this home. Those of another home on the same machine stay. */
export function withoutHooks(
  settingsText: string | null,
  { home, defaultHome }: HookHome,
  format: HookFormat = CLAUDE_CODE,
): JsonEditResult {
  if (!settingsText?.trim()) return { kind: 'edited', text: settingsText ?? '', changed: false }
  return editJson(settingsText, (settings) => {
    const isOfHome = ({ own }: { own: OwnHook }) => own.kind === 'http' || (own.home ?? defaultHome) === home
    return removals(settings, ownHookLocations(settings, format).filter(isOfHome))
  })
}

/**
 * One of our hooks in a settings file. `home` is null for the default home. Earlier versions called the program itself, or the worker's port:
 * such hooks are `old` or `http`. No worker answers an http hook any more, so it belongs to every home.
 */
export type OwnHook = { event: string; kind: 'current' | 'old' | 'http'; home: string | null }

/** The parts of a settings file that concern us. */
export type SettingsFacts = {
  kind: 'read'
  own: OwnHook[]
  /** The name under which our plugin is enabled, or null. The plugin brings its own hooks. */
  plugin: string | null
  /** Other memory tools, each of which would inject a second brief. */
  otherMemory: OtherMemoryTool[]
  hooksOff: boolean
  /** The client honours this only in the file of an administrator. */
  managedHooksOnly: boolean
}

/** A plugin by the name that the client knows, or a tool whose hooks are in the file. */
export type OtherMemoryTool = { kind: 'plugin' | 'hooks'; name: string }

/** Reads what concerns us and ignores the rest. `readScript` returns the text of a script in the folder `hooks` beside the file. */
export function readSettings(settingsText: string, readScript: (name: string) => string | null): SettingsFacts | UnreadableJson {
  return withParsedJson(settingsText, (settings) => {
    const values = ClientSettings.parse(valueOfNode(settings, settings.root))
    const commands = [...hookLocations(settings)].flatMap(({ handler }) => CommandHook.safeParse(valueOfNode(settings, handler)).data ?? [])
    const lines = commands.map((hook) => [hook.command, ...hook.args].join(' '))
    const plugins = Object.keys(values.enabledPlugins).filter((plugin) => values.enabledPlugins[plugin])
    return {
      kind: 'read',
      own: ownHookLocations(settings, CLAUDE_CODE).map(({ own }) => own),
      plugin: plugins.find((plugin) => plugin.startsWith('recollect@')) ?? null,
      otherMemory: otherMemoryTools([...lines, ...scriptsOf(lines, readScript)], plugins),
      hooksOff: values.disableAllHooks,
      managedHooksOnly: values.allowManagedHooksOnly,
    }
  })
}

/** The texts of the scripts in `.claude/hooks` that these lines call: Context Graph is called by such scripts only. */
function scriptsOf(lines: string[], readScript: (name: string) => string | null): string[] {
  const names = new Set(lines.flatMap((line) => /\.claude\/hooks\/([\w-]+\.sh)\b/.exec(line)?.[1] ?? []))
  return [...names].flatMap((name) => readScript(name) ?? [])
}

function otherMemoryTools(lines: string[], plugins: string[]): OtherMemoryTool[] {
  const hooked = Object.keys(OTHER_TOOLS).filter((name) => lines.some((line) => OTHER_TOOLS[name]?.test(line)))
  return [
    ...hooked.map((name) => ({ kind: 'hooks' as const, name })),
    ...plugins.filter((name) => /^(claude-mem|subcog)@/.test(name)).map((name) => ({ kind: 'plugin' as const, name })),
  ]
}

/** How a hook's command, or its script, shows which tool it calls. */
const OTHER_TOOLS: Record<string, RegExp> = {
  'claude-mem': /claude-mem/,
  Anamnesis: /\bANAMNESIS_MACHINE_ID=|\banamnesis (inject|sync|capture)\b/,
  Subcog: /\bsubcog hook\b/,
  'Context Graph': /\bcontext-graph-cli\b/,
}

const HttpHook = z.object({ type: z.literal('http'), url: z.string() })
const CommandHook = z.object({ type: z.literal('command'), command: z.string(), args: z.array(z.string()).catch([]) })
const ClientSettings = z.object({
  disableAllHooks: z.boolean().catch(false),
  allowManagedHooksOnly: z.boolean().catch(false),
  enabledPlugins: z.record(z.string(), z.unknown()).catch({}),
})

/**
 * The same text for every client, version and place of the program, so it never has to be written again. The shell reads the launcher itself,
 * because another shell would cost a millisecond.
 */
function handlerFor(event: string, { home: { home, defaultHome }, command: named }: HookPlan): object {
  const folder = home === defaultHome ? DEFAULT_HOME : shellQuoted(home)
  const direct = named && `${named}${home === defaultHome ? '' : ` --home ${shellQuoted(home)}`} hook "$@"`
  const command = `(set -- claude-code ${event}; ${direct || `. ${folder}/bin/recollect-hook`}) ${HOOK_GUARD}`
  return { type: 'command', command, timeout: HOOK_TIMEOUT_SECONDS }
}

/** The default home as a shell line names it. */
export const DEFAULT_HOME = '"$HOME"/.recollect'
const CURRENT_LINE = /^\(set -- claude-code \w+; \. (.+)\/bin\/recollect-hook\) 2>\/dev\/null \|\| :$/s

/** The same with a command that a person named. */
const NAMED_COMMAND_LINE = /^\(set -- claude-code \w+; (.+) hook "\$@"\) 2>\/dev\/null \|\| :$/s

/**
 * Recognises a hook of ours by the command or address it calls; a client might reject an extra key as a mark. Other tools have a
 * `hook claude-code` command too, so the program must be ours. A command that a person extended belongs to the person.
 */
function parseOwnHook(event: string, handler: unknown): OwnHook | null {
  const url = URL.parse(HttpHook.safeParse(handler).data?.url ?? '')
  if (url?.pathname === '/hook/claude-code' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
    return { event, kind: 'http', home: null }
  const hook = CommandHook.safeParse(handler).data
  if (!hook) return null
  const folder = CURRENT_LINE.exec(hook.command)?.[1]
  if (folder) return { event, kind: 'current', home: folder === DEFAULT_HOME ? null : (shellWords(folder)[0] ?? null) }
  const named = NAMED_COMMAND_LINE.exec(hook.command)?.[1]
  if (named) return { event, kind: 'current', home: homeIn(shellWords(named)) }
  const words = hook.args.length > 0 ? [hook.command, ...hook.args] : shellWords(hook.command)
  const verb = words.findIndex((word, i) => /^hooks?$/.test(word) && words[i + 1] === 'claude-code')
  if (verb < 1 || words.length > verb + 3 || !/^\w*$/.test(words[verb + 2] ?? '')) return null
  const hasHome = words[verb - 2] === '--home'
  const isOurs = OWN_PROGRAM_PATTERN.test(words[verb - (hasHome ? 3 : 1)] ?? '')
  return isOurs ? { event, kind: 'old', home: hasHome ? (words[verb - 1] ?? null) : null } : null
}

const CLAUDE_CODE: HookFormat = { handlerFor, parseOwn: parseOwnHook }
const homeIn = (words: string[]): string | null => (words.includes('--home') ? (words[words.indexOf('--home') + 1] ?? null) : null)

/** The words of a shell line, without their quotes. */
export function shellWords(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/g) ?? []
  return words.map((word) =>
    word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (_, single?: string, double?: string, escaped?: string) => {
      return single ?? double?.replace(/\\([\\"$`])/g, '$1') ?? escaped ?? ''
    }),
  )
}

/** A hook in the list of an event. */
type HookLocation = { event: JsonMember; handler: JsonNode }

function* hookLocations(settings: JsonText): Generator<HookLocation> {
  for (const event of membersOf(memberOf(settings.root, 'hooks')?.value)) {
    for (const group of itemsOf(event.value)) {
      for (const handler of itemsOf(memberOf(group, 'hooks')?.value)) yield { event, handler }
    }
  }
}

function ownHookLocations(settings: JsonText, { parseOwn }: HookFormat): (HookLocation & { own: OwnHook })[] {
  return [...hookLocations(settings)].flatMap((location) => {
    const own = parseOwn(location.event.key, valueOfNode(settings, location.handler))
    return own ? [{ ...location, own }] : []
  })
}

/**
 * To the client, a group without a matcher and one with '' or '*' mean the same. Our groups normally have none. The other two record that
 * an empty object or list was there before us, so `uninstall` leaves it.
 */
const FOUND_EMPTY_HOOKS = ''
const FOUND_EMPTY_LIST = '*'

function additions(settings: JsonText, plan: HookPlan, format: HookFormat): JsonEdit[] {
  const wanted = plan.events.map((event) => ({ event, handler: format.handlerFor(event, plan) }))
  const hooks = memberOf(settings.root, 'hooks')?.value
  if (!hooks) {
    const all = Object.fromEntries(wanted.map(({ event, handler }) => [event, [{ hooks: [handler] }]]))
    return [appendEntries(settings, settings.root, 0, [['hooks', all]])]
  }
  if (hooks.kind !== 'object') throw syntaxErrorAt(hooks.start, 'expected `hooks` to be an object')
  const ours = ownHookLocations(settings, format)
  const edits: JsonEdit[] = []
  const lists: [string, unknown][] = []
  const mark = hooks.members.length === 0 ? { matcher: FOUND_EMPTY_HOOKS } : {}
  for (const { event, handler } of wanted) {
    const own = ours.find((location) => location.event.key === event)?.handler
    const list = memberOf(hooks, event)?.value
    if (own && Bun.deepEquals(valueOfNode(settings, own), handler)) continue
    if (own) edits.push(replaceNode(settings, own, handler))
    else if (!list) lists.push([event, [{ ...mark, hooks: [handler] }]])
    else if (list.kind !== 'array') throw syntaxErrorAt(list.start, `expected \`hooks.${event}\` to be a list`)
    else {
      const matcher = list.items.length === 0 ? { matcher: FOUND_EMPTY_LIST } : {}
      edits.push(appendEntries(settings, list, 2, [[null, { ...matcher, hooks: [handler] }]]))
    }
  }
  return lists.length > 0 ? [...edits, appendEntries(settings, hooks, 1, lists)] : edits
}

/** Removes hooks, and every group, list and object that becomes empty. */
function removals(settings: JsonText, locations: HookLocation[]): JsonEdit[] {
  const handlers = new Set(locations.map(({ handler }) => handler))
  const hasMatcher = (list: JsonNode, matcher: string) =>
    itemsOf(list).some((group) => {
      const member = memberOf(group, 'matcher')
      return member !== undefined && valueOfNode(settings, member.value) === matcher
    })
  const cutGroup = (group: JsonNode): JsonCut => {
    const list = memberOf(group, 'hooks')?.value
    return list ? removeChildren(list, itemsOf(list), (handler) => (handlers.has(handler) ? 'whole' : []), null) : []
  }
  const cutEvent = ({ value: list }: JsonMember): JsonCut =>
    removeChildren(list, itemsOf(list), cutGroup, hasMatcher(list, FOUND_EMPTY_LIST) ? '[]' : null)
  const hooks = memberOf(settings.root, 'hooks')
  const cutMember = (member: JsonMember): JsonCut => {
    if (member !== hooks) return []
    const lists = membersOf(member.value)
    return removeChildren(member.value, lists, cutEvent, lists.some((list) => hasMatcher(list.value, FOUND_EMPTY_HOOKS)) ? '{}' : null)
  }
  const cut = removeChildren(settings.root, settings.root.members, cutMember, '{}')
  return cut === 'whole' ? [] : cut
}
