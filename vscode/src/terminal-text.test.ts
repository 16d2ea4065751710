import { expect, test } from 'bun:test'
import { isFullScreen, isReportedCommand, terminalText } from './terminal-text.ts'

test('colours, titles and marks of the shell integration are removed', () => {
  const raw = '\u001b]633;C\u0007\u001b[31mFAIL\u001b[0m low tide\r\n\u001b]0;bash\u001b\\\u001b[?2004hdone\r\n\u001b]633;D;1\u0007'
  expect(terminalText(raw)).toBe('FAIL low tide\ndone')
})

test('of a line that was written over, what was written last is left', () => {
  expect(terminalText('10 %\r50 %\r100 %\r\nready\r\n')).toBe('100 %\nready')
})

test('a private tag that colours cut in two is whole again, so that the worker recognises it', () => {
  expect(terminalText('<priv\u001b[1mate>eel\u001b[0m</private>')).toBe('<private>eel</private>')
})

test('the screen of an editor or a pager is not an output', () => {
  expect(isFullScreen('\u001b[?1049h\u001b[22;0;0t\u001b[1;24r\u001b[HAPI')).toBe(true)
  expect(isFullScreen('\u001b[?2004hdone')).toBe(false)
})

test.each(['npm test', 'FORCE=1 make check', 'npx vitest run', './gradlew test', 'sudo apt-get install x'])('%s is reported', (command) => {
  expect(isReportedCommand(command)).toBe(true)
})

test.each([
  'cd src',
  'ls -la',
  'clear',
  'claude',
  'npx codex exec "fix it"',
  'npx -y @anthropic-ai/claude-code@latest',
  'npx @google/gemini-cli',
  '/usr/local/bin/recollect search x',
  'ANTHROPIC_API_KEY=x claude -p hi',
  '',
])('“%s” is not reported', (command) => {
  expect(isReportedCommand(command)).toBe(false)
})
