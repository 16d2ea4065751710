/**
 * What 'recollect help' prints, and with it what each command is for: the rest of the help reads it from here. It stands as one text because
 * to put it together takes longer than to start the program.
 */
export const LIST = `Recollect: memory for coding agents, on your machine.

Usage: recollect <command> [options]

Begin
  init         connect Claude Code: install the hooks and the MCP server
  welcome      start, import history, and show the next steps (npm start)
  demo         load a small sample history to look around in
  status       what is running and what is remembered
  doctor       check the whole chain and say how to fix what is wrong
  uninstall    remove the hooks and the MCP server; memories stay unless --purge

Look
  search       find memories
  get          the full text of memories, by id
  timeline     what happened around a memory, a question or a moment
  graph        what lies around a memory, what led to it, which topics there are
  inject       print what a session in this folder would be told at its start
  view         open the viewer in your browser
  eval         how good the memory is on your own history

Notes
  capture      keep something as a note
  notes        the notes of this project, newest first
  edit         change a note, or open it in your editor
  forget       hide notes and observations; with --hard remove them for good
  restore      bring back what was forgotten
  sync         bring the notes of your machines together, over git
  consolidate  fold notes that say the same, merge related ones; shown first
  reflect      sessions into lasting notes; needs a text model

Upkeep
  import       bring in history from transcripts, or memories from elsewhere
  export       everything of one kind, as lines of JSON; notes also as files
  redistill    have the text model tell again what plain rules told
  embedder     what search finds by meaning with: see, choose, remove
  config       settings: see each value and where it came from, change one
  gc           let go of what is past its time, and give back room
  start        start the worker
  stop         stop the worker
  restart      stop the worker and start it again

For programs and shells
  mcp          memory as tools, for any MCP client
  completion   a script that completes commands and options in your shell
  memory       for scripts of hooks: print what is remembered, keep what is said
  hook         what Claude Code calls: an event on stdin, the answer on stdout
  worker       run the worker in the foreground

'recollect help <command>' says more, 'recollect help topics' explains the rest.
--home <folder> before the command uses another home (also RECOLLECT_HOME).`

/** What each command is for, by its name, in the order of the list. */
export function commandSummaries(): Record<string, string> {
  return Object.fromEntries([...LIST.matchAll(/^ {2}(\S+) +(.+)$/gm)].map(([, name, about]) => [name, about]))
}
