/** The entry of the hook process. It is bundled on its own, because every file that a hook loads costs it a third of a millisecond. */
import { runHook } from './pipe.ts'

// Exit at once: an open timer or socket would keep the client waiting.
runHook(process.argv.slice(2)).then((code) => process.exit(code))
