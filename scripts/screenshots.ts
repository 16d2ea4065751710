/**
 * Takes the screenshots in docs/img, of a sample history in a temporary home: `bin/with-bun scripts/screenshots.ts`. With a folder as argument,
 * it takes every page into that folder, for review: 1440, 1024 and 360 pixels wide, light and dark.
 */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { aPerson, type Person } from '../test/support/person.ts'
import { transcript, type WrittenTurn } from '../test/support/transcript.ts'
import { view } from '../test/support/viewer.ts'
import { parseArguments } from './arguments.ts'

const [folder] = parseArguments('scripts/screenshots.ts [folder]', {}, { words: true }).positionals
const images = join(import.meta.dir, '..', 'docs', 'img')

// With the command on the PATH, briefs show it without its path.
const PATH = [join(import.meta.dir, '..', 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':')
await using person = await aPerson({ init: null, env: { TZ: 'UTC', PATH } })
await fill(person)
if (folder) await shootEveryPage(person, folder)
else await shootForDocs(person)

async function shootForDocs(person: Person): Promise<void> {
  mkdirSync(images, { recursive: true })
  const shots: [string, string, { dark?: boolean }][] = [
    ['viewer-feed', '/feed', {}],
    ['viewer-search', '/search?q=low+tide+an+hour+late', {}],
    ['viewer-session', '/sessions/1?at=observation:1', { dark: true }],
    ['viewer-rules', '/rules?kind=decisions', {}],
    ['viewer-injection', '/injections', {}],
  ]
  for (const [name, path, look] of shots)
    await shoot(person, [path], { ...look, width: 1240, height: 760 }, () => join(images, `${name}.png`))
}

async function shootEveryPage(person: Person, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const paths = [
    '/feed',
    '/feed?view=list',
    '/search?q=tide+late',
    '/memory/1',
    '/memory/P1',
    '/memory/S1',
    '/rules',
    '/rules?kind=decisions',
    '/forgotten',
    '/memory/new',
    '/sessions',
    '/sessions/1?at=observation:1',
    '/timeline',
    '/timeline?project=tidepool&from=2026-10-22&to=2026-10-22',
    '/graph?project=tidepool',
    '/graph/observation:1',
    '/injections',
    '/injections/next?tokens=400',
    '/projects',
    '/worker',
    '/settings',
    '/memory/99999',
    '/no/such/page',
    '/search',
  ]
  for (const width of [1440, 1024, 360])
    for (const dark of [false, true])
      await shoot(person, paths, { dark, width, height: width < 500 ? 780 : 900 }, (path) =>
        join(folder, `${path.replace(/\W+/g, '_').slice(1)}-${width}-${dark ? 'dark' : 'light'}.png`),
      )
}

async function shoot(
  person: Person,
  paths: string[],
  look: { dark?: boolean; width?: number; height?: number },
  file: (path: string) => string,
) {
  await using viewer = await view(person, look)
  for (const path of paths) {
    await viewer.open(path)
    await viewer.page.waitForTimeout(600)
    await viewer.page.screenshot({ path: file(path) })
  }
  for (const trouble of viewer.violations) console.log(trouble)
}

/** The sample history, a few more projects, notes, and a session that received a brief. */
async function fill(person: Person): Promise<void> {
  await person.recollect('demo')
  const day = 86_400_000
  const histories: [string, number, WrittenTurn[]][] = [
    [
      'lantern',
      3,
      [
        sampleTurn(
          'The mail queue stalls at night. Why?',
          'It waits for a lock that the backup holds; the backup now takes a snapshot first.',
        ),
      ],
    ],
    [
      'lantern',
      9,
      [
        sampleTurn(
          'Add a retry with backoff to the mailer',
          'The mailer retries five times, one second doubled each time, and then gives up with a log line.',
        ),
      ],
    ],
    [
      'orchard',
      5,
      [
        sampleTurn(
          'Which index does the harvest report use?',
          'None: it scans harvests. An index on (field, picked_at) makes it forty times faster.',
        ),
      ],
    ],
    [
      'orchard',
      30,
      [
        sampleTurn(
          'Decide between UUID and ULID for public ids',
          'Decision: ULID, because they sort by time and are shorter in addresses.',
        ),
      ],
    ],
    [
      'tidepool',
      2,
      [
        sampleTurn(
          'Show the next high tide on the station page',
          'The station page shows the next high tide, with its time in the zone of the station.',
        ),
      ],
    ],
  ]
  for (const [index, [name, daysAgo, turns]] of histories.entries()) {
    const text = transcript(`sample-${index}`, turns, {
      cwd: `/home/you/code/${name}`,
      from: Date.now() - daysAgo * day,
      title: turns[0]?.prompt ?? '',
    })
    await Bun.write(join(person.home, '.claude', 'projects', name, `sample-${index}.jsonl`), text)
  }
  await person.recollect('import')
  await person.settled()
  const capture = (text: string, ...more: string[]) => person.recollect('capture', text, ...more)
  await capture(
    'Times are stored in UTC and shown in the zone of the station.',
    '--title',
    'Times and zones',
    '--ns',
    'decisions',
    '--project',
    'tidepool',
    '--pin',
  )
  await capture(
    'Run `bun test` before every commit; the clock tests are the ones that break.',
    '--title',
    'Before a commit',
    '--ns',
    'testing',
    '--project',
    'tidepool',
  )
  await capture(
    'Answer in short sentences. Show the command before running it.',
    '--title',
    'How I like answers',
    '--ns',
    'context',
    '--global',
  )
  await person.settled()
  await liveSession(person)
}

function sampleTurn(prompt: string, answer: string): WrittenTurn {
  return { prompt, answer, commands: ['git status', 'bun test'] }
}

/** A session in the sample project that is shown a brief, and then speaks of what it was shown. */
async function liveSession(person: Person): Promise<void> {
  await sendHook(person, 'SessionStart', { source: 'startup' })
  await sendHook(person, 'UserPromptSubmit', { prompt: 'Why was low tide an hour late? From now on never store a fixed offset.' })
  await sendHook(person, 'Stop', {
    last_assistant_message:
      'Stations held a fixed offset, so their tides were an hour late in summer. Times are stored in UTC and shown in the zone of the station.',
  })
  await sendHook(person, 'SessionEnd', { reason: 'other' })
  await person.settled()
}

async function sendHook(person: Person, event: string, fields: object): Promise<void> {
  const payload = { session_id: 'shown', cwd: '/home/you/code/tidepool', hook_event_name: event, transcript_path: '', ...fields }
  const recollect = join(import.meta.dir, '..', 'bin', 'recollect')
  const child = Bun.spawn([recollect, 'hook', 'claude-code', event], {
    env: { ...person.env, CLAUDE_PROJECT_DIR: payload.cwd },
    cwd: person.home,
    stdin: new Blob([JSON.stringify(payload)]),
    stdout: 'ignore',
    stderr: 'inherit',
  })
  await child.exited
}
