/** The tests that take longest, with their seconds on a quiet machine. All others take less. */
export const LONG_TESTS: Record<string, number> = {
  'test/privacy/entrances.test.ts': 170,
  'test/flows/unseen.test.ts': 142,
  'test/flows/viewer.test.ts': 106,
  'test/flows/docs.test.ts': 98,
  'test/seeds/004-subcog.test.ts': 85,
  'test/flows/sessions.test.ts': 70,
  'test/flows/plugin.test.ts': 56,
  'test/flows/nothing-lost.test.ts': 43,
  'test/flows/viewer-pages.test.ts': 40,
  'test/flows/claude-model.test.ts': 38,
  'test/flows/mcp-judges.test.ts': 38,
  'test/flows/action.test.ts': 30,
  'src/mcp/shim.test.ts': 21,
  'src/worker/worker.test.ts': 20,
  'src/cli/exit-codes.test.ts': 18,
  'test/eval/retrieval.test.ts': 15,
  'test/fuzz/entrances.test.ts': 14,
  'src/sync/sync.test.ts': 14,
  'test/faults/damaged-database.test.ts': 13,
  'test/absent-worker.test.ts': 12,
  'src/sync/mirror.test.ts': 10,
}

/** What `bun test --timings` reads: it starts the longest files first, so that none runs alone at the end. It starts files without a time before all others. */
export function timings(files: readonly string[]): string {
  return JSON.stringify({ version: 1, files: Object.fromEntries(files.map((file) => [file, (LONG_TESTS[file] ?? 1) * 1000])) })
}
