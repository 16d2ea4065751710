import { expect, test } from 'bun:test'
import { agentOfHost } from './session-host.ts'

test.each([
  ['Claude', 'claude-code'],
  [' Claude Code ', 'claude-code'],
  ['claude_code', 'claude-code'],
  ['', 'claude-code'],
  [null, 'claude-code'],
  ['Codex', 'codex'],
  ['Some Editor', 'other'],
])('the host %p is the agent %p', (host, agent) => {
  expect<string>(agentOfHost(host)).toBe(agent)
})
