import { describe, expect, test } from 'bun:test'
import { GOLDEN, render } from './golden.ts'

describe('the plain distiller gives the expected memories for recorded sessions', () => {
  for (const { name, transcript, expected, isShared } of GOLDEN) {
    const present = !isShared || Bun.file(transcript).size > 0
    test.skipIf(!present)(present ? name : `${name} (skipped: ../shared/eval is not on this machine)`, async () => {
      expect(await render(transcript)).toBe(await Bun.file(expected).text())
    })
  }
})
