import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandErrors, doctorFindings, doctorSubjects, teamErrors } from './messages.ts'
import { root } from './pages.ts'

const page = readFileSync(join(root, 'docs', 'guide', 'troubleshooting.md'), 'utf8')
const section = (title: string) => page.split(new RegExp(`^### ${title}$`, 'm'))[1]?.split(/^#{2,3} /m)[0] ?? ''

test('every subject of doctor has a section', () => {
  expect(doctorSubjects().length).toBeGreaterThan(15)
  expect(doctorSubjects().filter((subject) => section(subject) === '')).toEqual([])
})

test('every finding of doctor is in the section of its subject', () => {
  const findings = doctorFindings()
  expect(findings.length).toBeGreaterThan(25)
  expect(findings.filter(({ what, phrase }) => !(what === null ? page : section(what)).includes(phrase))).toEqual([])
})

test('every error of a command has its remedy, apart from those about its arguments', () => {
  const errors = commandErrors()
  expect(errors.length).toBeGreaterThan(30)
  expect(errors.filter(({ phrase }) => !page.includes(phrase))).toEqual([])
})

test('every reason why a team, a hub or a model cannot be used has its remedy', () => {
  const errors = teamErrors()
  expect(errors.length).toBeGreaterThan(15)
  expect(errors.filter(({ phrase }) => !page.includes(phrase))).toEqual([])
})
