import { join } from 'node:path'
import { z } from 'zod'
import { withoutSetting, withSetting } from './config-file.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { ensurePrivateFolder, readIfThere, writeInPlace } from './files.ts'

/**
 * Every setting there is, with its default. `config.toml` has the same sections; an environment variable has the same path in
 * capitals (`RECOLLECT_WORKER_PORT`). A setting stands here when something reads it, not before.
 */
const Settings = z.object({
  worker: z.object({
    port: z.number().int().min(0).max(65535).default(37777),
    idle_minutes: z.number().positive().default(30),
  }),
  hooks: z.object({
    session_start: z.object({
      enabled: z.boolean().default(true),
      token_budget: z.number().int().min(0).max(2000).default(2000),
    }),
    user_prompt: z.object({
      enabled: z.boolean().default(true),
      /** Tell the model what earlier sessions know about the prompt. */
      recall: z.boolean().default(true),
      token_budget: z.number().int().min(0).max(500).default(500),
      /** Words that, in brackets, mark a sentence of a prompt as worth a note; none switches that off. */
      markers: z
        .array(z.string().regex(/^\[?[A-Za-z0-9][A-Za-z0-9-]{0,39}\]?$/, 'a marker is a word of letters, digits and dashes'))
        .default(['decision', 'learned', 'blocker', 'progress', 'remember', 'global']),
    }),
    post_tool_use: z.object({
      enabled: z.boolean().default(true),
      /** Tools that are not journalled, besides the ones that are noise for everybody. */
      skip_tools: z.array(z.string()).default([]),
      /** Globs of files whose tool uses are not journalled. */
      exclude_patterns: z.array(z.string()).default([]),
    }),
    pre_compact: z.object({
      /** Before a conversation is shortened, keep what was decided and learned in it. */
      enabled: z.boolean().default(true),
      /** How sure we must be of a sentence to keep it as a note. */
      confidence_threshold: z.number().min(0).max(1).default(0.8),
    }),
    stop: z.object({
      /** One note per session: what was asked, what was touched, how it ended. */
      session_analysis: z.boolean().default(true),
    }),
  }),
  embedder: z.object({
    /** `static` and `minilm` are on this machine; `http` sends what is remembered to `base_url`; `none` searches by words alone. */
    provider: z.enum(['static', 'minilm', 'http', 'none']).default('static'),
    /** For `http`: the model's name, the endpoint's address up to its version, and its key if it wants one. */
    name: z.string().default(''),
    base_url: z.string().default(''),
    api_key: z.string().default(''),
  }),
  model: z.object({
    /** `plain` is no model; `claude` asks through the person's own client; `anthropic` and `openai` send to the endpoint. */
    provider: z.enum(['plain', 'claude', 'anthropic', 'openai']).default('plain'),
    name: z.string().default(''),
    /** A smaller model of the same provider, for turns that only looked; empty asks `name` for everything. */
    cheap_name: z.string().default(''),
    /** Who is asked when that one cannot answer, in this order: `provider:name`, or `openai:name@address`. */
    fallbacks: z
      .array(z.string().regex(/^(?:claude|anthropic|openai):[^@\s]+(?:@\S+)?$/, 'write provider:name, or openai:name@address'))
      .default([]),
    /** No question is asked that could cost more than is left of these, in US dollars; 0 is no limit. */
    daily_usd: z.number().min(0).default(0),
    monthly_usd: z.number().min(0).default(0),
    /** What is asked for, and in which language: a file `<mode>.<language>.toml` in `<home>/modes/`, or one that comes along. */
    mode: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, 'a mode is a word of small letters, digits and dashes')
      .default('code'),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(?:-[a-z]{2,4})?$/i, 'a language is written like en or pt-br')
      .default('en'),
    /** An address up to its version, or a known name: openai, openrouter, deepseek, gemini, ollama. Empty for the provider's own. */
    base_url: z.string().default(''),
    /** A file that only its owner can read. Without one the key comes from the environment; it never stands in the settings. */
    api_key_file: z.string().default(''),
    /** What is sent is at most this many times the text it is about. */
    max_input_ratio: z.number().min(1).max(10).default(2),
  }),
  sync: z.object({
    /** The address of the git repository that a person's machines share; empty keeps notes on this one. */
    remote: z.string().default(''),
    fetch: z.boolean().default(true),
    push: z.boolean().default(true),
    /** Mirror the notes of a project into its own repository, under refs/notes/mem. */
    git_notes: z.boolean().default(false),
    /** Bring the agent's own memory in as notes, and follow it. */
    import_native: z.boolean().default(true),
  }),
  consolidate: z.object({
    /** Duplicates are folded by themselves after this many new notes, and when nobody works; 0 is never. */
    after_captures: z.number().int().min(0).default(50),
    /** Whether the text model is asked then, too. It is always asked when a person runs `reflect` or `consolidate`. */
    auto_model: z.boolean().default(false),
  }),
  /** How long things are kept; 0 is for ever. */
  retention: z.object({
    tool_uses_days: z.number().int().min(0).default(30),
    /** The oldest tool uses go when all together are more than this; 0 is no limit. */
    tool_uses_mb: z.number().min(0).default(0),
    /** Forgotten notes can be restored for so long; then they and their files are gone. */
    deleted_notes_days: z.number().int().min(0).default(30),
    injections_days: z.number().int().min(0).default(90),
    audit_days: z.number().int().min(0).default(365),
  }),
  privacy: z.object({
    redact: z.boolean().default(true),
    /** Further regular expressions whose matches are redacted. */
    patterns: z.array(z.string()).default([]),
    /** Project keys, names or folder globs of which nothing is kept. */
    exclude_projects: z.array(z.string()).default([]),
  }),
})

/** Why nobody can be asked as long as `model.provider` is what it is by default. */
export const NO_TEXT_MODEL_REASON = 'no text model is configured (model.provider = "plain")'

export type Settings = z.infer<typeof Settings>
export type SettingSource = 'default' | 'user file' | 'environment'
export type LoadedSettings = {
  settings: Settings
  /** Where each value came from, by its dotted name. */
  sources: Record<string, SettingSource>
  /** What could not be used, in words for the person; the default stands in its place. */
  problems: string[]
}

/** The settings in force. A broken file or value never stops anything: it is reported and the next source decides. */
export function loadSettings(environment: Environment = readEnvironment()): LoadedSettings {
  const problems: string[] = []
  const file = join(environment.home, 'config.toml')
  const written = readToml(file, problems)
  const settings: SettingsTree = {}
  const sources: Record<string, SettingSource> = {}
  for (const { path, schema, fallback } of settingDefinitions(Settings)) {
    const name = path.join('.')
    let value: unknown = fallback
    sources[name] = 'default'
    const take = (source: SettingSource, offered: unknown, where: string) => {
      const read = schema.safeParse(offered)
      if (!read.success) {
        problems.push(`${name} in ${where}: ${reasonOf(read.error)}; using ${JSON.stringify(value)}`)
        return
      }
      value = read.data
      sources[name] = source
    }
    const fromFile = valueAt(written, path)
    if (fromFile !== undefined) take('user file', fromFile, file)
    const variable = variableOf(path)
    const fromEnvironment = environment.overrides[variable]
    if (fromEnvironment !== undefined) take('environment', readVariable(fromEnvironment, fallback), variable)
    setAt(settings, path, value)
  }
  const known = new Set(Object.keys(sources))
  for (const name of namesIn(written)) if (!known.has(name)) problems.push(`${name} in ${file} is not a setting`)
  return { settings: settings as unknown as Settings, sources, problems }
}

/** One setting as it may be shown: the value of a secret is not in it. */
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

/** An address may carry a name and a password before its host. */
const withoutPassword = (value: unknown) => (typeof value === 'string' ? value.replace(/(:\/\/)[^/@\s]+@/, `$1${HIDDEN}@`) : value)

export type SettingChange = { name: string; value: unknown } | { name: string; unset: true }
export type SettingChangeResult = { kind: 'changed' } | { kind: 'refused'; reason: string }

/** Writes one setting into the person's file, or takes it out, and leaves every other byte of it as it is. */
export function changeSetting(environment: Environment, change: SettingChange): SettingChangeResult {
  const refused = (reason: string): SettingChangeResult => ({ kind: 'refused', reason })
  const { name } = change
  const leaf = [...settingDefinitions(Settings)].find(({ path }) => path.join('.') === name)
  if (!leaf) return refused(`there is no setting ${name.slice(0, 80)}`)
  const file = join(environment.home, 'config.toml')
  if (isSecretName(name))
    return refused(
      `${name} is a secret: put it into ${variableOf(leaf.path)}, or write it into ${file} yourself, so that no history of commands keeps it`,
    )
  const text = readIfThere(file) ?? ''
  const edited = 'unset' in change ? { text: withoutSetting(text, leaf.path) } : withValue(text, leaf, change.value)
  if ('reason' in edited) return refused(edited.reason)
  if (edited.text === null) return refused(`${file} cannot be changed safely; edit ${name} there by hand`)
  if (edited.text === text) return { kind: 'changed' }
  ensurePrivateFolder(environment.home)
  writeInPlace(file, edited.text)
  return { kind: 'changed' }
}

function withValue(
  text: string,
  { path, schema, fallback }: SettingDefinition,
  given: unknown,
): { text: string | null } | { reason: string } {
  // A command line and a model have only text for what may be a number or a list.
  const read = schema.safeParse(typeof given === 'string' ? readVariable(given, fallback) : given)
  if (read.success) return { text: withSetting(text, path, read.data) }
  return { reason: `${path.join('.')}: ${reasonOf(read.error)}` }
}

/** What is wrong with a value, in words for a person. */
function reasonOf({ issues: [issue] }: z.ZodError): string {
  return issue?.code === 'invalid_type' ? `it is a ${issue.expected}` : (issue?.message ?? 'not usable')
}

type SettingsTree = { [key: string]: unknown }

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

const variableOf = (path: string[]) => `RECOLLECT_${path.join('_').toUpperCase()}`

type SettingDefinition = { path: string[]; schema: z.ZodType; fallback: unknown }

function* settingDefinitions(schema: z.ZodObject, path: string[] = []): Generator<SettingDefinition> {
  for (const [key, part] of Object.entries(schema.shape)) {
    if (part instanceof z.ZodObject) yield* settingDefinitions(part, [...path, key])
    else yield { path: [...path, key], schema: part as z.ZodType, fallback: (part as z.ZodType).parse(undefined) }
  }
}

/** A variable is text; the default says what it was meant to be. What cannot be that stays text, and is told to be unusable. */
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
