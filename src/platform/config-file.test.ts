import { expect, test } from 'bun:test'
import { withSetting } from './config-file.ts'

const set = (text: string, value = 'x') => withSetting(text, 'sync', 'remote', value)

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
