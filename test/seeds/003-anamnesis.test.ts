/** Seed 003, capture and injection in Anamnesis: each test is one of its clauses, with real transcripts, a real worker and real git. */
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { aRemote, runGit } from '../support/machines.ts'
import { aTestHome, type TestHome } from '../support/test-home.ts'
import { transcript } from '../support/transcript.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

/** Runs the program in a folder, with this text on stdin. */
async function runIn(home: TestHome, folder: string, args: string[], stdin = '') {
  const child = Bun.spawn([RECOLLECT, ...args], { cwd: folder, env: home.env, stdin: new Blob([stdin]), stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, code }
}

function folderIn(home: TestHome, ...path: string[]): string {
  const folder = join(home.folder, ...path)
  mkdirSync(folder, { recursive: true })
  return folder
}

const startSession = async (home: TestHome, cwd: string, id: string) =>
  (await (
    await home.ask('POST', '/hook/claude-code', { session_id: id, cwd, source: 'startup', hook_event_name: 'SessionStart' })
  ).json()) as { systemMessage?: string; hookSpecificOutput?: { additionalContext: string } }

/** The files of notes, as Anamnesis would have synced them. */
const notesOf = (home: TestHome) =>
  (readdirSync(join(home.home, 'memory'), { recursive: true, encoding: 'utf8' }) as string[])
    .filter((path) => path.endsWith('.md') && !path.startsWith('.git/'))
    .map((path) => readFileSync(join(home.home, 'memory', path), 'utf8'))

const keyOf = async (home: TestHome, folder: string) =>
  JSON.parse((await runIn(home, folder, ['inject', '--json'])).stdout).project as string

test('Project identity: the marker .anamnesis/project, the origin without user and .git, the root’s name, the folder’s name', async () => {
  await using home = await aTestHome()
  const marked = folderIn(home, 'workspace')
  folderIn(home, 'workspace', '.anamnesis')
  writeFileSync(join(marked, '.anamnesis', 'project'), '\nTeam-Handbook\n')
  const below = folderIn(home, 'workspace', 'chapter', 'one')
  await home.run('start')
  await startSession(home, below, 's1')
  expect(await keyOf(home, below)).toBe('team-handbook')
  const cloned = folderIn(home, 'cloned')
  runGit(cloned, 'init', '--quiet')
  runGit(cloned, 'remote', 'add', 'origin', 'git@Example.com:Team/Shop.git')
  expect(await keyOf(home, cloned)).toBe('example.com/team/shop')
  // Without a remote, two folders of one name are two projects here.
  const repository = folderIn(home, 'Notes')
  runGit(repository, 'init', '--quiet')
  expect(await keyOf(home, folderIn(home, 'Notes', 'deep'))).toMatch(/^notes-[0-9a-f]{6}$/)
  expect(await keyOf(home, folderIn(home, 'Plain'))).toMatch(/^plain-[0-9a-f]{6}$/)
})

test('Project identity: a marker that came with a repository does not count until the person confirms it', async () => {
  await using home = await aTestHome()
  const folder = folderIn(home, 'cloned')
  runGit(folder, 'init', '--quiet')
  runGit(folder, 'remote', 'add', 'origin', 'https://example.com/them/tool')
  folderIn(home, 'cloned', '.anamnesis')
  writeFileSync(join(folder, '.anamnesis', 'project'), 'my-private-project\n')
  await home.run('start')
  expect(await keyOf(home, folder)).toBe('example.com/them/tool')
  await runIn(home, folder, ['projects', 'confirm'])
  expect(await keyOf(home, folder)).toBe('my-private-project')
})

test('Project identity: a marker leads to the notes that were imported under its name; one in a clone is offered first', async () => {
  await using home = await aTestHome()
  const memory = folderIn(home, 'anamnesis', 'memory')
  const note = (id: string, project: string, body: string) =>
    `---\nid: ${id}\ntype: semantic\ntitle: A fact\nproject: ${project}\nmachine_id: laptop\nprov_source: human\n---\n\n${body}\n`
  writeFileSync(join(memory, 'a.md'), note('01HZZZZZZZZZZZZZZZZZZZZZZ1', 'my-project', 'Every port has its own zone.'))
  writeFileSync(join(memory, 'b.md'), note('01HZZZZZZZZZZZZZZZZZZZZZZ2', 'shared-name', 'Lamps are checked on Mondays.'))
  await home.run('import', '--from', 'anamnesis', memory)
  const workspace = folderIn(home, 'workspace')
  const cloned = folderIn(home, 'cloned')
  runGit(cloned, 'init', '--quiet')
  runGit(cloned, 'remote', 'add', 'origin', 'https://example.com/them/tool')
  for (const [folder, key] of [
    [workspace, 'my-project'],
    [cloned, 'shared-name'],
  ] as const)
    writeFileSync(join(folderIn(home, basename(folder), '.anamnesis'), 'project'), `${key}\n`)

  const below = await startSession(home, folderIn(home, 'workspace', 'chapter'), 's1')
  expect(below.hookSpecificOutput?.additionalContext).toContain('Every port has its own zone.')
  const offered = await startSession(home, cloned, 's2')
  expect(offered.hookSpecificOutput).toBeUndefined()
  expect(offered.systemMessage).toContain('names shared-name, which has 1 memory. If you trust it: recollect projects confirm')
  await runIn(home, cloned, ['projects', 'confirm'])
  expect((await startSession(home, cloned, 's3')).hookSpecificOutput?.additionalContext).toContain('Lamps are checked on Mondays.')
}, 300_000)

test('Two machines that share a folder without a remote meet after one answer', async () => {
  using remote = aRemote()
  await using laptop = await aTestHome()
  await using desktop = await aTestHome()
  const folders = [folderIn(laptop, 'handbook'), folderIn(desktop, 'docs', 'handbook')] as const
  for (const [home, folder] of [
    [laptop, folders[0]],
    [desktop, folders[1]],
  ] as const)
    await runIn(home, folder, ['init', '--yes', '--no-mcp', '--remote', remote.path])
  await runIn(laptop, folders[0], ['capture', 'Expenses are filed by the tenth.'])
  await runIn(laptop, folders[0], ['sync'])
  const synced = await runIn(desktop, folders[1], ['sync'])
  const [, from = '', into = ''] = /projects join (\S+) (\S+?)\. /.exec(synced.stdout) ?? []
  expect([from, into]).toEqual([expect.stringMatching(/^handbook-/), expect.stringMatching(/^handbook-/)])
  expect((await startSession(desktop, folders[1], 's1')).systemMessage).toContain(`projects join ${from} ${into}`)
  expect((await startSession(desktop, folders[1], 's2')).systemMessage).toBeUndefined()
  expect((await runIn(desktop, folders[1], ['doctor'])).stdout).toContain(`projects join ${from} ${into}`)
  expect((await runIn(desktop, folders[1], ['projects', 'join', from, into, '--dry-run'])).stdout).toStartWith('Would move')
  await runIn(desktop, folders[1], ['projects', 'join', from, into, '--yes'])
  await desktop.settled()
  expect((await startSession(desktop, folders[1], 's3')).hookSpecificOutput?.additionalContext).toContain(
    'Expenses are filed by the tenth.',
  )
  await runIn(desktop, folders[1], ['capture', 'Travel is booked by the office.'])
  await runIn(desktop, folders[1], ['sync'])
  await runIn(laptop, folders[0], ['sync'])
  expect((await runIn(laptop, folders[0], ['inject'])).stdout).toContain('Travel is booked by the office.')
  await runIn(desktop, folders[1], ['projects', 'split', from, '--yes'])
  expect((await runIn(desktop, folders[1], ['inject'])).stdout).not.toContain('Expenses')
}, 300_000)

test('Injection: k notes of the project, all global notes in full, and no superseded ones', async () => {
  await using home = await aTestHome()
  await home.run('start')
  for (let n = 1; n <= 13; n++) await home.run('capture', `Lamp number ${n} burns blue${n}.`)
  const long = `Global beginning. ${'Each lamp has a keeper who signs for it. '.repeat(20)}Global end.`
  await home.run('capture', '--global', long)
  await home.run('capture', '--global', 'Nothing is deployed on Fridays.')
  const shown = async (...args: string[]) => (await home.run('inject', ...args)).match(/Lamp number/g)?.length ?? 0
  expect([await shown(), await shown('--k', '12'), await shown('--k', '3')]).toEqual([8, 12, 3])
  const brief = await home.run('inject', '--k', '0')
  expect(brief).toContain('Global end.')
  expect(brief).toContain('Nothing is deployed on Fridays.')
  const notes = JSON.parse(await home.run('notes', '--json')).notes as { id: string; title: string }[]
  const id = notes.find(({ title }) => title.startsWith('Lamp number 13'))?.id
  await home.run('capture', 'Lamp 13 is retired for good.', '--supersedes', `N${id}`)
  expect(await home.run('inject', '--k', '20')).not.toContain('Lamp number 13')
})

test('Injection: global notes that do not fit appear by their titles, with a hint how to read them', async () => {
  await using home = await aTestHome()
  await home.run('start')
  for (let n = 1; n <= 12; n++)
    await home.run(
      'capture',
      '--global',
      '--title',
      `House rule ${n}`,
      `${`Rule ${n} concerns door ${n} and window ${n}. `.repeat(30)}End of rule ${n}.`,
    )
  const brief = await home.run('inject')
  const inFull = brief.match(/End of rule \d+/g)?.length ?? 0
  expect(inFull).toBeGreaterThan(0)
  expect(inFull).toBeLessThan(12)
  for (let n = 1; n <= 12; n++) expect(brief).toMatch(new RegExp(`House rule ${n}\\b`))
  expect(brief).toContain('get <id>')
})

test('Injection by hand: an explicit project and budget, the folder in a hook’s payload, and silence for an empty project', async () => {
  await using home = await aTestHome()
  const folder = folderIn(home, 'my-project')
  await home.run('start')
  await runIn(home, folder, ['capture', 'Boats are tarred in spring.', '--project', 'my-project'])
  expect((await runIn(home, home.project, ['inject', '--project', 'my-project', '--k', '12'])).stdout).toContain(
    'Boats are tarred in spring.',
  )
  const empty = await runIn(home, home.project, ['inject'])
  expect([empty.code, empty.stdout]).toEqual([0, ''])
  await runIn(home, folder, ['capture', 'Sails are dried before they are folded.'])
  const payload = JSON.stringify({ session_id: 's', cwd: folder, source: 'startup' })
  expect((await runIn(home, '/', ['inject'], payload)).stdout).toContain('Sails are dried')
})

test('Capture: a transcript becomes one episodic note, with the fields, files, branch and tags that the seed lists', async () => {
  await using home = await aTestHome()
  await home.run('start')
  const ask = 'Please let the harbour page show the time of the next tide in the zone of each port'
  const line = (fields: object) => JSON.stringify({ sessionId: 'anam-1', cwd: home.project, gitBranch: 'tides', ...fields })
  const edit = (id: string, name: string) => [
    line({
      type: 'assistant',
      uuid: `${id}a`,
      timestamp: '2026-01-02T10:01:00Z',
      message: {
        id,
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id,
            name,
            input: { file_path: join(home.project, 'src/tide.ts'), old_string: 'a', new_string: 'b', content: 'b' },
          },
        ],
      },
    }),
    line({
      type: 'user',
      uuid: `${id}r`,
      timestamp: '2026-01-02T10:01:10Z',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
    }),
  ]
  const lines = [
    line({
      type: 'user',
      isMeta: true,
      uuid: 'm',
      timestamp: '2026-01-02T10:00:00Z',
      message: { role: 'user', content: 'Caveat: the messages below were generated' },
    }),
    line({ type: 'user', uuid: 'u', timestamp: '2026-01-02T10:00:01Z', message: { role: 'user', content: ask } }),
    ...edit('t1', 'Edit'),
    ...edit('t2', 'Write'),
    '{"type":"assistant", this line is torn',
    line({
      type: 'assistant',
      uuid: 'z',
      timestamp: '2026-01-02T10:02:00Z',
      message: { id: 'm9', role: 'assistant', content: [{ type: 'text', text: 'Each port now has its own zone.' }] },
    }),
  ]
  const file = join(home.folder, 'transcript.jsonl')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const out = await home.run('capture', '--transcript', file, '--no-sync')
  expect(out).toMatch(/^Wrote the note N\w+ of session anam-1: /)
  const [note = '', ...others] = notesOf(home).filter((text) => text.includes('type: episodic'))
  expect(others).toEqual([])
  for (const part of [
    'tags: [session, session-end]',
    'source: session-end',
    'session: anam-1',
    '**Ask:** Please let the harbour',
    '**Branch:** tides',
    '**Files touched (1):**\n- src/tide.ts',
    '**Outcome:** Each port now has its own zone.',
  ])
    expect(note).toContain(part)
  expect(/^title: (.*)$/m.exec(note)?.[1]?.length).toBeLessThanOrEqual(82)
  await home.run('capture', '--transcript', file, '--no-sync')
  expect(notesOf(home).filter((text) => text.includes('type: episodic'))).toHaveLength(1)
})

test('Capture as a hook: the payload names the transcript; before a compaction the session goes on and nothing is synced', async () => {
  await using home = await aTestHome()
  await home.run('start')
  const file = join(home.folder, 'h.jsonl')
  writeFileSync(
    file,
    transcript('anam-2', [{ prompt: 'Why is the buoy red?', answer: 'Because it marks the port side of the channel.' }], {
      cwd: home.project,
    }),
  )
  const payload = JSON.stringify({ session_id: 'anam-2', cwd: home.project, transcript_path: file })
  const captured = await runIn(home, home.project, ['capture', '--source', 'precompact', '--no-sync', '--json'], payload)
  expect(JSON.parse(captured.stdout)).toMatchObject({ session: 'anam-2', note: { title: expect.any(String) }, sync: null })
  expect(notesOf(home).find((text) => text.includes('anam-2'))).toContain('precompact')
  const ended = await runIn(home, home.project, ['capture', '--json'], payload)
  expect(JSON.parse(ended.stdout)).toMatchObject({ session: 'anam-2', sync: { outcome: 'local' } })
})

test('Skipping trivial sessions: kept with a file, or a prompt, or 40 characters of outcome; otherwise skipped', async () => {
  await using home = await aTestHome()
  await home.run('start')
  const answerOnly = (id: string, text: string) =>
    `${JSON.stringify({ type: 'assistant', uuid: `${id}-1`, timestamp: '2026-01-02T10:00:00Z', sessionId: id, cwd: home.project, message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }] } })}\n`
  const cases: [string, string, boolean][] = [
    ['only-answer', answerOnly('only-answer', 'The nightly job repaired two broken links.'), true],
    ['tiny-answer', answerOnly('tiny-answer', 'Ok.'), false],
    ['slash', transcript('slash', [{ prompt: '/clear', answer: 'Done.' }], { cwd: home.project }), false],
    ['asked', transcript('asked', [{ prompt: 'Which buoy is red?', answer: 'Port.' }], { cwd: home.project }), true],
  ]
  for (const [id, text, isKept] of cases) {
    const file = join(home.folder, `${id}.jsonl`)
    writeFileSync(file, text)
    const out = await home.run('capture', '--transcript', file, '--no-sync')
    expect([id, out.startsWith('Wrote the note')]).toEqual([id, isKept])
    if (!isKept) expect(out).toContain('No note was written')
  }
  const kept = notesOf(home).find((text) => text.includes('session: only-answer')) ?? ''
  expect(kept).toContain('title: Session summary')
  expect(kept).toContain('**Ask:** (no user prompt captured)')
})

test('Importing transcripts writes the notes that live capture would have written, and one commit holds them all', async () => {
  await using home = await aTestHome()
  const history = folderIn(home, 'history')
  for (let n = 1; n <= 64; n++)
    writeFileSync(
      join(history, `s${n}.jsonl`),
      transcript(`s${n}`, [{ prompt: `Check gauge number ${n}`, answer: `Gauge ${n} is within its limits, as of today.` }], {
        cwd: home.project,
      }),
    )
  const started = performance.now()
  await home.run('import', history)
  await home.settled()
  expect(performance.now() - started).toBeLessThan(60_000)
  expect(notesOf(home).filter((text) => text.includes('type: episodic'))).toHaveLength(64)
  await home.run('sync')
  expect(runGit(join(home.home, 'memory'), 'log', '--oneline').trim().split('\n').length).toBeLessThanOrEqual(2)
}, 300_000)

test('Importing transcripts writes no notes with import.session_notes = false', async () => {
  await using home = await aTestHome()
  await home.run('config', 'set', 'import.session_notes', 'false')
  const file = join(home.folder, 's.jsonl')
  writeFileSync(
    file,
    transcript('s', [{ prompt: 'Check the gauge', answer: 'It is within its limits, as of today.' }], { cwd: home.project }),
  )
  await home.run('import', file)
  await home.settled()
  expect(JSON.parse(await home.run('notes', '--all', '--json')).notes).toEqual([])
  expect(await home.run('search', 'gauge limits', '--all')).toContain('gauge')
})

test('Summarizing: the title is the first line of the prompt, cut to 80 characters, and long texts are cut to 600', async () => {
  await using home = await aTestHome()
  await home.run('start')
  const words = 'Let the harbour page show the time of the next tide in the zone of each port, quay and pier'
  const file = join(home.folder, 'long.jsonl')
  writeFileSync(file, transcript('long', [{ prompt: `${words}\nsecond line`, answer: 'tide '.repeat(300) }], { cwd: home.project }))
  const { note } = JSON.parse(await home.run('capture', '--transcript', file, '--no-sync', '--json'))
  expect(words.length).toBeGreaterThan(80)
  expect(note.title.length).toBeLessThanOrEqual(80)
  expect(note.title.length).toBeGreaterThan(70)
  expect(words.startsWith(note.title.replace(/…$/, '').trimEnd())).toBe(true)
  const exact = join(home.folder, 'exact.jsonl')
  writeFileSync(
    exact,
    transcript('exact', [{ prompt: words.slice(0, 80), answer: 'It does, for every port and quay.' }], { cwd: home.project }),
  )
  expect(JSON.parse(await home.run('capture', '--transcript', exact, '--no-sync', '--json')).note.title).toBe(words.slice(0, 80))
  const [text = ''] = notesOf(home).filter((one) => one.includes('session: long'))
  expect(/\*\*Outcome:\*\* ([\s\S]*?)(?:\n\n|$)/.exec(text)?.[1]?.length).toBeLessThanOrEqual(601)
})

test('Import keeps the machine that a note of Anamnesis came from', async () => {
  await using home = await aTestHome()
  // Without a path: everything in its own folder, also the notes that it never syncs.
  const folder = folderIn(home, '.anamnesis', 'memory', 'semantic')
  const local =
    '---\nid: 01HZZZZZZZZZZZZZZZZZZZZZZL\ntype: semantic\ntitle: VPN\nproject: handbook\nscope: machine-local\n---\nOnly here.\n'
  writeFileSync(join(folderIn(home, '.anamnesis', 'local', 'semantic'), 'l.md'), local)
  writeFileSync(
    join(folder, 'a.md'),
    '---\nid: 01HZZZZZZZZZZZZZZZZZZZZZZZ\ntype: semantic\ntitle: Ports have zones\nproject: handbook\nmachine_id: old-laptop\nprov_source: human\nconfidence: 0.8\n---\n\nEvery port has its own zone.\n',
  )
  await home.run('import', '--from', 'anamnesis')
  const imported = async () =>
    (
      JSON.parse(await home.run('notes', '--all', '--json')).notes as { id: string; title: string; machine: string; updatedAt: number }[]
    ).sort((a, b) => a.title.localeCompare(b.title))
  expect(await imported()).toMatchObject([
    { title: 'Ports have zones', machine: 'old-laptop', confidence: 0.8, project: 'handbook' },
    { title: 'VPN', scope: 'local', project: 'handbook' },
  ])
  // The folder of that name takes it over with its first session, and the note keeps its machine and its time.
  const [before] = await imported()
  const opened = await startSession(home, folderIn(home, 'docs', 'handbook'), 's1')
  expect(opened.hookSpecificOutput?.additionalContext).toContain('Every port has its own zone.')
  await home.settled()
  const [after] = await imported()
  expect([after?.machine, after?.updatedAt]).toEqual(['old-laptop', before?.updatedAt])
})

test('Project identity: a folder takes over the notes imported under its name also when its sessions were imported first', async () => {
  await using home = await aTestHome()
  const folder = folderIn(home, 'docs', 'handbook')
  const file = join(home.folder, 's.jsonl')
  writeFileSync(file, transcript('s', [{ prompt: 'Which zone has the pier?', answer: 'The pier is in zone four.' }], { cwd: folder }))
  await home.run('import', file)
  const memory = folderIn(home, 'anamnesis', 'memory')
  writeFileSync(
    join(memory, 'a.md'),
    '---\nid: 01HZZZZZZZZZZZZZZZZZZZZZZZ\ntype: semantic\ntitle: Ports have zones\nproject: handbook\nmachine_id: old-laptop\nprov_source: human\n---\n\nEvery port has its own zone.\n',
  )
  await home.run('import', '--from', 'anamnesis', memory)
  await home.settled()
  const opened = await startSession(home, folder, 's1')
  expect(opened.systemMessage).toContain('took over the memories imported as handbook')
  for (const text of ['Every port has its own zone.', 'zone four']) expect(opened.hookSpecificOutput?.additionalContext).toContain(text)
  await home.settled()
  expect((await startSession(home, folder, 's2')).systemMessage).not.toContain('took over')
})

test('init --print and init --command show exactly what will be written, and uninstall removes it', async () => {
  await using home = await aTestHome()
  const settings = join(home.folder, '.claude', 'settings.json')
  const printed = await home.run('init', '--command', RECOLLECT, '--print')
  expect(JSON.parse(printed).hooks.SessionStart[0].hooks[0].command).toContain(`${RECOLLECT} --home`)
  await home.run('init', '--command', RECOLLECT, '--yes', '--no-mcp')
  expect(readFileSync(settings, 'utf8')).toBe(printed)
  const again = await home.run('init', '--command', RECOLLECT, '--yes', '--no-mcp')
  expect(again).toContain('already has the hooks')
  const { command } = JSON.parse(printed).hooks.SessionStart[0].hooks[0]
  await home.run('capture', 'Tar is stored outside.')
  const payload = JSON.stringify({ session_id: 'h', cwd: home.project, source: 'startup' })
  const hook = Bun.spawn(['sh', '-c', command], { cwd: home.project, env: home.env, stdin: new Blob([payload]), stdout: 'pipe' })
  expect(await hook.stdout.text()).toContain('Tar is stored outside.')
  await home.run('uninstall', '--yes')
  expect((await runIn(home, home.project, ['doctor'])).stdout).not.toContain('events in')
  const refused = await runIn(home, home.project, ['init', '--command', 'no-such-program-here', '--print'])
  expect([refused.code, refused.stdout]).toEqual([4, ''])
})
