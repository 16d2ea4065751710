import { expect, test } from 'bun:test'
import { withoutSetting, withSetting } from './config-file.ts'

const set = (text: string, value = 'x') => withSetting(text, ['sync', 'remote'], value)

test('a missing setting is added, and the rest of the file stays the same', () => {
  expect(set('')).toBe('[sync]\nremote = "x"\n')
  expect(set('# mine\n[worker]\nport = 1')).toBe('# mine\n[worker]\nport = 1\n\n[sync]\nremote = "x"\n')
  expect(set('[sync] # here\npush = false\n[worker]\nport = 1\n')).toBe('[sync] # here\nremote = "x"\npush = false\n[worker]\nport = 1\n')
})

test('an existing setting is replaced on its line, and the comment after it stays', () => {
  expect(set('[sync]\npush = false\nremote = "old" # home\n\n[worker]\nport = 1\n')).toBe(
    '[sync]\npush = false\nremote = "x" # home\n\n[worker]\nport = 1\n',
  )
  expect(set('[sync]\nremote = "a"   # mine\n')).toBe('[sync]\nremote = "x"   # mine\n')
  expect(set("[sync]\n  remote='a # b'\n")).toBe('[sync]\nremote = "x"\n')
  expect(set('# remote = "y"\n[model]\nremote = "z"\n[sync]\n')).toBe('# remote = "y"\n[model]\nremote = "z"\n[sync]\nremote = "x"\n')
  expect(set("[sync]\nremote = 'old'\n", 'say "hi"\\')).toBe('[sync]\nremote = "say \\"hi\\"\\\\"\n')
})

test('a file that cannot be edited safely gives null', () => {
  expect(set('[sync\n')).toBeNull()
  expect(set('text = """\n[sync]\n"""\n')).toBeNull()
  expect(set('sync = { remote = "old" }\n')).toBeNull()
  expect(set('sync.remote = "old"\n')).toBeNull()
})

test('numbers, booleans, lists and nested sections can be written', () => {
  expect(withSetting('[worker]\nport = 1 # mine\n', ['worker', 'port'], 4000)).toBe('[worker]\nport = 4000 # mine\n')
  expect(withSetting('', ['hooks', 'session_start', 'enabled'], false)).toBe('[hooks.session_start]\nenabled = false\n')
  expect(withSetting('[ hooks . session_start ]\nenabled = true\n', ['hooks', 'session_start', 'enabled'], false)).toBe(
    '[ hooks . session_start ]\nenabled = false\n',
  )
  expect(withSetting('[privacy]\npatterns = ["a"] # why\n', ['privacy', 'patterns'], ['b', '"c"'])).toBe(
    '[privacy]\npatterns = ["b", "\\"c\\""] # why\n',
  )
})

test('removing a setting removes its line; removing a missing one changes nothing', () => {
  expect(withoutSetting('# top\n[worker]\nport = 1\nidle_minutes = 2\n', ['worker', 'port'])).toBe('# top\n[worker]\nidle_minutes = 2\n')
  expect(withoutSetting('[worker]\nport = 1\n', ['worker', 'port'])).toBe('[worker]\n')
  expect(withoutSetting('[worker]\nport = 1\n', ['sync', 'remote'])).toBe('[worker]\nport = 1\n')
})

test('a list over several lines gives null', () => {
  const text = '[privacy]\npatterns = [\n  "a",\n]\n'
  expect(withSetting(text, ['privacy', 'patterns'], ['b'])).toBeNull()
  expect(withoutSetting(text, ['privacy', 'patterns'])).toBeNull()
})
