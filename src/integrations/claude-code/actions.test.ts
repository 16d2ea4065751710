import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { processorTime } from '../../../test/support/growth.ts'
import { clip } from '../../core/text.ts'
import { readAction } from './actions.ts'
import { parsePayload } from './payload.ts'

const FIXTURES = join(import.meta.dir, '../../../test/fixtures/hook-payloads')

test('every tool of the client is translated to an action', async () => {
  expect(await actionOf('PostToolUse.Read.json')).toEqual({ kind: 'read', file: '/home/dev/project/src/auth.ts' })
  expect(await actionOf('PostToolUse.Edit.json')).toEqual({
    kind: 'edit',
    file: '/home/dev/project/src/auth.ts',
    removed: 'return token.exp > now',
    added: 'return token.exp * 1000 > now',
    patch: [
      ' ',
      ' /** True while the token may be used. */',
      ' export function isValid(token: Token, now = Date.now()): boolean {',
      '-  return token.exp > now',
      '+  return token.exp * 1000 > now',
      ' }',
    ],
  })
  expect(await actionOf('PostToolUse.Write.json')).toEqual({
    kind: 'write',
    file: '/home/dev/project/docs/decisions.md',
    content: '# Decisions\n\n- Token expiry is kept in seconds; convert at the comparison.\n',
    created: true,
    patch: [],
  })
  expect(await actionOf('PostToolUse.Bash.json')).toMatchObject({
    kind: 'command',
    command: 'grep -rn "exp" src test',
    purpose: 'Find uses of exp',
    output: expect.stringContaining('src/auth.ts:5:  return token.exp > now'),
    exitCode: 0,
  })
  expect(await actionOf('PostToolUseFailure.Bash.json')).toMatchObject({
    kind: 'command',
    output: "  expected: /exp \\* 1000/,\n  operator: 'match'\n}\n\nNode.js v20.20.2",
    exitCode: 1,
  })
  expect(await actionOf('PostToolUse.Agent.completed.json')).toEqual({
    kind: 'delegate',
    task: 'Find callers',
    agentType: 'Explore',
    answer: 'isValid is used only in src/auth.ts.',
  })
  expect(await actionOf('PostToolUse.Agent.async_launched.json')).toMatchObject({ kind: 'delegate', task: 'Check docs', answer: null })
  expect(await actionOf('PostToolUse.mcp.json')).toEqual({
    kind: 'other',
    text: '1 result for "token expiry": the token check compares seconds with milliseconds',
  })
  expect(await actionOf('PostToolUseFailure.mcp.json')).toEqual({ kind: 'other', text: 'the store is locked' })
})

test('MultiEdit becomes one edit', () => {
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'c', new_string: 'd' },
  ]
  expect(action('MultiEdit', { file_path: '/x.ts', edits })).toEqual({
    kind: 'edit',
    file: '/x.ts',
    removed: 'a\nc',
    added: 'b\nd',
    patch: [],
  })
  expect(action('NotebookEdit', { notebook_path: '/n.ipynb', new_source: 'x = 1' })).toMatchObject({
    kind: 'edit',
    file: '/n.ipynb',
    added: 'x = 1',
  })
})

test('writing an existing file does not count as creating it', () => {
  const written = (output: unknown) => action('Write', { file_path: '/x', content: 'y' }, output)
  expect(written({ type: 'update', structuredPatch: [{ lines: ['-a', '+y', 7] }] })).toMatchObject({ created: false, patch: ['-a', '+y'] })
  expect(written('File created successfully at: /x')).toMatchObject({ created: true })
  expect(written('The file /x has been updated successfully.')).toMatchObject({ created: false })
})

test('searches have their pattern and folder', () => {
  expect(action('Grep', { pattern: 'isValid', path: 'src' })).toEqual({ kind: 'search', pattern: 'isValid', where: 'src' })
  expect(action('Grep', { pattern: 'x', glob: '*.ts' })).toEqual({ kind: 'search', pattern: 'x', where: '*.ts' })
  expect(action('Glob', { pattern: '**/*.ts' })).toEqual({ kind: 'search', pattern: '**/*.ts', where: null })
  expect(action('LS', { path: '/src' })).toEqual({ kind: 'search', pattern: '*', where: '/src' })
})

test('pages and plans', () => {
  expect(action('WebFetch', { url: 'https://a.example', prompt: 'p' }, { code: 200, result: 'It says so.' })).toEqual({
    kind: 'fetch',
    target: 'https://a.example',
    answer: 'It says so.',
  })
  const results = [{ tool_use_id: 'x', content: [{ title: 'Bun', url: 'https://bun.example' }] }, 'Bun is fast.']
  expect(action('WebSearch', { query: 'bun' }, { query: 'bun', results })).toEqual({
    kind: 'fetch',
    target: 'bun',
    answer: 'Bun https://bun.example\nBun is fast.',
  })
  expect(action('ExitPlanMode', { plan: '# Plan' })).toEqual({ kind: 'plan', text: '# Plan' })
  expect(action('ExitPlanMode', {}, { plan: '# From the file' })).toEqual({ kind: 'plan', text: '# From the file' })
})

test('a command’s output is plain text, and its exit code is known only when it ended', () => {
  const ran = (output: unknown, error: string | null = null) => action('Bash', { command: 'x' }, output, error)
  expect(ran({ stdout: '\u001b[31mred\u001b[0m\r\nline', stderr: 'warn' })).toMatchObject({
    output: 'red\nline\nwarn',
    exitCode: 0,
    purpose: null,
  })
  expect(ran('(Bash completed with no output)')).toMatchObject({ output: '', exitCode: 0 })
  expect(ran({ stdout: '', stderr: '', backgroundTaskId: 'b1' })).toMatchObject({ exitCode: null })
  expect(ran({ stdout: 'half', stderr: '', interrupted: true })).toMatchObject({ exitCode: null })
  expect(ran(null, 'Exit code 127\n\u001b[1mbash: x: not found\u001b[0m')).toMatchObject({ output: 'bash: x: not found', exitCode: 127 })
  expect(ran(null, 'Command timed out')).toMatchObject({ output: 'Command timed out', exitCode: null })
  expect(action('PowerShell', { command: 'dir' }, { stdout: 'a' })).toMatchObject({ kind: 'command', command: 'dir', output: 'a' })
})

test('the client’s own lines around a subagent’s report are left out', () => {
  const report =
    '  <tools-used-before-summary>Bash</tools-used-before-summary>\n[Subagent hand-back] Not a message from the user. The report follows:\n  It is used once.\n' +
    "agentId: a1 (use SendMessage with to: 'a1')\n<usage>tokens: 1\ntool_uses: 2</usage>"
  expect(action('Task', { prompt: 'Find it\nall' }, report)).toEqual({
    kind: 'delegate',
    task: 'Find it',
    agentType: null,
    answer: 'It is used once.',
  })
  expect(action('Agent', { description: 'd' }, 'Async agent launched successfully.')).toMatchObject({ answer: null })
  expect(action('Agent', { description: 'd' }, null, 'Agent type not found')).toMatchObject({ answer: null })
})

test('a clipped tool use keeps the fields before the cut', () => {
  const content = `first "line"\n${'long\n'.repeat(500)}last`
  const clipped = clip(JSON.stringify({ file_path: '/x.ts', content }), 400)
  const write = readAction({ tool: 'Write', input: clipped, output: null, error: null })
  expect(write).toMatchObject({ kind: 'write', file: '/x.ts', content: expect.stringMatching(/^first "line"\nlong\n/) })
  const output = clip(JSON.stringify({ stdout: `start\n${'x'.repeat(2_000)}\nend`, stderr: '', interrupted: false }), 300)
  const ran = readAction({ tool: 'Bash', input: '{"command":"make"}', output, error: null })
  expect(ran).toMatchObject({ output: expect.stringMatching(/^start\n[\s\S]*characters left out[\s\S]*\nend$/), exitCode: 0 })
  const text = clip(JSON.stringify([{ type: 'text', text: `found\n${'y'.repeat(2_000)}` }]), 300)
  expect(readAction({ tool: 'mcp__a__b', input: '{}', output: text, error: null })).toMatchObject({
    text: expect.stringMatching(/^found\ny/),
  })
})

test('reading never throws, whatever the stored text is', () => {
  const tools =
    'Read Edit MultiEdit Write NotebookEdit Bash PowerShell Grep Glob LS Task Agent WebFetch WebSearch ExitPlanMode mcp__a__b'.split(' ')
  const shapes = [
    '',
    'null',
    '7',
    '"x',
    '[',
    '[[]]',
    '{"file_path":7}',
    '{"file_path":{"a":1}}',
    '{"__proto__":"x","command":["a"]}',
    '{"edits":[null,7]}',
  ]
  const odd = [
    ...shapes,
    '{"structuredPatch":[{"lines":7},null]}',
    '{"results":[null,{"content":[7]}]}',
    '{"content":[null,7,{"text":7}]}',
    '{"a":"\\',
  ]
  for (const tool of tools) {
    for (const input of odd) {
      for (const output of [null, ...odd]) {
        expect(readAction({ tool, input, output, error: null }).kind).toBeString()
        expect(readAction({ tool, input, output, error: input }).kind).toBeString()
      }
    }
  }
})

test('reading broken text takes linear time', () => {
  const used = processorTime()
  for (const piece of ['"a":"', '\\"', '"', '{"a":', '\\u', '<usage>', 'agentId: ', ' ', '\n', '\n ']) {
    const broken = `{${piece.repeat(200_000)}`
    readAction({ tool: 'Task', input: broken, output: broken, error: null })
    readAction({ tool: 'Task', input: '{}', output: JSON.stringify(broken), error: null })
  }
  expect(used()).toBeLessThan(5_000)
})

function action(tool: string, input: unknown, output: unknown = null, error: string | null = null) {
  return readAction({ tool, input: JSON.stringify(input), output: output === null ? null : JSON.stringify(output), error })
}

/** The action of a real payload, stored as the worker stores it. */
async function actionOf(file: string) {
  const [used] = parsePayload(await Bun.file(join(FIXTURES, file)).json(), { at: 1 })
  if (used?.kind !== 'tool-used') throw new Error(`${file} is no tool use`)
  return action(used.tool, used.input, used.output ?? null, used.error)
}
