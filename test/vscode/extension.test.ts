/**
 * The packaged extension in a real VS Code, with the real worker and the real Claude Code. The tests are one working day and run in this order: an
 * agent has settled something, a person works in the editor, and the brief of the next agent contains it.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { requestText } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { openWorkbench, packagedExtension, until, type Workbench, workbenchOrSkip } from '../harness/vscode.ts'
import { aPerson, briefIn, type Person } from '../support/person.ts'
import { edit } from '../support/scripts.ts'
import { findInHome } from '../support/test-home.ts'

const flow = await workbenchOrSkip()

const SETTLED = 'Settled: tideAt multiplies by 2, because the gauge of the harbour reports half hours.'
const TIDES = `export function tideAt(hour: number) {
  return hour
}

export function lowTide(day: number) {
  return day + 6
}
`
const SECRET_WORDS = 'heron-nest-coordinates'
const KEY = 'sk-ant-api03-Zq7Yt2Wm9Kx4Lp8Rv1Nb6Hc3Jd5Fg0SaQeUiOoPpAaSsDdFfGgHhJjKkLlZzXxCcVvBbNnMm12-AbCdEfAA'

let person: Person
let bench: Workbench
let packaged: { file: string; said: string }

/** Where pictures go, if someone wants to look at them. */
const shots = process.env.RECOLLECT_SHOTS
async function shoot(name: string): Promise<void> {
  if (!shots) return
  mkdirSync(shots, { recursive: true })
  await bench.page.screenshot({ path: join(shots, `${name}.png`) })
}

const file = (path: string) => JSON.stringify(join(person.project, path))
type Use = { tool: string; input: Record<string, string>; output: unknown; error: string | null; sessionId: string }
const editorUses = async () => (await person.rows<Use>('tool-uses')).filter(({ sessionId }) => sessionId.startsWith('vscode-'))
const newUses = (tool: string, count = 1) =>
  until(`${count} of ${tool} are stored`, async () => {
    const uses = (await editorUses()).filter((use) => use.tool === tool)
    return uses.length >= count ? uses : null
  })
const editorSession = async () =>
  (await person.rows<{ contentSessionId: string; status: string; host: string }>('sessions')).find(({ host }) => host === 'code-server')

/** Replaces a text in a file as a person does: in an editor, and saved. */
const change = (path: string, from: string, to: string) =>
  bench.probe(`
    const document = await vscode.workspace.openTextDocument(${file(path)})
    await vscode.window.showTextDocument(document)
    const at = document.getText().indexOf(${JSON.stringify(from)})
    const edit = new vscode.WorkspaceEdit()
    edit.replace(document.uri, new vscode.Range(document.positionAt(at), document.positionAt(at + ${from.length})), ${JSON.stringify(to)})
    await vscode.workspace.applyEdit(edit)
    await document.save()`)

const command = (name: string, ...args: unknown[]) =>
  bench.probe(`void vscode.commands.executeCommand(${[name, ...args].map((one) => JSON.stringify(one)).join(', ')})`)
const setting = (name: string, value: unknown) =>
  bench.probe(
    `await vscode.workspace.getConfiguration().update(${JSON.stringify(name)}, ${JSON.stringify(value)}, vscode.ConfigurationTarget.Global)`,
  )
/** The text of the page with this name. */
const pageText = (name: string) =>
  until(`a page shows ${name}`, () =>
    bench.probe<string | null>(`
      const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'recollect' && uri.path.startsWith(${JSON.stringify(`/${name}`)}))
      return document?.getText() || null`),
  )
const statusItem = () => bench.page.locator('.statusbar-item', { hasText: 'Recollect' })
const windowState = () =>
  bench.probe<string>(`
    const extension = vscode.extensions.getExtension('recollect.recollect')
    return extension?.isActive ? extension.exports.state() : 'inactive'`)
const quickInput = () => bench.page.locator('.quick-input-widget')

beforeAll(async () => {
  if (flow !== test) return
  packaged = await packagedExtension()
  person = await aPerson({
    git: true,
    files: {
      'tides.ts': TIDES,
      'weir.ts': 'export const weir = 1\n',
      'deploy.env': 'PLAIN=1\n',
      'check.sh': 'sleep 1; echo "AssertionError: low tide is late"; sleep 1; exit 3\n',
      '.vscode/tasks.json': { version: '2.0.0', tasks: [{ label: 'lint tides', type: 'shell', command: 'eslint tides.ts' }] },
    },
  })
  const tides = join(person.project, 'tides.ts')
  await runClaude({
    sandbox: person,
    prompt: 'Why does tideAt return the wrong hour? Settle it and fix it.',
    turns: [{ tools: [{ name: 'Read', input: { file_path: tides } }] }, edit(tides, 'return hour\n', 'return hour * 2\n'), SETTLED],
  })
  await person.settled()
  // The next session of a person, after this one ended a while ago.
  bench = await openWorkbench(person, { vsix: packaged.file, settings: { 'recollect.record.idleMinutes': 60 } })
}, 400_000)

afterAll(async () => {
  await bench?.close()
  await person?.[Symbol.asyncDispose]()
  if (packaged) rmSync(dirname(packaged.file), { recursive: true })
}, 300_000)

let ended = 0
// The screen at the end of each test, also of one that failed.
afterEach(() => shoot(`after-${++ended}`).catch(() => {}))

flow('the package is small, and vsce has nothing to say about it', () => {
  expect(packaged.said).not.toMatch(/warn|error|missing|should/i)
  expect(statSync(packaged.file).size).toBeLessThan(1_000_000)
})

type Started = { loading: { ms: number; cpuMs: number }; activation: { ms: number; cpuMs: number }; state: string; brief: string }

flow(
  'activation takes less than 50 ms of its own time, opens a session and fetches the brief',
  async () => {
    const started = () =>
      bench.probe<Started | null>(`
        const extension = vscode.extensions.getExtension('recollect.recollect')
        const api = extension?.isActive ? extension.exports : null
        return api && { loading: api.loading, activation: api.activation, state: api.state(), brief: api.brief() }`)
    const api = await until(
      'the extension records',
      async () => {
        const now = await started()
        return now?.state === 'recording' && now.brief !== '' ? now : null
      },
      300_000,
    )
    console.log(`loading ${JSON.stringify(api.loading)}, activation ${JSON.stringify(api.activation)}`)
    expect(api.activation.cpuMs).toBeGreaterThan(0)
    expect(api.loading.cpuMs + api.activation.cpuMs).toBeLessThan(50)
    expect(api.brief).toContain('tideAt multiplies by 2')
    const session = await until('the session is stored', editorSession)
    expect(session.contentSessionId).toStartWith('vscode-')
    const status = JSON.parse(await person.recollect('status', '--json')) as { sessions: { live: number } }
    expect(status.sessions.live).toBe(1)
    await statusItem().waitFor()
  },
  300_000,
)

flow(
  'what Claude Code settled is in the answer to "why", in the hover and above the definition',
  async () => {
    await bench.probe(`
      const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(${file('tides.ts')}))
      editor.selection = new vscode.Selection(1, 2, 1, 2)`)
    await command('recollect.why')
    expect(await pageText('Why')).toContain('tideAt multiplies by 2, because the gauge of the harbour reports half hours')
    await until('the preview is shown', async () =>
      (await bench.probe<string>('return vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? ""')).includes('Why'),
    )
    await Bun.sleep(shots ? 2000 : 0)
    await shoot('why')

    const hovers = () =>
      bench.probe<string[]>(`
        const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', vscode.Uri.file(${file('tides.ts')}), new vscode.Position(0, 20))
        return hovers.flatMap(({ contents }) => contents.map((one) => one.value ?? String(one)))`)
    expect((await hovers()).join()).not.toContain('Recollect')
    await setting('recollect.hover.enabled', true)
    const hover = await until('the hover shows the memory', async () => (await hovers()).find((text) => text.includes('Recollect')))
    expect(hover).toContain('half hours')
    expect(hover).toContain('Claude Code')

    // Lines that are not saved yet move the definition down. It is found where it is now.
    await bench.probe(`
      const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(${file('tides.ts')}))
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '// one\\n'.repeat(7)))
      editor.selection = new vscode.Selection(8, 2, 8, 2)`)
    const hoverAt = (line: number) =>
      bench.probe<boolean>(`
        const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', vscode.Uri.file(${file('tides.ts')}), new vscode.Position(${line}, 20))
        return hovers.some(({ contents }) => contents.some((one) => String(one.value ?? one).includes('half hours')))`)
    expect([await hoverAt(0), await hoverAt(7)]).toEqual([false, true])
    await command('recollect.why')
    await until('the preview is shown again', async () =>
      (await bench.probe<string>('return vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? ""')).includes('Why'),
    )
    expect(await pageText('Why')).toContain('tideAt multiplies by 2')
    await bench.probe(`
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(${file('tides.ts')}))
      await vscode.commands.executeCommand('workbench.action.files.revert')`)

    await setting('recollect.codeLens.enabled', true)
    await bench.probe(`await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(${file('tides.ts')}))`)
    await bench.page
      .locator('.codelens-decoration', { hasText: /memor(?:y|ies):/ })
      .first()
      .waitFor({ timeout: 30_000 })
    await bench.page.locator('.view-line', { hasText: 'tideAt' }).first().hover()
    await bench.page.locator('.monaco-hover', { hasText: 'Recollect' }).first().waitFor({ timeout: 30_000 })
    await shoot('hover')
    await setting('recollect.codeLens.enabled', false)
    await setting('recollect.hover.enabled', false)
  },
  300_000,
)

flow(
  'a save is an observation of what changed; saves in quick succession are one',
  async () => {
    // In one request, so that a busy machine does not put a pause between the two saves.
    await bench.probe(`
      const document = await vscode.workspace.openTextDocument(${file('tides.ts')})
      for (const [from, to] of [['day + 6', 'day + 12'], ['day + 12', 'day + 6.2']]) {
        const at = document.getText().indexOf(from)
        const edit = new vscode.WorkspaceEdit()
        edit.replace(document.uri, new vscode.Range(document.positionAt(at), document.positionAt(at + from.length)), to)
        await vscode.workspace.applyEdit(edit)
        await document.save()
      }`)
    const [save, ...more] = await newUses('FileSave')
    expect(more).toEqual([])
    expect(save?.input).toMatchObject({
      path: join(person.project, 'tides.ts'),
      old_string: expect.stringContaining('return day + 6\n'),
      new_string: expect.stringContaining('return day + 6.2\n'),
    })
    // Typed by hand.
    await bench.probe(
      `const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(${file('weir.ts')})); editor.selection = new vscode.Selection(0, 0, 0, 0)`,
    )
    await bench.page.locator('.view-line', { hasText: 'weir' }).first().click()
    await bench.page.keyboard.press('Control+Home')
    await bench.page.keyboard.type('// The weir holds eels.')
    await bench.page.keyboard.press('Enter')
    await bench.page.keyboard.press('Control+S')
    const saves = await newUses('FileSave', 2)
    expect(saves[1]?.input.new_string).toContain('The weir holds eels.')
  },
  300_000,
)

flow(
  'private parts and secrets in saved files and in the terminal are not stored, even if only a part inside them changes',
  async () => {
    await change('weir.ts', 'export const weir = 1', `export const weir = 2\n/* <private>\n${SECRET_WORDS}: 1\nsecond line\n</private> */`)
    await newUses('FileSave', 3)
    // Nothing of the changed line says that it is private.
    await change('weir.ts', `${SECRET_WORDS}: 1`, `${SECRET_WORDS}: 2`)
    await change('weir.ts', 'weir = 2', `weir = 3 // ${KEY}`)
    const saves = await newUses('FileSave', 4)
    expect(JSON.stringify(saves)).toContain('weir = 3')
    expect(JSON.stringify(saves)).not.toContain(SECRET_WORDS)
    // Neither a file for secrets nor an error in it, which may quote it.
    await change('deploy.env', 'PLAIN=1', `PLAIN=${SECRET_WORDS}`)
    await bench.probe(`
      globalThis.problems ??= vscode.languages.createDiagnosticCollection('tides')
      globalThis.problems.set(vscode.Uri.file(${file('deploy.env')}), [new vscode.Diagnostic(new vscode.Range(0, 0, 0, 5), 'unexpected ${SECRET_WORDS}')])`)
    await Bun.sleep(3000)
    expect(await editorUses()).toHaveLength(4)
  },
  300_000,
)

flow(
  'commands that end in the terminal are observations with their output and exit code',
  async () => {
    // Of a command that ends at once, VS Code does not always tell the output.
    await bench.probe(`
      const terminal = vscode.window.createTerminal({ name: 'work', shellPath: '/bin/bash' })
      terminal.show()
      for (let waited = 0; !terminal.shellIntegration && waited < 60000; waited += 200) await new Promise((resolve) => setTimeout(resolve, 200))
      terminal.shellIntegration.executeCommand('bash check.sh')`)
    const [failed] = await newUses('Bash')
    expect(failed?.input).toEqual({ command: 'bash check.sh' })
    expect(failed?.error).toBe('Exit code 3\nAssertionError: low tide is late')
    await bench.probe(`
      const terminal = vscode.window.terminals.find(({ name }) => name === 'work')
      terminal.shellIntegration.executeCommand("ls >/dev/null")
      await new Promise((resolve) => setTimeout(resolve, 3000))
      terminal.shellIntegration.executeCommand("sleep 1; printf 'eels\\\\n<private>${SECRET_WORDS}</private>\\\\nAPI_KEY=${KEY}\\\\n'; sleep 1")`)
    const [, printed, ...more] = await newUses('Bash', 2)
    expect(more).toEqual([])
    expect(JSON.stringify(printed?.output)).toContain('eels')
    expect(JSON.stringify(printed?.output)).not.toContain(SECRET_WORDS)
    await shoot('terminal')

    // The screen of a pager and the contents of a file for secrets are not stored, and a command that the person ends has not failed.
    await bench.probe(`
      const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
      const terminal = vscode.window.terminals.find(({ name }) => name === 'work')
      for (const command of ["printf '\\\\033[?1049h'; cat weir.ts; sleep 1; printf '\\\\033[?1049l'; sleep 1", 'sleep 1; cat deploy.env; sleep 1']) {
        terminal.shellIntegration.executeCommand(command)
        await pause(5000)
      }
      terminal.shellIntegration.executeCommand('sleep 60')
      await pause(2000)
      terminal.sendText('\\u0003', false)`)
    const [, , drawn, secret, ended] = await newUses('Bash', 5)
    expect([drawn?.output, secret?.output]).toEqual([{ stdout: '' }, { stdout: '' }])
    expect(ended).toMatchObject({ error: null, output: { interrupted: true } })
  },
  300_000,
)

flow(
  'hundreds of saves at once are all stored',
  async () => {
    const folder = join(person.project, 'many')
    mkdirSync(folder)
    for (let n = 0; n < 400; n++) writeFileSync(join(folder, `part-${n}.ts`), `export const part${n} = 1\n`)
    await bench.probe(`
      const edit = new vscode.WorkspaceEdit()
      for (let n = 0; n < 400; n++)
        edit.replace(vscode.Uri.file(${JSON.stringify(folder)} + '/part-' + n + '.ts'), new vscode.Range(0, 0, 0, 6), 'EXPORT')
      await vscode.workspace.applyEdit(edit)
      // saveAll() saves only what has a tab, and VS Code opens tabs for changed files after a moment.
      const saved = await Promise.all(vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map((document) => document.save()))
      if (saved.filter(Boolean).length !== 400) throw new Error(saved.filter(Boolean).length + ' files were saved')`)
    const parts = await until(
      'the saves are stored',
      async () => {
        const paths = new Set((await editorUses()).map(({ input }) => input.path).filter((path) => path?.includes('/many/')))
        return paths.size === 400 ? paths : null
      },
      120_000,
    )
    expect(parts.size).toBe(400)
    await bench.probe(
      `await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ label }) => label.startsWith('part-')))`,
    )
  },
  240_000,
)

flow(
  'tasks that end are observations, and so are problems that appear and disappear after a save',
  async () => {
    await bench.probe(`
      const [task] = (await vscode.tasks.fetchTasks()).filter(({ name }) => name === 'lint tides')
      await vscode.tasks.executeTask(task)`)
    const uses = await newUses('Bash', 6)
    expect(uses[5]?.input).toMatchObject({ command: 'eslint tides.ts' })
    expect(uses[5]?.error).toStartWith('Exit code')
    expect(uses).toHaveLength(6)

    const problems = (list: string) =>
      bench.probe(`
        globalThis.problems ??= vscode.languages.createDiagnosticCollection('tides')
        globalThis.problems.set(vscode.Uri.file(${file('tides.ts')}), ${list})`)
    await problems(
      `[Object.assign(new vscode.Diagnostic(new vscode.Range(4, 2, 4, 8), "Cannot find name 'ebb'."), { code: 'TS2304', source: 'ts' })]`,
    )
    const [appeared] = await newUses('Diagnostics')
    expect(appeared?.error).toBe("Exit code 1\ntides.ts(5,3): error TS2304: Cannot find name 'ebb'.")
    await problems('[]')
    const [, gone] = await newUses('Diagnostics', 2)
    expect(gone?.error).toBeNull()
  },
  300_000,
)

flow(
  'a model has the tools, and gets the MCP server without configuration',
  async () => {
    const invoke = (name: string, input: object) =>
      bench.probe<string>(`
        const result = await vscode.lm.invokeTool(${JSON.stringify(name)}, { input: ${JSON.stringify(input)}, toolInvocationToken: undefined })
        return result.content.map((part) => part.value).join('')`)
    const found = await invoke('recollect_recall', { query: 'why does tideAt multiply' })
    expect(found).toContain('half hours')
    const id = /^(#\d+|P\d+|S\d+) \|/m.exec(found)?.[1] ?? ''
    expect(await invoke('recollect_get', { ids: [id] })).toContain('tideAt')
    expect(await invoke('recollect_timeline', { anchor: id })).toContain(id)
    expect(await invoke('recollect_get', { ids: ['#999999'] })).toContain('No memory has the id')

    await bench.probe(`void vscode.commands.executeCommand('workbench.mcp.listServer')`)
    await quickInput().locator('.monaco-list-row', { hasText: 'Recollect' }).first().waitFor({ timeout: 30_000 })
    await shoot('mcp')
    await quickInput().locator('.monaco-list-row', { hasText: 'Recollect' }).first().click()
    await quickInput().locator('.monaco-list-row', { hasText: 'Start Server' }).first().click()
    await until(
      'the tools of the MCP server are there',
      () => bench.probe<boolean>(`return vscode.lm.tools.some(({ name }) => /memory_recall$/.test(name) && /mcp/.test(name))`),
      300_000,
    )
    await bench.page.keyboard.press('Escape')
  },
  300_000,
)

flow(
  'a note that a model wants to save is saved only after the person confirms it',
  async () => {
    const FACT = 'The harbour master closes the lock at dusk.'
    const invoke = () =>
      bench.probe(`
        globalThis.saving = vscode.lm
          .invokeTool('recollect_remember', { input: { text: ${JSON.stringify(FACT)} }, toolInvocationToken: undefined })
          .then((result) => result.content.map((part) => part.value).join(''), (cause) => 'refused: ' + cause.name)
        globalThis.saving.then((said) => (globalThis.saved = said))
        globalThis.saved = null`)
    const said = () => until('the tool answered', () => bench.probe<string | null>('return globalThis.saved'))
    const dialog = bench.page.locator('.monaco-dialog-box', { hasText: 'Save a note in Recollect?' })
    const isSaved = async () => (await person.recollect('notes', '--json')).includes(FACT)

    await invoke()
    await dialog.filter({ hasText: FACT }).waitFor()
    await shoot('confirm')
    expect(await isSaved()).toBe(false)
    await dialog.locator('.monaco-button', { hasText: 'Cancel' }).click()
    expect(await said()).toStartWith('refused')
    expect(await isSaved()).toBe(false)

    await invoke()
    await dialog.locator('.monaco-button', { hasText: 'Yes' }).click()
    expect(await said()).toMatch(/N[0-9A-Z]+/)
    expect(await isSaved()).toBe(true)
  },
  300_000,
)

flow(
  'if the browser cannot reach the port of the viewer, the person gets a link for a browser that can',
  async () => {
    const { page } = bench
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await command('recollect.openViewer')
    const message = page.locator('.notification-toast', { hasText: 'cannot reach port' })
    await message.waitFor()
    await shoot('no-browser')
    await message.locator('.monaco-button', { hasText: 'Copy Link' }).click()
    const link = await until('the link is copied', async () => {
      const copied = await bench.probe<string>('return vscode.env.clipboard.readText()')
      return copied.startsWith('http://127.0.0.1:') ? copied : null
    })
    const there = await page.context().newPage()
    await there.goto(link)
    await there.getByText('tideAt').filter({ visible: true }).first().waitFor({ timeout: 30_000 })
    await there.close()
  },
  300_000,
)

flow(
  'the chat participant recalls, remembers, sums up and explains; a turn is a prompt with its answer',
  async () => {
    const ask = (query: string) =>
      bench.probe(`await vscode.commands.executeCommand('workbench.action.chat.open', { query: ${JSON.stringify(query)} })`)
    const answer = (text: string) =>
      bench.page.locator('.interactive-response').last().filter({ hasText: text }).waitFor({ timeout: 60_000 })
    // A window finds its models when they are first asked for.
    await bench.probe('await vscode.lm.selectChatModels()')
    await bench.page.getByText('Silent', { exact: true }).first().waitFor()
    await ask('@recollect /recall why does tideAt multiply')
    await answer('half hours')
    await ask('@recollect /remember Eels pass the weir only at night, so weir.ts counts them then.')
    await answer('Saved as')
    await bench.probe(`
      const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(${file('tides.ts')}))
      editor.selection = new vscode.Selection(1, 2, 1, 2)`)
    await ask('@recollect /why')
    await answer('the gauge of the harbour reports half hours')
    // Neither the question to the memory nor a turn without words explains the code.
    const explained = await bench.page.locator('.interactive-response').last().textContent()
    expect(explained).not.toContain('/recall')
    expect(explained).not.toContain('no words')
    await shoot('chat')
    await ask('@recollect /standup')
    await answer('Recent sessions')
    await shoot('chat-standup')
    expect(await person.recollect('notes', '--json')).toContain('Eels pass the weir only at night')
    const prompts = await until('the turns are stored', async () => {
      const stored = (await person.rows<{ text: string; answer: string | null }>('prompts')).filter(({ text }) =>
        text.startsWith('@recollect'),
      )
      return stored.length === 4 ? stored : null
    })
    expect(prompts.map(({ text }) => text)).toContain('@recollect /why')
    expect(prompts.every(({ answer }) => answer !== null)).toBe(true)
  },
  300_000,
)

flow(
  'the commands search, remember the selection, open a session, show the brief, run doctor, name the work, and forget after asking',
  async () => {
    await command('recollect.task')
    await quickInput().locator('input').first().fill('Measure the spring tide')
    await bench.page.keyboard.press('Enter')
    await until('the prompt is stored', async () =>
      (await person.rows<{ text: string }>('prompts')).some(({ text }) => text === 'Measure the spring tide'),
    )
    await command('recollect.brief')
    expect(await pageText('Brief')).toContain('tideAt multiplies by 2')
    await command('recollect.doctor')
    expect(await pageText('Doctor')).toMatch(/worker/i)

    await bench.probe(`
      const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(${file('tides.ts')}))
      editor.selection = new vscode.Selection(4, 0, 6, 1)`)
    await command('recollect.remember')
    await quickInput().locator('input').first().fill('lowTide is measured at the old pier, not at the gauge.')
    await bench.page.keyboard.press('Enter')
    const note = await until('the note is saved', async () => {
      const notes = await person.recollect('notes', '--json')
      return notes.includes('lowTide is measured at the old pier') ? notes : null
    })
    expect(note).toContain('tides.ts:5-7')

    await command('recollect.search')
    await quickInput().locator('input').first().fill('why does tideAt multiply')
    await quickInput().locator('.monaco-list-row').first().waitFor({ timeout: 30_000 })
    // The same question was asked in the chat, and is not its own answer.
    expect(await quickInput().locator('.monaco-list-row').allTextContents()).not.toContainEqual(expect.stringContaining('/recall'))
    await shoot('search')
    await bench.page.keyboard.press('Enter')
    await bench.frameWith('main.memory, main header.head')
    await shoot('memory')

    await command('recollect.openSession')
    await quickInput().locator('.monaco-list-row', { hasText: 'Why does tideAt' }).first().click()
    await bench.frameWith('main header.head')

    await command('recollect.forget')
    await quickInput().locator('input').first().fill('Eels pass the weir only at night')
    await quickInput().locator('.monaco-list-row', { hasText: 'Eels' }).first().click()
    await bench.page.locator('.monaco-dialog-box', { hasText: 'Forget this memory' }).waitFor()
    await shoot('forget')
    await bench.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Forget' }).first().click()
    await until('the note is forgotten', async () => !(await person.recollect('notes', '--json')).includes('Eels pass the weir'))
  },
  300_000,
)

flow(
  'the walkthrough leads to the first commands, and recording can be paused',
  async () => {
    await bench.probe(
      `await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'recollect.recollect#recollect.start', false)`,
    )
    await bench.page.getByText('See where things stand').first().waitFor({ timeout: 30_000 })
    await shoot('walkthrough')
    await command('workbench.action.closeActiveEditor')
    const before = (await editorUses()).length
    await command('recollect.pause')
    await until('recording is paused', async () => (await windowState()) === 'paused')
    await statusItem().hover()
    await bench.page.locator('.monaco-hover', { hasText: 'Recording is paused' }).first().waitFor({ timeout: 30_000 })
    await shoot('paused')
    await change('tides.ts', 'return day + 6.2', 'return day + 7')
    await change('tides.ts', 'return day + 7', 'return day + 6.2')
    await Bun.sleep(2000)
    expect((await editorUses()).length).toBe(before)
    await command('recollect.resume')
    await until('recording goes on', async () => (await windowState()) === 'recording')
  },
  300_000,
)

flow(
  'the side bar shows the viewer in a frame that no other page can make',
  async () => {
    await command('recollect.status')
    const frame = await until(
      'the viewer is in the side bar',
      async () => bench.page.frames().find((one) => /127\.0\.0\.1:\d+\/feed/.test(one.url())) ?? null,
    )
    await frame.locator('main').first().waitFor()
    // Questions to the memory are folded.
    await frame.getByText('tideAt').filter({ visible: true }).first().waitFor({ timeout: 30_000 })
    await shoot('side-bar')
    const { origin } = new URL(frame.url())
    // Another page of this browser, on another port of this machine. On `localhost` the browser even sends the cookie of the side bar's visit.
    const other = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(`<iframe src="${origin}/feed"></iframe>`, { headers: { 'content-type': 'text/html' } }),
    })
    for (const host of ['127.0.0.1', 'localhost']) {
      const page = await bench.page.context().newPage()
      await page.goto(`http://${host}:${other.port}`)
      const refused = () =>
        page
          .frames()
          .find((one) => one !== page.mainFrame())
          ?.url() === 'chrome-error://chromewebdata/'
      await until(`a page of ${host} does not get the viewer`, async () => refused())
      await page.close()
    }
    await other.stop(true)
  },
  300_000,
)

flow(
  'while an agent works in the folder, the editor does not report the same work again',
  async () => {
    const before = (await editorUses()).length
    const hook = (event: string, more: object = {}) =>
      fetch('http://worker/hook/claude-code', {
        unix: join(person.home, '.recollect', 'run', 'worker.sock'),
        method: 'POST',
        headers: { 'x-recollect-pid': String(process.pid) },
        body: JSON.stringify({ hook_event_name: event, session_id: 'agent-at-work', cwd: person.project, ...more }),
      })
    await hook('SessionStart', { source: 'startup' })
    await hook('UserPromptSubmit', { prompt: 'Count the eels.' })
    await change('tides.ts', 'return day + 6.2', 'return day + 6.3')
    await until('the window knows of the agent', async () => (await windowState()) === 'agent')
    expect((await editorUses()).length).toBe(before)
    await hook('SessionEnd', { reason: 'exit' })
    await change('tides.ts', 'return day + 6.3', 'return day + 6.4')
    await until('the window records again', async () => (await editorUses()).length > before)
  },
  300_000,
)

flow(
  'a worker that the person stopped stays stopped; what was done meanwhile is stored when it runs again',
  async () => {
    await person.recollect('stop')
    await change('tides.ts', 'return day + 6.4', 'return day + 6.6')
    await until('the window knows', async () => (await windowState()) === 'away')
    // Longer than the pause before the next attempt.
    await Bun.sleep(8000)
    expect(existsSync(join(person.home, '.recollect', 'run', 'stopped'))).toBe(true)
    await command('recollect.search')
    await quickInput().locator('input').first().fill('tides')
    await bench.page.locator('.notification-toast', { hasText: 'Recollect is not running.' }).first().waitFor()
    await shoot('stopped')
    await person.recollect('start')
    await until('the window records again', async () => (await windowState()) === 'recording', 60_000)
    await until('the save is stored', async () => (await editorUses()).some(({ input }) => input.new_string?.includes('6.6')), 60_000)
    await change('tides.ts', 'return day + 6.6', 'return day + 6.4')
  },
  180_000,
)

flow(
  'a closed window completes its session, and the brief of the next session of Claude Code contains the work of the editor',
  async () => {
    const connections = await bench.probe<string[]>('return [...globalThis.recollectConnections]')
    expect(connections).toEqual([join(person.home, '.recollect', 'run', 'worker.sock')])
    await shoot('end')
    await bench.page.goto('about:blank')
    await until('the session is completed', async () => (await editorSession())?.status === 'completed', 60_000)
    await person.settled()
    const next = await runClaude({ sandbox: person, prompt: 'What was done last?', turns: ['Low tide.'] })
    const brief = briefIn(requestText(next.requests[0]))
    expect(brief).toContain('lowTide')
    expect(brief).toMatch(/tides\.ts|6\.4/)
    // The workbench asks for its own gallery of extensions, and its service worker answers for vscode-cdn.net; nothing else leaves this machine.
    const elsewhere = bench.requested.filter((url) => !/^(?:http:\/\/(?:localhost|127\.0\.0\.1):|about:|data:|blob:|vscode-)/.test(url))
    expect(elsewhere.filter((url) => !/\/vscode\/gallery\/|\.vscode-resource\.vscode-cdn\.net\//.test(url))).toEqual([])
  },
  300_000,
)

flow(
  'a folder that is not trusted is not recorded; in the dark the viewer is dark',
  async () => {
    await bench.close()
    bench = await openWorkbench(person, { vsix: packaged.file, dark: true, isTrusted: false })
    const count = async () => (await person.rows('sessions')).length
    const before = await count()
    await until(
      'the extension is active',
      () => bench.probe<boolean>(`return vscode.extensions.getExtension('recollect.recollect')?.isActive === true`),
      300_000,
    )
    await bench.page.keyboard.press('Escape')
    expect(await windowState()).toBe('untrusted')
    await change('tides.ts', 'return day + 6.4', 'return day + 6.5')
    await Bun.sleep(3000)
    expect(await count()).toBe(before)
    await command('recollect.status')
    const frame = await until(
      'the viewer is in the side bar',
      async () => bench.page.frames().find((one) => /127\.0\.0\.1:\d+\/feed/.test(one.url())) ?? null,
    )
    await frame.locator('main').first().waitFor()
    expect(await frame.locator('html').getAttribute('data-theme')).toBe('dark')
    await bench.page.waitForTimeout(1500)
    await shoot('dark')
  },
  300_000,
)

flow(
  'without a worker the side bar says so, and starts one when the person wants it',
  async () => {
    await person.recollect('stop')
    await command('recollect.refreshViewer')
    const empty = await bench.frameWith('main button')
    expect(await empty.locator('main p').textContent()).toBe('Recollect is not running.')
    await shoot('empty')
    await empty.getByText('Start Recollect').click()
    await until(
      'the viewer is back',
      async () => bench.page.frames().find((one) => /127\.0\.0\.1:\d+\/feed/.test(one.url())) ?? null,
      300_000,
    )
  },
  300_000,
)

flow(
  'a window without a folder says so and searches all projects; each folder of a workspace has its own session',
  async () => {
    await bench.close()
    const second = join(person.root, 'harbour')
    mkdirSync(second)
    writeFileSync(join(second, 'pier.ts'), 'export const pier = 1\n')
    const workspace = join(person.root, 'both.code-workspace')
    writeFileSync(workspace, JSON.stringify({ folders: [{ path: person.project }, { path: second }] }))
    bench = await openWorkbench(person, { vsix: packaged.file, open: 'ew=true' })
    await until('the window says that no folder is open', async () => (await windowState()) === 'empty', 120_000)
    const found = await bench.probe<string>(`
      const result = await vscode.lm.invokeTool('recollect_recall', { input: { query: 'why does tideAt multiply' }, toolInvocationToken: undefined })
      return result.content.map((part) => part.value).join('')`)
    expect(found).toContain('half hours')
    await command('recollect.search')
    await quickInput().locator('input').first().fill('why does tideAt multiply')
    await quickInput().locator('.monaco-list-row', { hasText: 'half hours' }).first().waitFor({ timeout: 30_000 })
    await shoot('no-folder')

    await bench.close()
    bench = await openWorkbench(person, { vsix: packaged.file, open: `workspace=${workspace}` })
    await until('the window records', async () => (await windowState()) === 'recording', 120_000)
    await bench.probe(`
      const document = await vscode.workspace.openTextDocument(${JSON.stringify(join(second, 'pier.ts'))})
      await vscode.window.showTextDocument(document)
      const edit = new vscode.WorkspaceEdit()
      edit.replace(document.uri, new vscode.Range(0, 0, 0, 0), '// The pier is old.\\n')
      await vscode.workspace.applyEdit(edit)
      await document.save()`)
    const use = await until('the save is stored', async () => (await editorUses()).find(({ input }) => input.path?.endsWith('pier.ts')))
    type Row = { contentSessionId: string; folder: string; status: string }
    const session = async () => (await person.rows<Row>('sessions')).find(({ contentSessionId }) => contentSessionId === use.sessionId)
    expect((await session())?.folder.replace(/\/$/, '')).toBe(second)
    // The folder leaves the workspace, and its session ends.
    await bench.probe('vscode.workspace.updateWorkspaceFolders(1, 1)')
    await until('its session is completed', async () => (await session())?.status === 'completed', 60_000)
  },
  300_000,
)

flow(
  'no byte of what was private is in the home',
  async () => {
    await bench.close()
    await person.settled()
    await person.recollect('stop')
    expect(await findInHome(join(person.home, '.recollect'), [SECRET_WORDS, KEY])).toEqual([])
  },
  300_000,
)
