import { fingerprint } from '../../core/hash.ts'
import type { OpenFailure } from '../../core/memory.ts'

/** A shorter name could be the name of any test. */
const MIN_TEST_NAME_CHARS = 8
const MIN_ERROR_WORDS = 3

/**
 * Fingerprints by which a failure is recognised when it happens again: one for each failing test, or one for the error message without its
 * numbers and folders. Empty if nothing in it identifies the error: many checks end with "task failed".
 */
export function errorSignatures({ names, error }: Pick<OpenFailure, 'names' | 'error'>): string[] {
  const tests = names.map(bareTestName).filter((name) => name.length >= MIN_TEST_NAME_CHARS)
  if (names.length > 0) return [...new Set(tests.map((name) => fingerprint(`test ${name}`)))]
  const message = normalizedMessage(error)
  const words = message.match(/\p{L}{3,}/gu) ?? []
  return words.length < MIN_ERROR_WORDS || UNSPECIFIC.test(message) ? [] : [fingerprint(`error ${message}`)]
}

/** Runners print the file or the suite before the name, some of them only sometimes. */
const bareTestName = (name: string) => (name.split(/ [›>] |::/).at(-1) ?? name).trim()

/** Folders differ between machines and temporary folders between runs; lines move. */
function normalizedMessage(error: string): string {
  return error
    .replace(/(?:[A-Za-z]:)?(?:[\w@.~-]*[/\\])+(?=[\w.-])/g, '')
    .replace(/0x[\da-f]+|\d+/gi, '0')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

/** Messages that say that something failed, but not what. */
const UNSPECIFIC =
  /\btests? fails?\b|task failed|exited with code|exit(?:ed)? (?:status|code)|not equal|failed to push some refs|script failed|formatter would have|some errors were emitted|process completed|command failed|build failed|^fail\b|^error: item/
