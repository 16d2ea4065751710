/**
 * The hub: a small stateless server over PostgreSQL through which a team shares memories. It may touch its own PostgreSQL schema and nothing else: not the
 * local store, not a home. PostgreSQL checks every right by row level security (docs/decisions/0041-the-hub.md).
 */
export { databaseFailure, type HubDatabase, openDatabase } from './database.ts'
export { initHub, UnusableDatabase } from './init.ts'
export { type HubOperator, OperationRefused, openOperator } from './operator.ts'
export { startHub, UnusableAddress } from './server.ts'
