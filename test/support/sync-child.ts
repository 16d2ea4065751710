/** Syncs a home in a separate process that a test can kill: `sync-child.ts <home> <machine> <remote>`. */
import { join } from 'node:path'
import { openStore } from '../../src/store/store.ts'
import { syncNotes } from '../../src/sync/sync.ts'

const [folder = '', machine = '', remote = ''] = process.argv.slice(2)
const store = await openStore(join(folder, 'recollect.db'))
console.log('begins')
await syncNotes({ store, folder, machine, clean: (text) => text }, { remote, fetch: true, push: true }, Date.now())
console.log('ends')
store.close()
