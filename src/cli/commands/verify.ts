import { parseMemoryId } from '../../core/memory-kinds.ts'
import { call } from '../call.ts'
import { json } from '../command.ts'
import { notAMemoryId } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { invalidInput, print, printJson } from '../print.ts'

export const command = defineCommand({
  name: 'verify',
  summary: 'confirm a memory, hide a wrong one, or correct it',
  usage: `recollect verify <id> ok [--json]
       recollect verify <id> wrong [--json]
       recollect verify <id> "<correction>" [--json]

  ok          the memory is right; from now on it is compared with the code as it is now
  wrong       the memory is wrong and is hidden; 'recollect restore <id>' brings it back
  correction  the memory is outdated; a note with your text replaces it`,
  words: '<id> ok | wrong | <correction>',
  options: { json },
  async run({ values, positionals }) {
    const [id, ...words] = positionals
    if (id === undefined) throw invalidInput("which memory? recollect verify <id> ok, for example #12; 'recollect stale' shows ids")
    if (parseMemoryId(id) === null) throw notAMemoryId(id)
    const text = words.join(' ').trim()
    if (text === '') throw invalidInput(`what about ${id}? recollect verify ${id} ok, wrong, or "<correction>"`)
    const verdict = text === 'ok' || text === 'wrong' ? text : 'correct'
    const receipt = await call('POST /api/verify', { id, verdict, ...(verdict === 'correct' ? { correction: text } : {}) })
    if (values.json) return printJson(receipt)
    const at = receipt.commit ? ` at commit ${receipt.commit.slice(0, 8)}` : ''
    switch (receipt.outcome) {
      case 'ok':
        return print(`Confirmed${at}: ${receipt.id}`)
      case 'wrong':
        return print(`Hidden: ${receipt.id}. To bring it back: recollect restore ${receipt.id}`)
      case 'corrected':
        return print(`Replaced ${receipt.id} by ${receipt.replacedBy}.`)
    }
  },
})
