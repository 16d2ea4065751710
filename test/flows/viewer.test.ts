import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { join } from 'node:path'
import { clientOrSkip } from '../harness/client.ts'
import { runClaude } from '../harness/run-claude.ts'
import { browserOrSkip, hasBrowser } from '../support/browser.ts'
import { aPerson, type Person } from '../support/person.ts'
import { fixTheTest, project } from '../support/scripts.ts'
import { addManyObservations, type Viewing, view } from '../support/viewer.ts'
import { openWorkerDatabase } from '../support/worker-database.ts'

const test = browserOrSkip()
const TABLE = `Each station reports with its own gauge.

| Station | Datum | Gauge | Sampling | Latest reading |
|---|---|:-:|---|---:|
| Brest | Lowest astronomical tide | radar | every minute | 4.12 m |
| \`saint-malo\` | **Chart datum** | float | every ten minutes | 11.87 m |
`
/** No test here needs vectors, and making them would keep the machine busy. */
const withoutEmbedder = { env: { RECOLLECT_EMBEDDER_PROVIDER: 'none' } }

/** Forgets the memory on the page, and confirms it in the dialog. */
async function forget(page: Viewing['page'], button = /^Forget/): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: button }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('This deletes').waitFor()
  await dialog.getByRole('button', { name: 'Forget', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

describe.skipIf(!hasBrowser)('with memories to delete', () => {
  let person: Person
  let viewer: Viewing
  beforeAll(async () => {
    person = await aPerson({ init: null, ...withoutEmbedder })
    await person.recollect('demo')
    await person.settled()
    viewer = await view(person)
  })
  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]()
    await person?.[Symbol.asyncDispose]()
  })

  test('a prompt is forgotten together with its turn, and one click brings all of it back', async () => {
    const { page, open } = viewer
    const before = await person.rows('observations')
    await open('/memory/P1')
    await page.getByRole('button', { name: /^Forget/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Forget prompt P1?' })
    await dialog.getByText(/This deletes 1 prompt, .*observation.*1 summary/).waitFor()
    await dialog.getByRole('button', { name: 'Forget', exact: true }).click()
    await page.getByText('Prompt P1 was not found.').waitFor()
    expect((await person.rows('observations')).length).toBeLessThan(before.length)
    await page.getByRole('button', { name: /Undo/ }).click()
    await page.getByRole('button', { name: /^Forget/ }).waitFor()
    expect(await person.rows('observations')).toEqual(before)
  })

  test('a summary and a turn of a replay are forgotten with the keyboard, and restored from the list of forgotten memories', async () => {
    const { page, open } = viewer
    await open('/memory/S1')
    await page.getByRole('button', { name: /^Forget/ }).waitFor()
    await page.keyboard.press('x')
    await page.getByRole('dialog').getByText('This deletes').waitFor()
    await viewer.until(`document.activeElement?.textContent === 'Forget'`)
    await page.keyboard.press('Enter')
    await page.getByText('Summary S1 was not found.').waitFor()
    await page.getByRole('link', { name: 'forgotten', exact: true }).click()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'summary' })
      .getByRole('button', { name: /^Restore/ })
      .click()
    await page.getByText('Nothing to restore.').waitFor()
    await open('/memory/S1')
    await page.getByRole('button', { name: /^Forget/ }).waitFor()
    await open('/sessions/2')
    await page.getByRole('button', { name: 'Forget this turn' }).waitFor()
    await page.keyboard.press('x')
    await page
      .getByRole('dialog', { name: /^Forget prompt P/ })
      .getByText('This deletes')
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/^Forgot prompt P/).waitFor()
    await page.keyboard.press('u')
    await page.getByText('Undone.').waitFor()
  })

  test('a session is deleted for good only after the person typed it, and the list no longer has it', async () => {
    const { page, open } = viewer
    await open('/sessions/1')
    await page.getByRole('button', { name: 'More actions for this session' }).click()
    await page.getByRole('button', { name: 'Forget session…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Forget session/ })
    await dialog.getByText(/This deletes 1 session, .*prompt/).waitFor()
    await dialog.getByLabel(/Delete for good/).check()
    const button = dialog.getByRole('button', { name: 'Delete for good' })
    const confirmation = dialog.getByLabel(/Type .delete. to confirm/)
    await confirmation.fill('yes')
    await confirmation.press('Enter')
    expect(await dialog.isVisible()).toBe(true)
    await confirmation.fill('delete')
    await button.click()
    await page.waitForURL(/\/sessions$/)
    await page.getByText(/^Deleted session .* for good\./).waitFor()
    expect(await page.getByRole('button', { name: /Undo/ }).count()).toBe(0)
    expect((await person.rows('sessions')).map(({ id }) => id)).not.toContain(1)
  })

  test('everything that contains the words of a search is forgotten at once and restored', async () => {
    const { page, open } = viewer
    const before = (await person.rows('prompts')).length
    await open('/search?q=station')
    await page.getByRole('button', { name: 'Forget matches…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Forget everything with “station”?' })
    await dialog.getByText('This deletes').waitFor()
    await dialog.getByRole('button', { name: 'Forget', exact: true }).click()
    await page.getByText('Forgot everything with “station”.').waitFor()
    expect((await person.rows('prompts')).length).toBeLessThan(before)
    await page.getByRole('button', { name: /Undo/ }).click()
    await page.getByText('Undone.').waitFor()
    expect((await person.rows('prompts')).length).toBe(before)
    await page.getByRole('searchbox').fill('xyzzyplugh')
    await page.waitForURL(/xyzzyplugh/)
    await page.getByRole('button', { name: 'Forget matches…' }).click()
    await page.getByText('No memories match, so there is nothing to forget.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'prompts' }).click()
    await page.waitForURL(/kind=prompt/)
    await page.getByRole('button', { name: 'Forget matches…' }).waitFor({ state: 'detached' })
  })
})

describe.skipIf(!hasBrowser)('with an imported history', () => {
  let person: Person
  let viewer: Viewing
  beforeAll(async () => {
    person = await aPerson({ init: null, ...withoutEmbedder })
    await person.recollect('demo')
    await person.settled()
    const output = await person.recollect('capture', TABLE, '--title', 'Tide gauges', '--global', '--json')
    PAGES.push(`/memory/N${(JSON.parse(output) as { note: { id: string } }).note.id}`)
    viewer = await view(person)
  })
  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]()
    await person?.[Symbol.asyncDispose]()
  })
  const rows = () => viewer.page.getByRole('list', { name: 'Memories' }).getByRole('link')

  test('the list of all memories is filtered, opens one and returns to the same place', async () => {
    const { page, open } = viewer
    await open('/feed')
    await page.getByRole('button', { name: 'All memories' }).click()
    await page.waitForURL(/view=list/)
    await rows().first().waitFor()
    const all = await rows().count()
    expect(all).toBeGreaterThan(5)
    await page.getByRole('button', { name: 'bugfix' }).click()
    await page.waitForURL(/types=bugfix/)
    await viewer.until(`document.querySelectorAll('.list a').length === 1`)
    await rows().first().click()
    await page.getByRole('heading', { name: /time zone of their station/ }).waitFor()
    await page.getByText('Changed').first().waitFor()
    await page.goBack()
    await viewer.until(`document.querySelectorAll('.list a').length === 1`)
  })

  test('search runs while typing, highlights the words, says why in words, and shows numbers on demand', async () => {
    const { page, open } = viewer
    await open('/search')
    await page.getByRole('searchbox').pressSequentially('low tide late')
    const hits = page.getByRole('list', { name: 'Hits' }).getByRole('listitem')
    await hits.first().waitFor()
    expect(await page.locator('mark').first().textContent()).toMatch(/tide|late|low/i)
    expect(await hits.first().textContent()).toMatch(/Matches (?:all|both|low|tide|late)/)
    const details = hits.first().locator('details').first()
    expect(await details.locator('.score').isVisible()).toBe(false)
    await details.locator('summary').click()
    expect(await details.locator('.score').textContent()).toMatch(/words\d/)
    expect(await hits.first().getByRole('heading', { level: 2 }).count()).toBe(1)
    await page.getByRole('button', { name: 'prompts' }).click()
    await page.waitForURL(/kind=prompt/)
    await page.getByRole('searchbox').fill('xyzzy plugh')
    await page.getByText('No memories found.').waitFor()
  })

  test('an observation is forgotten and restored', async () => {
    const { page, open } = viewer
    await open('/memory/1')
    const title = (await page.locator('article h1').textContent()) ?? ''
    await forget(page)
    await page.getByText('Forgotten. It no longer appears').waitFor()
    expect(await person.recollect('get', '1').catch(String)).not.toContain(title)
    await page.getByRole('button', { name: /Undo/ }).click()
    await page.getByRole('button', { name: /Forget/ }).waitFor()
    expect(await person.recollect('get', '1')).toContain(title)
  })

  test('an observation is saved as a note, which is then edited, pinned, superseded, forgotten and restored', async () => {
    const { page, open } = viewer
    await open('/memory/1')
    await page.getByRole('button', { name: /Save as a note/ }).click()
    await page.getByLabel('Title').fill('Stations know their zone')
    await page.getByLabel('Text (markdown)').fill('Every station has a **zone**.\n\n- Brest is in Europe/Paris')
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByRole('heading', { name: 'Stations know their zone' }).waitFor()
    expect(await page.locator('.prose strong').textContent()).toBe('zone')

    await page.getByRole('button', { name: /Edit/ }).click()
    await page.getByLabel('Text (markdown)').fill('Every station has a **time zone**.\n\n- Brest is in Europe/Paris')
    await page.getByRole('button', { name: /Save/ }).click()
    await page.getByText('History').waitFor()
    await page.locator('details summary').first().click()
    expect(await page.locator('.diff .removed').textContent()).toContain('- Every station has a **zone**.')
    expect(await page.locator('.diff .added').textContent()).toContain('+ Every station has a **time zone**.')
    await page.getByRole('button', { name: /Undo/ }).click()
    await viewer.until(`document.querySelector('.prose strong')?.textContent === 'zone'`)

    await page.getByRole('button', { name: /^Pin/ }).click()
    await page.getByText('pinned', { exact: true }).waitFor()
    expect(await person.recollect('inject', '--project', 'tidepool')).toContain('Stations know their zone')

    const older = page.url()
    await page.getByRole('link', { name: 'Supersede' }).click()
    await page.getByLabel('Title').fill('Stations and the sea')
    await page.getByLabel('Text (markdown)').fill('Every station has a time zone and a datum.')
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByRole('heading', { name: 'Stations and the sea' }).waitFor()
    await page.goto(older)
    await page.getByText('A newer note supersedes this one').waitFor()
    await page.getByRole('link', { name: 'show it' }).click()
    await page.getByRole('heading', { name: 'Stations and the sea' }).waitFor()
    await forget(page)
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('button', { name: /Forget/ }).waitFor()
  })

  test('a table in a note is shown as a table, and scrolls on a narrow screen', async () => {
    await using narrow = await view(person, { width: 360, height: 740 })
    await narrow.open(PAGES.at(-1) ?? '')
    const table = narrow.page.getByRole('table')
    await table.waitFor()
    expect(await table.getByRole('columnheader').allTextContents()).toEqual(['Station', 'Datum', 'Gauge', 'Sampling', 'Latest reading'])
    expect(await table.getByRole('row').count()).toBe(3)
    const box = await narrow.page.evaluate(
      `(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.querySelector('.table'))`,
    )
    const { scrollWidth, clientWidth } = box as { scrollWidth: number; clientWidth: number }
    expect(scrollWidth).toBeGreaterThan(clientWidth)
  })

  test('a session can be replayed from its first prompt to its summary', async () => {
    const { page, open } = viewer
    await open('/sessions')
    await page.getByRole('list', { name: 'Sessions' }).getByRole('link').first().click()
    const slider = page.getByRole('slider', { name: 'Position in the session' })
    await slider.waitFor()
    await page.getByRole('heading', { name: 'Prompt' }).waitFor()
    const last = Number(await slider.getAttribute('max'))
    await slider.fill(String(last))
    await page.getByRole('heading', { name: 'Summary' }).waitFor()
    expect(page.url()).toContain('at=summary')
    await slider.fill('0')
    await page.getByRole('button', { name: 'Play' }).click()
    await viewer.until(`Number(document.querySelector('input[type=range]').value) >= 2`)
    await page.getByRole('button', { name: 'Pause' }).click()
  })

  test('the next brief can be previewed with another budget and lists what it leaves out', async () => {
    const { page, open } = viewer
    await open('/injections/next')
    await page.getByText('<recollect-context').waitFor()
    const fullLength = (await page.locator('.verbatim').first().textContent())?.length ?? 0
    await page.getByRole('slider', { name: 'Budget' }).fill('250')
    await viewer.until(`document.querySelector('.verbatim')?.textContent.length < ${fullLength}`)
    await page.getByText(/^Left out: /).click()
    expect(await page.locator('details a').count()).toBeGreaterThan(0)
    expect(await page.getByRole('row').count()).toBeGreaterThan(1)
  })

  test('a square of the timeline opens the memories of that day', async () => {
    const { page, open } = viewer
    await open('/timeline?end=2026-11-01')
    await page.locator('.cell.l4').first().click()
    await page.getByRole('heading', { name: /October/ }).waitFor()
    await page.locator('.rows a').first().waitFor()
    await page.getByRole('button', { name: 'Weeks' }).click()
    await page.waitForURL(/by=week/)
  })

  test('the graph leads from a memory to a file and to topics', async () => {
    const { page, open } = viewer
    const [observation] = (await person.rows('observations')).filter((row) => JSON.stringify(row).includes('src/favourites.ts'))
    await open(`/graph/observation:${observation?.id}`)
    await page.locator('.graph .centre').waitFor()
    await viewer.until(`document.querySelectorAll('.graph path').length === document.querySelectorAll('.graph .node').length`)
    await page.getByRole('link', { name: 'src/favourites.ts', exact: true }).click()
    await page.waitForURL(/graph\/file/)
    await page.locator('.node').first().click()
    await page.waitForURL(/graph\/(?:observation|summary|prompt|note)/)
    await open('/graph')
    await page.getByLabel('File or symbol').fill('src/favourites.ts')
    await page.keyboard.press('Enter')
    await page.waitForURL(/graph\/file/)
    await page.locator('.node').first().waitFor()
  })

  test('settings show their source, and the health page shows and retries failed jobs', async () => {
    const { page, open } = viewer
    await open('/settings')
    expect(await page.getByLabel('embedder.provider').isDisabled()).toBe(true)
    await page.getByText('RECOLLECT_EMBEDDER_PROVIDER').waitFor()
    const db = openWorkerDatabase(join(person.home, '.recollect', 'recollect.db'))
    db.run(
      "INSERT INTO jobs (kind, key, payload, state, attempts, run_after, error, created_at) VALUES ('odd', 'k', '{}', 'dead', 6, 0, 'it broke', 1)",
    )
    db.close()
    await open('/worker')
    await page.getByText('it broke').waitFor()
    await page.getByRole('button', { name: 'Retry odd' }).click()
    await page.getByText('Retrying the job.').waitFor()
  })

  test('a sync conflict shows both versions of a note until one is chosen', async () => {
    const { page, open } = viewer
    const output = await person.recollect('capture', 'Tides turn twice a day', '--title', 'Tides turn', '--global', '--json')
    const { id, path } = (JSON.parse(output) as { note: { id: string; path: string } }).note
    const folder = join(person.home, '.recollect')
    const other = (await Bun.file(join(folder, path)).text())
      .replace(/^id:.*$/m, 'id: other-version')
      .replace(/^machine:.*$/m, `machine: laptop\nconflict_of: "${id}"`)
      .replace('twice a day', 'four times a day')
    await Bun.write(join(folder, path.replace(id, 'other-version')), other)
    await open('/worker')
    await viewer.until(`fetch('/api/sync').then((r) => r.json()).then((sync) => sync.conflicted.length === 1)`)
    await open('/worker')
    await page.getByText('Other version, from laptop').waitFor()
    await page.getByText('Tides turn four times a day').waitFor()
    await page.getByRole('button', { name: 'Keep theirs' }).click()
    await page.getByText('Kept theirs.').waitFor()
    expect(await person.recollect('get', `N${id}`)).toContain('four times a day')
  })

  test('every page can be reached with the keyboard alone', async () => {
    const { page, open } = viewer
    await open('/feed?view=list')
    await rows().first().waitFor()
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key)
    await page.waitForURL(/\/memory\//)
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/feed/)
    await open('/feed')
    await page.locator('[data-turn]').first().waitFor()
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key)
    await page.waitForURL(/\/sessions\/\d+\?at=prompt/)
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/feed/)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.waitForURL(/\/search/)
    await page.keyboard.type('favourite stations')
    await page.getByRole('list', { name: 'Hits' }).getByRole('listitem').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/memory\//)
    for (const [key, page_] of Object.entries({
      s: 'sessions',
      t: 'timeline',
      i: 'injections',
      p: 'projects',
      h: 'worker',
      e: 'settings',
      x: 'forgotten',
      g: 'graph',
      r: 'rules',
      f: 'feed',
    })) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.waitForURL(`**/${page_}`)
    }
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.getByRole('list', { name: 'Sessions' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('slider').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/at=/)
  })

  const PAGES = [
    '/feed',
    '/feed?view=list',
    '/rules',
    '/rules?kind=decisions',
    '/no/such/page',
    '/memory/99999',
    '/search?q=tide',
    '/memory/1',
    '/memory/P1',
    '/memory/S1',
    '/memory/new',
    '/forgotten',
    '/sessions',
    '/sessions/1',
    '/timeline?end=2026-11-01',
    '/graph',
    '/graph/observation:3',
    '/injections',
    '/injections/next',
    '/projects',
    '/worker',
    '/settings',
  ]
  for (const [name, options] of Object.entries({ light: {}, dark: { dark: true }, narrow: { width: 360, height: 740 } })) {
    test(`every page is accessible and fits its screen (${name})`, async () => {
      await using other = await view(person, options)
      const problems: string[] = []
      for (const path of PAGES) {
        await other.open(path)
        await other.page.waitForTimeout(250)
        problems.push(...(await other.accessibilityProblems()).map((problem) => `${path}: ${problem}`))
        const excessPx = await other.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        if (Number(excessPx) > 0) problems.push(`${path} is ${excessPx} px too wide`)
      }
      expect(problems).toEqual([])
      expect(other.violations).toEqual([])
    })
  }

  for (const [name, options] of Object.entries({ light: {}, dark: { dark: true }, narrow: { width: 360, height: 740 } })) {
    test(`the dialog that forgets is accessible, fits its screen and can be left without a change (${name})`, async () => {
      await using other = await view(person, options)
      const { page } = other
      await other.open('/memory/P2')
      await page.keyboard.press('x')
      const dialog = page.getByRole('dialog', { name: 'Forget prompt P2?' })
      await dialog.getByText('This deletes').waitFor()
      await other.until(`document.activeElement?.textContent === 'Forget'`)
      const problems = await other.accessibilityProblems()
      await dialog.getByLabel(/Delete for good/).check()
      await dialog.getByLabel(/Type .delete. to confirm/).fill('no')
      problems.push(...(await other.accessibilityProblems()))
      expect(problems).toEqual([])
      const excessPx = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      expect(Number(excessPx)).toBe(0)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect((await person.recollect('get', 'P2')).length).toBeGreaterThan(20)
      expect(other.violations).toEqual([])
    })
  }

  test('a hostile memory stays text on every page and loads nothing from elsewhere', async () => {
    const hostile =
      '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>[go](javascript:window.pwned=1) ![p](https://evil.example/p.png) <style>body{display:none}</style>'
    const { note } = JSON.parse(await person.recollect('capture', hostile, '--title', hostile, '--global', '--json')) as {
      note: { id: string }
    }
    const { page, open, violations } = viewer
    violations.length = 0
    for (const path of [
      `/memory/N${note.id}`,
      '/feed',
      '/search?q=onerror',
      `/graph/note:${note.id}`,
      '/injections/next',
      '/timeline',
      '/memory/%3Cimg%20src=x%20onerror=alert(1)%3E',
      '/sessions/%3Cscript%3E',
    ]) {
      await open(path)
      await page.waitForTimeout(150)
      expect([path, await page.evaluate('window.pwned')]).toEqual([path, undefined])
    }
    await open(`/memory/N${note.id}`)
    expect(await page.locator('article h1').textContent()).toContain('<img src=x')
    expect(await page.locator('article img, article script, article style, article a[href^="javascript"]').count()).toBe(0)
    expect(violations).toEqual([])
    await person.recollect('forget', note.id, '--hard', '--yes')
  })

  test('a page from another origin cannot frame the viewer, read from it or change anything', async () => {
    const before = (await person.rows('observations')).length
    const evil = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () =>
        new Response(
          `<iframe src="${viewer.origin}/feed"></iframe><form method="post" enctype="text/plain" target="f" action="${viewer.origin}/api/observations/1"><input name="a"></form><iframe name="f"></iframe>`,
          { headers: { 'content-type': 'text/html' } },
        ),
    })
    const page = await viewer.context.newPage()
    await page.goto(`http://127.0.0.1:${evil.port}/`)
    await page.waitForTimeout(300)
    for (const frame of page.frames().slice(1)) expect(await frame.locator('nav.side').count()).toBe(0)
    const attempts = (await page.evaluate(`Promise.all([
      fetch('${viewer.origin}/api/status', { credentials: 'include' }).then((r) => r.text(), () => 'refused'),
      fetch('${viewer.origin}/api/observations/1', { method: 'DELETE', credentials: 'include', headers: { 'content-type': 'application/json', 'x-recollect': '1' } }).then((r) => r.text(), () => 'refused'),
      fetch('${viewer.origin}/api/shutdown', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).then((r) => r.type, () => 'refused'),
    ])`)) as string[]
    expect(attempts.slice(0, 2)).toEqual(['refused', 'refused'])
    await page.evaluate('document.forms[0].submit()')
    await page.waitForTimeout(300)
    expect((await person.rows('observations')).length).toBe(before)
    expect(JSON.parse(await person.recollect('status', '--json')).pid).toBeGreaterThan(0)
    await page.close()
    await evil.stop(true)
  })

  test('the page reports a stopped worker, reconnects and announces what it missed', async () => {
    const { page, open } = viewer
    await open('/feed')
    await page.getByText('live', { exact: true }).waitFor()
    await person.recollect('stop')
    await page.getByText('The worker is not responding, so this page may be out of date.').waitFor()
    await person.recollect('capture', 'The harbour closes at dusk', '--global')
    await page.getByText('live', { exact: true }).waitFor({ timeout: 30_000 })
    // The number is open: a worker that starts may also catch up with other events.
    await page.getByRole('button', { name: /\d new/ }).waitFor()
    await page.keyboard.press('n')
    await page.getByText('The harbour closes at dusk').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('a project can be renamed, and is wiped only after its name is typed', async () => {
    const { page, open } = viewer
    await open('/projects')
    await page.getByRole('button', { name: 'Actions for tidepool' }).click()
    await page.getByRole('button', { name: 'Rename…' }).click()
    await page.getByLabel('New name').fill('rockpool')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('link', { name: 'rockpool' }).waitFor()
    await person.settled()
    expect(JSON.parse(await person.recollect('search', 'tide', '--project', 'rockpool', '--json')).hits.length).toBeGreaterThan(0)
    await open('/projects')
    await page.getByRole('button', { name: 'Actions for rockpool' }).click()
    await page.getByRole('button', { name: 'Wipe…' }).click()
    const wipe = page.getByRole('button', { name: 'Wipe project' })
    expect(await wipe.isDisabled()).toBe(true)
    await page.getByLabel(/Type rockpool/).fill('rockpool')
    await wipe.click()
    await page.getByRole('link', { name: 'rockpool' }).waitFor({ state: 'detached' })
    await person.settled()
    expect(await person.rows('observations')).toEqual([])
    expect(await person.rows('prompts')).toEqual([])
  })
})

const withClient = (await clientOrSkip()).skipIf(!hasBrowser)
withClient('work of the real client is announced once and does not move the list', async () => {
  await using person = await aPerson({ files: project, git: true, ...withoutEmbedder })
  await person.recollect('demo')
  await person.settled()
  await using viewer = await view(person)
  const { page } = viewer
  await viewer.open('/feed?view=list')
  const first = page.getByRole('list', { name: 'Memories' }).getByRole('link').first()
  const firstRowText = (await first.textContent()) ?? ''
  const ran = await runClaude({
    sandbox: person,
    prompt: 'The login test fails. Find out why and fix it.',
    turns: fixTheTest(person.project),
  })
  expect(ran.code).toBe(0)
  await person.settled()
  await page.getByRole('button', { name: /\d+ new/ }).waitFor()
  expect(await first.textContent()).toBe(firstRowText)
  const announced = Number(/(\d+) new/.exec((await page.getByRole('button', { name: /new/ }).textContent()) ?? '')?.[1])
  const before = await page.getByText(/\d+ memories/).textContent()
  await page.keyboard.press('n')
  await page
    .getByText(/isValid|auth\.mjs/)
    .first()
    .waitFor()
  const after = await page.getByText(/\d+ memories/).textContent()
  const number = (text: string | null) => Number(/\d+/.exec(text ?? '')?.[0])
  expect(number(after) - number(before)).toBe(announced)
  await page.goto(`${viewer.origin}/sessions`)
  await page.getByRole('list', { name: 'Sessions' }).getByRole('link').first().click()
  await page.getByRole('heading', { name: 'Prompt' }).waitFor()
  await page.getByText('The login test fails.').first().waitFor()
})

test('a list of a hundred thousand memories scrolls smoothly', async () => {
  await using person = await aPerson({ init: null, ...withoutEmbedder })
  await person.recollect('start')
  addManyObservations(person, 100_000)
  await using viewer = await view(person)
  const { page } = viewer
  await page.locator('[data-turn]').first().waitFor()
  console.log(`100,000 memories as sessions: after ${Number(await page.evaluate('performance.now()')).toFixed(0)} ms`)
  expect(await page.locator('.memories li').count()).toBeLessThan(20)
  await viewer.open('/feed?view=list')
  await page.getByText('100,000 memories').waitFor()
  const toFirstRow = Number(await page.evaluate('performance.now()'))
  // Scrolls one screen per frame, and compares the time between frames with that of an idle page.
  const gapsOf = async (screens: string) => {
    const gaps = (await page.evaluate(`new Promise((done) => {
    const list = document.querySelector('.list')
    const gaps = []
    let last = performance.now()
    let n = 0
    const step = (now) => {
      gaps.push(now - last)
      last = now
      list.scrollTop += list.clientHeight * (${screens})
      if (++n < 120) requestAnimationFrame(step)
      else done(gaps.slice(1))
    }
    requestAnimationFrame(step)
  })`)) as number[]
    const sorted = gaps.sort((a, b) => a - b)
    return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, slow: sorted[Math.floor(sorted.length * 0.95)] ?? 0 }
  }
  // Other programs may take the processor during one measurement; the smoothest of three counts.
  let smoothest = { median: Number.POSITIVE_INFINITY, slow: Number.POSITIVE_INFINITY }
  for (let n = 0; n < 3 && (smoothest.median >= 50 || smoothest.slow >= 250); n++) {
    const idle = await gapsOf('0')
    const { median, slow } = await gapsOf('n < 60 ? 1 : 40')
    smoothest = {
      median: Math.min(smoothest.median, median - 2 * idle.median),
      slow: Math.min(smoothest.slow, slow - 2 * idle.slow),
    }
    console.log(`100,000 rows: list after ${toFirstRow.toFixed(0)} ms; frames p50 ${median.toFixed(1)} ms, p95 ${slow.toFixed(1)} ms`)
  }
  const jumped = performance.now()
  await page.keyboard.press('End')
  await page.getByText('Memory number 1', { exact: true }).waitFor()
  console.log(`from there to the last row: ${(performance.now() - jumped).toFixed(0)} ms`)
  expect(await page.locator('.slot').count()).toBeLessThan(80)
  expect(smoothest.median).toBeLessThan(50)
  expect(smoothest.slow).toBeLessThan(250)
  await page.keyboard.press('Home')
  await page.getByText('Memory number 100000', { exact: true }).waitFor()
  const { memoryBytes } = JSON.parse(await person.recollect('status', '--json')) as { memoryBytes: number }
  console.log(`the worker after serving it: ${(memoryBytes / 1e6).toFixed(0)} MB`)
})
