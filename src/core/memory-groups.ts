import { dayOf } from './time-format.ts'

/** Memories of one day about one file, or about none, with their places in the list. */
export type MemoryGroup = { day: string; file: string | null; places: number[] }

type Groupable = { at: number; file: string | null }

/** Groups a ranked list by day and file. A group stands where its best memory stands. */
export function groupRanked(memories: readonly Groupable[]): MemoryGroup[] {
  const groups = new Map<string, MemoryGroup>()
  for (const [place, { at, file }] of memories.entries()) {
    const day = dayOf(at)
    const group = groups.get(`${day}\n${file ?? ''}`) ?? { day, file, places: [] }
    group.places.push(place)
    groups.set(`${day}\n${file ?? ''}`, group)
  }
  return [...groups.values()]
}

/** Groups a list in the order of time: neighbours of the same day and file belong together. */
export function groupNeighbours(memories: readonly Groupable[]): MemoryGroup[] {
  const groups: MemoryGroup[] = []
  for (const [place, { at, file }] of memories.entries()) {
    const last = groups.at(-1)
    if (last && last.day === dayOf(at) && last.file === file) last.places.push(place)
    else groups.push({ day: dayOf(at), file, places: [place] })
  }
  return groups
}
