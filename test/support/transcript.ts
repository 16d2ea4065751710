/** A turn as a client writes it down: what was asked, the commands that were run, what was answered. */
export type WrittenTurn = { prompt: string; commands?: string[]; answer?: string; promptId?: string }

/** The lines of a transcript. Clients of before 2.1 gave prompts no id; so do turns without `promptId`. */
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
  const said = (content: unknown) => line({ type: 'assistant', message: { id: `m${count}`, role: 'assistant', content } })
  const lines = turns.flatMap(({ prompt, commands = [], answer, promptId }, turn) => {
    const heard = (content: unknown) => line({ type: 'user', ...(promptId ? { promptId } : {}), message: { role: 'user', content } })
    return [
      heard(prompt),
      ...commands.flatMap((command, i) => {
        const id = `${session}-t${turn}-${i}`
        return [
          said([{ type: 'tool_use', id, name: 'Bash', input: { command } }]),
          heard([{ type: 'tool_result', tool_use_id: id, content: 'ok' }]),
        ]
      }),
      ...(answer ? [said([{ type: 'text', text: answer }])] : []),
    ]
  })
  if (given.title) lines.push(line({ type: 'custom-title', customTitle: given.title }) as (typeof lines)[number])
  return lines.map((fields) => `${JSON.stringify(fields)}\n`).join('')
}
