/** A turn in a transcript: the prompt, the commands, the answer. */
export type WrittenTurn = { prompt: string; commands?: string[]; answer?: string; promptId?: string }

/** The text of a transcript. Like clients before 2.1, turns without `promptId` have no prompt id. */
export function transcript(session: string, turns: WrittenTurn[], given: { cwd?: string; title?: string; from?: number } = {}): string {
  let clock = given.from ?? Date.UTC(2026, 0, 1)
  let count = 0
  const line = (fields: object) => {
    clock += 1000
    return {
      uuid: `${session}-${++count}`,
      timestamp: new Date(clock).toISOString(),
      sessionId: session,
      cwd: given.cwd ?? '/home/dev/app',
      ...fields,
    }
  }
  const assistantLine = (content: unknown) => line({ type: 'assistant', message: { id: `m${count}`, role: 'assistant', content } })
  const lines = turns.flatMap(({ prompt, commands = [], answer, promptId }, turn) => {
    const userLine = (content: unknown) => line({ type: 'user', ...(promptId ? { promptId } : {}), message: { role: 'user', content } })
    return [
      userLine(prompt),
      ...commands.flatMap((command, i) => {
        const id = `${session}-t${turn}-${i}`
        return [
          assistantLine([{ type: 'tool_use', id, name: 'Bash', input: { command } }]),
          userLine([{ type: 'tool_result', tool_use_id: id, content: 'ok' }]),
        ]
      }),
      ...(answer ? [assistantLine([{ type: 'text', text: answer }])] : []),
    ]
  })
  if (given.title) lines.push(line({ type: 'custom-title', customTitle: given.title }) as (typeof lines)[number])
  return lines.map((fields) => `${JSON.stringify(fields)}\n`).join('')
}
