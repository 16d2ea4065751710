import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { join } from 'node:path'
import { browserOrSkip, hasBrowser } from '../support/browser.ts'
import { aPerson, type Person } from '../support/person.ts'
import { transcript, type WrittenTurn } from '../support/transcript.ts'
import { type Viewing, view } from '../support/viewer.ts'

const test = browserOrSkip()
const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')
const DAY_MS = 86_400_000

/** Five short sessions of one project, on three days; in the last one the person states a rule and the client sends a notice. */
const SESSIONS: [name: string, daysAgo: number, turns: WrittenTurn[]][] = [
  [
    'gauge',
    9,
    [
      turn(
        'Which gauge does Brest use?',
        'Brest uses a radar gauge that reports every minute, so the table can be refreshed every minute.',
      ),
    ],
  ],
  ['datum', 9, [turn('Decide on the datum of the tables', 'Decision: all tables use the chart datum, because the printed charts do.')]],
  ['cache', 4, [turn('Cache the table', 'Tables are cached for one hour. A failed load is not kept, so the next request tries again.')]],
  [
    'retry',
    4,
    [
      turn(
        'Why does the retry test fail?',
        'The gateway drops every eighth request, so the retry budget stays at 7 and the test passes again.',
      ),
    ],
  ],
  [
    'rule',
    1,
    [
      turn('From now on never publish the docs from a release branch.', 'Understood: docs are never published from a release branch.'),
      {
        prompt:
          '<task-notification>\n<task-id>t1</task-id>\n<status>completed</status>\n<summary>Agent "review cache" finished</summary>\n<result>The cache looks fine.</result>\n</task-notification>',
        answer: 'The review found nothing.',
      },
    ],
  ],
]

function turn(prompt: string, answer: string): WrittenTurn {
  return { prompt, answer, commands: ['git status'] }
}

describe.skipIf(!hasBrowser)('with five short sessions', () => {
  let person: Person
  let viewer: Viewing
  /** The first turn may have named a session before the end of its transcript did. */
  const titles = new Map<string, string>()
  const titleOf = (session: string) => titles.get(session) ?? ''
  beforeAll(async () => {
    person = await aPerson({ init: null, git: true, files: { 'tides.md': 'Tides' }, env: { RECOLLECT_EMBEDDER_PROVIDER: 'none' } })
    for (const [name, daysAgo, turns] of SESSIONS) {
      const from = Math.floor(Date.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS + 9 * 3_600_000
      const text = transcript(name, turns, { cwd: '/home/you/code/tidepool', from, title: `About ${name}` })
      await Bun.write(join(person.home, '.claude', 'projects', 'tidepool', `${name}.jsonl`), text)
    }
    await person.recollect('import')
    await person.settled()
    for (const { sessionId, title } of await person.rows('sessions')) titles.set(sessionId, title)
    viewer = await view(person)
  })
  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]()
    await person?.[Symbol.asyncDispose]()
  })

  test('the feed shows days, sessions and turns, folds machine turns and stays short', async () => {
    const { page, open } = viewer
    await open('/feed')
    await page.getByRole('heading', { name: titleOf('rule') }).waitFor()
    expect(await page.locator('main h2.day').count()).toBe(3)
    expect(await page.locator('main section.card').count()).toBe(5)
    expect(await page.locator('[data-turn]:visible').count()).toBe(5)
    await page.getByText('Tables are cached for one hour.').waitFor()
    const fold = page.locator('details.fold')
    expect(await fold.locator('summary').textContent()).toContain('1 machine turn folded')
    await fold.locator('summary').click()
    await page.getByText('The review found nothing.').waitFor()
    await page.getByRole('link', { name: /^Rule: .*never publish the docs/i }).waitFor()
    expect(await page.getByRole('complementary').textContent()).toContain('never publish the docs')
  })

  test('search, the feed and the list of sessions are limited to an agent', async () => {
    const { page, open, until } = viewer
    const marked = `[...document.querySelectorAll('main *:not(option)')].some((one) => one.childElementCount === 0 && one.textContent === 'Claude Code')`
    for (const path of ['/search?q=cached', '/feed', '/sessions']) {
      await open(path)
      await until(marked)
      await page.getByLabel('Agent').selectOption('codex')
      await until(`new URL(location.href).searchParams.get('agent') === 'codex' && !(${marked})`)
      await page.getByLabel('Agent').selectOption('claude-code')
      await until(marked)
    }
  })

  test('a turn of the feed is forgotten with the keyboard and brought back', async () => {
    const { page, open } = viewer
    await open('/feed')
    await page.locator('[data-turn]').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page
      .getByRole('dialog', { name: /^Forget prompt P/ })
      .getByText('This deletes')
      .waitFor()
    await viewer.until(`document.activeElement?.textContent === 'Forget'`)
    await page.keyboard.press('Enter')
    await page.getByText(/^Forgot prompt P/).waitFor()
    await viewer.until(`document.querySelectorAll('[data-turn]').length === 5`)
    await page.keyboard.press('u')
    await viewer.until(`document.querySelectorAll('[data-turn]').length === 6`)
  })

  test('a new note is one click away on every page and lands in the feed', async () => {
    const { page, open } = viewer
    await open('/timeline?project=tidepool')
    await page.getByRole('link', { name: 'New note' }).click()
    await page.getByLabel('Title').fill('Harbour hours')
    await page.getByLabel('Text (markdown)').fill('The harbour closes at *dusk*.')
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByRole('heading', { name: 'Harbour hours', level: 1 }).waitFor()
    expect(await page.getByRole('heading', { name: 'Harbour hours' }).count()).toBe(1)
    await open('/feed')
    await page.getByRole('link', { name: 'Harbour hours' }).waitFor()
  })

  test('an address that leads nowhere shows a page, and only programs get JSON', async () => {
    const { page, origin } = viewer
    const answer = await page.goto(`${origin}/no/such/page`)
    expect(answer?.status()).toBe(404)
    await page.getByText('There is no such page.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'feed' }).click()
    await page.waitForURL('**/feed')
    const asked = await page.evaluate(`fetch('/no/such/page').then(async (r) => [r.status, r.headers.get('content-type')])`)
    expect(asked).toEqual([404, 'application/json;charset=utf-8'])
  })

  test('a rule is accepted, edited, rejected and restored, each with a way back', async () => {
    const { page, open } = viewer
    await open('/rules')
    const statement = page.getByRole('list', { name: 'Rules' }).getByRole('listitem')
    await statement
      .first()
      .getByRole('link', { name: titleOf('rule') })
      .click()
    await page.waitForURL(/\/sessions\/\d+\?at=turn/)
    await page.getByRole('heading', { name: titleOf('rule'), level: 1 }).waitFor()
    await page.goBack()
    await statement.first().waitFor()
    await page.keyboard.press('a')
    await page.getByText('Accepted.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Accepted 1' }).waitFor()
    await page.keyboard.press('u')
    await page.getByRole('button', { name: 'Proposed 1' }).waitFor()

    await page.getByRole('button', { name: /^Edit/ }).click()
    await page.getByLabel('Text', { exact: true }).fill('Never publish docs from a release branch.')
    await page.getByRole('button', { name: /^Save and accept/ }).click()
    await page.getByRole('button', { name: 'Accepted 1' }).click()
    await page.getByText('Never publish docs from a release branch.').waitFor()

    await page.getByRole('button', { name: /^Reject/ }).click()
    await page.getByText('Rejected. It will not come back by itself.').waitFor()
    await page.getByRole('button', { name: 'Replaced or rejected 1' }).click()
    await page.getByText('rejected', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('button', { name: 'Accepted 1' }).click()
    await statement.first().waitFor()
  })

  test('decisions wait for a person too', async () => {
    const { page, open } = viewer
    await open('/rules')
    await page.getByRole('button', { name: 'Decisions' }).click()
    await page.waitForURL(/kind=decisions/)
    await page
      .getByText(/all tables use the chart datum/)
      .first()
      .waitFor()
  })

  test('a session is renamed, exported and handed over', async () => {
    const { page, open } = viewer
    const id = (await person.rows<{ id: number; title: string }>('sessions')).find(({ title }) => title === titleOf('cache'))?.id
    await open(`/sessions/${id}`)
    await page.getByRole('heading', { name: titleOf('cache'), level: 1 }).waitFor()
    await page.keyboard.press('e')
    await page.getByLabel('Title').fill('The cache of the tables')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'The cache of the tables', level: 1 }).waitFor()
    await page.keyboard.press('u')
    await page.getByRole('heading', { name: titleOf('cache'), level: 1 }).waitFor()

    for (const [item, name, words] of [
      ['Export as markdown', `session-${id}.md`, '### Answer'],
      ['Export as JSON', `session-${id}.json`, '"prompts":'],
    ] as const) {
      await page.getByRole('button', { name: 'More actions for this session' }).click()
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: item }).click()
      const file = await download
      expect(file.suggestedFilename()).toBe(name)
      expect(await Bun.file(await file.path()).text()).toContain(words)
    }

    await page.getByRole('button', { name: 'Hand over…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Hand over this session' })
    await dialog.getByText(`# Hand-over: ${titleOf('cache')}`).waitFor()
    expect(await dialog.textContent()).toContain('Tables are cached for one hour')
    await dialog.getByRole('button', { name: 'Save as a note' }).click()
    await page.getByRole('heading', { name: `Hand-over: ${titleOf('cache')}`, level: 1 }).waitFor()
    await page.getByText(/^Expires$/).waitFor()
  })

  test('a setting is changed, undone and set back to its default, and a value that is not allowed is refused', async () => {
    const { page, open } = viewer
    await open('/settings')
    await page.getByLabel('hooks.user_prompt.recall').uncheck()
    await page.getByText(/^Saved\. Restart the worker/).waitFor()
    const value = async (name: string) => (JSON.parse(await person.recollect('config', 'get', name, '--json')) as { value: unknown }).value
    expect(await value('hooks.user_prompt.recall')).toBe(false)
    await page.getByRole('button', { name: /Undo/ }).click()
    await viewer.until(`document.getElementById('hooks.user_prompt.recall').checked`)
    expect(await value('hooks.user_prompt.recall')).toBe(true)

    const days = page.getByLabel('retention.tool_uses_days')
    await days.fill('45')
    await days.press('Enter')
    await page.getByRole('button', { name: 'Use the default of retention.tool_uses_days' }).click()
    await viewer.until(`document.getElementById('retention.tool_uses_days').value === '30'`)

    const patterns = page.getByLabel('privacy.patterns')
    await patterns.fill('tide-[0-9]{2,4}\n[')
    await patterns.blur()
    await page.getByText(/is not a regular expression/).waitFor()
    await patterns.fill('tide-[0-9]{2,4}')
    await patterns.blur()
    await page.getByText(/^Saved\./).waitFor()
    expect(await value('privacy.patterns')).toEqual(['tide-[0-9]{2,4}'])
    await page.getByLabel('Find a setting').fill('redact')
    await viewer.until(`document.querySelectorAll('.setting').length < 4`)
  })

  test('an injection shows its text, why each part is there, and what came up again', async () => {
    const { page, open } = viewer
    await hook(person, 'SessionStart', { source: 'startup' })
    await hook(person, 'UserPromptSubmit', { prompt: 'How long are tables kept?' })
    await hook(person, 'Stop', {
      last_assistant_message:
        'Tables are cached for one hour; a failed load is not kept, so the next request tries again. The gateway drops every eighth request.',
    })
    await person.settled()
    await open('/injections')
    await page.getByRole('heading', { name: 'At the start of a session' }).waitFor()
    await page.getByText(/^[1-9]\d* of \d+ lines used later$/).waitFor()
    expect(await page.locator('.shown-text .used').count()).toBeGreaterThan(0)
    await page.getByText('Why each part is there').waitFor()
    await page.getByRole('button', { name: 'Next brief' }).click()
    await page.waitForURL('**/injections/next')
  })

  test('a memory says where it comes from, and a commit is forgotten and brought back', async () => {
    const { page, open } = viewer
    await open('/memory/S1')
    await page.getByText(/^Distilled from turn/).waitFor()
    await page.getByRole('button', { name: 'S1' }).waitFor()
    await person.recollect('import', '--from', 'git', person.project)
    await open('/memory/C1')
    await page.getByRole('button', { name: /^Forget/ }).click()
    await page.getByRole('dialog', { name: 'Forget commit C1?' }).getByText('This deletes 1 commit').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click()
    await page.getByText('Commit C1 was not found.').waitFor()
    await page.getByRole('button', { name: /Undo/ }).click()
    await page.getByRole('button', { name: /^Forget/ }).waitFor()
  })

  test('on a phone, four pages are in the bar and the others behind a button', async () => {
    await using phone = await view(person, { width: 360, height: 740 })
    const { page } = phone
    await phone.open('/feed')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const menu = page.getByRole('dialog', { name: 'More pages' })
    await menu.getByRole('link', { name: 'Projects' }).click()
    await page.waitForURL('**/projects')
    await menu.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Actions for tidepool' }).click()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Rename…' }).waitFor({ state: 'detached' })
    expect(phone.violations).toEqual([])
  })

  for (const [name, options] of Object.entries({ light: {}, dark: { dark: true }, narrow: { width: 360, height: 740 } })) {
    test(`pages with content, open menus and dialogs are accessible (${name})`, async () => {
      await using other = await view(person, options)
      const { page } = other
      const problems: string[] = []
      const check = async (what: string) => problems.push(...(await other.accessibilityProblems()).map((problem) => `${what}: ${problem}`))
      for (const path of ['/feed', '/rules', '/rules?kind=decisions', '/injections', '/settings', '/graph?project=tidepool', '/timeline']) {
        await other.open(path)
        await page.waitForTimeout(400)
        await check(path)
      }
      await other.open('/sessions/1')
      await page.getByRole('button', { name: 'Hand over…' }).click()
      await page.getByText('# Hand-over:').waitFor()
      await check('hand over')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'More actions for this session' }).click()
      await check('menu')
      expect(problems).toEqual([])
      expect(other.violations).toEqual([])
    })
  }
})

/** Sends one event of a live session in the project of the transcripts. */
async function hook(person: Person, event: string, fields: object): Promise<void> {
  const cwd = '/home/you/code/tidepool'
  const payload = { session_id: 'live', cwd, hook_event_name: event, transcript_path: '', ...fields }
  const child = Bun.spawn([RECOLLECT, 'hook', 'claude-code', event], {
    env: { ...person.env, CLAUDE_PROJECT_DIR: cwd },
    cwd: person.home,
    stdin: new Blob([JSON.stringify(payload)]),
    stdout: 'ignore',
    stderr: 'inherit',
  })
  await child.exited
}
