import { expect, test } from 'bun:test'
import { compareVersions, VERSION } from './version.ts'

test('versions are compared as numbers, not as text', () => {
  expect(compareVersions('2.1.9', '2.1.63')).toBeLessThan(0)
  expect(compareVersions('2.1.63', '2.1.63')).toBe(0)
  expect(compareVersions('10.0.0', '9.9.9')).toBeGreaterThan(0)
  expect(compareVersions('2.1.63-beta.4', '2.1.63')).toBe(0)
  expect(compareVersions('v2.2', '2.1.63 (Claude Code)')).toBeGreaterThan(0)
  expect(compareVersions('', '0.0.1')).toBeLessThan(0)
})

test('the program knows its own version', () => {
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/)
})
