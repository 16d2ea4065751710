#!/usr/bin/env bun
/**
 * The entry of the program. A hook starts cold on every event, so its path comes first and loads nothing else. Every other command is
 * loaded when it is called.
 */
export {}

const args = process.argv.slice(2)
const [, home] = /^--home(?:=(.*))?$/s.exec(args[0] ?? '') ?? [null, null]
if (home !== null && (home || args[1])) {
  const { setHome } = await import('../platform/environment.ts')
  setHome(home || (args[1] as string))
  args.splice(0, home ? 1 : 2)
}
if ((args[0] === 'hook' || args[0] === 'hooks') && args[1] !== '--help') {
  const { runHook } = await import('../hooks/pipe.ts')
  // Exit at once: an open timer or socket would keep the client waiting.
  process.exit(await runHook(args.slice(1)))
}
if ((args.length === 0 || (args.length === 1 && /^(?:help|--help|-h)$/.test(args[0] ?? ''))) && !isNarrow()) {
  // `require` because `import()` would double the time that this takes.
  const { SHORT_LIST } = require('./list.ts') as typeof import('./list.ts')
  console.log(SHORT_LIST)
} else {
  const { runCommand } = await import('./commands.ts')
  process.exitCode = await runCommand(args)
}

/** The list fits into 80 columns; for fewer it must be wrapped. */
function isNarrow(): boolean {
  return process.stdout.isTTY && process.stdout.columns < 80
}
