const COMMAND_TIMEOUT_MS = 90_000

/** The answer to a question that a command asks. */
export type Answer = [question: RegExp, answer: string]
const YES: Answer = [/\[[yY]\/[nN]\] /g, 'y']

/** Types a command in a terminal, as a reader of the documentation would, and answers its questions: those for a confirmation with yes. */
export async function typeCommand(
  env: Record<string, string | undefined>,
  command: string,
  cwd: string,
  answers: Answer[] = [],
): Promise<{ code: number; output: string }> {
  let output = ''
  const known = [YES, ...answers].map(([question, answer]) => ({ question, answer, given: 0 }))
  const decoder = new TextDecoder()
  const shell = Bun.spawn(['bash', '-c', command], {
    cwd,
    env: { ...env, NO_COLOR: '1' },
    timeout: COMMAND_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    terminal: {
      cols: 160,
      rows: 50,
      data(terminal, bytes) {
        output += decoder.decode(bytes, { stream: true })
        for (const one of known)
          for (const asked = output.match(one.question)?.length ?? 0; one.given < asked; one.given++) terminal.write(`${one.answer}\n`)
      },
    },
  })
  const code = await shell.exited
  return { code, output }
}
