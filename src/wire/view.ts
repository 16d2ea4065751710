/** Kept until every caller imports from the contract. */
export type { DayCount as Day, FeedResponse as Feed, MemoryListItem } from './contract/feed.ts'
export type { GraphNeighbour as NeighbourhoodItem, Neighbourhood } from './contract/graph.ts'
export type {
  InjectionCandidate,
  MemoryResponse as MemoryWithTitle,
  RecordedInjection,
  SearchResponse as ViewerSearchResponse,
} from './contract/memories.ts'
export type { NoteVersions } from './contract/notes.ts'
export type { ProjectSummary as Project } from './contract/projects.ts'
export type { ClippedToolUse as ClippedUse, SessionContents, SessionList as Sessions, SessionListItem } from './contract/sessions.ts'
export type { SettingsInForce, SettingValue as Setting } from './contract/settings.ts'
export type { Economy } from './contract/upkeep.ts'
