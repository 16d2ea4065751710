/** What `recollect help` prints: the commands that people need. Both lists repeat the summaries so that nothing else is loaded; a test compares them. */
export const SHORT_LIST = `Recollect: memory for coding agents, on your machine.

Usage: recollect <command> [options]

  init         connect your agents: install the hooks and the MCP server
  search       find memories
  get          print memories in full, by id
  view         open the viewer in your browser
  capture      save a note
  rules        list, accept, edit or reject what was said in sessions
  forget       delete memories, turns or sessions; restorable unless --hard
  doctor       check the installation and say how to fix problems

'recollect help <command>' explains a command, 'recollect help --all' lists all.`

/** What `recollect help --all` prints. */
export const LIST = `Recollect: memory for coding agents, on your machine.

Usage: recollect <command> [options]

Set up
  init         connect your agents: install the hooks and the MCP server
  welcome      start, import your history, and show the next step
  demo         load a small sample history to explore
  status       show what is running and what is stored
  doctor       check the installation and say how to fix problems
  uninstall    remove the hooks and the MCP server; keeps memories

Read
  search       find memories
  get          print memories in full, by id
  timeline     show what happened around a memory, a query or a date
  graph        show related memories, causes, effects and topics
  inject       print what a new session in this folder would be shown
  view         open the viewer in your browser
  eval         measure how good memory is on your own history

Notes
  capture      save a note
  notes        list the notes of this project, newest first
  rules        list, accept, edit or reject what was said in sessions
  stale        list memories whose code was changed or deleted since
  verify       confirm a memory, hide a wrong one, or correct it
  edit         change a note, or open it in your editor
  forget       delete memories, turns or sessions; restorable unless --hard
  restore      bring back what was deleted, or everything from a backup
  sync         share notes between your machines, over git
  team         share memories with the people you work with
  consolidate  fold duplicate notes and merge related ones
  reflect      turn sessions into lasting notes; needs a text model

Maintain
  import       import history from transcripts or other programs
  export       export one kind of memory as JSON lines, or notes as files
  backup       save all memories, notes and settings in one file
  redistill    distill old turns again, with the text model
  embedder     show, choose or remove the model for search by meaning
  config       show and change settings
  gc           delete expired data and free disk space
  projects     list, join or split projects, or trust a marker file
  audit        show what was captured, changed, imported and deleted, and when
  start        start the worker
  stop         stop the worker
  restart      stop the worker and start it again

Share with a team
  hub          run and manage the server through which a team shares memories

For programs and shells
  mcp          run the MCP server, for any MCP client
  completion   print a script that completes commands in your shell
  memory       print or save memory from your own hook scripts
  hook         handle an event from an agent: JSON in, JSON out
  worker       run the worker in the foreground

'recollect help <command>' explains a command, 'recollect help topics' lists
other topics. --home <folder> before the command uses another home; so does
RECOLLECT_HOME.`
