import { z } from 'zod'
import { type SettingDefinition, settingDefinitions, settingTakesEffect, variableOf } from './settings.ts'

/** The values that a setting accepts, so that a page can offer the right control. */
export type SettingInput =
  | { kind: 'switch' }
  | { kind: 'number'; min: number; max: number | null; isWhole: boolean }
  | { kind: 'choice'; choices: string[] }
  | { kind: 'text' }
  | { kind: 'list' }

export type SettingDescription = { about: string; form: SettingInput; fallback: unknown; takesEffect: string; variable: string }

/** What each setting is for, by its name. A test keeps the list complete. */
const ABOUT: Record<string, string> = {
  'worker.port': 'The port on 127.0.0.1 for the viewer and other programs. If another program uses it, the worker takes the next free one.',
  'worker.idle_minutes': 'The worker exits after this many minutes without an active session.',
  'hooks.enabled': 'The main switch. Without it, hooks store and show nothing; commands, MCP and imports still work.',
  'hooks.session_start.enabled': 'Give the model a brief about earlier sessions when a session starts.',
  'hooks.session_start.fetch_remote': 'Sync the notes in the background when a session starts.',
  'hooks.session_start.include_guidance': 'Tell the model how to find more.',
  'hooks.session_start.token_budget': 'The largest size of that brief, in tokens.',
  'hooks.user_prompt.enabled': 'Store prompts.',
  'hooks.user_prompt.recall': 'Show the model memories that fit the prompt.',
  'hooks.user_prompt.first_token_budget': 'The largest size of what is recalled with the first prompt of a session, in tokens.',
  'hooks.user_prompt.token_budget': 'The largest size of what is recalled with each later prompt, in tokens.',
  'hooks.user_prompt.markers':
    'Words that, in brackets, save a sentence of a prompt as a note: “[decision] …”. An empty list turns this off.',
  'hooks.post_tool_use.enabled': 'Store tool uses.',
  'hooks.post_tool_use.trigger_tools':
    'Tools after which the model is shown memories about the file. Tools of the same kind of other agents count too.',
  'hooks.post_tool_use.skip_tools': 'More tools whose uses are not stored.',
  'hooks.post_tool_use.exclude_patterns': 'Globs of files whose tool uses are not stored, for example **/secrets/**.',
  'hooks.pre_tool_use.enabled':
    'Show what is known about a file before a tool touches it, instead of after. Run recollect init after changing it.',
  'hooks.pre_tool_use.warn': 'Refuse an action that failed in an earlier session once, with what happened then. Repeated, it runs.',
  'hooks.pre_compact.enabled': 'Before a conversation is compacted, save its decisions, findings, blockers and rules as notes.',
  'hooks.pre_compact.confidence_threshold': 'How certain the rules must be to save such a note, from 0 to 1.',
  'hooks.stop.enabled': 'After a session ends, save its note and the rules and decisions in it, and sync.',
  'hooks.stop.push_remote': 'Push the notes when they are synced in the background.',
  'hooks.stop.session_analysis': 'Save one note per session: the request, the files touched, the outcome.',
  'embedder.provider':
    'Search by meaning. “static” and “minilm” run on this machine, “http” sends memories to the address below, “none” searches by words only.',
  'embedder.name': 'For http: the name of the model.',
  'embedder.base_url': 'For http: the address of the endpoint up to its version.',
  'embedder.api_key': 'For http, if the endpoint needs a key.',
  'model.provider':
    'What distills turns. “plain” uses rules and no model, “claude” your own client, “anthropic” and “openai” call an endpoint with your key.',
  'model.name': 'The model; may be empty for claude.',
  'model.cheap_name': 'A smaller model of the same provider, for turns that changed nothing.',
  'model.fallbacks': 'Models to try, in this order, when that one cannot answer: provider:name, or openai:name@address.',
  'model.daily_usd': 'The most that may be spent in a day, in US dollars; 0 means no limit.',
  'model.monthly_usd': 'The most that may be spent in a month, in US dollars; 0 means no limit.',
  'model.mode': 'Which instructions the model gets: a file in the folder modes of the home, or a built-in one.',
  'model.language': 'The language of those instructions.',
  'model.base_url': 'openai, openrouter, deepseek, gemini, ollama, or an address up to its version; empty for the provider’s own.',
  'model.api_key_file': 'A file with the key that only you can read.',
  'model.max_input_ratio': 'A request is at most this many times as long as the turn it is about.',
  'sync.remote': 'The git repository that your machines share. Empty keeps notes on this machine.',
  'sync.fetch': 'Receive notes from other machines.',
  'sync.push': 'Send notes to other machines.',
  'sync.git_notes': 'Mirror a project’s notes into its own repository, under refs/notes/mem.',
  'sync.git_notes_sessions': 'Mirror the notes of sessions too, which contain prompts.',
  'sync.import_native': 'Import the agent’s own memory files as notes. That folder is only read.',
  'team.url': 'The hub that `team join` uses when it is given only a code.',
  'team.share': 'What `team share` shares: notes, or also observations and summaries. Each project is shared by hand.',
  'import.session_notes': 'Save a note for each imported session.',
  'git.history': 'Read the commit messages of a project’s repository in the background, and follow new commits.',
  'consolidate.after_captures': 'Fold duplicates in the background after this many new notes; 0 means never.',
  'consolidate.auto_model': 'Also use the text model in the background.',
  'retention.tool_uses_days': 'Delete raw tool uses after this many days; memories made from them stay. 0 keeps them forever.',
  'retention.tool_uses_mb': 'Delete the oldest tool uses when all of them exceed this many megabytes; 0 means no limit.',
  'retention.deleted_notes_days': 'Forgotten notes can be restored for this many days; then they and their files are deleted.',
  'retention.injections_days': 'How long the record of what was shown to the model is kept; 0 means forever.',
  'retention.audit_days': 'How long the record of changes that were not an agent’s work is kept; 0 means forever.',
  'privacy.redact': 'Redact keys, tokens and passwords before anything is written.',
  'privacy.patterns': 'More regular expressions whose matches are redacted.',
  'privacy.exclude_projects': 'Store nothing from these projects: keys, names or folder globs.',
}

/** Every setting with its explanation, what it accepts, its default and when a change takes effect. */
export function describeSettings(): Map<string, SettingDescription> {
  return new Map(
    [...settingDefinitions()].map((definition) => {
      const name = definition.path.join('.')
      const { fallback } = definition
      const about = ABOUT[name] ?? ''
      return [
        name,
        { about, form: inputFor(definition), fallback, takesEffect: settingTakesEffect(name), variable: variableOf(definition.path) },
      ]
    }),
  )
}

function inputFor({ schema }: SettingDefinition): SettingInput {
  const inner = schema()
  if (inner instanceof z.ZodBoolean) return { kind: 'switch' }
  if (inner instanceof z.ZodEnum) return { kind: 'choice', choices: inner.options.map(String) }
  if (inner instanceof z.ZodArray) return { kind: 'list' }
  if (!(inner instanceof z.ZodNumber)) return { kind: 'text' }
  const { minValue, maxValue } = inner
  const max = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? null : maxValue
  return { kind: 'number', min: minValue ?? 0, max, isWhole: inner.isInt }
}
