import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import type { AgentEvent } from '../core/event.ts'
import { asProjectKey } from '../core/ids.ts'
import { redact } from '../core/secrets.ts'
import { claudeCode } from '../integrations/agent.ts'
import { loadSettings } from '../platform/settings.ts'
import { captureRules } from './services.ts'

test('tools that manage the session, our own tools and tools named in the settings are skipped', () => {
  const { isSkipped } = rules({ RECOLLECT_HOOKS_POST_TOOL_USE_SKIP_TOOLS: 'Glob' })
  expect(['TodoWrite', 'Skill', 'Glob', 'mcp__recollect__memory_recall'].map(isSkipped)).toEqual([true, true, true, true])
  expect(['Bash', 'Edit', 'mcp__recollection__x'].map(isSkipped)).toEqual([false, false, false])
})

test.each([
  ['.env', '/home/dev/app/.env', true],
  ['.env', '/home/dev/app/.env.example', false],
  ['*.pem', '/home/dev/keys/server.pem', true],
  ['secrets/**', '/home/dev/app/secrets/deep/token', true],
  ['**/secrets/**', '/home/dev/app/secrets/token', true],
  ['/home/dev/app/*.ts', '/home/dev/app/a.ts', true],
  ['/home/dev/app/*.ts', '/home/dev/app/src/a.ts', false],
  ['~/keys/**', '/home/dev/keys/a', true],
  ['~/keys/**', '/home/other/keys/a', false],
])('with %s excluded, %s is %p', (pattern, path, isExcluded) => {
  const { isExcludedInput } = rules({ RECOLLECT_HOOKS_POST_TOOL_USE_EXCLUDE_PATTERNS: pattern })
  expect(isExcludedInput({ file_path: path })).toBe(isExcluded)
})

test('a tool use without a file is not excluded', () => {
  const { isExcludedInput } = rules({ RECOLLECT_HOOKS_POST_TOOL_USE_EXCLUDE_PATTERNS: '**' })
  for (const input of [null, undefined, 'text', {}, { command: 'ls' }]) expect(isExcludedInput(input)).toBe(false)
})

test.each([
  ['host.example/team/app', true],
  ['App', true],
  ['/home/dev/drafts/app', true],
  ['/home/dev/drafts', true],
  ['/home/dev/*', true],
  ['~/drafts', true],
  ['~/drafts/*', true],
  ['/home/dev/draf', false],
  ['other', false],
  ['host.example/team', false],
])('excluding %s keeps the project out: %p', (pattern, isExcluded) => {
  const { isExcludedProject } = rules({ RECOLLECT_PRIVACY_EXCLUDE_PROJECTS: pattern })
  expect(isExcludedProject(asProjectKey('host.example/team/app'), '/home/dev/drafts/app')).toBe(isExcluded)
})

test.each([
  ['another folder', { kind: 'prompt-submitted' }, '/home/dev/app', false],
  ['the folder itself', { kind: 'prompt-submitted' }, '/home/dev/drafts/deep', true],
  ['a file in it', { kind: 'tool-used', input: { file_path: '/home/dev/drafts/a b.md' } }, '/home/dev/app', true],
  ['a search in it', { kind: 'tool-used', input: { pattern: 'x', path: '/home/dev/drafts' } }, '/home/dev/app', true],
  ['a command with its path', { kind: 'tool-used', input: { command: 'cat "/home/dev/drafts/a.md" | wc' } }, '/home/dev/app', true],
  ['a command with a tilde', { kind: 'tool-used', input: { command: 'ls ~/drafts' } }, '/home/dev/app', true],
  ['a command with $HOME', { kind: 'tool-used', input: { command: 'cd $HOME/drafts && ls' } }, '/home/dev/app', true],
  ['a relative command', { kind: 'tool-used', input: { command: 'cat ../drafts/a.md' } }, '/home/dev/app', true],
  [
    'a folder with a longer name',
    { kind: 'tool-used', input: { command: 'ls ~/drafts-old /srv/home/dev/drafts' } },
    '/home/dev/app',
    false,
  ],
  ['no file', { kind: 'tool-used', input: null }, '/home/dev/app', false],
])('with ~/drafts excluded, an event in %s is left out as it should be', (_, given, cwd, isLeftOut) => {
  const { isInExcludedFolder } = rules({ RECOLLECT_PRIVACY_EXCLUDE_PROJECTS: '~/drafts' })
  const event = { agent: 'claude-code', session: 's1', at: 1, transcript: null, cwd, ...given } as unknown as AgentEvent
  expect(isInExcludedFolder(event)).toBe(isLeftOut)
})

test('the person’s own patterns are redacted, and an invalid pattern is ignored', () => {
  const { redactPatterns } = rules({ RECOLLECT_PRIVACY_PATTERNS: 'umbra-\\d+,(unclosed' })
  expect(redact('ask umbra-42', redactPatterns ?? [])).not.toContain('umbra-42')
  expect(rules({ RECOLLECT_PRIVACY_REDACT: 'false' }).redactPatterns).toBeNull()
})

test('kinds of events that are switched off are not wanted', () => {
  const { isWanted } = rules({ RECOLLECT_HOOKS_USER_PROMPT_ENABLED: '0' })
  expect([isWanted('prompt-submitted'), isWanted('tool-used'), isWanted('turn-ended')]).toEqual([false, true, true])
})

test('the branch of a session is the current branch of its folder', () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, '.git'))
  const { projectOf } = rules({})
  for (const branch of ['main', 'feature']) {
    writeFileSync(join(folder.path, '.git', 'HEAD'), `ref: refs/heads/${branch}\n`)
    expect(projectOf(folder.path).branch).toBe(branch)
  }
})

function rules(overrides: Record<string, string>) {
  return captureRules(loadSettings(environment('/home/dev', { overrides })).settings, claudeCode, '/home/dev')
}
