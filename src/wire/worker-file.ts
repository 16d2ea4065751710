import { jsonFields } from '../core/json-object.ts'
import { readJsonIfThere } from '../platform/files.ts'
import type { Home } from '../platform/paths.ts'

/** The entries that the running worker wrote about itself into `run/worker.json`. A field is null if there is no worker, or the file is damaged. */
export function readWorkerFile(home: Home): { pid: number | null; port: number | null } {
  const { pid, port } = jsonFields(readJsonIfThere(home.workerFile))
  return { pid: typeof pid === 'number' ? pid : null, port: typeof port === 'number' ? port : null }
}
