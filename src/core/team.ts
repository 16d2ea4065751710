/** The file in the home with the membership and the token for the hub. */
export const TEAM_FILE = 'team.json'
/** The file in the home with the keys of the person's own memory. */
export const OWN_KEYS_FILE = 'own-keys.json'

/** Which memories of a project its team gets. `off` is the default: nothing. */
export const TEAM_POLICIES = ['off', 'notes', 'notes+distilled'] as const
export type TeamPolicy = (typeof TEAM_POLICIES)[number]

/** The memories that can be shared. Observations and summaries are `distilled` on the hub. */
export type SharedMemoryKind = 'note' | 'observation' | 'summary'

/** The rights of a member in a project; each right includes the ones before it. */
export type TeamRight = 'read' | 'write' | 'curate'

/** A project of the hub, as this home knows it. */
export type TeamProject = {
  /** The hub's name of the project. */
  key: string
  /** The project of this home. */
  project: string
  title: string
  policy: TeamPolicy
  /** Null when the person may not read it, or no longer. */
  may: TeamRight | null
  /** Whether a curator must accept what members share. */
  review: boolean
  /** Memories of this home on the hub, and copies of others' here. */
  shared: number
  received: number
  /** Whose copies these are, most first. */
  authors: { name: string; memories: number }[]
}

/** A memory of this home on the hub, which needs the person's attention. */
export type SharedProblem = { key: string; id: string; title: string; problem: string }

/** A memory that waits for a curator, or the other version of a conflict. */
export type ReceivedVersion = {
  key: string
  id: string
  hash: string
  author: string
  changedAt: number
  title: string
  text: string
}

/** Two versions of one memory: the one that the team sees, and the one that was kept. */
export type TeamConflict = {
  key: string
  id: string
  title: string
  current: ReceivedVersion | null
  kept: ReceivedVersion[]
  isOwn: boolean
}

export type OwnMachinesState = { kind: 'off' } | { kind: 'on' | 'needs phrase'; waiting: number; items: number; tooLarge: number }

/** The state of the team, without using the network. */
export type TeamState =
  | { kind: 'none'; url: string }
  | {
      kind: 'joined'
      url: string
      member: string
      device: string
      projects: TeamProject[]
      /** Changes that the hub does not know yet. */
      waiting: number
      /** Memories that wait for this person as a curator. */
      toReview: number
      /** Own memories that wait for a curator, or were rejected. */
      proposed: number
      rejected: number
      conflicts: number
      problems: SharedProblem[]
      /** The person's own memory between their machines. `needs phrase`: another machine has made a new recovery phrase. */
      own: OwnMachinesState
      lastContact: number | null
      /** Why the last exchange failed; null when it succeeded. */
      problem: string | null
    }
