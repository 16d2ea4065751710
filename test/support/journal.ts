import { shorten } from '../../src/core/text.ts'
import { claudeCode } from '../../src/integrations/agent.ts'
import type { Person, Row } from './person.ts'

/** The tool uses and prompts in the agent's transcripts, which the journal is compared with. */
export async function transcriptTruth(person: Person): Promise<{ toolUses: string[]; prompts: string[] }> {
  const toolUses: string[] = []
  const prompts: string[] = []
  const files = [...new Bun.Glob('*/*.jsonl').scanSync({ cwd: `${person.home}/.claude/projects`, absolute: true })]
  for (const file of files) {
    for (const part of [file, ...(await claudeCode.subagentTranscripts(file))]) {
      for await (const batch of claudeCode.readTranscript(part, null)) {
        for (const { event } of batch.items) {
          if (event.kind === 'tool-used' && !claudeCode.skipTools.has(event.tool)) toolUses.push(`${event.session} ${event.toolUseId}`)
          if (event.kind === 'prompt-submitted')
            prompts.push(`${event.session} ${event.origin === 'machine' ? shorten(claudeCode.noticeText(event.text), 200) : event.text}`)
        }
      }
    }
  }
  return { toolUses: toolUses.sort(), prompts: prompts.sort() }
}

/** The tool uses, prompts and summaries that Recollect stored. */
export async function journal(person: Person): Promise<{ toolUses: string[]; prompts: string[]; summaries: string[] }> {
  const key = (field: keyof Row) => (row: Row) => `${row.sessionId} ${row[field]}`
  return {
    toolUses: (await person.rows('tool-uses')).map(key('toolUseId')).sort(),
    prompts: (await person.rows('prompts')).map(key('text')).sort(),
    summaries: (await person.rows('summaries'))
      .filter((row) => row.source === 'turn')
      .map(key('promptNumber'))
      .sort(),
  }
}
