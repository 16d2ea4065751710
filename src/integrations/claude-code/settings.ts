/**
 * Claude Code's settings file, text in and text out: which hooks we want, which are ours, and the text with and without them. Only our
 * entries change; every other byte stays.
 */
import { z } from 'zod'
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

/** The hooks of one installation. `because` is the reason for commands; null when the hooks are http. */
export type HookPlan = {
  form: 'http' | 'command'
  because: CommandHookReason | null
  /** True when the command is written as a program with arguments; older clients take a shell line. */
  exec: boolean
  events: string[]
  /** How the client starts us: the absolute path of Bun and our entry file. */
  program: { command: string; args: string[] }
  port: number
  hookToken: string
  /** Our home when it is not the default one: a hook may not inherit the environment of the shell that ran `init`. */
  homeFlag: string | null
}

export type CommandHookReason = 'asked' | 'no-port' | 'old-client' | 'no-client' | HttpObstacle
type HttpObstacle = 'proxy' | 'url-list'

type HookPlanOptions = Pick<HookPlan, 'program' | 'port' | 'hookToken' | 'homeFlag'> & {
  form?: HookPlan['form'] | undefined
  /** The events that an earlier installation has written, when the client's version was known. */
  present?: string[]
}

/**
 * The events we listen to, each with the first client version that knows it. An older client (such as 2.1.50) drops all hooks in the file
 * when it meets an unknown event, so an event is written only for clients that know it.
 */
export const HOOKS: { event: string; since: string; commandOnly?: true; seconds?: number }[] = [
  { event: 'SessionStart', since: '1.0.62', commandOnly: true, seconds: 5 },
  { event: 'UserPromptSubmit', since: '1.0.54' },
  { event: 'PostToolUse', since: '1.0.38' },
  { event: 'PostToolUseFailure', since: '2.0.56' },
  { event: 'PreCompact', since: '1.0.48' },
  { event: 'PostCompact', since: '2.1.76' },
  { event: 'Stop', since: '1.0.38' },
  { event: 'StopFailure', since: '2.1.78' },
  { event: 'SubagentStop', since: '1.0.41' },
  { event: 'SessionEnd', since: '1.0.85', commandOnly: true },
]
const HTTP_HOOKS_SINCE_VERSION = '2.1.63'
/** An older client ignores `args` and would run Bun without them. */
const EXEC_HOOKS_SINCE_VERSION = '2.1.200'
/** The version we assume when the client was not found. Too low costs some milliseconds; too high costs the person all their hooks. */
const ASSUMED_CLIENT_VERSION = '1.0.85'

/** A worker answers in a few milliseconds. Another program on its port delays a turn no longer than this. */
const HTTP_HOOK_TIMEOUT_SECONDS = 0.5
/** The hook process has shorter deadlines of its own; this one ends a process that hangs. */
const COMMAND_HOOK_TIMEOUT_SECONDS = 2

export const timeoutSeconds = (seconds: number | undefined) => seconds ?? COMMAND_HOOK_TIMEOUT_SECONDS

/** How a client of this version (null when it was not found) calls us. A requested form is used if the client supports it. */
export function planHooks(
  version: string | null,
  { form, present = [], ...options }: HookPlanOptions,
  obstacle: HttpObstacle | null,
): HookPlan {
  const knows = (since: string) => Bun.semver.order(version ?? ASSUMED_CLIENT_VERSION, since) >= 0
  const because = (): CommandHookReason | null => {
    if (form === 'command') return 'asked'
    if (options.port === 0) return 'no-port' // the worker uses another port at every start
    if (version !== null && !knows(HTTP_HOOKS_SINCE_VERSION)) return 'old-client'
    if (form === 'http') return null
    return version === null ? 'no-client' : obstacle
  }
  return {
    ...options,
    form: because() ? 'command' : 'http',
    because: because(),
    exec: knows(EXEC_HOOKS_SINCE_VERSION),
    events: HOOKS.filter(({ event, since }) => knows(since) || (version === null && present.includes(event))).map(({ event }) => event),
  }
}

/** The settings with exactly the planned hooks of ours: adds missing ones, replaces outdated ones in place, removes others. */
export function withHooks(settingsText: string | null, plan: HookPlan): JsonEditResult {
  const added = editJson(settingsText?.trim() ? settingsText : '{}\n', (settings) => additions(settings, plan))
  if (added.kind === 'unreadable') return added
  const cleaned = editJson(added.text, (settings) => {
    const ours = ownHookLocations(settings)
    const planned = new Set(plan.events.map((event) => ours.find((location) => location.event.key === event)))
    return removals(
      settings,
      ours.filter((location) => !planned.has(location)),
    )
  })
  return cleaned.kind === 'unreadable' ? cleaned : { ...cleaned, changed: cleaned.text !== settingsText }
}

/** A home, the default home of this person, and the token in the home's http hooks; null when the token is lost. */
export type HomeIdentity = { home: string; defaultHome: string; hookToken: string | null }

/** The settings without the hooks of this home. Those of another home on the same machine stay. */
export function withoutHooks(settingsText: string | null, of: HomeIdentity): JsonEditResult {
  if (!settingsText?.trim()) return { kind: 'edited', text: settingsText ?? '', changed: false }
  return editJson(settingsText, (settings) => {
    const ours = ownHookLocations(settings)
    const commands = ours.flatMap(({ own }) => (own.form === 'command' ? [own.home ?? of.defaultHome] : []))
    // A home without its token recognises its http hooks by the commands beside them.
    const allOfHome = commands.length > 0 && commands.every((home) => home === of.home)
    const isOfHome = (own: OwnHook) =>
      own.form === 'command' ? (own.home ?? of.defaultHome) === of.home : allOfHome || (own.token !== null && own.token === of.hookToken)
    return removals(
      settings,
      ours.filter(({ own }) => isOfHome(own)),
    )
  })
}

/** One of our hooks in a settings file. */
type OwnHook = { event: string } & (
  | { form: 'http'; url: string; port: number; token: string | null }
  | { form: 'command'; command: string; program: string[]; home: string | null }
)

/** The parts of a settings file that concern us. */
export type SettingsFacts = {
  kind: 'read'
  own: OwnHook[]
  /** The name under which our plugin is enabled, or null. The plugin brings its own hooks. */
  plugin: string | null
  /** Hooks and plugins of another memory tool, which would inject a second brief. */
  otherMemory: string[]
  hooksOff: boolean
  /** The client honours this only in the file of an administrator. */
  managedHooksOnly: boolean
  /** The only addresses that the client calls; null when there is no such list. */
  httpUrls: string[] | null
  env: Record<string, string>
}

/** Reads what concerns us and ignores the rest. */
export function readSettings(settingsText: string): SettingsFacts | UnreadableJson {
  return withParsedJson(settingsText, (settings) => {
    const values = ClientSettings.parse(valueOfNode(settings, settings.root))
    const commands = [...hookLocations(settings)].flatMap(({ handler }) => CommandHook.safeParse(valueOfNode(settings, handler)).data ?? [])
    const lines = commands.map((hook) => [hook.command, ...hook.args].join(' '))
    const plugins = Object.keys(values.enabledPlugins).filter((plugin) => values.enabledPlugins[plugin])
    return {
      kind: 'read',
      own: ownHookLocations(settings).map(({ own }) => own),
      plugin: plugins.find((plugin) => plugin.startsWith('recollect@')) ?? null,
      otherMemory: [...lines, ...plugins].filter((text) => text.includes('claude-mem')),
      hooksOff: values.disableAllHooks,
      managedHooksOnly: values.allowManagedHooksOnly,
      httpUrls: values.allowedHttpHookUrls,
      env: values.env,
    }
  })
}

/**
 * What keeps http hooks from reaching us. The client sends even calls to 127.0.0.1 through a proxy that the shell or the settings name,
 * unless NO_PROXY contains that very address; and a list of allowed addresses may lack ours.
 */
export function findHttpObstacle(port: number, facts: SettingsFacts[], shell: Record<string, string>): HttpObstacle | null {
  const lists = facts.flatMap((file) => file.httpUrls ?? [])
  const isListed = (pattern: string) => new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`).test(hookUrl(port))
  if (facts.some((file) => file.httpUrls) && !lists.some(isListed)) return 'url-list'
  const env: Record<string, string> = Object.assign({}, shell, ...facts.map((file) => file.env))
  const isProxied = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => env[name])
  const exceptions = [env.NO_PROXY, env.no_proxy].filter((list) => list !== undefined)
  const isExcepted =
    exceptions.length > 0 && exceptions.every((list) => list.split(/[\s,]+/).some((host) => host === '*' || host === LOOPBACK))
  return isProxied && !isExcepted ? 'proxy' : null
}

const LOOPBACK = '127.0.0.1'
const HOOK_PATH = '/hook/claude-code'
const hookUrl = (port: number) => `http://${LOOPBACK}:${port}${HOOK_PATH}`

const HttpHook = z.object({ type: z.literal('http'), url: z.string(), headers: z.record(z.string(), z.string()).catch({}) })
const CommandHook = z.object({ type: z.literal('command'), command: z.string(), args: z.array(z.string()).catch([]) })
const ClientSettings = z.object({
  disableAllHooks: z.boolean().catch(false),
  allowManagedHooksOnly: z.boolean().catch(false),
  allowedHttpHookUrls: z.array(z.string()).nullable().catch(null),
  enabledPlugins: z.record(z.string(), z.unknown()).catch({}),
  env: z.record(z.string(), z.coerce.string()).catch({}),
})

function handlerFor({ event, commandOnly, seconds }: (typeof HOOKS)[number], plan: HookPlan): object {
  if (plan.form === 'http' && !commandOnly) {
    return {
      type: 'http',
      url: hookUrl(plan.port),
      timeout: HTTP_HOOK_TIMEOUT_SECONDS,
      headers: { Authorization: `Bearer ${plan.hookToken}` },
    }
  }
  const { command, args } = plan.program
  const words = [...args, ...(plan.homeFlag ? ['--home', plan.homeFlag] : []), 'hook', 'claude-code', event]
  const timeout = timeoutSeconds(seconds)
  return plan.exec
    ? { type: 'command', command, args: words, timeout }
    : { type: 'command', command: [command, ...words].map(shellQuoted).join(' '), timeout }
}

const shellQuoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/**
 * Recognises a hook of ours by the command or address it calls; a client might reject an extra key as a mark. Other tools have a
 * `hook claude-code` command too, so the program must be ours. A command that a person extended belongs to the person.
 */
function parseOwnHook(event: string, handler: unknown): OwnHook | null {
  const http = HttpHook.safeParse(handler).data
  if (http) {
    const url = URL.parse(http.url)
    const isOurs = url?.pathname === HOOK_PATH && [LOOPBACK, 'localhost', '[::1]'].includes(url.hostname)
    const token = /^Bearer (.+)$/.exec(http.headers.Authorization ?? '')?.[1] ?? null
    return isOurs ? { event, form: 'http', url: http.url, port: Number(url.port || 80), token } : null
  }
  const hook = CommandHook.safeParse(handler).data
  if (!hook) return null
  const words = hook.args.length > 0 ? [hook.command, ...hook.args] : shellWords(hook.command)
  const verb = words.findIndex((word, i) => /^hooks?$/.test(word) && words[i + 1] === 'claude-code')
  if (verb < 1 || words.length > verb + 3 || !/^\w*$/.test(words[verb + 2] ?? '')) return null
  const hasHome = words[verb - 2] === '--home'
  const program = words.slice(0, hasHome ? verb - 2 : verb)
  if (!OWN_PROGRAM_PATTERN.test(program.at(-1) ?? '')) return null
  return { event, form: 'command', command: words.map(shellQuoted).join(' '), program, home: hasHome ? (words[verb - 1] ?? null) : null }
}

/** The words of a shell line, without their quotes. */
function shellWords(line: string): string[] {
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

function ownHookLocations(settings: JsonText): (HookLocation & { own: OwnHook })[] {
  return [...hookLocations(settings)].flatMap((location) => {
    const own = parseOwnHook(location.event.key, valueOfNode(settings, location.handler))
    return own ? [{ ...location, own }] : []
  })
}

/**
 * To the client, a group without a matcher and one with '' or '*' mean the same. Our groups normally have none. The other two record that
 * an empty object or list was there before us, so `uninstall` leaves it.
 */
const FOUND_EMPTY_HOOKS = ''
const FOUND_EMPTY_LIST = '*'

function additions(settings: JsonText, plan: HookPlan): JsonEdit[] {
  const wanted = HOOKS.filter((hook) => plan.events.includes(hook.event)).map((hook) => ({
    event: hook.event,
    handler: handlerFor(hook, plan),
  }))
  const hooks = memberOf(settings.root, 'hooks')?.value
  if (!hooks) {
    const all = Object.fromEntries(wanted.map(({ event, handler }) => [event, [{ hooks: [handler] }]]))
    return [appendEntries(settings, settings.root, 0, [['hooks', all]])]
  }
  if (hooks.kind !== 'object') throw syntaxErrorAt(hooks.start, 'expected `hooks` to be an object')
  const ours = ownHookLocations(settings)
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
