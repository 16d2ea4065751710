/** Whether a process that does the same work for a long time stays as it was: memory, handles, time and files. */

/** One look at the worker. `events` counts from the start; times are of the events since the sample before. */
export type Sample = {
  minute: number
  events: number
  memoryMb: number
  handles: number
  threads: number
  /** Processor time of the worker per event since the sample before. */
  processorMs: number
  /** Median times since the sample before: storing a tool use, answering a prompt, and a request that does nothing. */
  toolUseMs: number
  promptMs: number
  idleRequestMs: number
  /** Sizes in MB. */
  database: number
  writeAheadLog: number
  logs: number
  otherFiles: number
  spooled: number
}

export type Verdict = { what: string; early: number; late: number; limit: number; ok: boolean; unit: string }

/**
 * Compares the last sixth of a run with the sixth before its middle. The time before that is the warm-up: the runtime compiles what is used often and
 * its heap grows to its working size. Everything but the database must stay as it is, and the database must not grow faster per event.
 */
export function judgeFlatness(samples: Sample[]): Verdict[] {
  const end = samples.at(-1)?.minute ?? 0
  const between = (from: number, to: number) => samples.filter(({ minute }) => minute > end * from && minute <= end * to)
  const [early, late] = [between(1 / 3, 1 / 2), between(5 / 6, 1)]
  if (early.length < 3 || late.length < 3) throw new Error(`${samples.length} samples are too few to compare the start with the end`)
  const verdict = (what: string, unit: string, value: (of: Sample[]) => number, limit: (early: number) => number): Verdict => {
    const [before, after] = [value(early), value(late)]
    return { what, unit, early: before, late: after, limit: limit(before), ok: after <= limit(before) }
  }
  const medianOf = (key: keyof Sample) => (of: Sample[]) => middle(of.map((sample) => sample[key]))
  const maxOf = (key: keyof Sample) => (of: Sample[]) => Math.max(...of.map((sample) => sample[key]))
  // Divided by the time of a request that does nothing, because other programs may slow the machine down.
  const relativeTo = (key: 'toolUseMs' | 'promptMs') => (of: Sample[]) => middle(of.map((sample) => sample[key] / sample.idleRequestMs))
  return [
    verdict('memory, median', 'MB', medianOf('memoryMb'), (before) => before * 1.1 + 5),
    verdict('memory, highest', 'MB', maxOf('memoryMb'), (before) => before * 1.15 + 5),
    verdict('open handles, highest', '', maxOf('handles'), (before) => before + 8),
    verdict('threads, highest', '', maxOf('threads'), (before) => before + 2),
    verdict('processor time of the worker per event', 'ms', medianOf('processorMs'), (before) => before * 1.4),
    verdict('time of a tool use', 'x an empty request', relativeTo('toolUseMs'), (before) => before * 1.5),
    verdict('time of a prompt', 'x an empty request', relativeTo('promptMs'), (before) => before * 2),
    verdict('write-ahead log, highest', 'MB', maxOf('writeAheadLog'), (before) => before * 1.2 + 2),
    verdict('logs, highest', 'MB', maxOf('logs'), () => 8.5),
    verdict('other files, highest', 'MB', maxOf('otherFiles'), (before) => before * 1.1 + 1),
    verdict('database, growth per event', 'KB', growthPerEvent, (before) => before * 1.3 + 0.5),
    verdict('payloads in the spool, median', '', medianOf('spooled'), () => 0),
  ]
}

function growthPerEvent(of: Sample[]): number {
  const [first, last] = [of[0], of.at(-1)]
  return first && last && last.events > first.events ? ((last.database - first.database) * 1000) / (last.events - first.events) : 0
}

function middle(values: number[]): number {
  const usable = values.filter(Number.isFinite).sort((a, b) => a - b)
  return usable[Math.floor(usable.length / 2)] ?? Number.NaN
}
