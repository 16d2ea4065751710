import { expect, test } from 'bun:test'
import { claudeCode } from './agent.ts'

test('tools that manage the session are skipped, tools that do the work are not', () => {
  for (const tool of [
    'TodoWrite',
    'AskUserQuestion',
    'ListMcpResourcesTool',
    'Skill',
    'SlashCommand',
    'ToolSearch',
    'TaskUpdate',
    'EnterPlanMode',
  ]) {
    expect(claudeCode.skipTools.has(tool)).toBeTrue()
  }
  for (const tool of ['Bash', 'Edit', 'Task', 'Agent', 'ExitPlanMode', 'ReadMcpResourceTool'])
    expect(claudeCode.skipTools.has(tool)).toBeFalse()
})

test('our own tools are recognised, from an installation and from the plugin', () => {
  for (const tool of ['mcp__recollect__memory_recall', 'mcp__plugin_recollect_recollect__memory_get'])
    expect(claudeCode.isOwnTool(tool)).toBeTrue()
  for (const tool of ['mcp__recollector__x', 'mcp__memo__recollect__x', 'recollect', 'Bash']) expect(claudeCode.isOwnTool(tool)).toBeFalse()
})

test('transcripts are below the projects folder', () => {
  expect(claudeCode.transcriptRoots('/home/dev/.claude')).toEqual([{ folder: '/home/dev/.claude/projects' }])
})
