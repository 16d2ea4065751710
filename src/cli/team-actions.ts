import type { OwnMachinesState, ReceivedVersion, TeamState } from '../core/team.ts'
import { shorten } from '../core/text.ts'
import { formatAgo } from '../core/time-format.ts'
import { call } from './call.ts'
import { confirmed } from './confirm.ts'
import { requireNoteId } from './note-command.ts'
import { dim, EXIT, invalidInput, plural, print, printJson, printTable, yellow } from './print.ts'

export type TeamOptions = { json: boolean; dryRun: boolean; yes: boolean }

/** Longer than the worker waits for a hub. */
const TEAM_TIMEOUT_MS = 600_000
const timeout = { timeoutMs: TEAM_TIMEOUT_MS }

export async function printTeam({ json }: TeamOptions): Promise<undefined> {
  const state = await call('GET /api/team')
  if (json) return printJson(state)
  if (state.kind === 'none') return print('This machine has not joined a team. To join one: recollect team join <url> <code>')
  printTable(teamRows(state))
  if (state.projects.length > 0) {
    print('')
    printTable(
      state.projects.map(({ key, policy, may, review, shared, received }) => [
        key,
        may === null ? yellow('no access') : `you may ${may}`,
        policy === 'off' ? 'not shared by you' : `${policy}: ${shared} shared`,
        `${received} from others`,
        review ? 'reviewed' : '',
      ]),
    )
  }
  for (const { title, problem } of state.problems) print(yellow(`  not shared: ${shorten(title, 60)}: ${problem}`))
  if (state.toReview > 0) print(dim('To read what is waiting for you: recollect team review'))
  if (state.conflicts > 0) print(dim('To see both versions: recollect team conflicts'))
}

/** Rows for `team status` and `status`. */
export function teamRows(state: Extract<TeamState, { kind: 'joined' }>): string[][] {
  const counts = [
    state.waiting > 0 ? `${plural(state.waiting, 'change')} to send` : '',
    state.proposed > 0 ? `${state.proposed} waiting for a curator` : '',
    state.rejected > 0 ? yellow(`${state.rejected} rejected`) : '',
    state.toReview > 0 ? yellow(`${state.toReview} to review`) : '',
    state.conflicts > 0 ? yellow(plural(state.conflicts, 'conflict')) : '',
  ].filter(Boolean)
  const contact = state.lastContact === null ? 'never' : formatAgo(state.lastContact, Date.now())
  const own = ownLine(state.own)
  return [
    ['Team', `${state.member} at ${state.url}, this machine is ${state.device}${counts.length > 0 ? `; ${counts.join(', ')}` : ''}`],
    ['Last contact', `${contact}${state.problem ? yellow(` (${state.problem})`) : ''}`],
    ...(own ? [['Own machines', own]] : []),
  ]
}

function ownLine(own: OwnMachinesState): string | null {
  if (own.kind === 'off') return null
  if (own.kind === 'needs phrase') return yellow('another machine has made a new recovery phrase: recollect team own on --phrase')
  const large = own.tooLarge > 0 ? yellow(`, ${own.tooLarge} too large to send`) : ''
  return `${plural(own.items, 'session or note', 'sessions and notes')} on the hub, sealed; ${own.waiting} to send${large}`
}

export async function joinTeam(words: string[], device: string | undefined, { json }: TeamOptions): Promise<undefined> {
  const [first, second] = words
  const code = second ?? first
  if (code === undefined) throw invalidInput('a code is missing; the operator of the hub makes one: recollect hub invite <name>')
  const url = second === undefined ? undefined : first
  const state = await call('POST /api/team/join', { code, ...(url ? { url } : {}), ...(device ? { device } : {}) }, timeout)
  if (json) return printJson(state)
  if (state.kind === 'none') return
  print(`You are ${state.member} in the team at ${state.url}. This machine is ${state.device}.`)
  const received = state.projects.reduce((sum, project) => sum + project.received, 0)
  if (state.projects.length > 0)
    print(
      `You may read ${plural(state.projects.length, 'project')} and have received ${plural(received, 'memory', 'memories')} from other members.`,
    )
  print(dim('Nothing of yours is shared yet. To share a project: recollect team share <project>'))
}

export async function shareProject(
  name: string | undefined,
  { policy, note, create }: { policy: 'notes' | 'notes+distilled' | undefined; note: string | undefined; create: boolean },
  { json, dryRun, yes }: TeamOptions,
): Promise<undefined> {
  if (name === undefined) throw invalidInput('name a project: recollect team share <project>; "." is the one of this folder')
  const request = {
    project: projectArgument(name),
    ...(policy ? { policy } : {}),
    ...(note ? { note: requireNoteId(note) } : {}),
    create,
  }
  const planned = await call('POST /api/team/share', { ...request, dryRun: true }, timeout)
  if (dryRun && json) return printJson(planned)
  if (!json) {
    const amount = [plural(planned.notes, 'note'), ...(planned.distilled > 0 ? [`${planned.distilled} observations and summaries`] : [])]
    const future = note ? '' : ', and from then on each new one'
    print(`With the team of ${planned.project}, you would share ${amount.join(' and ')}${future}${planned.titles.length > 0 ? ':' : '.'}`)
    for (const title of planned.titles.slice(0, MAX_TITLES)) print(`  ${shorten(title, 100)}`)
    const more = planned.notes + planned.distilled - Math.min(planned.titles.length, MAX_TITLES)
    if (more > 0) print(dim(`  and ${more} more`))
  }
  if (dryRun) return
  if (!yes && !json && !(await confirmed('Share them?'))) return print('Nothing was shared.')
  const shared = await call('POST /api/team/share', { ...request, dryRun: false }, timeout)
  return json ? printJson(shared) : print(`Shared. To take it back: recollect team withdraw ${note ? `--note ${note}` : name}`)
}

const MAX_TITLES = 15

/** A folder is given with its whole path, because the worker runs elsewhere. */
const projectArgument = (name: string) =>
  name === '.' || name.startsWith('./') || name.startsWith('../') ? `${process.cwd()}/${name}` : name

export async function withdraw(name: string | undefined, note: string | undefined, { json, dryRun, yes }: TeamOptions): Promise<undefined> {
  if ((name === undefined) === (note === undefined))
    throw invalidInput('name a project or a note: recollect team withdraw <project> | --note ID')
  const request = note === undefined ? { project: projectArgument(name ?? '') } : { note: requireNoteId(note) }
  const planned = await call('POST /api/team/withdraw', { ...request, dryRun: true }, timeout)
  const what = plural(planned.memories, 'memory', 'memories')
  if (dryRun) return json ? printJson(planned) : print(`Would delete ${what} on the hub and on every laptop. Yours stay here.`)
  if (!yes && !json && !(await confirmed(`Delete ${what} on the hub and on every laptop? Yours stay here.`)))
    return print('Nothing was changed.')
  const done = await call('POST /api/team/withdraw', { ...request, dryRun: false }, timeout)
  if (json) return printJson(done)
  print(
    done.waiting > 0
      ? `The hub cannot be reached now; ${what} go as soon as it can.`
      : `Deleted ${what} on the hub; each laptop follows when it is next online.`,
  )
}

export async function reviewMemories([verdict, id]: string[], { json }: TeamOptions): Promise<undefined> {
  if (verdict === 'on' || verdict === 'off') return requireReview(id, verdict === 'on', json)
  const { memories } = await call('GET /api/team/review')
  if (verdict === undefined) {
    if (json) return printJson({ memories })
    if (memories.length === 0) return print('Nothing is waiting for you.')
    for (const memory of memories) printVersion(memory)
    return print(dim('To decide: recollect team review accept|reject <id>'))
  }
  if (verdict !== 'accept' && verdict !== 'reject')
    throw invalidInput(`unknown verdict "${verdict}"; use accept or reject, or on or off with a project`)
  const found = memories.filter((memory) => id !== undefined && memory.id.startsWith(id))
  const [memory] = found
  if (!memory || found.length > 1)
    throw invalidInput(
      id === undefined
        ? 'which one? Give its id'
        : `${found.length === 0 ? 'no' : 'more than one'} waiting memory has an id that begins with "${id}"`,
    )
  const { key, hash } = memory
  const done = await call(
    'POST /api/team/review',
    { key, id: memory.id, hash, verdict: verdict === 'accept' ? 'accepted' : 'rejected' },
    timeout,
  )
  return json ? printJson(done) : print(`${done.verdict === 'accepted' ? 'Accepted' : 'Rejected'}: ${shorten(memory.title, 80)}`)
}

async function requireReview(name: string | undefined, isRequired: boolean, json: boolean): Promise<undefined> {
  if (name === undefined) throw invalidInput(`name a project: recollect team review ${isRequired ? 'on' : 'off'} <project>`)
  const changed = await call('PUT /api/team/review', { project: projectArgument(name), isRequired }, timeout)
  if (json) return printJson(changed)
  print(
    isRequired
      ? `What members share in ${changed.project} now waits until a curator accepts it.`
      : `What members share in ${changed.project} no longer waits. What waits already still does.`,
  )
}

function printVersion({ id, key, author, changedAt, title, text }: ReceivedVersion): void {
  print(`${id}  ${shorten(title, 80)}  ${dim(`${author}, ${formatAgo(changedAt, Date.now())}, ${key}`)}`)
  if (text.trim() !== title.trim()) print(shorten(text, 300), '  ')
}

export async function listConflicts({ json }: TeamOptions): Promise<undefined> {
  const { conflicts } = await call('GET /api/team/conflicts')
  if (json) return printJson({ conflicts })
  if (conflicts.length === 0) return print('There are no conflicts.')
  for (const { id, key, title, current, kept, isOwn } of conflicts) {
    print(`${id}  ${shorten(title, 80)}  ${dim(key)}`)
    if (current) print(`the team has ${current.author}'s: ${shorten(current.text, 200)}`, '  ')
    for (const version of kept) print(`kept beside it ${version.author}'s: ${shorten(version.text, 200)}`, '  ')
    if (isOwn && current) print(dim(`recollect team conflicts --resolve ${id} --mine|--theirs`), '  ')
  }
}

export async function resolveTeamConflict(id: string, mine: boolean, theirs: boolean, { json }: TeamOptions): Promise<undefined> {
  if (mine === theirs) throw invalidInput('which version? Pass exactly one of --mine, --theirs')
  const { conflicts } = await call('GET /api/team/conflicts')
  const found = conflicts.filter((conflict) => conflict.id.startsWith(id))
  const [conflict] = found
  if (!conflict || found.length > 1)
    throw invalidInput(`${found.length === 0 ? 'no' : 'more than one'} conflict has an id that begins with "${id}"`)
  const choice = mine ? 'mine' : 'theirs'
  const done = await call('POST /api/team/resolve', { key: conflict.key, id: conflict.id, choice }, timeout)
  return json ? printJson(done) : print(mine ? 'The team gets your version.' : "Your note has the team's version.")
}

export async function listMembers({ json }: TeamOptions): Promise<undefined> {
  const { members } = await call('GET /api/team/members', {}, timeout)
  if (json) return printJson({ members })
  printTable(
    members.map(({ name, role, disabledAt, grants }) => [
      name,
      role === 'admin' ? 'admin' : '',
      disabledAt === null ? grants.map(({ project, may }) => `${project} (${may})`).join(', ') : yellow('disabled'),
    ]),
  )
}

const RIGHTS = ['read', 'write', 'curate'] as const

export async function grantRight([project, member, right]: string[], { json }: TeamOptions): Promise<undefined> {
  if (project === undefined || member === undefined || right === undefined)
    throw invalidInput('use: recollect team grant <project> <member> read|write|curate|none')
  const may = RIGHTS.find((one) => one === right) ?? null
  if (may === null && right !== 'none') throw invalidInput(`unknown right "${right}"; use one of: ${RIGHTS.join(', ')}, none`)
  const done = await call('POST /api/team/grant', { project: projectArgument(project), member, may }, timeout)
  if (json) return printJson(done)
  print(may === null ? `${member} has no right in ${done.project} any more.` : `${member} may ${may} ${done.project}.`)
}

export async function invite(name: string | undefined, { json }: TeamOptions): Promise<undefined> {
  const made = await call('POST /api/team/invite', name === undefined ? {} : { name }, timeout)
  if (json) return printJson(made)
  print(name === undefined ? 'On your other machine, run:' : `${name} runs:`)
  print(`recollect team join ${made.url} ${made.code}`, '  ')
  print(dim(`The code works once, until ${new Date(made.expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC.`))
}

export async function listDevices(revoke: string | undefined, { json }: TeamOptions): Promise<undefined> {
  const { devices, current } = await call('GET /api/team/devices', {}, timeout)
  if (revoke === undefined) {
    if (json) return printJson({ devices, current })
    const now = Date.now()
    const rows = devices.map(({ id, name, enrolledAt, lastSeenAt, revokedAt }) => [
      id,
      name,
      id === current ? 'this machine' : '',
      revokedAt === null ? `joined ${formatAgo(enrolledAt, now)}` : yellow(`revoked ${formatAgo(revokedAt, now)}`),
      lastSeenAt === null ? '' : `seen ${formatAgo(lastSeenAt, now)}`,
    ])
    return printTable(rows)
  }
  const found = devices.filter(({ id, name }) => id.startsWith(revoke) || name === revoke)
  const [device] = found
  if (!device || found.length > 1) throw invalidInput(`${found.length === 0 ? 'no' : 'more than one'} device of yours matches "${revoke}"`)
  if (device.id === current) throw invalidInput('that is this machine; use: recollect team leave')
  const revoked = await call('POST /api/team/devices/revoke', { id: device.id }, timeout)
  if (json) return printJson(revoked)
  print(`${device.name} no longer has access.`)
  if (revoked.phrase) {
    printPhrase(revoked.phrase)
    print('Your other machines ask for it once: recollect team own on --phrase')
  } else print(dim('If other machines of yours share your own memory, make a new phrase on one of them: recollect team own phrase'))
}

/** Switches the exchange between own machines on or off. A phrase is read from the terminal or from standard input, never from an argument. */
export async function ownMachines(action: string | undefined, hasPhrase: boolean, { json, dryRun, yes }: TeamOptions): Promise<undefined> {
  if (action === 'on') {
    const phrase = hasPhrase ? await readPhrase() : null
    const done = await call('POST /api/team/own', phrase === null ? {} : { phrase }, timeout)
    if (json) return printJson(done)
    if (done.phrase === null) return print('This machine now shares your own sessions and notes with your other machines.')
    printPhrase(done.phrase)
    return print('On your other machines: recollect team join <url> <code>, then recollect team own on --phrase')
  }
  if (action === 'phrase') {
    const what = 'make a new recovery phrase, which your other machines then ask for once'
    if (dryRun) return json ? printJson({ dryRun }) : print(`Would ${what}.`)
    if (!yes && !json && !(await confirmed(`This will ${what}. Continue?`))) return print('Nothing was changed.')
    const made = await call('POST /api/team/own/phrase', {}, timeout)
    if (json) return printJson(made)
    printPhrase(made.phrase)
    return print('On your other machines: recollect team own on --phrase')
  }
  if (action === 'off') {
    const planned = await call('POST /api/team/own/off', { dryRun: true }, timeout)
    const what = `stop exchanging ${plural(planned.items, 'session or note', 'sessions and notes')} between this machine and your others; nothing is deleted`
    if (dryRun) return json ? printJson(planned) : print(`Would ${what}.`)
    if (!yes && !json && !(await confirmed(`This will ${what}. Continue?`))) return print('Nothing was changed.')
    const done = await call('POST /api/team/own/off', { dryRun: false }, timeout)
    return json ? printJson(done) : print('Switched off on this machine.')
  }
  throw invalidInput('use: recollect team own on [--phrase], recollect team own phrase, or recollect team own off')
}

function printPhrase(phrase: string): void {
  print('Your recovery phrase. Write it down now: it is shown only once, and cannot be recovered.\n')
  print(phrase, '  ')
  print('')
}

async function readPhrase(): Promise<string> {
  const typed = process.stdin.isTTY ? prompt('Recovery phrase:') : await Bun.stdin.text()
  if (!typed?.trim()) throw invalidInput('no recovery phrase was given; type it, or pass it on standard input')
  return typed
}

export async function handOver(
  to: string | undefined,
  project: string | undefined,
  { json, dryRun, yes }: TeamOptions,
): Promise<undefined> {
  if (to === undefined) throw invalidInput('to whom? recollect team handover <member>')
  const request = { to, ...(project ? { project: projectArgument(project) } : {}) }
  const planned = await call('POST /api/team/handover', { ...request, dryRun: true }, timeout)
  const what = plural(planned.memories, 'memory', 'memories')
  if (dryRun) return json ? printJson(planned) : print(`${to} would become the author of ${what}.`)
  const question = `Make ${to} the author of ${what}? They can then change and delete them, and you cannot.`
  if (!yes && !json && !(await confirmed(question))) return print('Nothing was changed.')
  const done = await call('POST /api/team/handover', { ...request, dryRun: false }, timeout)
  return json ? printJson(done) : print(`${to} is now the author of ${plural(done.memories, 'memory', 'memories')}.`)
}

export async function syncTeam({ json }: TeamOptions): Promise<number | undefined> {
  const state = await call('POST /api/team/exchange', {}, timeout)
  if (json) printJson(state)
  else if (state.kind === 'joined') print(state.problem === null ? 'Up to date with the hub.' : yellow(`Not exchanged: ${state.problem}`))
  return state.kind === 'joined' && state.problem !== null ? EXIT.error : EXIT.done
}

export async function leaveTeam(deletes: boolean, { json, dryRun, yes }: TeamOptions): Promise<undefined> {
  const planned = await call('POST /api/team/leave', { deletes, dryRun: true }, timeout)
  const what = [
    `remove ${plural(planned.received, 'copy', 'copies')} of others' memories from this machine`,
    deletes
      ? `delete ${plural(planned.shared, 'memory', 'memories')} that you shared, on the hub and on every laptop`
      : `leave ${plural(planned.shared, 'memory', 'memories')} that you shared on the hub`,
  ].join(' and ')
  if (dryRun) return json ? printJson(planned) : print(`Would ${what}.`)
  if (!yes && !json && !(await confirmed(`This will ${what}. Leave?`))) return print('Nothing was changed.')
  const left = await call('POST /api/team/leave', { deletes, dryRun: false }, timeout)
  if (json) return printJson(left)
  print('You left the team.')
  if (!left.isRevoked) print(yellow('The hub could not be reached. Ask its operator to revoke this device.'))
}
