/** The hub is one more place where private text and secrets may not be: neither in its database, nor in the homes of other members. */
import { afterAll, expect } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { asProjectKey } from '../../src/core/ids.ts'
import { reindex, saveNote } from '../../src/notes/notes.ts'
import { shareProject } from '../../src/team/team.ts'
import { aLaptop } from '../support/laptop.ts'
import { type Postgres, postgresOrSkip, startPostgres } from '../support/postgres.ts'
import { PRIVATE_FORMS } from '../support/private-forms.ts'
import { SECRET_SHAPES } from '../support/secret-shapes.ts'
import { postgresLogins, startTestHub } from '../support/team.ts'

const it = postgresOrSkip()
let postgres: Postgres | undefined
afterAll(() => postgres?.remove())

const shop = asProjectKey('shop')
const privateTexts = PRIVATE_FORMS.map(([, text], n) => ({ word: `Qxz${n}Umbra`, text: text.replaceAll('hidden', `Qxz${n}Umbra`) }))
const secrets = SECRET_SHAPES.map(([, secret]) => secret).filter((secret) => secret.length >= 12)

it('no private word and no secret is on the hub or with another member, however it was written', async () => {
  postgres = await startPostgres()
  const logins = await postgresLogins(postgres)
  const hub = await startTestHub(logins)
  const invite = async (name: string) => (await hub.operator.invite({ name, role: 'member', grants: [], hours: 1, deviceOf: null })).code
  using ada = await aLaptop({ url: hub.base }, await invite('ada'))
  using ben = await aLaptop({ url: hub.base }, await invite('ben'))
  await shareProject(ada.context, shop, 'notes+distilled', 'Shop')
  await hub.operator.changeGrant('shop', 'ben', 'read')
  const texts = [...privateTexts.map(({ text }) => text), ...secrets.map((secret) => `use ${secret} here`)]
  for (const [n, text] of texts.entries()) {
    await saveNote(
      ada.book,
      { body: `Note ${n}: ${text}`, title: `Title ${n} ${text}`, tags: [`t${n}`, text], project: shop, source: 'human', apart: true },
      n + 1,
    )
    // A person may write the file by hand: it keeps what they wrote, and only they have it.
    const head = `---\nid: hand-${n}\ntype: semantic\ntitle: Hand ${n}\nnamespace: context\nsource: human\ncreated: 2026-01-01T00:00:00Z\nupdated: 2026-01-01T00:00:00Z\n---\n`
    ada.write(`memory/shop/hand-${n}.md`, `${head}\nFile ${n}: ${text}\n`)
  }
  await reindex(ada.book)
  expect(await ada.exchange()).toMatchObject({ kind: 'exchanged' })
  expect(await ben.exchange()).toMatchObject({ kind: 'exchanged' })
  expect((await ben.copies('shop')).length).toBeGreaterThan(texts.length)

  const [{ folder } = { folder: '' }] = await logins.operator.query<{ folder: string }>(
    "SELECT current_setting('data_directory') AS folder",
  )
  await logins.operator.query('CHECKPOINT')
  const needles = [...privateTexts.map(({ word }) => word), ...secrets]
  const innocent = 'Note 0:'
  expect(foundIn(folder, [innocent])).toEqual([innocent])
  expect(foundIn(folder, needles)).toEqual([])
  expect(foundIn(ben.folder, needles)).toEqual([])
  expect(JSON.stringify(hub.lines)).not.toContain('Umbra')
  await hub.stop()
  await logins.close()
}, 300_000)

/** Which of the texts occur in any file below a folder. */
function foundIn(folder: string, texts: string[]): string[] {
  const left = new Set(texts)
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, path)
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue
    const bytes = readFileSync(file)
    for (const text of left) if (bytes.includes(text)) left.delete(text)
  }
  return texts.filter((text) => !left.has(text))
}
