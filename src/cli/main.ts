#!/usr/bin/env bun
/**
 * The one entry of the program. A hook starts cold on every event, so its path is looked at first and nothing else is loaded
 * for it; every other command is loaded when it is called.
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
  const { runHook: pipe } = await import('../hooks/pipe.ts')
  // Nothing may keep the client waiting: not a timer, not a socket that is still open.
  process.exit(await pipe(args.slice(1)))
}
if (args.length === 0 || (args.length === 1 && /^(?:help|--help|-h)$/.test(args[0] ?? ''))) {
  // The first thing a newcomer sees needs nothing but the list; required, because an import takes as long again as reading it.
  const { LIST } = require('./list.ts') as typeof import('./list.ts')
  console.log(LIST)
} else {
  const { runCommand } = await import('./commands.ts')
  process.exitCode = await runCommand(args)
}
