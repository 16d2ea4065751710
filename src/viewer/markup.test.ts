import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

test('no file of the viewer turns text into markup or code, or names another origin', () => {
  const files = [...new Bun.Glob('*.{ts,tsx,css,svg}').scanSync(import.meta.dir)].filter((file) => !/\.test\.tsx?$/.test(file))
  expect(files.length).toBeGreaterThan(20)
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write|\beval\(|new Function|DOMParser|createContextualFragment|@import|https?:\/\/(?!www\.w3\.org\/2000\/svg)\w/
  const found = files.flatMap((file) => {
    const line = readFileSync(join(import.meta.dir, file), 'utf8')
      .split('\n')
      .find((text) => forbidden.test(text))
    return line ? [`${file}: ${line.trim()}`] : []
  })
  expect(found).toEqual([])
})
