import { expect, test } from 'bun:test'
import { eventsFor, type HookPlan, type JsonEditResult, readSettings, type SettingsFacts, withHooks, withoutHooks } from './settings.ts'

const DEFAULT_HOME = '/home/dev/.recollect'
const plan = (version: string | null = '2.1.325', home = DEFAULT_HOME): HookPlan => ({
  events: eventsFor(version),
  home: { home, defaultHome: DEFAULT_HOME },
})

function textOf(edited: JsonEditResult): string {
  if (edited.kind === 'unreadable') throw new Error(edited.reason)
  return edited.text
}

function factsOf(text: string): SettingsFacts {
  const facts = readSettings(text, () => null)
  if (facts.kind === 'unreadable') throw new Error(facts.reason)
  return facts
}

const without = (text: string, home = DEFAULT_HOME) => withoutHooks(text, { home, defaultHome: DEFAULT_HOME })

const ownIn = (text: string) => factsOf(text).own
const pretty = (value: unknown, indent: number | string = 2) => `${JSON.stringify(value, null, indent)}\n`

test('every event has a command that calls the launcher in the home, and its text contains no port, token or program', () => {
  const { hooks } = JSON.parse(textOf(withHooks(null, plan())))
  expect(Object.keys(hooks)).toHaveLength(10)
  for (const [event, groups] of Object.entries(hooks)) {
    const command = `(set -- claude-code ${event}; . "$HOME"/.recollect/bin/recollect-hook) 2>/dev/null || :`
    expect(groups).toEqual([{ hooks: [{ type: 'command', command, timeout: 5 }] }])
  }
  expect(textOf(withHooks(null, plan('2.1.325', '/my home')))).toContain(`. '/my home'/bin/recollect-hook)`)
})

test.each([
  ['1.0.37', []],
  ['1.0.40', ['PostToolUse', 'Stop']],
  ['1.0.84', ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PreCompact', 'Stop', 'SubagentStop']],
  ['2.0.55', ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PreCompact', 'Stop', 'SubagentStop', 'SessionEnd']],
])('client %s gets only hooks for events it knows', (version, events) => {
  expect(eventsFor(version)).toEqual(events)
})

test('PostCompact and StopFailure are added for clients that know them', () => {
  expect(eventsFor('2.1.75')).not.toContain('PostCompact')
  expect(eventsFor('2.1.77')).toContain('PostCompact')
  expect(eventsFor('2.1.77')).not.toContain('StopFailure')
  expect(eventsFor('2.1.78')).toContain('StopFailure')
})

test('without a client, only events that every version knows are used, and those that are there already', () => {
  expect(eventsFor(null)).not.toContain('PostToolUseFailure')
  expect(eventsFor(null, ['PostToolUseFailure'])).toContain('PostToolUseFailure')
})

test('a home with spaces and quotes in its path is still recognised, and the shell reads the launcher in it', () => {
  const awkward = `/home/$x "y" it's`
  const text = textOf(withHooks(null, plan('2.1.325', awkward)))
  expect(ownIn(text)[0]).toEqual({ event: 'SessionStart', kind: 'current', home: awkward })
  const line: string = JSON.parse(text).hooks.SessionStart[0].hooks[0].command
  const output = Bun.spawnSync(['sh', '-c', line.replace('; . ', '; echo ')]).stdout.toString()
  expect(output).toBe(`${awkward}/bin/recollect-hook\n`)
})

const HTTP_HOOK = {
  type: 'http',
  url: 'http://127.0.0.1:37777/hook/claude-code',
  timeout: 0.5,
  headers: { Authorization: 'Bearer c0ffee' },
}

test.each([
  ['an http hook', HTTP_HOOK, 'http', null],
  [
    'a program with arguments',
    { type: 'command', command: '/opt/bun', args: ['/r/src/cli/main.ts', 'hook', 'claude-code', 'Stop'] },
    'old',
    null,
  ],
  [
    'a program with arguments and a home',
    { type: 'command', command: '/opt/bun', args: ['/r/dist/cli/main.js', '--home', '/my home', 'hook', 'claude-code', 'Stop'] },
    'old',
    '/my home',
  ],
  [
    'a shell line with a home',
    { type: 'command', command: "'/b un' /r/src/cli/main.ts --home '/my home' hook claude-code Stop" },
    'old',
    '/my home',
  ],
  ['the linked command', { type: 'command', command: 'recollect hook claude-code' }, 'old', null],
  ['`hooks`', { type: 'command', command: '/usr/local/bin/recollect hooks claude-code Stop' }, 'old', null],
  ['a quoted program', { type: 'command', command: '"/a b/recollect" hook claude-code Stop' }, 'old', null],
] as const)('%s that an earlier version wrote is ours: init replaces it and uninstall removes it', (_, handler, kind, home) => {
  const before = pretty({ hooks: { Stop: [{ hooks: [handler] }], Notification: [{ hooks: [handler] }] } })
  expect(ownIn(before)).toEqual([
    { event: 'Stop', kind, home },
    { event: 'Notification', kind, home },
  ])
  const replaced = textOf(withHooks(before, plan()))
  expect(ownIn(replaced)).toHaveLength(10)
  expect(ownIn(replaced).every((hook) => hook.kind === 'current')).toBe(true)
  expect(replaced).not.toContain('c0ffee')
  expect(textOf(without(before, home ?? DEFAULT_HOME))).toBe('{}\n')
  if (kind === 'old') expect(textOf(without(before, '/another'))).toBe(before)
})

const PERSONS = {
  $schema: 'https://example.org/settings.json',
  permissions: { allow: ['Bash(npm run test:*)'], deny: [] },
  hooks: {
    Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }],
    PostToolUse: [{ matcher: 'Edit|Write', hooks: [{ type: 'command', command: 'npx prettier --write' }] }],
    Notification: [],
  },
  model: 'opus',
}

test('other hooks and keys stay, in their order', () => {
  const parsed = JSON.parse(textOf(withHooks(pretty(PERSONS), plan())))
  expect(Object.keys(parsed)).toEqual(Object.keys(PERSONS))
  expect(Object.keys(parsed.hooks).slice(0, 3)).toEqual(['Stop', 'PostToolUse', 'Notification'])
  expect(parsed.hooks.PostToolUse[0]).toEqual(PERSONS.hooks.PostToolUse[0])
  expect(parsed.hooks.PostToolUse).toHaveLength(2)
})

test.each([
  ['two spaces', pretty(PERSONS)],
  ['four spaces', pretty(PERSONS, 4)],
  ['tabs and no last newline', JSON.stringify(PERSONS, null, '\t')],
  ['one line', JSON.stringify(PERSONS)],
  ['Windows line ends', pretty(PERSONS).replaceAll('\n', '\r\n')],
  ['a byte order mark', `\ufeff${pretty(PERSONS)}`],
  ['nothing in it', '{}\n'],
  ['empty hooks', pretty({ hooks: {}, model: 'opus' })],
  ['an empty list', pretty({ hooks: { Stop: [] } })],
  ['an empty group', pretty({ hooks: { Stop: [{ hooks: [] }] } })],
  ['lists on one line', '{\n  "permissions": { "allow": ["Read", "Edit"] },\n\n  "hooks": {"Stop": [ {"hooks": []} ]}\n}\n'],
  ['a key written twice', '{\n  "model": "a",\n  "model": "b"\n}'],
  ['numbers that JavaScript would write differently', '{\n  "a": 1.0,\n  "b": 12345678901234567890,\n  "2": 1e3,\n  "1": 0\n}'],
])('settings with %s are restored byte for byte', (_, before) => {
  const installed = textOf(withHooks(before, plan()))
  expect(ownIn(installed)).toHaveLength(10)
  expect(withHooks(installed, plan())).toEqual({ kind: 'edited', text: installed, changed: false })
  expect(without(installed)).toEqual({ kind: 'edited', text: before, changed: true })
})

test('added entries have the layout that JSON.stringify gives the whole file', () => {
  for (const indent of [2, 4, '\t', 0]) {
    for (const settings of [PERSONS, { hooks: {} }, { hooks: { Stop: [] } }, { model: 'opus' }]) {
      const installed = textOf(withHooks(JSON.stringify(settings, null, indent), plan()))
      expect(installed).toBe(JSON.stringify(JSON.parse(installed), null, indent))
    }
  }
})

test('random settings are restored byte for byte, in all common layouts', () => {
  const random = seeded(7)
  const plans = [plan(), plan('2.1.50'), plan(null), plan('2.1.325', '/x y')]
  for (let i = 0; i < 300; i++) {
    const settings = randomSettings(random)
    const before = JSON.stringify(settings, null, random.pick([0, 2, 4, '\t'])) + random.pick(['', '\n'])
    const [first, second] = [random.pick(plans), random.pick(plans)]
    const installed = textOf(withHooks(before, first))
    expect(withHooks(installed, first)).toMatchObject({ changed: false })
    expect(textOf(without(installed, first.home.home))).toBe(before)
    const moved = textOf(withHooks(installed, second))
    expect(ownIn(moved)).toHaveLength(second.events.length)
    expect(textOf(without(moved, second.home.home))).toBe(before)
  }
})

test('another home changes our entries in place and nothing else', () => {
  const installed = textOf(withHooks(pretty({ model: 'opus' }), plan())).replace('"model"', '"hooksFirst"')
  const moved = textOf(withHooks(installed, plan('2.1.325', '/data')))
  expect(moved).toBe(installed.replaceAll('\\"$HOME\\"/.recollect', '/data'))
})

test('installing for an older client removes the hooks it does not know', () => {
  const older = textOf(withHooks(textOf(withHooks(pretty(PERSONS), plan())), plan('2.0.0')))
  expect(ownIn(older).map((hook) => hook.event)).not.toContain('StopFailure')
  expect(Object.keys(JSON.parse(older).hooks)).not.toContain('StopFailure')
})

test('a reformatted file is still up to date', () => {
  const installed = JSON.parse(textOf(withHooks(pretty(PERSONS), plan())))
  for (const text of [JSON.stringify(installed), pretty(installed, '\t'), pretty(installed, 4)]) {
    expect(withHooks(text, plan())).toMatchObject({ changed: false })
  }
})

test('a duplicate of our hook is removed', () => {
  const installed = JSON.parse(textOf(withHooks(null, plan())))
  installed.hooks.Stop.push(...installed.hooks.Stop)
  expect(ownIn(textOf(withHooks(pretty(installed), plan()))).filter((hook) => hook.event === 'Stop')).toHaveLength(1)
})

test('our hook is removed from a group with other hooks', () => {
  const ours = JSON.parse(textOf(withHooks(null, plan()))).hooks.Stop[0].hooks[0]
  const theirs = { type: 'command', command: 'say done' }
  for (const hooks of [
    [ours, theirs],
    [theirs, ours],
    [ours, theirs, ours],
    [theirs, ours, ours, theirs],
  ]) {
    const left = JSON.parse(textOf(without(pretty({ hooks: { Stop: [{ hooks }] } }))))
    expect(left.hooks.Stop[0].hooks).toEqual(hooks.filter((hook) => hook === theirs))
  }
})

test.each([
  ['another tool with the same words', { type: 'command', command: 'entire hooks claude-code stop' }],
  ['a line that a person made longer', { type: 'command', command: '/opt/recollect/bin/recollect hook claude-code Stop && say done' }],
  ['a line whose output a person sends elsewhere', { type: 'command', command: 'recollect hook claude-code Stop>/tmp/log' }],
  [
    'a line of ours that a person made longer',
    { type: 'command', command: '(set -- claude-code Stop; . "$HOME"/.recollect/bin/recollect-hook) 2>/dev/null || say oops' },
  ],
  ['another machine', { type: 'http', url: 'http://memory.example.org/hook/claude-code' }],
  ['another path', { type: 'http', url: 'http://127.0.0.1:37777/hook/claude-code/other' }],
  ['no address at all', { type: 'http', url: 'not a url' }],
  ['a prompt', { type: 'prompt', prompt: 'recollect hook claude-code Stop' }],
  ['something else', 'recollect hook claude-code Stop'],
])('%s is not ours', (_, handler) => {
  const text = pretty({ hooks: { Stop: [{ hooks: [handler] }] } })
  expect(ownIn(text)).toEqual([])
  expect(without(text)).toEqual({ kind: 'edited', text, changed: false })
})

test.each([
  ['{\n  "a": 1,\n}', 3, 1, 'expected a name in double quotes'],
  ['{\n  // mine\n  "a": 1\n}', 2, 3, 'expected a name in double quotes'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'expected , or }'],
  ['{"a": tru}', 1, 7, 'expected a value'],
  ['{"a": "x\ny"}', 1, 7, 'expected a value'],
  ['{} {}', 1, 4, 'expected the end of the file'],
  ['[]', 1, 1, 'expected an object'],
  ['{"hooks": []}', 1, 11, 'expected `hooks` to be an object'],
  ['{"hooks": {"Stop": {}}}', 1, 20, 'expected `hooks.Stop` to be a list'],
])('%j is left alone, and the error names line and column', (text, line, column, reason) => {
  expect(withHooks(text, plan())).toEqual({ kind: 'unreadable', reason, line, column })
})

test('a text is readable exactly when it is JSON', () => {
  const random = seeded(11)
  for (let i = 0; i < 3000; i++) {
    const text = JSON.stringify({ 'k\\"é\u{1f600}\u007f': [1, -0.5e3, 'a\nb', true, null, {}], s: ' ' }, null, random.pick([0, 2]))
    const at = random.below(text.length)
    const broken =
      text.slice(0, at) +
      random.pick(['', ',', '"', '\\', '{', ']', '0', 'e', '.', '-', '\n', '\t', '\u0001', 'é']) +
      text.slice(at + random.below(3))
    expect([broken, readSettings(broken, () => null).kind === 'read']).toEqual([broken, isJsonObject(broken)])
  }
})

test('an empty file is treated like a missing one', () => {
  expect(textOf(withHooks('', plan()))).toBe(textOf(withHooks(null, plan())))
  expect(without('\n')).toEqual({ kind: 'edited', text: '\n', changed: false })
})

test('another memory tool is found as a hook and as a plugin, and so is a switch that disables all hooks', () => {
  const facts = factsOf(
    pretty({
      disableAllHooks: true,
      enabledPlugins: { 'claude-mem@thedotmack': true, 'claude-mem@old': false, 'other@x': true },
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'node', args: ['/x/claude-mem/hook.js'] }] }] },
    }),
  )
  const otherMemory = [
    { kind: 'hooks', name: 'claude-mem' },
    { kind: 'plugin', name: 'claude-mem@thedotmack' },
  ]
  expect(facts).toMatchObject({ hooksOff: true, otherMemory })
})

test.each([
  ['ANAMNESIS_MACHINE_ID=laptop anamnesis inject', ['Anamnesis']],
  ['ANAMNESIS_MACHINE_ID=laptop /opt/tools/memory inject', ['Anamnesis']],
  ['uv run --project /x/anamnesis/server anamnesis capture --source precompact --no-sync', ['Anamnesis']],
  ['subcog hook session-start', ['Subcog']],
  ['./target/release/context-graph-cli hooks session-start --stdin --format json', ['Context Graph']],
  ['npm test --prefix /x/anamnesis', []],
  ['./subcog-hooks.sh', []],
])('the hook %p is of %p', (command, names) => {
  const { otherMemory } = factsOf(pretty({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } }))
  expect(otherMemory.map(({ name }) => name)).toEqual(names)
})

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

type Random = { below(limit: number): number; pick<T>(from: readonly T[]): T }

function seeded(seed: number): Random {
  let state = seed
  const below = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return { below, pick: (from) => from[below(from.length)] as (typeof from)[number] }
}

function randomSettings(random: Random): object {
  const many = <T>(most: number, make: () => T) => Array.from({ length: random.below(most + 1) }, make)
  const handler = () =>
    random.pick<unknown>([{ type: 'command', command: 'a "b"' }, { type: 'http', url: 'http://x.test/' }, {}, 'odd', 3, null])
  const group = () =>
    random.pick<unknown>([{ matcher: random.pick(['', '*', 'Bash']), hooks: many(2, handler) }, { hooks: many(2, handler) }, {}, 'odd', []])
  const events = ['Stop', 'SessionStart', 'PostToolUse', 'PreToolUse', 'Unheard', '7']
  const hooks = () => Object.fromEntries(many(4, () => [random.pick(events), many(2, group)]))
  const other = () => random.pick<unknown>([1, 'é\n"', null, [], {}, { hooks: {} }, [{ a: [] }], true])
  const entries = many(4, () => [random.pick(['model', 'env', '__proto__', '1', '', 'a b', 'permissions']), other()])
  entries.splice(random.below(entries.length + 1), 0, ...random.pick([[], [['hooks', hooks()]]]))
  return Object.fromEntries(entries)
}

test('the event before a tool is installed only when it is wanted, and removed when it no longer is', () => {
  expect(eventsFor('2.1.325')).not.toContain('PreToolUse')
  const home = { home: '/home/dev/.recollect', defaultHome: '/home/dev/.recollect' }
  const withEvents = (text: string, wanted: string[]) => {
    const edited = withHooks(text, { events: eventsFor('2.1.325', [], wanted), home })
    return edited.kind === 'edited' ? edited.text : ''
  }
  const on = withEvents('{}', ['PreToolUse'])
  expect(on).toContain('PreToolUse')
  expect(withEvents(on, [])).toBe(withEvents('{}', []))
})
