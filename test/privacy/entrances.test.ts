/**
 * Sends every private form, every secret and every innocent text through every entrance, then searches every byte of the home: no private word and no
 * secret may be found, and no innocent text may be missing.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ENTRANCES, type Entrance, type Sent } from '../support/entrances.ts'
import { NOT_PRIVATE, PRIVATE_FORMS } from '../support/private-forms.ts'
import { NOT_SECRET, SECRET_SHAPES, TEXTS_WITH_SECRETS } from '../support/secret-shapes.ts'
import { aTestHome, databaseText, findInHome, type TestHome } from '../support/test-home.ts'

/** Each private text once as it is, and once with its words on lines of their own: an array of lines then splits it. */
const privateTexts = PRIVATE_FORMS.flatMap(([, text], n) => [
  { id: `private-${n}`, word: `Qxz${n}Umbra`, text },
  { id: `spread-${n}`, word: `Qxz${n}Umbrb`, text: text.replaceAll('hidden', '\nhidden\n') },
]).map(({ id, word, text }) => ({ id, word, text: text.replaceAll('hidden', word) }))

const secretTexts = [
  ...SECRET_SHAPES.map(([, secret]) => ({ text: `use ${secret} here`, secrets: [secret] })),
  ...TEXTS_WITH_SECRETS.map(([text, left]) => ({ text, secrets: removedFrom(text, left) })),
].map((one, n) => ({ id: `secret-${n}`, ...one }))

const innocentTexts = [...NOT_PRIVATE, ...NOT_SECRET].filter((text) => text !== '').map((text, n) => ({ id: `innocent-${n}`, text }))

/** Short texts, and short ones that look like a hash, occur by chance. */
const isDistinctive = (text: string) => text.length >= 7 && !/^[0-9a-f]{1,11}$/i.test(text)
const needles = [
  ...privateTexts.map(({ word }) => word),
  ...new Set(secretTexts.flatMap(({ secrets }) => secrets).flatMap((secret) => secret.split(/\\n|\n/))),
].filter((text) => isDistinctive(text) && !innocentTexts.some((one) => one.text.includes(text)))

test('the tables are as large as they should be', () => {
  expect(PRIVATE_FORMS.length).toBeGreaterThanOrEqual(60)
  expect(secretTexts.length).toBeGreaterThanOrEqual(110)
  expect(innocentTexts.length).toBeGreaterThanOrEqual(100)
  expect(
    secretTexts.filter(({ secrets }) => secrets.some((secret) => needles.includes(secret.split('\n')[0] ?? ''))).length,
  ).toBeGreaterThan(110)
})

test.each(ENTRANCES.map((entrance) => [entrance.name, entrance] as const))(
  'nothing private and no secret gets in by %s, and innocent text is not changed',
  async (_, entrance) => {
    await using at = await aTestHome()
    const sent = [...privateTexts, ...secretTexts, ...innocentTexts]
    await sendThrough(at, entrance, sent)
    await at.run('stop')
    expect(await findInHome(at.home, needles, entrance.ownFiles?.(at, sent))).toEqual([])
    const stored = databaseText(join(at.home, 'recollect.db'))
    // The start of each private word: an index of trigrams has no longer terms.
    expect(stored.split('\n').filter((term) => term === 'qxz')).toEqual([])
    const isStored = ({ text }: Sent) => stored.includes(text.trim()) || stored.includes(JSON.stringify(text).slice(1, -1))
    expect(innocentTexts.filter((one) => !isStored(one)).map(({ text }) => text)).toEqual([])
  },
)

async function sendThrough(at: TestHome, entrance: Entrance, sent: readonly Sent[]): Promise<void> {
  if (entrance.isOffline) {
    await entrance.send(at, sent)
    expect(await findInHome(at.home, needles)).toEqual([])
    await at.run('start')
  } else {
    await at.run('start')
    await entrance.send(at, sent)
  }
  await at.settled()
  // Commits the notes, and indexes those that were written to the disk.
  await at.run('sync')
  await at.settled()
}

/** The parts of a text that were replaced by markers. */
function removedFrom(text: string, left: string): string[] {
  const kept = left.split(/\[redacted:[a-z0-9-]+\]/)
  let at = kept[0]?.length ?? 0
  return kept.slice(1).map((part) => {
    const end = part === '' ? text.length : text.indexOf(part, at + 1)
    const removed = text.slice(at, end)
    at = end + part.length
    return removed
  })
}
