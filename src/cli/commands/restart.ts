import { json } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { startAndReport } from './start.ts'
import { stopWorker } from './stop.ts'

export const command = defineCommand({
  name: 'restart',
  summary: 'stop the worker and start it again',
  usage: 'recollect restart [--json]',
  words: null,
  options: { json },
  async run({ values }) {
    await stopWorker()
    return startAndReport(values.json ?? false)
  },
})
