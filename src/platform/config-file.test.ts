import { expect, test } from 'bun:test'
import { withoutSetting, withSetting } from './config-file.ts'

const set = (text: string, value = 'x') => withSetting(text, ['sync', 'remote'], value)

test('a setting is written into a file that does not have it, and the rest stays as it is', () => {
  expect(set('')).toBe('[sync]\nremote = "x"\n')
  expect(set('# mine\n[worker]\nport = 1')).toBe('# mine\n[worker]\nport = 1\n\n[sync]\nremote = "x"\n')
  expect(set('[sync] # here\npush = false\n[worker]\nport = 1\n')).toBe('[sync] # here\nremote = "x"\npush = false\n[worker]\nport = 1\n')
})

test('a setting that is there is replaced where it stands, with the comment after it', () => {
  expect(set('[sync]\npush = false\nremote = "old" # home\n\n[worker]\nport = 1\n')).toBe(
    '[sync]\npush = false\nremote = "x" # home\n\n[worker]\nport = 1\n',
  )
  expect(set("[sync]\nremote = 'old'\n", 'say "hi"\\')).toBe('[sync]\nremote = "say \\"hi\\"\\\\"\n')
})

test('a file that would come out as something else is left to the person', () => {
  expect(set('[sync\n')).toBeNull()
  expect(set('text = """\n[sync]\n"""\n')).toBeNull()
  expect(set('sync = { remote = "old" }\n')).toBeNull()
})

test('numbers, truth values, lists and deeper sections are written too', () => {
  expect(withSetting('[worker]\nport = 1 # mine\n', ['worker', 'port'], 4000)).toBe('[worker]\nport = 4000 # mine\n')
  expect(withSetting('', ['hooks', 'session_start', 'enabled'], false)).toBe('[hooks.session_start]\nenabled = false\n')
  expect(withSetting('[ hooks . session_start ]\nenabled = true\n', ['hooks', 'session_start', 'enabled'], false)).toBe(
    '[ hooks . session_start ]\nenabled = false\n',
  )
  expect(withSetting('[privacy]\npatterns = ["a"] # why\n', ['privacy', 'patterns'], ['b', '"c"'])).toBe(
    '[privacy]\npatterns = ["b", "\\"c\\""] # why\n',
  )
})

test('a setting is taken out with its line, and one that is not there changes nothing', () => {
  expect(withoutSetting('# top\n[worker]\nport = 1\nidle_minutes = 2\n', ['worker', 'port'])).toBe('# top\n[worker]\nidle_minutes = 2\n')
  expect(withoutSetting('[worker]\nport = 1\n', ['worker', 'port'])).toBe('[worker]\n')
  expect(withoutSetting('[worker]\nport = 1\n', ['sync', 'remote'])).toBe('[worker]\nport = 1\n')
})

test('a list over several lines is left to the person', () => {
  const text = '[privacy]\npatterns = [\n  "a",\n]\n'
  expect(withSetting(text, ['privacy', 'patterns'], ['b'])).toBeNull()
  expect(withoutSetting(text, ['privacy', 'patterns'])).toBeNull()
})
