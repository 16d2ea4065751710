/** Kept until every caller imports from the contract. */
export type { EmbedderList, EmbedderStatus } from './contract/embedder.ts'
export { GRAPH_ASKS, type GraphAsk } from './contract/graph.ts'
export type { WorkerStatus } from './contract/status.ts'
export {
  type CleanUpLine,
  type CleanUpReport,
  type ConsolidationLine,
  type ConsolidationReport,
  type CostReport,
  EXPORT_KINDS,
  type ExpiredAmount,
  type ExportKind,
  IMPORT_SOURCES,
  type ImportCounts,
  type ImportLine,
  type ImportSource,
  type PlannedGroup,
  type RedistillLine,
  type RedistillReport,
  type UndoReport,
} from './contract/upkeep.ts'
