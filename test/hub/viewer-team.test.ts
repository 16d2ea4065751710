import { expect } from 'bun:test'
import { hasBrowser } from '../support/browser.ts'
import { aPerson } from '../support/person.ts'
import { postgresOrSkip } from '../support/postgres.ts'
import { aMember, runningHub } from '../support/team-flow.ts'
import { view } from '../support/viewer.ts'

const test = hasBrowser ? postgresOrSkip() : (await import('bun:test')).test.skip
const env = { RECOLLECT_EMBEDDER_PROVIDER: 'none' }
/** Where to write pictures of the page, to look at them. */
const pictures = process.env.RECOLLECT_PICTURES

test('the team page says how to join before this machine has joined a team', async () => {
  await using person = await aPerson({ init: null, env })
  await using viewer = await view(person)
  await viewer.open('/team')
  await viewer.page.getByText('This machine has not joined a team.').waitFor()
  expect(await viewer.accessibilityProblems()).toEqual([])
  expect(viewer.violations).toEqual([])
}, 300_000)

test('a curator reviews, sees who shares what, and revokes a device on the team page', async () => {
  await using hub = await runningHub()
  await using cora = await aMember(hub, 'cora', await hub.invite('cora'), { env })
  await using ada = await aMember(hub, 'ada', await hub.invite('ada'), { env })
  await using second = await aMember(hub, 'cora', await hub.inviteDevice('cora'), { env })
  await cora.recollect('capture', 'Prices are kept in cents.', '--project', 'shop')
  await cora.recollect('team', 'share', 'shop', '--yes')
  await cora.recollect('team', 'grant', 'shop', 'ada', 'write')
  const token = (JSON.parse(await Bun.file(`${cora.home}/.recollect/team.json`).text()) as { token: string }).token
  const patched = await fetch(`${hub.url}/v1/projects`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'shop', review: true }),
  })
  expect(patched.status).toBe(200)
  await ada.recollect('team', 'sync')
  await ada.recollect('capture', 'Baskets expire after a week.', '--project', 'shop')
  await ada.recollect('capture', 'Refunds <script>alert(1)</script> go to the card.', '--project', 'shop')
  await ada.recollect('team', 'share', 'shop', '--yes')
  await cora.recollect('team', 'sync')
  await second.recollect('team', 'sync')

  await using viewer = await view(cora)
  const { page, open } = viewer
  await open('/team')
  const card = (title: string) => page.locator('section.card', { has: page.getByRole('heading', { name: title, exact: true }) })
  await card('Review').getByText('Baskets expire after a week.').first().waitFor()
  await card('Members').getByText('ada', { exact: true }).waitFor()
  await card('Projects').getByText('you may curate').waitFor()
  await card('Your devices').getByText('this machine').waitFor()
  expect(await viewer.accessibilityProblems()).toEqual([])
  if (pictures) {
    for (const [name, width, dark] of [
      ['light-1440', 1440, false],
      ['dark-1440', 1440, true],
      ['light-360', 360, false],
      ['dark-360', 360, true],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
      await page.screenshot({ path: `${pictures}/team-${name}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 1200, height: 760 })
    await page.emulateMedia({ colorScheme: 'light' })
  }
  // By keyboard.
  await page.getByRole('button', { name: 'Accept Baskets expire after a week.' }).focus()
  await page.keyboard.press('Enter')
  await card('Review').getByText('Baskets expire after a week.').first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Reject Refunds/ }).click()
  await card('Review').getByText('Nothing is waiting for you.').waitFor()
  expect(await cora.recollect('notes', '--all')).toContain('Baskets expire after a week.  (by ada)')
  expect(await cora.recollect('notes', '--all')).not.toContain('Refunds')
  await ada.recollect('team', 'sync')
  expect(JSON.parse(await ada.recollect('team', 'status', '--json'))).toMatchObject({ rejected: 1, proposed: 0 })

  await card('Your devices')
    .getByRole('button', { name: /^Revoke/ })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await card('Your devices')
    .getByRole('button', { name: /^Revoke/ })
    .waitFor({ state: 'detached' })
  await expect(second.recollect('team', 'sync')).rejects.toThrow()
  expect(viewer.violations).toEqual([])
}, 300_000)
