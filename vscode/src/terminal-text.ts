/** A longer output is not reported at all: a part of it could begin or end inside a private one. */
export const MAX_OUTPUT_CHARACTERS = 2_000_000

/**
 * Whether a program has drawn on the whole screen, as editors and pagers do. What is on a screen is no output: it is drawn in pieces, in any order,
 * so that private parts and secrets in it would not be recognised.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence begins with an escape character.
export const isFullScreen = (raw: string): boolean => /\u001b\[\?(?:47|1047|1049)h/.test(raw)

/** The output of a terminal as a person sees it: without colours and marks, and of a line that was written over, what was written last. */
export function terminalText(raw: string): string {
  return raw
    .replace(ESCAPES, '')
    .split('\n')
    .map((line) => {
      const written = line.replace(/\r+$/, '')
      return written.slice(written.lastIndexOf('\r') + 1)
    })
    .join('\n')
    .trim()
}

const ESCAPES = new RegExp(
  [
    '\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)', // window titles, and the marks of the shell integration
    '\\u001b\\[[0-?]*[ -/]*[@-~]', // colours, cursor
    '\\u001b[PX^_][^\\u001b]*\\u001b\\\\',
    '\\u001b[ -/]*[0-~]',
    '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001a\\u001c-\\u001f\\u007f]',
  ].join('|'),
  'g',
)

/** Whether a command is worth reporting. Looking around is not; an agent reports its own work, and our program has stored it already. */
export function isReportedCommand(command: string): boolean {
  const words = command.trim().split(/\s+/)
  const program = words.find((word) => !/^(?:-|\w+=)/.test(word) && !/^(?:sudo|env|time|npx|bunx)$/.test(word)) ?? ''
  const name = program.slice(program.lastIndexOf('/') + 1)
  return name !== '' && !/^(?:cd|ls|ll|la|pwd|clear|exit|history|fg|bg|jobs)$/.test(name) && !AGENT.test(name)
}

/** Agents and our own program, also by the names of their packages: `npx @anthropic-ai/claude-code@latest`. */
const AGENT = /^(?:claude|codex|copilot|gemini|qwen|opencode|recollect)(?:-(?:code|cli|ai))?(?:@.*)?$/
