import { join } from 'node:path'
import { z } from 'zod'
import { once } from '../core/once.ts'
import { formatTomlValue, tomlProblem, withoutSetting, withSetting } from './config-file.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { ensurePrivateFolder, readIfThere, readUtf8IfThere, writeInPlace } from './files.ts'

/** The default of a setting, and the schema of its values, which is made when a value is set: making all of them took every start three milliseconds. */
type Setting<Value> = { fallback: Value; schema: () => z.ZodType<Value> }

const setting = <Value>(fallback: NoInfer<Value>, schema: () => z.ZodType<Value>): Setting<Value> => ({ fallback, schema: once(schema) })
const flag = (fallback: boolean) => setting(fallback, () => z.boolean())
const text = () => setting('', () => z.string())
const texts = (fallback: string[] = []) => setting(fallback, () => z.array(z.string()))

/**
 * Every setting with its default. `config.toml` has the same sections; an environment variable has the same path in capitals
 * (`RECOLLECT_WORKER_PORT`).
 */
const SETTINGS = {
  worker: {
    port: setting(37777, () => z.number().int().min(0).max(65535)),
    idle_minutes: setting(30, () => z.number().positive()),
  },
  hooks: {
    /** The master switch: without it hooks store and show nothing. Commands, MCP and imports still work. */
    enabled: flag(true),
    session_start: {
      enabled: flag(true),
      /** Sync the notes in the background when a session starts. */
      fetch_remote: flag(true),
      /** Tell the model how to find more. */
      include_guidance: flag(true),
      token_budget: setting(2000, () => z.number().int().min(0).max(2000)),
    },
    user_prompt: {
      enabled: flag(true),
      /** Show the model what earlier sessions know about the prompt. */
      recall: flag(true),
      /** For the first prompt of a session: the brief at its start could not know the subject. */
      first_token_budget: setting(1000, () => z.number().int().min(0).max(1000)),
      token_budget: setting(400, () => z.number().int().min(0).max(1000)),
      /** Words that, in brackets, save a sentence of a prompt as a note. An empty list turns this off. */
      markers: setting(['decision', 'learned', 'blocker', 'progress', 'remember', 'global'], () =>
        z.array(z.string().regex(/^\[?[A-Za-z0-9][A-Za-z0-9-]{0,39}\]?$/, 'a marker has 1 to 40 letters, digits or dashes')),
      ),
    },
    post_tool_use: {
      enabled: flag(true),
      /** Tools after which the model is shown memories about the file, by the names of Claude Code; other agents' tools of that kind count too. */
      trigger_tools: texts(['Read', 'Edit', 'Write']),
      /** Tools whose uses are not recorded, besides those that are never recorded. */
      skip_tools: texts(),
      /** Globs of files whose tool uses are not recorded, and about which nothing is shown. */
      exclude_patterns: texts(),
    },
    pre_tool_use: {
      /** Show what is known about a file before a tool touches it, instead of after. Run `recollect init` after changing it. */
      enabled: flag(false),
      /** Refuse an action that failed in an earlier session once, with what happened then. The model may repeat it. */
      warn: flag(false),
    },
    pre_compact: {
      /** Before a conversation is compacted, save its decisions and lessons as notes. */
      enabled: flag(true),
      /** How certain the rules must be about a sentence to save it as a note, from 0 to 1. */
      confidence_threshold: setting(0.8, () => z.number().min(0).max(1)),
    },
    stop: {
      /** When a session ends, write its note, save its rules and decisions, and sync. */
      enabled: flag(true),
      /** Push the notes when they are synced in the background. */
      push_remote: flag(true),
      /** Write one note per session: the request, the changed files, the outcome. */
      session_analysis: flag(true),
    },
  },
  import: {
    /** Write the note of each session that is imported from a transcript, as if the session had ended here. */
    session_notes: flag(true),
  },
  embedder: {
    /** `static` and `minilm` run on this machine; `http` sends memories to `base_url`; `none` searches by words only. */
    provider: setting('static', () => z.enum(['static', 'minilm', 'http', 'none'])),
    /** For `http`: the model's name, the endpoint's address up to its version (`…/v1`), and its key if it needs one. */
    name: text(),
    base_url: text(),
    api_key: text(),
  },
  model: {
    /** `plain` uses rules instead of a model; `claude` asks through the person's own client; `anthropic` and `openai` call an endpoint. */
    provider: setting('plain', () => z.enum(['plain', 'claude', 'anthropic', 'openai'])),
    name: text(),
    /** A smaller model of the same provider, for turns that changed nothing; if empty, `name` is used for all turns. */
    cheap_name: text(),
    /** Models to try, in this order, when that one cannot answer: `provider:name`, or `openai:name@address`. */
    fallbacks: setting([], () =>
      z.array(z.string().regex(/^(?:claude|anthropic|openai):[^@\s]+(?:@\S+)?$/, 'write provider:name, or openai:name@address')),
    ),
    /** Spending limits in US dollars. A request that could exceed what is left is not sent; 0 means no limit. */
    daily_usd: setting(0, () => z.number().min(0)),
    monthly_usd: setting(0, () => z.number().min(0)),
    /** Which prompts the model gets, and in which language: a file `<mode>.<language>.toml` in `<home>/modes/`, or a bundled one. */
    mode: setting('code', () => z.string().regex(/^[a-z0-9-]{1,40}$/, 'a mode has 1 to 40 lower-case letters, digits or dashes')),
    language: setting('en', () => z.string().regex(/^[a-z]{2,3}(?:-[a-z]{2,4})?$/i, 'write a language code such as en or pt-br')),
    /** An address up to its version, or a known name: openai, openrouter, deepseek, gemini, ollama. If empty, the provider's own address. */
    base_url: text(),
    /** A file with the key, readable only by its owner. Without it, the key comes from the environment; settings never contain it. */
    api_key_file: text(),
    /** A request may be at most this many times as long as the turn it is about. */
    max_input_ratio: setting(2, () => z.number().min(1).max(10)),
  },
  sync: {
    /** The git repository that a person's machines share. If empty, notes stay on this machine. */
    remote: text(),
    fetch: flag(true),
    push: flag(true),
    /** Mirror the notes of a project into its own repository, under refs/notes/mem. */
    git_notes: flag(false),
    /** Mirror the notes of sessions too. They contain what the person typed. */
    git_notes_sessions: flag(false),
    /** Import the agent's own memory files as notes, and follow their changes. */
    import_native: flag(true),
  },
  team: {
    /** The hub that `team join` uses when it is given only a code. */
    url: text(),
    /** What `team share` shares when it is not told: notes, or also observations and summaries. */
    share: setting('notes', () => z.enum(['notes', 'notes+distilled'])),
  },
  git: {
    /** Read the commit messages of projects' repositories, in the background, and follow new commits. */
    history: flag(true),
  },
  consolidate: {
    /** Fold duplicates automatically after this many new notes, while the machine is idle; 0 turns this off. */
    after_captures: setting(50, () => z.number().int().min(0)),
    /** Whether automatic runs may use the text model. `reflect` and `consolidate` always use it. */
    auto_model: flag(false),
  },
  /** How long data is kept; 0 means for ever. */
  retention: {
    tool_uses_days: setting(30, () => z.number().int().min(0)),
    /** The oldest tool uses are deleted when all of them exceed this size; 0 means no limit. */
    tool_uses_mb: setting(0, () => z.number().min(0)),
    /** How long a forgotten note can be restored. Then the note and its file are deleted. */
    deleted_notes_days: setting(30, () => z.number().int().min(0)),
    injections_days: setting(90, () => z.number().int().min(0)),
    audit_days: setting(365, () => z.number().int().min(0)),
  },
  privacy: {
    redact: flag(true),
    /** Further regular expressions whose matches are redacted. */
    patterns: texts(),
    /** Projects that are not recorded: keys, names or folder globs. */
    exclude_projects: texts(),
  },
}

/** Names that other programs use for a setting of ours. In `config.toml` they work, with a message that says what to write instead. */
const OTHER_NAMES: Record<string, string> = {
  'hooks.session_start.context_token_budget': 'hooks.session_start.token_budget',
  'hooks.user_prompt.signal_patterns': 'hooks.user_prompt.markers',
}

/** Why there is no text model with the default of `model.provider`. */
export const NO_TEXT_MODEL_REASON = 'no text model is configured (model.provider = "plain")'

type ValuesOf<Definitions> = {
  [Key in keyof Definitions]: Definitions[Key] extends Setting<infer Value> ? Value : ValuesOf<Definitions[Key]>
}
export type Settings = ValuesOf<typeof SETTINGS>

/** When the worker reads each section: once, when it starts, or again each time it needs it. */
const SECTION_READ = {
  worker: 'at start',
  hooks: 'at start',
  import: 'at start',
  // The worker keeps the embedder it has opened. `recollect embedder use` makes it open another one without a restart.
  embedder: 'at start',
  model: 'at start',
  sync: 'at each sync',
  team: 'when used',
  git: 'at start',
  consolidate: 'at start',
  retention: 'at start',
  privacy: 'at start',
} as const satisfies Record<keyof Settings, 'at start' | 'at each sync' | 'when used'>

const TAKES_EFFECT = {
  'at start': 'Restart the worker to apply it: recollect restart',
  'at each sync': 'The next sync uses it.',
  'when used': 'The next command uses it.',
} as const

/** What to do for a changed setting to take effect: a sentence for `config set` and the settings page. */
export function settingTakesEffect(name: string): string {
  const section = name.split('.')[0] as keyof Settings
  return TAKES_EFFECT[SECTION_READ[section]]
}

/** The sections that the worker reads once, when it starts. */
export type StartSettings = Pick<
  Settings,
  { [S in keyof Settings]: (typeof SECTION_READ)[S] extends 'at start' ? S : never }[keyof Settings]
>

export type SettingSource = 'default' | 'user file' | 'environment'
export type LoadedSettings = {
  settings: Settings
  /** Where each value came from, by its dotted name. */
  sources: Record<string, SettingSource>
  /** Values that could not be used and why, as sentences for the person. */
  problems: string[]
}

/** The current settings. A broken file or value is reported in `problems`, and the next source (file, then default) is used. */
export function loadSettings(environment: Environment = readEnvironment()): LoadedSettings {
  const problems: string[] = []
  const file = join(environment.home, 'config.toml')
  const inFile = withOwnNames(readToml(file, problems), file, problems)
  const settings: SettingsTree = {}
  const sources: Record<string, SettingSource> = {}
  for (const { path, schema, fallback } of settingDefinitions()) {
    const name = path.join('.')
    let value: unknown = fallback
    sources[name] = 'default'
    const accept = (source: SettingSource, candidate: unknown, where: string) => {
      const read = schema().safeParse(candidate)
      if (!read.success) {
        problems.push(`${name} in ${where}: ${reasonOf(read.error, schema())}; using ${JSON.stringify(value)}`)
        return
      }
      value = read.data
      sources[name] = source
    }
    const fromFile = valueAt(inFile, path)
    if (fromFile !== undefined) accept('user file', fromFile, file)
    const variable = variableOf(path)
    const fromEnvironment = environment.overrides[variable]
    if (fromEnvironment !== undefined) accept('environment', readVariable(fromEnvironment, fallback), variable)
    setAt(settings, path, value)
  }
  const known = new Set(Object.keys(sources))
  for (const name of namesIn(inFile))
    if (!known.has(name)) problems.push(`${name} in ${file} is not a setting; 'recollect config list' shows all settings`)
  return { settings: settings as unknown as Settings, sources, problems }
}

/** One setting to show to a person. The value of a secret is hidden. */
export type ShownSetting = { name: string; value: unknown; source: SettingSource; isSecret: boolean }

/** Every setting with its value and where it came from. */
export function shownSettings({ settings, sources }: LoadedSettings): ShownSetting[] {
  return Object.entries(sources).map(([name, source]) => {
    const value = valueAt(settings as unknown as SettingsTree, name.split('.'))
    const isSecret = isSecretName(name)
    return { name, value: isSecret ? (value === '' ? '' : HIDDEN) : withoutPassword(value), source, isSecret }
  })
}

const HIDDEN = '••••••'
const isSecretName = (name: string) => /(?:^|[._])api_key$/.test(name)

/** An address may contain a user name and a password before its host. */
const withoutPassword = (value: unknown) => (typeof value === 'string' ? value.replace(/(:\/\/)[^/@\s]+@/, `$1${HIDDEN}@`) : value)

export type SettingChange = { name: string; value: unknown } | { name: string; unset: true }
export type SettingChangeResult = { kind: 'changed' } | { kind: 'refused'; reason: string }

/** Writes settings into the person's file, or removes them: all of them or none. Every other byte of the file stays the same. */
export function changeSettings(environment: Environment, changes: SettingChange[]): SettingChangeResult {
  const refused = (reason: string): SettingChangeResult => ({ kind: 'refused', reason })
  const file = join(environment.home, 'config.toml')
  const before = readUtf8IfThere(file) ?? ''
  const problem = tomlProblem(before)
  if (problem) return refused(`${file} is not valid TOML (${problem}); correct it first`)
  let text = before
  for (const change of changes) {
    const edited = withChange(text, change, file)
    if ('reason' in edited) return refused(edited.reason)
    text = edited.text
  }
  if (text !== before) {
    ensurePrivateFolder(environment.home)
    writeInPlace(file, text)
  }
  return { kind: 'changed' }
}

function withChange(text: string, change: SettingChange, file: string): { text: string } | { reason: string } {
  const name = OTHER_NAMES[change.name] ?? change.name
  const definition = [...settingDefinitions()].find(({ path }) => path.join('.') === name)
  if (!definition) return { reason: `"${name.slice(0, 80)}" is not a setting; 'recollect config list' shows all settings` }
  const { path, schema, fallback } = definition
  if (isSecretName(name))
    return {
      reason: `${name} is a secret: set ${variableOf(path)}, or write it into ${file} yourself, so that it does not end up in your shell history`,
    }
  if ('unset' in change) return editOrReason(withoutSetting(text, path), `remove ${name} from ${file} by hand`, file)
  // A command line and a model can send only text for a number or a list.
  const read = schema().safeParse(typeof change.value === 'string' ? readVariable(change.value, fallback) : change.value)
  if (!read.success) return { reason: `${name}: ${reasonOf(read.error, schema())}` }
  const problem = name === PATTERNS_SETTING ? [read.data].flat().map(patternProblem).find(Boolean) : null
  if (problem) return { reason: problem }
  const byHand = `write this under [${path.slice(0, -1).join('.')}] by hand: ${path.at(-1)} = ${formatTomlValue(read.data)}`
  return editOrReason(withSetting(text, path, read.data), byHand, file)
}

const PATTERNS_SETTING = 'privacy.patterns'

/** Why a pattern cannot be used. Not part of the schema: one bad pattern in the file must not switch off the good ones. */
export function patternProblem(pattern: unknown): string | null {
  try {
    new RegExp(String(pattern), 'g')
    return null
  } catch (cause) {
    const reason = (cause as Error).message.replace(/^Invalid regular expression: /, '')
    return `${PATTERNS_SETTING}: "${pattern}" is not a regular expression (${reason})`
  }
}

const editOrReason = (edited: string | null, byHand: string, file: string) =>
  edited === null ? { reason: `${file} is written in a way that cannot be edited safely; ${byHand}` } : { text: edited }

/** Why a value is not allowed, for a person. */
function reasonOf({ issues: [issue] }: z.ZodError, schema: z.ZodType): string {
  if (schema instanceof z.ZodEnum) return `must be one of: ${schema.options.join(', ')}`
  if (schema instanceof z.ZodNumber) return `must be a ${schema.isInt ? 'whole ' : ''}number ${rangeOf(schema)}`
  return issue?.code === 'invalid_type'
    ? `must be ${TYPE_NAMES[issue.expected] ?? `a ${issue.expected}`}`
    : (issue?.message ?? 'not allowed')
}

function rangeOf(schema: z.ZodNumber): string {
  const { minValue: min, maxValue: max } = schema
  if (max !== null && max < Number.MAX_SAFE_INTEGER) return `from ${min} to ${max}`
  return schema.safeParse(min).success ? `of at least ${min}` : `above ${min}`
}

/** Zod's names for types, as a person says them. */
const TYPE_NAMES: Record<string, string> = {
  boolean: 'true or false',
  array: 'a list',
  string: 'text',
}

type SettingsTree = { [key: string]: unknown }

/** Moves settings with another name to their own. If both names are used, our own counts. */
function withOwnNames(tree: SettingsTree, file: string, problems: string[]): SettingsTree {
  for (const [other, name] of Object.entries(OTHER_NAMES)) {
    const [path, ownPath] = [other.split('.'), name.split('.')]
    const value = valueAt(tree, path)
    if (value === undefined) continue
    const isUsed = valueAt(tree, ownPath) === undefined
    problems.push(`${other} in ${file} ${isUsed ? `was read as ${name}; please rename it` : `is ignored, because ${name} is set too`}`)
    if (isUsed) setAt(tree, ownPath, value)
    delete (valueAt(tree, path.slice(0, -1)) as SettingsTree)[path.at(-1) as string]
  }
  return tree
}

function readToml(path: string, problems: string[]): SettingsTree {
  try {
    const text = readIfThere(path)
    return text === null ? {} : (Bun.TOML.parse(text) as SettingsTree)
  } catch (cause) {
    const { message, cause: deeper } = cause as Error
    problems.push(`${path} is ${deeper instanceof Error ? `unreadable (${deeper.message})` : `not valid TOML (${message})`}; it is ignored`)
    return {}
  }
}

export const variableOf = (path: string[]) => `RECOLLECT_${path.join('_').toUpperCase()}`

export type SettingDefinition = Setting<unknown> & { path: string[] }

/** The definition of every setting. */
export function* settingDefinitions(sections: object = SETTINGS, path: string[] = []): Generator<SettingDefinition> {
  for (const [key, part] of Object.entries(sections)) {
    if ('fallback' in part) yield { path: [...path, key], ...part }
    else yield* settingDefinitions(part, [...path, key])
  }
}

/** A variable is text; the default's type says what to convert it to. Text that cannot be converted stays text, and the schema rejects it. */
function readVariable(text: string, like: unknown): unknown {
  if (typeof like === 'number') return text.trim() === '' ? text : Number(text)
  if (typeof like === 'boolean') return BOOLEANS.get(text.trim().toLowerCase()) ?? text
  if (Array.isArray(like)) return text.split(',').flatMap((part) => part.trim() || [])
  return text
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

function valueAt(tree: SettingsTree, path: string[]): unknown {
  return path.reduce<unknown>((node, key) => (isTree(node) ? node[key] : undefined), tree)
}

function setAt(tree: SettingsTree, path: string[], value: unknown): void {
  const last = path.at(-1) as string
  let node = tree
  for (const key of path.slice(0, -1)) {
    node[key] ??= {}
    node = node[key] as SettingsTree
  }
  node[last] = value
}

function* namesIn(tree: SettingsTree, prefix = ''): Generator<string> {
  for (const [key, value] of Object.entries(tree)) {
    if (isTree(value)) yield* namesIn(value, `${prefix}${key}.`)
    else yield prefix + key
  }
}

function isTree(value: unknown): value is SettingsTree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
