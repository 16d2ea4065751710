#!/usr/bin/env bun
/**
 * The one entry of the program. A hook starts cold on every event, so its path is looked at first and nothing else is loaded
 * for it; every other command is loaded when it is called.
 */
import { setHome } from '../platform/environment.ts'

const args = process.argv.slice(2)
if (args[0] === '--home' && args[1]) {
  setHome(args[1])
  args.splice(0, 2)
} else if (args[0]?.startsWith('--home=')) {
  setHome(args[0].slice('--home='.length))
  args.shift()
}
if ((args[0] === 'hook' || args[0] === 'hooks') && args[1] !== '--help') {
  const { pipe } = await import('../hooks/pipe.ts')
  // Nothing may keep the client waiting: not a timer, not a socket that is still open.
  process.exit(await pipe(args.slice(1)))
}
const { runCommand } = await import('./commands.ts')
process.exitCode = await runCommand(args)
