import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureSyntax } from './syntax.ts'

const root = join(import.meta.dir, '..', '..')
const MAX_DECISION_POINTS = 25

const measured = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(root)]
  .filter((path) => !/\.test\.tsx?$/.test(path))
  .sort()
  .map((path) => ({ path, ...measureSyntax(path, readFileSync(join(root, path), 'utf8')) }))

test('no function has more than 25 decision points unless the comment above it gives the reason', () => {
  const tooMany = measured.flatMap(({ path, functions }) =>
    functions
      .filter(({ decisions, hasReason }) => decisions > MAX_DECISION_POINTS && !hasReason)
      .map(({ name, line, decisions }) => `${path}:${line} ${name} has ${decisions}`),
  )
  expect(tooMany).toEqual([])
})

test('a type name is declared in one file only, so it means one thing', () => {
  const files = new Map<string, Set<string>>()
  for (const { path, types } of measured) for (const { name } of types) files.set(name, (files.get(name) ?? new Set()).add(path))
  const repeated = [...files].filter(([, paths]) => paths.size > 1).map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)
  expect(repeated).toEqual([])
})

test('parsed JSON is checked or comes through a typed call; it is never cast', () => {
  const casts = measured.flatMap(({ path, uncheckedCasts }) => uncheckedCasts.map(({ line, code }) => `${path}:${line} ${code}`))
  expect(casts).toEqual([])
})

test('a room that reads text from outside declares parsed JSON as unknown and checks it', () => {
  const fromOutside = measured.filter(({ path }) => /^src\/(?:hooks|cli|mcp|client|viewer|wire|worker)\//.test(path))
  const claims = fromOutside.flatMap(({ path, uncheckedDeclarations }) =>
    uncheckedDeclarations.map(({ line, code }) => `${path}:${line} ${code}`),
  )
  expect(claims).toEqual([])
})
