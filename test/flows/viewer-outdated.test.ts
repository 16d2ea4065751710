import { expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOrSkip } from '../harness/client.ts'
import { runClaude } from '../harness/run-claude.ts'
import { hasBrowser } from '../support/browser.ts'
import { aPerson } from '../support/person.ts'
import { edit } from '../support/scripts.ts'
import { view } from '../support/viewer.ts'

const test = await clientOrSkip()

const TIDE = `export function nextTide(station: string): number {
  return station.length * 60
}
`

test.skipIf(!hasBrowser)(
  'the viewer marks a memory about deleted code, filters by the mark, and records that it still holds',
  async () => {
    await using person = await aPerson({ files: { 'src/tide.ts': TIDE }, git: true })
    const file = join(person.project, 'src/tide.ts')
    await runClaude({
      sandbox: person,
      prompt: 'How does nextTide in src/tide.ts compute the minutes? Double them.',
      turns: [
        { tools: [{ name: 'Read', input: { file_path: file } }] },
        edit(file, '* 60', '* 120'),
        'nextTide in src/tide.ts multiplies the length of the name by 120 now.',
      ],
    })
    await person.settled()
    writeFileSync(file, 'export const tides = []\n')
    await using viewer = await view(person)
    const { page, open, until } = viewer

    await open('/search?q=nextTide')
    await page.getByText('no longer in the code').first().waitFor()
    await page.getByLabel('Code').selectOption('outdated')
    await until(`new URL(location.href).searchParams.get('code') === 'outdated'`)
    await page.getByText('no longer in the code').first().waitFor()
    await page.getByLabel('Code').selectOption('current')
    await until(`!document.body.textContent.includes('no longer in the code')`)

    await open('/memory/1')
    await page.getByRole('heading', { name: 'Checked against the code' }).waitFor()
    await page.getByRole('button', { name: 'It still holds' }).click()
    await page.getByText('Confirmed.', { exact: true }).waitFor()
    await open('/memory/1')
    await page.getByText(/^Confirmed now|^Confirmed just now|Confirmed \d/).waitFor()
    expect(await viewer.accessibilityProblems()).toEqual([])
    expect(viewer.violations).toEqual([])
  },
  300_000,
)
